// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/features.hpp>

#include <cstddef>

namespace synelix::plan {

/// Finds the maps of OrthExponential in eval mode for the channels of input `i`, whose ranges are
/// there already where no bounds are given. \throws Error where the host does not reach the input,
/// or a channel has fewer samples than rates
void fit_exponentials(const Expression& expression, std::size_t i, const FeatureInput& input,
                      InputStatistics& statistics);

}  // namespace synelix::plan
