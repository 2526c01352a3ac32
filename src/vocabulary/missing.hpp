// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <limits>

/// \file
/// The number that stands where a result has none.

namespace synelix {

inline constexpr double missing = std::numeric_limits<double>::quiet_NaN();

}  // namespace synelix
