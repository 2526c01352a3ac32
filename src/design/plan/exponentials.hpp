// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/types/features.hpp>

#include <cstddef>

namespace synelix::plan {

/// Refuses an input that the host cannot access.
void check_on_host(const AnySeries& input, std::size_t i);

/// Finds the maps of OrthExponential in eval mode for the channels of input `i`, whose ranges are
/// known already if no bounds are given. The host must be able to access the input. \throws Error
/// if a channel has fewer samples than rates
void fit_exponentials(const Expression& expression, std::size_t i, const AnySeries& input,
                      InputStatistics& statistics);

}  // namespace synelix::plan
