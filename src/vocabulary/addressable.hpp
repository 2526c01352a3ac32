// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/strided.hpp>

#include <cstdint>
#include <string_view>

/// \file
/// Limits of sizes. All code that multiplies extents and strides may rely on them: no product
/// exceeds 64 bits.

namespace synelix {

/// The most samples of a series, or of all trials of a list.
inline constexpr std::int64_t most_samples = std::int64_t{1} << 61;
/// The most channels of a series.
inline constexpr std::int64_t most_channels = std::int64_t{1} << 48;

/// \throws Error if elements of an array are more than 2^56 bytes apart
template <class Void>
void require_addressable(std::string_view name, const BasicStrided<Void>& array);

}  // namespace synelix
