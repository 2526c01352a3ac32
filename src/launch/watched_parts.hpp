// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/choice.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>

/// \file
/// Watched calls on arrays in memory: rows are computed in parts, with calls of the caller's
/// functions between them.

namespace synelix::plan {

/// The facts that determine how many rows are computed together.
struct RowsInParts {
  std::int64_t rows = 0;
  std::int64_t together = 1;  ///< rows of a work item, or of all items in flight
  double seconds = 0;         ///< predicted for all rows
};

/// Computes rows in parts; all at once if not watched. The time of each part determines the length
/// of the next one; results have the same bits for any parts.
/// \param compute  computes a range of rows, and returns when it is complete
/// \throws Cancelled if watch.cancel requests it
template <class Compute>
void compute_in_parts(const char* verb, const RowsInParts& sizes, const Watch& watch,
                      const Compute& compute) {
  using Clock = std::chrono::steady_clock;
  constexpr double aim_seconds = 0.04;  // short for a user, long compared with a launch
  const auto seconds_since = [](Clock::time_point begin) {
    return std::chrono::duration<double>(Clock::now() - begin).count();
  };
  if (!watch.is_set()) return compute(Range{0, sizes.rows});
  const auto whole = [&](double rows) {
    const auto most = static_cast<double>(sizes.rows);
    const auto few = static_cast<std::int64_t>(std::clamp(rows, 1.0, std::max(1.0, most)));
    return (few + sizes.together - 1) / sizes.together * sizes.together;
  };
  std::int64_t length =
      whole(static_cast<double>(sizes.rows) * aim_seconds / std::max(sizes.seconds, 1e-9));
  const auto begin = Clock::now();
  for (std::int64_t row = 0; row < sizes.rows;) {
    if (watch.cancel != nullptr && watch.cancel->load()) {
      throw Cancelled(std::string(verb) + ": cancelled after " + std::to_string(row) + " of " +
                      std::to_string(sizes.rows) + " rows");
    }
    const Range part{row, std::min(sizes.rows, row + length)};
    const auto part_begin = Clock::now();
    compute(part);
    row = part.end;
    const double factor = aim_seconds / std::max(seconds_since(part_begin), 1e-9);
    length = whole(static_cast<double>(length) * std::clamp(factor, 0.25, 4.0));
    if (watch.progress) watch.progress({row, sizes.rows, seconds_since(begin)});
  }
}

}  // namespace synelix::plan
