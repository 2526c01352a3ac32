// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "operators/choice/operator_items.hpp"
#include "operators/plan/operator_transforms.hpp"

#include <cstddef>

/// \file
/// The launches of a convolution operator on a device.

namespace synelix::plan {

/// One run. `fixed` are the weights that are packed, or the split-K partials. Asynchronous.
template <class Scalar, class ExecutionSpace>
void start_on_device(const ExecutionSpace& exec, const ConvShape& shape, const ConvCutting& cutting,
                     std::byte* fixed, ConvWork work);

}  // namespace synelix::plan
