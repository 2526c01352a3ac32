// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/choice.hpp>
#include <synelix/filter_bank.hpp>
#include <synelix/scaled.hpp>
#include <synelix/seam/conv.hpp>
#include <synelix/seam/spaces.hpp>
#include <synelix/strided.hpp>
#include <synelix/types/conv.hpp>

#include <Kokkos_Core.hpp>

#include <memory>
#include <type_traits>

/// \file
/// Convolution operators and their gradients, as PyTorch defines them: the cross-correlation
///     y(n, o, p) = bias(o) + sum over c, k of x(n, c, p stride + k dilation - padding) w(o, c, k)
/// along one, two or three dimensions of space. c runs through the channels of the group of o.
/// Arrays have any layout and strides. Inputs have any stored type, with a scale and an offset
/// (`scaled`). Inputs are converted, and windows are gathered, block by block.
///
/// Shapes:
///
/// x, grad_x: (batch, channels, space), or (batch, space, channels).
/// y, grad_y: the same with results for channels.
/// w, grad_w: (results, channels / groups, taps).
/// transposed: x is (batch, results of w, space), y is (batch, channels, space).
/// bias, grad_b: (results), of transposed (channels).
///
/// Extents of y are (x + before + after - dilation (taps - 1) - 1) / stride + 1, rounded down;
/// of transposed (x - 1) stride - before - after + dilation (taps - 1) + output_padding + 1.
///
/// Each operator writes to the caller's array of float or double, or returns a View of the type
/// that the caller names. Both forms return when the result is complete, and throw Error as
/// ConvPlan.
///
/// argument            | what it may be
/// ------------------- | -------------------------------------------------------------------
/// x, grad_y           | a View or `Strided`, or `scaled` of either: channels may have numbers
/// w, bias             | the same, with one scale and offset; `flipped` weights; `no_bias`
/// results             | a View or `StridedOutput` of float or double, of the rank above
/// space, taps         | `PerDimension`: extents of the input without batch and channels, or of
///                     | a window. Neither follows from operands where the stride is not 1.
///
/// The problem alone determines the order of all sums: neither the threads nor the budget change a
/// bit. Sums have the result's type. Gradients by weights and bias are summed in slices of at most
/// 16384 positions, which are added in order, so that sums of many million keep small terms. On a
/// device, the length of transformed blocks also depends on its scratch memory (docs/devices.md).
///
/// Positions without a value (zero padding, and those around the input of a transposed convolution
/// or of a gradient by input) are zeros, and are multiplied as such: a weight of Inf or NaN gives
/// NaN.
///
/// Windows of one dimension with stride 1 may be transformed (`ConvMethod::fft`, overlap-save):
/// blocks of positions, whose length `ConvChoice::fft_length` follows from the problem and the
/// instruction set or device, are multiplied with the weights as spectra, and a long window costs
/// little more than a short one. The error of a result is then at most about 256 epsilon log2(N)
/// times the norm of its window times the norm of its weights, for N samples of a block. Usually it
/// is far less. Results whose windows have too small a share of the norm of their block are summed
/// directly. Results of windows of zeros are rounding errors. If a sum of a block is not finite,
/// all results of this block and channel are summed directly. So NaN and Inf affect the same
/// results as in direct sums.

namespace synelix {

/// A convolution bound to its memory, with a workspace, on one execution-space instance. For
/// computing many times in place: `run` allocates nothing, copies nothing and fences nothing.
/// Values of all operands, weights too, are read by each run. One run may be in flight at a time; a
/// plan dies before Kokkos::finalize.
template <class Scalar, class ExecutionSpace = Kokkos::DefaultExecutionSpace>
class ConvPlan {
 public:
  static_assert(seam::computes<Scalar, ExecutionSpace>());

  /// \throws Error if extents do not fit together, channels are no multiple of groups, windows
  ///         are larger than the padded input, a stride or dilation is below 1, padding is
  ///         negative, or more than its kind allows, the result is no `Scalar`, has other extents,
  ///         overlaps itself or an operand, transforms are requested but do not apply, the budget
  ///         is too small (the smallest is named), or Kokkos is not running
  ConvPlan(const ExecutionSpace& exec, const ConvArrays& arrays, const ConvOptions& options = {});
  ConvPlan(ConvPlan&&) noexcept;             ///< moves: leaves the source unusable
  ConvPlan& operator=(ConvPlan&&) noexcept;  ///< as the constructor
  ~ConvPlan();

  /// Computes the result. Asynchronous on exec.
  void run(const ExecutionSpace& exec) const;
  /// As `run`, watched and with a fence. \throws Cancelled if watch.cancel is set
  void run_watched(const ExecutionSpace& exec, const Watch& watch) const;

  /// What was chosen.
  [[nodiscard]] const ConvChoice& choice() const;

 private:
  struct State;
  std::unique_ptr<State> m_state;
};

/// How a convolution would be computed, without running anything. \throws Error as ConvPlan
template <class ExecutionSpace>
ConvChoice choose_conv(const ExecutionSpace& exec, const ConvArrays& arrays,
                       const ConvOptions& options = {});

/// Any of the operators, once. Returns when the result is complete. \throws Error as ConvPlan
template <class ExecutionSpace>
void convolve_arrays(const ExecutionSpace& exec, const ConvArrays& arrays,
                     const ConvOptions& options = {});

/// y of x, w and bias: the cross-correlation above. PyTorch: functional.conv1d, ... @{
template <class ExecutionSpace, class Output>
void conv1d(const ExecutionSpace& exec, const Operand& x, const Operand& w, const Operand& bias,
            const Output& y, const ConvOptions& options = {}) {
  seam::conv_into<3>(exec, ConvArrays{ConvOperator::forward, 1, x, w, bias}, y, options);
}
template <class Result, class ExecutionSpace>
Result conv1d(const ExecutionSpace& exec, const Operand& x, const Operand& w, const Operand& bias,
              const ConvOptions& options = {}) {
  return seam::conv_of<Result, 3>(exec, ConvArrays{ConvOperator::forward, 1, x, w, bias}, options);
}
template <class ExecutionSpace, class Output>
void conv2d(const ExecutionSpace& exec, const Operand& x, const Operand& w, const Operand& bias,
            const Output& y, const ConvOptions& options = {}) {
  seam::conv_into<4>(exec, ConvArrays{ConvOperator::forward, 2, x, w, bias}, y, options);
}
template <class Result, class ExecutionSpace>
Result conv2d(const ExecutionSpace& exec, const Operand& x, const Operand& w, const Operand& bias,
              const ConvOptions& options = {}) {
  return seam::conv_of<Result, 4>(exec, ConvArrays{ConvOperator::forward, 2, x, w, bias}, options);
}
template <class ExecutionSpace, class Output>
void conv3d(const ExecutionSpace& exec, const Operand& x, const Operand& w, const Operand& bias,
            const Output& y, const ConvOptions& options = {}) {
  seam::conv_into<5>(exec, ConvArrays{ConvOperator::forward, 3, x, w, bias}, y, options);
}
template <class Result, class ExecutionSpace>
Result conv3d(const ExecutionSpace& exec, const Operand& x, const Operand& w, const Operand& bias,
              const ConvOptions& options = {}) {
  return seam::conv_of<Result, 5>(exec, ConvArrays{ConvOperator::forward, 3, x, w, bias}, options);
}  /// @}

/// The same with weights whose taps run the other way: `flipped(w)`. @{
template <class ExecutionSpace, class Output>
void true_conv1d(const ExecutionSpace& exec, const Operand& x, const Operand& w,
                 const Operand& bias, const Output& y, const ConvOptions& options = {}) {
  seam::conv_into<3>(exec, ConvArrays{ConvOperator::forward, 1, x, flipped(w), bias}, y, options);
}
template <class Result, class ExecutionSpace>
Result true_conv1d(const ExecutionSpace& exec, const Operand& x, const Operand& w,
                   const Operand& bias, const ConvOptions& options = {}) {
  return seam::conv_of<Result, 3>(exec, ConvArrays{ConvOperator::forward, 1, x, flipped(w), bias},
                                  options);
}
template <class ExecutionSpace, class Output>
void true_conv2d(const ExecutionSpace& exec, const Operand& x, const Operand& w,
                 const Operand& bias, const Output& y, const ConvOptions& options = {}) {
  seam::conv_into<4>(exec, ConvArrays{ConvOperator::forward, 2, x, flipped(w), bias}, y, options);
}
template <class Result, class ExecutionSpace>
Result true_conv2d(const ExecutionSpace& exec, const Operand& x, const Operand& w,
                   const Operand& bias, const ConvOptions& options = {}) {
  return seam::conv_of<Result, 4>(exec, ConvArrays{ConvOperator::forward, 2, x, flipped(w), bias},
                                  options);
}
template <class ExecutionSpace, class Output>
void true_conv3d(const ExecutionSpace& exec, const Operand& x, const Operand& w,
                 const Operand& bias, const Output& y, const ConvOptions& options = {}) {
  seam::conv_into<5>(exec, ConvArrays{ConvOperator::forward, 3, x, flipped(w), bias}, y, options);
}
template <class Result, class ExecutionSpace>
Result true_conv3d(const ExecutionSpace& exec, const Operand& x, const Operand& w,
                   const Operand& bias, const ConvOptions& options = {}) {
  return seam::conv_of<Result, 5>(exec, ConvArrays{ConvOperator::forward, 3, x, flipped(w), bias},
                                  options);
}  /// @}

/// Transposed: the gradient of convNd by its input, plus a bias. PyTorch: conv_transpose1d, ... @{
template <class ExecutionSpace, class Output>
void conv1d_transposed(const ExecutionSpace& exec, const Operand& x, const Operand& w,
                       const Operand& bias, const Output& y, const ConvOptions& options = {}) {
  seam::conv_into<3>(exec, ConvArrays{ConvOperator::transposed, 1, x, w, bias}, y, options);
}
template <class Result, class ExecutionSpace>
Result conv1d_transposed(const ExecutionSpace& exec, const Operand& x, const Operand& w,
                         const Operand& bias, const ConvOptions& options = {}) {
  return seam::conv_of<Result, 3>(exec, ConvArrays{ConvOperator::transposed, 1, x, w, bias},
                                  options);
}
template <class ExecutionSpace, class Output>
void conv2d_transposed(const ExecutionSpace& exec, const Operand& x, const Operand& w,
                       const Operand& bias, const Output& y, const ConvOptions& options = {}) {
  seam::conv_into<4>(exec, ConvArrays{ConvOperator::transposed, 2, x, w, bias}, y, options);
}
template <class Result, class ExecutionSpace>
Result conv2d_transposed(const ExecutionSpace& exec, const Operand& x, const Operand& w,
                         const Operand& bias, const ConvOptions& options = {}) {
  return seam::conv_of<Result, 4>(exec, ConvArrays{ConvOperator::transposed, 2, x, w, bias},
                                  options);
}
template <class ExecutionSpace, class Output>
void conv3d_transposed(const ExecutionSpace& exec, const Operand& x, const Operand& w,
                       const Operand& bias, const Output& y, const ConvOptions& options = {}) {
  seam::conv_into<5>(exec, ConvArrays{ConvOperator::transposed, 3, x, w, bias}, y, options);
}
template <class Result, class ExecutionSpace>
Result conv3d_transposed(const ExecutionSpace& exec, const Operand& x, const Operand& w,
                         const Operand& bias, const ConvOptions& options = {}) {
  return seam::conv_of<Result, 5>(exec, ConvArrays{ConvOperator::transposed, 3, x, w, bias},
                                  options);
}  /// @}

/// The gradient by the input. PyTorch: grad.conv1d_input, ... @{
template <class ExecutionSpace, class Output>
  requires(!std::is_convertible_v<const Output&, PerDimension>)
void conv1d_grad_input(const ExecutionSpace& exec, const Operand& grad_y, const Operand& w,
                       const Output& grad_x, const ConvOptions& options = {}) {
  seam::conv_into<3>(exec, ConvArrays{ConvOperator::grad_input, 1, grad_y, w}, grad_x, options);
}
template <class Result, class ExecutionSpace>
Result conv1d_grad_input(const ExecutionSpace& exec, const Operand& grad_y, const Operand& w,
                         const PerDimension& space, const ConvOptions& options = {}) {
  return seam::conv_of<Result, 3>(exec, ConvArrays{ConvOperator::grad_input, 1, grad_y, w}, options,
                                  space);
}
template <class ExecutionSpace, class Output>
  requires(!std::is_convertible_v<const Output&, PerDimension>)
void conv2d_grad_input(const ExecutionSpace& exec, const Operand& grad_y, const Operand& w,
                       const Output& grad_x, const ConvOptions& options = {}) {
  seam::conv_into<4>(exec, ConvArrays{ConvOperator::grad_input, 2, grad_y, w}, grad_x, options);
}
template <class Result, class ExecutionSpace>
Result conv2d_grad_input(const ExecutionSpace& exec, const Operand& grad_y, const Operand& w,
                         const PerDimension& space, const ConvOptions& options = {}) {
  return seam::conv_of<Result, 4>(exec, ConvArrays{ConvOperator::grad_input, 2, grad_y, w}, options,
                                  space);
}
template <class ExecutionSpace, class Output>
  requires(!std::is_convertible_v<const Output&, PerDimension>)
void conv3d_grad_input(const ExecutionSpace& exec, const Operand& grad_y, const Operand& w,
                       const Output& grad_x, const ConvOptions& options = {}) {
  seam::conv_into<5>(exec, ConvArrays{ConvOperator::grad_input, 3, grad_y, w}, grad_x, options);
}
template <class Result, class ExecutionSpace>
Result conv3d_grad_input(const ExecutionSpace& exec, const Operand& grad_y, const Operand& w,
                         const PerDimension& space, const ConvOptions& options = {}) {
  return seam::conv_of<Result, 5>(exec, ConvArrays{ConvOperator::grad_input, 3, grad_y, w}, options,
                                  space);
}  /// @}

/// The gradient by the weights. PyTorch: grad.conv1d_weight, ... @{
template <class ExecutionSpace, class Output>
  requires(!std::is_convertible_v<const Output&, PerDimension>)
void conv1d_grad_weights(const ExecutionSpace& exec, const Operand& x, const Operand& grad_y,
                         const Output& grad_w, const ConvOptions& options = {}) {
  seam::conv_into<3>(exec, ConvArrays{ConvOperator::grad_weights, 1, x, grad_y}, grad_w, options);
}
template <class Result, class ExecutionSpace>
Result conv1d_grad_weights(const ExecutionSpace& exec, const Operand& x, const Operand& grad_y,
                           const PerDimension& taps, const ConvOptions& options = {}) {
  return seam::conv_of<Result, 3>(exec, ConvArrays{ConvOperator::grad_weights, 1, x, grad_y},
                                  options, taps);
}
template <class ExecutionSpace, class Output>
  requires(!std::is_convertible_v<const Output&, PerDimension>)
void conv2d_grad_weights(const ExecutionSpace& exec, const Operand& x, const Operand& grad_y,
                         const Output& grad_w, const ConvOptions& options = {}) {
  seam::conv_into<4>(exec, ConvArrays{ConvOperator::grad_weights, 2, x, grad_y}, grad_w, options);
}
template <class Result, class ExecutionSpace>
Result conv2d_grad_weights(const ExecutionSpace& exec, const Operand& x, const Operand& grad_y,
                           const PerDimension& taps, const ConvOptions& options = {}) {
  return seam::conv_of<Result, 4>(exec, ConvArrays{ConvOperator::grad_weights, 2, x, grad_y},
                                  options, taps);
}
template <class ExecutionSpace, class Output>
  requires(!std::is_convertible_v<const Output&, PerDimension>)
void conv3d_grad_weights(const ExecutionSpace& exec, const Operand& x, const Operand& grad_y,
                         const Output& grad_w, const ConvOptions& options = {}) {
  seam::conv_into<5>(exec, ConvArrays{ConvOperator::grad_weights, 3, x, grad_y}, grad_w, options);
}
template <class Result, class ExecutionSpace>
Result conv3d_grad_weights(const ExecutionSpace& exec, const Operand& x, const Operand& grad_y,
                           const PerDimension& taps, const ConvOptions& options = {}) {
  return seam::conv_of<Result, 5>(exec, ConvArrays{ConvOperator::grad_weights, 3, x, grad_y},
                                  options, taps);
}  /// @}

/// The gradient by the bias: grad_y summed over all but channels. @{
template <class ExecutionSpace, class Output>
  requires(!std::is_convertible_v<const Output&, ConvOptions>)
void conv1d_grad_bias(const ExecutionSpace& exec, const Operand& grad_y, const Output& grad_b,
                      const ConvOptions& options = {}) {
  seam::conv_into<1>(exec, ConvArrays{ConvOperator::grad_bias, 1, grad_y}, grad_b, options);
}
template <class Result, class ExecutionSpace>
Result conv1d_grad_bias(const ExecutionSpace& exec, const Operand& grad_y,
                        const ConvOptions& options = {}) {
  return seam::conv_of<Result, 1>(exec, ConvArrays{ConvOperator::grad_bias, 1, grad_y}, options);
}
template <class ExecutionSpace, class Output>
  requires(!std::is_convertible_v<const Output&, ConvOptions>)
void conv2d_grad_bias(const ExecutionSpace& exec, const Operand& grad_y, const Output& grad_b,
                      const ConvOptions& options = {}) {
  seam::conv_into<1>(exec, ConvArrays{ConvOperator::grad_bias, 2, grad_y}, grad_b, options);
}
template <class Result, class ExecutionSpace>
Result conv2d_grad_bias(const ExecutionSpace& exec, const Operand& grad_y,
                        const ConvOptions& options = {}) {
  return seam::conv_of<Result, 1>(exec, ConvArrays{ConvOperator::grad_bias, 2, grad_y}, options);
}
template <class ExecutionSpace, class Output>
  requires(!std::is_convertible_v<const Output&, ConvOptions>)
void conv3d_grad_bias(const ExecutionSpace& exec, const Operand& grad_y, const Output& grad_b,
                      const ConvOptions& options = {}) {
  seam::conv_into<1>(exec, ConvArrays{ConvOperator::grad_bias, 3, grad_y}, grad_b, options);
}
template <class Result, class ExecutionSpace>
Result conv3d_grad_bias(const ExecutionSpace& exec, const Operand& grad_y,
                        const ConvOptions& options = {}) {
  return seam::conv_of<Result, 1>(exec, ConvArrays{ConvOperator::grad_bias, 3, grad_y}, options);
}  /// @}

}  // namespace synelix
