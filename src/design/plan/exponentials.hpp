// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/types/features.hpp>

#include <cstddef>

namespace synelix::plan {

/// Refuses an input that the host does not reach.
void check_on_host(const AnySeries& input, std::size_t i);

/// Finds the maps of OrthExponential in eval mode for the channels of input `i`, whose ranges are
/// there already where no bounds are given; the host reaches it. \throws Error where a channel has
/// fewer samples than rates
void fit_exponentials(const Expression& expression, std::size_t i, const AnySeries& input,
                      InputStatistics& statistics);

}  // namespace synelix::plan
