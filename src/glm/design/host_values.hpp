// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/strided.hpp>

#include <cstdint>
#include <initializer_list>
#include <vector>

/// \file
/// Small arrays of parameters as doubles.

namespace synelix::glm {

/// The values of an array in row-major order.
/// \throws Error where the extents are others
std::vector<double> host_values(const char* name, const Strided& array,
                                std::initializer_list<std::int64_t> extents);

}  // namespace synelix::glm
