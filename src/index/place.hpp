// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

/// \file
/// Dimensions of arrays as indices of containers.

namespace synelix::index {

constexpr std::size_t place(int dimension) { return static_cast<std::size_t>(dimension); }

}  // namespace synelix::index
