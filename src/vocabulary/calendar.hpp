// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// \file
/// What can be a time.

namespace synelix {

/// Seconds from 1970 to the year 10000: no clock of a recording shows more, whatever it starts at.
inline constexpr double most_seconds = 253402300800.0;

/// Whether a number of seconds can be a time; infinite ones and NaN cannot.
constexpr bool is_time(double seconds) {
  return seconds >= -most_seconds && seconds <= most_seconds;
}

/// What is valid, for messages: the end of a sentence.
inline constexpr const char* valid_times =
    "finite numbers of seconds, at most 2.5e11 (the year 10000)";

}  // namespace synelix
