// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "index/range.hpp"
#include "index/segment.hpp"

#include <cstdint>

/// \file
/// Windows of convolution operators along one dimension: the source positions for each position of
/// a result. An operator and its gradient by input have the same form here.
///
/// Positions of the result are divided into classes: position `number + j stride` is the j-th of
/// class `number`. Positions of one class use the same taps, in one or a few passes: position j and
/// the i-th tap of a pass use source position `source + (is_backward ? -j : j) step + i spacing`.
/// Padding maps it back into the source, or to a zero. A convolution has one class and one pass.
/// Its gradient by input has a class for each remainder modulo the stride, with the taps that
/// match, and another pass for each margin that circular or reflecting padding filled from the
/// input.

namespace synelix::index {

inline constexpr int conv_dimensions = 3;  ///< fewer dimensions are extended to this number

/// The values at positions outside an array.
enum class PaddingMode : std::uint8_t { zero, circular, reflect };

/// The source position of a padded position; -1: none. Positions outside by more than one extent,
/// or one less for reflection, have none.
constexpr std::int64_t padded_position(std::int64_t at, std::int64_t extent,
                                       PaddingMode padding_mode) {
  if (at >= 0 && at < extent) return at;
  if (padding_mode == PaddingMode::circular) return at < 0 ? at + extent : at - extent;
  if (padding_mode == PaddingMode::reflect) return at < 0 ? -at : 2 * (extent - 1) - at;
  return -1;
}

/// The source positions of positions [begin, end) of a class.
struct ConvPass {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::int64_t tap = 0;   ///< the first, in the order of `ConvAxis::tap_order`
  std::int64_t taps = 0;  ///< that are met
  std::int64_t source = 0;
  bool is_backward = false;
};

/// One dimension. Its pointers refer to memory of the execution space.
struct ConvAxis {
  std::int64_t results = 1;  ///< positions of the result
  std::int64_t stride = 1;   ///< between those of a class
  std::int64_t classes = 1;  ///< at most the stride, and at most the positions
  std::int64_t sources = 1;  ///< positions of the source
  std::int64_t taps = 1;     ///< of the window
  std::int64_t step = 1;     ///< source positions from one position of a class to the next
  std::int64_t spacing = 1;  ///< source positions from one tap of a pass to the next
  std::int64_t gcd = 1;      ///< common divisor of both: source positions between its multiples are
                             ///< not used
  PaddingMode padding_mode = PaddingMode::zero;
  const ConvPass* passes = nullptr;          ///< of all axes
  const std::int64_t* first_pass = nullptr;  ///< of each class, and their number
  const std::int64_t* tap_order = nullptr;   ///< the taps in the order of passes

  /// Positions of a class.
  [[nodiscard]] constexpr std::int64_t positions(std::int64_t number) const {
    return number < results ? ceil_divide(results - number, stride) : 0;
  }
  /// The first pass of the first class; for a convolution, the only one.
  [[nodiscard]] constexpr const ConvPass& pass() const { return passes[first_pass[0]]; }
  /// The source position of position j and the i-th tap of a pass, before padding.
  [[nodiscard]] constexpr std::int64_t source_of(const ConvPass& pass, std::int64_t j,
                                                 std::int64_t i) const {
    return pass.source + (pass.is_backward ? -j : j) * step + i * spacing;
  }
  /// The same after padding; -1: a zero.
  [[nodiscard]] constexpr std::int64_t padded_source_of(const ConvPass& pass, std::int64_t j,
                                                        std::int64_t i) const {
    return padded_position(source_of(pass, j, i), sources, padding_mode);
  }
  /// Positions whose windows are inside the source, for a pass that is not backward.
  [[nodiscard]] constexpr Range inside(const ConvPass& pass) const {
    if (pass.is_backward || pass.taps == 0) return {0, 0};
    const std::int64_t last = sources - 1 - (pass.taps - 1) * spacing - pass.source;
    return {pass.source < 0 ? ceil_divide(-pass.source, step) : 0, last < 0 ? 0 : last / step + 1};
  }
  /// Number of source positions of `count` neighboring positions in a pass, without those between.
  [[nodiscard]] constexpr std::int64_t slots(std::int64_t count, std::int64_t pass_taps) const {
    return ((count - 1) * step + (pass_taps - 1) * spacing) / gcd + 1;
  }
};

}  // namespace synelix::index
