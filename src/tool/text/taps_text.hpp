// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/basis.hpp>

#include <string>

/// \file
/// Taps as text that reads back as the same numbers.

namespace synelix::tool {

/// A head line, then a line for each tap: its number and its value in each filter.
std::string csv_of(const Taps& taps);
/// One object with the basis, its parameters, the supports, and taps as a list of rows.
std::string json_of(const Taps& taps);

}  // namespace synelix::tool
