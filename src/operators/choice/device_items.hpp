// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "operators/choice/operator_shape.hpp"
#include "operators/problem/conv_cut.hpp"
#include "operators/problem/device_conv_cut.hpp"

#include <cstdint>

/// \file
/// How convolution operators are cut for a device.

namespace synelix::plan {

/// Items of a convolution or its gradient by input, for scalars of so many bytes.
sweep::DeviceConvCut cut_conv_on_device(const ConvShape& shape, std::int64_t scalar_bytes);

/// How `ConvWeightsSweep` packs weights and bias for it: channel by channel.
sweep::ConvCut packing_of(const sweep::DeviceConvCut& cut);

/// Values that it packs.
std::int64_t packed_values(const ConvShape& shape, const sweep::DeviceConvCut& cut);

/// Items of a gradient by weights.
sweep::DeviceConvGradCut cut_grad_weights_on_device(const ConvShape& shape,
                                                    std::int64_t scalar_bytes);

}  // namespace synelix::plan
