// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "machine/budget.hpp"
#include "operators/choice/device_transform_blocks.hpp"
#include "operators/choice/operator_shape.hpp"
#include "operators/choice/transform_blocks.hpp"
#include "operators/problem/conv_cut.hpp"
#include "operators/problem/conv_transform_cut.hpp"
#include "operators/problem/device_conv_cut.hpp"
#include "operators/problem/device_conv_fft_cut.hpp"

#include <synelix/types/conv.hpp>

#include <cstdint>

/// \file
/// How a convolution operator is computed: its method, its work items on a host, by transforms and
/// on a device, and their memory.

namespace synelix::plan {

/// The method of an operator on a host, and its blocks if it uses transforms.
struct ConvFftCutting {
  ConvMethod method = ConvMethod::direct;
  chooser::ConvFftShape shape;
  std::int64_t table_bytes = 0;  ///< of the transform
  std::int64_t fixed_bytes = 0;  ///< of the spectra of weights, or the split-K partials
  std::int64_t team_bytes = 0;
  std::int64_t output_channels = 1;  ///< of an item
  std::int64_t items = 0;
};

/// \throws Error if transforms are requested but not possible
template <class Scalar>
ConvFftCutting cut_conv_fft(const ConvShape& shape, ConvMethod asked, InstructionSet set,
                            std::int64_t teams);

/// Blocks of an operator on a device with `scratch_bytes` for each team; no points for direct sums.
/// \throws Error if transforms are requested but not possible
chooser::DeviceConvFftShape shape_fft_on_device(const ConvShape& shape, ConvMethod asked,
                                                int scalar_bytes, std::int64_t scratch_bytes);

/// The cut of a launch on a device: one pass of the axis.
sweep::DeviceConvFftCut device_cut_of_pass(const ConvShape& shape,
                                           const chooser::DeviceConvFftShape& fft,
                                           std::int64_t pass);

/// The cut of a gradient by weights on a device.
sweep::DeviceConvFftWeightsCut device_cut_by_weights(const ConvShape& shape,
                                                     const chooser::DeviceConvFftShape& fft);

/// The cut of a launch: one pass of the axis.
sweep::ConvFftCut cut_of_pass(const ConvShape& shape, const chooser::ConvFftShape& fft,
                              std::int64_t lanes, std::int64_t pass);

/// The cut of a gradient by weights.
sweep::ConvFftWeightsCut cut_by_weights(const ConvShape& shape, const ConvFftCutting& cutting);

/// Items of a convolution or its gradient by input, for scalars of `scalar_bytes`.
sweep::DeviceConvCut cut_conv_on_device(const ConvShape& shape, std::int64_t scalar_bytes);

/// The cut by which `ConvWeightsSweep` packs weights and bias for a device: channel by channel.
sweep::ConvCut packing_of(const sweep::DeviceConvCut& cut);

/// Number of packed values.
std::int64_t packed_values(const ConvShape& shape, const sweep::DeviceConvCut& cut);

/// Items of a gradient by weights.
sweep::DeviceConvGradCut cut_grad_weights_on_device(const ConvShape& shape,
                                                    std::int64_t scalar_bytes);

/// Packs of a register tile, and the number of teams to keep busy.
struct ConvTiles {
  std::int64_t lanes = 1;
  std::int64_t packs = 1;  ///< the most of a panel
  std::int64_t teams = 1;
  bool has_weight_planes = false;  ///< whether there are such tiles (conv_window_boxes.hpp)
};

/// Items of a convolution. Only their channels affect the bits, and these do not depend on teams.
sweep::ConvCut cut_conv(const ConvShape& shape, const ConvTiles& tiles);

/// Items of a gradient by weights.
sweep::ConvGradCut cut_grad_weights(const ConvShape& shape, const ConvTiles& tiles);

/// The choice for an operator, before anything is allocated.
struct ConvCutting {
  ConvChoice choice;
  sweep::ConvCut cut;
  sweep::ConvGradCut grad_cut;
  ConvFftCutting fft;
  sweep::DeviceConvCut device_cut;
  sweep::DeviceConvGradCut device_grad_cut;
  chooser::DeviceConvFftShape device_fft;
  std::int64_t packed_bytes = 0;  ///< of weights and bias, their spectra, or split-K partials
  std::int64_t team_bytes = 0;
};

/// \param scratch_bytes  the most for a team of a device
/// \throws Error if the budget is too small or the method is not possible
template <class Scalar>
ConvCutting choose_operator(const ConvShape& shape, const ConvOptions& options,
                            const ExecutionResources& resources, std::int64_t scratch_bytes = 0);

}  // namespace synelix::plan
