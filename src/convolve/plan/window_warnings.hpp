// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/choice.hpp>
#include <synelix/series.hpp>

#include <cstdint>

/// \file
/// The warnings of a convolution: each at most once for a call.

namespace synelix::plan {

/// What is too short for the window.
enum class Short : std::uint8_t { nothing, series, epochs, trials };

/// Warns of an acausal window of even length, and of what is shorter than the window.
void warn_of(const char* verb, Short found, std::int64_t window, const ConvolveOptions& options);

/// The same for a series, or for epochs where it has some.
void warn_of(const char* verb, const SeriesShape& shape, std::int64_t window, bool has_short_epoch,
             const ConvolveOptions& options);

}  // namespace synelix::plan
