// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/strided.hpp>

#include <cstdint>
#include <string_view>

/// \file
/// Sizes that a computation can count with. Everything that multiplies extents and strides may rely
/// on it: no product of them leaves 64 bits.

namespace synelix {

/// The most samples of a series, or of all trials of a list.
inline constexpr std::int64_t most_samples = std::int64_t{1} << 61;
/// The most channels of a series.
inline constexpr std::int64_t most_channels = std::int64_t{1} << 48;

/// \throws Error where elements of an array lie more than 2^56 bytes apart
template <class Void>
void require_addressable(std::string_view name, const BasicStrided<Void>& array);

}  // namespace synelix
