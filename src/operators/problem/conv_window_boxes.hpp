// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "index/conv_axes.hpp"
#include "index/range.hpp"
#include "lanes/instruction_set.hpp"
#include "operators/problem/conv_problem.hpp"
#include "tile/window_box.hpp"

#include <cstdint>

/// \file
/// Which convolutions can use the tiles of window boxes, and which sources they read in place.

namespace synelix::sweep {

/// Whether windows of a pass are 3 x 3 taps, shifted by one step between neighboring positions.
SYNELIX_FUNCTION inline bool has_window_boxes(const index::ConvAxis* axes,
                                              const index::ConvPass* pass) {
  bool slides = true;
  for (int d = 1; d < index::conv_dimensions; ++d) {
    slides = slides && pass[d].taps == tile::window_taps && !pass[d].is_backward &&
             axes[d].spacing == axes[d].step;
  }
  return slides;
}

/// Positions whose middle tap is in the source.
SYNELIX_FUNCTION inline Range middle_inside(const index::ConvAxis& axis, index::ConvPass pass) {
  pass.source += axis.spacing;
  pass.taps = 1;
  return axis.inside(pass);
}

/// Whether a range contains all positions of an axis.
SYNELIX_FUNCTION inline bool holds_all(Range range, const index::ConvAxis& axis) {
  return range.begin <= 0 && axis.results <= range.end;
}

/// Whether lines of positions can be read in place.
template <class Scalar>
SYNELIX_FUNCTION bool has_plain_lines(const pack::ConvSource& source) {
  return pack::is_plain<Scalar>(source) && source.space_strides[index::conv_dimensions - 1] == 1;
}

/// Whether positions of a gradient by depthwise weights can be lanes: they are contiguous, windows
/// slide from line to line, and lanes outside of a line meet only zeros.
inline bool has_weight_planes(const ConvWeightsProblem& problem, const index::ConvAxis* axes,
                              const index::ConvPass* pass) {
  constexpr int line = index::conv_dimensions - 1;
  const bool is_side_by_side = problem.source.space_strides[line] == 1 &&
                               problem.output_gradient.space_strides[line] == 1 &&
                               problem.source.channel_stride != 1 &&
                               problem.output_gradient.channel_stride != 1 && axes[line].step == 1;
  return is_side_by_side && has_window_boxes(axes, pass) &&
         holds_all(middle_inside(axes[line - 1], pass[line - 1]), axes[line - 1]) &&
         (axes[line].padding_mode == index::PaddingMode::zero ||
          holds_all(axes[line].inside(pass[line]), axes[line]));
}

}  // namespace synelix::sweep
