// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "operators/choice/operator_shape.hpp"
#include "operators/choice/transform_items.hpp"
#include "operators/problem/conv_cut.hpp"
#include "operators/problem/device_conv_cut.hpp"
#include "vocabulary/budget.hpp"

#include <synelix/conv.hpp>

#include <cstdint>

/// \file
/// How a convolution operator is computed: its method, how it is cut into work items, and what that
/// takes.

namespace synelix::plan {

/// Packs of a register tile, and the teams that are to have something to do.
struct ConvTiles {
  std::int64_t lanes = 1;
  std::int64_t packs = 1;  ///< most of a panel
  std::int64_t teams = 1;
  bool has_weight_planes = false;  ///< tiles for such (conv_window_boxes.hpp)
};

/// Items of a convolution. Only their channels decide over bits: they do not follow from teams.
sweep::ConvCut cut_conv(const ConvShape& shape, const ConvTiles& tiles);

/// Items of a gradient by weights.
sweep::ConvGradCut cut_grad_weights(const ConvShape& shape, const ConvTiles& tiles);

/// An operator as it is computed, before anything is allocated.
struct ConvCutting {
  ConvChoice choice;
  sweep::ConvCut cut;
  sweep::ConvGradCut grad_cut;
  ConvFftCutting fft;
  sweep::DeviceConvCut device_cut;
  sweep::DeviceConvGradCut device_grad_cut;
  std::int64_t packed_bytes = 0;  ///< of weights and bias, their spectra, or split-K partials
  std::int64_t team_bytes = 0;
};

/// \throws Error where the budget is too small or the method does not serve
template <class Scalar>
ConvCutting choose_operator(const ConvShape& shape, const ConvOptions& options,
                            const ExecutionResources& resources);

}  // namespace synelix::plan
