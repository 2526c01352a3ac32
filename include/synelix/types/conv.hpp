// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/choice.hpp>
#include <synelix/strided.hpp>
#include <synelix/types/scaled.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <vector>

/// \file
/// What conv.hpp declares, without Kokkos: options, arrays, choices and extents. Programs include
/// conv.hpp.

namespace synelix {

/// A number for each dimension of space, or one for all: `.stride = 2`, `.stride = {2, 1}`.
class PerDimension {
 public:
  /// One number for all dimensions.
  PerDimension(std::int64_t all)  // NOLINT(google-explicit-constructor): a number is one for all
      : m_values{all}, m_count(1) {}
  /// \throws Error for no number, or more than three
  PerDimension(std::initializer_list<std::int64_t> values);

  /// How many numbers were given; 1 means one for all.
  [[nodiscard]] int count() const { return m_count; }
  /// The number of a dimension of space, counted from 0.
  [[nodiscard]] std::int64_t operator[](int dimension) const {
    return m_values[static_cast<std::size_t>(m_count == 1 ? 0 : dimension)];
  }

 private:
  std::array<std::int64_t, 3> m_values{};
  int m_count;
};

/// A view of weights, with reversed taps. \throws Error for less than three dimensions
Operand flipped(const Operand& weights);

inline const Operand no_bias = {};  ///< no bias

/// What surrounds an input.
enum class PaddingKind : std::uint8_t {
  zero,      ///< zeros: physical ones
  circular,  ///< the input repeated; at most its length
  reflect    ///< the input mirrored at its first and last position, which are not repeated
};

/// How much padding there is.
enum class PaddingSize : std::uint8_t {
  given,  ///< `padding` and `padding_after`
  valid,  ///< none
  same    ///< makes results as long as the input; if odd, one more after it
};

/// The position of channels.
enum class ChannelOrder : std::uint8_t {
  first,  ///< (batch, channels, space)
  last    ///< (batch, space, channels)
};

/// The name of a kind of padding.
const char* name_of(PaddingKind kind);

/// How sums are computed. It follows from the problem and the instruction set or device alone.
enum class ConvMethod : std::uint8_t {
  automatic,  ///< what is predicted to be faster: `fft` only for 16 taps or more whose spectra
              ///< (on a host with the blocks of one thread) fit in 64 MiB
  direct,     ///< term by term
  fft         ///< by transforms of blocks: one dimension with stride 1
};

/// The name of a method.
const char* name_of(ConvMethod method);

/// How a convolution is defined and computed.
struct ConvOptions {
  PerDimension stride = 1;                         ///< positions between windows, at least 1
  PerDimension dilation = 1;                       ///< positions between taps, at least 1
  PerDimension padding = 0;                        ///< before the input, and also after it if
  std::optional<PerDimension> padding_after = {};  ///< this is absent
  PaddingSize padding_size = PaddingSize::given;   ///< `same` needs stride 1
  PaddingKind padding_kind = PaddingKind::zero;    ///< of `transposed` always zero
  std::int64_t groups = 1;                         ///< each sees its own channels only
  ChannelOrder channels = ChannelOrder::first;     ///< of the arrays
  PerDimension output_padding = 0;                 ///< of `transposed`, below stride or dilation
  ConvMethod method = ConvMethod::automatic;       ///< `fft` is an Error if it does not apply
  /// Bytes that the call may use beyond its arguments, in the memory of the execution space;
  /// absent: a quarter of what is available there.
  std::optional<std::int64_t> budget = {};
  Machine machine = {};  ///< only its instruction set is used
  /// Reports the progress of a one-shot call, and cancels it. For plans use `run_watched`.
  Watch watch = {};
};

/// The operators.
enum class ConvOperator : std::uint8_t {
  forward,       ///< y of x and w: conv1d, ...
  transposed,    ///< y of x and w: conv1d_transposed, ...
  grad_input,    ///< grad_x of grad_y and w
  grad_weights,  ///< grad_w of x and grad_y
  grad_bias      ///< grad_b of grad_y
};

/// An operator with its arrays: `first` and `second` are its inputs, in the order of the functions
/// in conv.hpp. `grad_bias` has only the first.
struct ConvArrays {
  ConvOperator op = ConvOperator::forward;  ///< decides what the arrays mean
  int dimensions = 2;                       ///< of space: 1, 2 or 3
  Operand first = {};                       ///< x, or grad_y of gradients by input and bias
  Operand second = {};        ///< w, or grad_y of the gradient by weights; `grad_bias` takes none
  Operand bias = {};          ///< empty: none; gradients take none
  StridedOutput result = {};  ///< float or double, with the extents of `conv_extents`
};

/// How a convolution is computed.
struct ConvChoice {
  ConvMethod method = ConvMethod::direct;                  ///< never `automatic`
  InstructionSet instruction_set = InstructionSet::plain;  ///< of tiles on a host
  std::int64_t items = 0;                                  ///< work items
  std::int64_t positions = 0;                              ///< gathered together, or of a block
  std::int64_t channels = 0;                               ///< gathered together, at most
  std::int64_t columns = 0;          ///< channels of the result that an item computes, at most
  bool gathers_rows = false;         ///< whether windows are gathered a second time, as rows
  std::int64_t fft_length = 0;       ///< samples of a block that is transformed; 0: of direct sums
  std::int64_t slices = 1;           ///< of a gradient by weights or bias, summed separately
  std::int64_t teams = 0;            ///< teams that compute items
  std::int64_t workspace_bytes = 0;  ///< what the plan allocates
  double flops = 0;                  ///< floating-point operations, including those of padding
  double bytes = 0;                  ///< bytes of operands and result, each once
};

/// Extents of the result of an operator, for any `arrays.result`. For gradients, the operands do
/// not determine all extents. `size` gives the missing ones: the space of the input, or the taps.
/// \throws Error as ConvPlan
std::vector<std::int64_t> conv_extents(const ConvArrays& arrays, const ConvOptions& options = {},
                                       const PerDimension& size = 1);

}  // namespace synelix
