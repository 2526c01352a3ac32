// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/basis.hpp>
#include <synelix/choice.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// \file
/// The cases of the suite. Their table is perf/cases.json, which the scripts read, too.

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

/// Short series, for which the overhead of the call dominates.
struct SmallCalls {
  std::vector<std::int64_t> samples;
  std::int64_t channels = 0;
  std::int64_t bases = 0;
  std::int64_t window = 0;
};

/// A problem with a required speed on a device.
struct Goal {
  Case problem;
  std::string method;
  double milliseconds = 0;  ///< the most; 0: no such goal
  double teraflops = 0;     ///< the least, for all taps; 0: no such goal
};

/// Features in the host's memory that may exceed the memory of a device.
struct ThroughCase {
  Case problem;
  std::int64_t budget_bytes = 0;
  double of_bus = 0;  ///< required share of the rate of copies to the host
};

struct Cases {
  std::vector<Case> dense;
  EventCases events;
  SmallCalls small_calls;
  std::vector<Goal> goals;
  ThroughCase through;
};

/// The table. \throws std::exception if the file is missing or invalid
Cases read_cases();

/// Registers the benchmarks of `convolve` over the table.
void register_convolve(const Cases& cases);
/// Registers the goals of a device; on a host with a thousandth of their samples, so that a test
/// can run them.
void register_goals(const Cases& cases);

/// Filters of a benchmark.
enum class Bank {
  cosines,  ///< log-spaced raised cosines; one basis: the middle one of three
  random    ///< no tap is zero, so that nothing can be skipped
};

/// The taps of a bank. \throws Error as evaluate_taps
Taps taps_of(Bank bank, std::int64_t bases, std::int64_t window);

/// The method with a name. The names are queried from the library by number, so there is no list
/// here.
std::optional<Method> method_of(const std::string& name);

/// Taps inside the supports of all filters.
std::int64_t taps_in_support(const Taps& taps);

}  // namespace synelix::perf
