// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <limits>

/// \file
/// The value of missing results.

namespace synelix {

inline constexpr double missing = std::numeric_limits<double>::quiet_NaN();

}  // namespace synelix
