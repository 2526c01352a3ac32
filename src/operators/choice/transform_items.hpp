// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "operators/choice/operator_shape.hpp"
#include "operators/choice/transform_blocks.hpp"
#include "operators/problem/conv_transform_cut.hpp"

#include <synelix/conv.hpp>

#include <cstdint>

/// \file
/// How a convolution operator is cut for transforms on a host, and what that takes.

namespace synelix::plan {

/// The method of an operator on a host, and its blocks where it is by transforms.
struct ConvFftCutting {
  ConvMethod method = ConvMethod::direct;
  chooser::ConvFftShape shape;
  std::int64_t table_bytes = 0;  ///< of the transform
  std::int64_t fixed_bytes = 0;  ///< of the spectra of weights, or the split-K partials
  std::int64_t team_bytes = 0;
  std::int64_t output_channels = 1;  ///< of an item
  std::int64_t items = 0;
};

/// \throws Error where transforms are asked for and do not serve
template <class Scalar>
ConvFftCutting cut_conv_fft(const ConvShape& shape, ConvMethod asked, InstructionSet set,
                            std::int64_t teams);

/// Refuses transforms where a device computes.
void check_no_fft(ConvMethod asked);

/// The cut of a launch: one pass of the axis.
sweep::ConvFftCut cut_of_pass(const ConvShape& shape, const chooser::ConvFftShape& fft,
                              std::int64_t lanes, std::int64_t pass);

/// The cut of a gradient by weights.
sweep::ConvFftWeightsCut cut_by_weights(const ConvShape& shape, const ConvFftCutting& cutting);

}  // namespace synelix::plan
