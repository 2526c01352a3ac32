// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/basis.hpp>

#include <cstdint>
#include <string>
#include <vector>

/// \file
/// The cases of the suite. Their table is perf/cases.json, which the scripts read too.

namespace synelix::perf {

/// A dense problem.
struct Case {
  std::string name;
  std::int64_t samples = 0;
  std::int64_t channels = 0;
  std::int64_t bases = 0;
  std::int64_t window = 0;
  bool has_double = true;
};

/// Spike trains of one shape, at several rates and windows.
struct EventCases {
  std::int64_t samples = 0;
  std::int64_t channels = 0;
  std::int64_t bases = 0;
  std::vector<std::int64_t> windows;
  std::vector<std::int64_t> rates_hz;
  double bin_seconds = 0;
};

/// Short series, where the call itself is what counts.
struct SmallCalls {
  std::vector<std::int64_t> samples;
  std::int64_t channels = 0;
  std::int64_t bases = 0;
  std::int64_t window = 0;
};

struct Cases {
  std::vector<Case> dense;
  EventCases events;
  SmallCalls small_calls;
};

/// The table. \throws std::exception where the file is not there, or not the table
Cases read_cases();

/// Registers the benchmarks of `convolve` over the table.
void register_convolve(const Cases& cases);

/// Filters of a benchmark.
enum class Bank {
  cosines,  ///< log-spaced raised cosines; one basis: the middle one of three
  random    ///< no tap is zero, so that nothing can be left out
};

/// Its taps. \throws Error as evaluate_taps
Taps taps_of(Bank bank, std::int64_t bases, std::int64_t window);

/// Taps inside the supports of all filters together.
std::int64_t taps_in_support(const Taps& taps);

}  // namespace synelix::perf
