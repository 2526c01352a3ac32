// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vocabulary/interval_sets.hpp"

#include "vocabulary/calendar.hpp"
#include "vocabulary/number_text.hpp"

#include <synelix/error.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace synelix {
namespace {

/// Times are rounded to this, as the edges of bins are.
constexpr double resolution_seconds = 1e-9;

std::string text_of(const Interval& interval) {
  return number_text(interval.start_seconds) + " to " + number_text(interval.stop_seconds) + " s";
}

bool starts_before(const Interval& a, const Interval& b) {
  return a.start_seconds < b.start_seconds;
}

}  // namespace

std::vector<Interval> ordered_intervals(const std::string& name,
                                        const std::vector<Interval>& intervals,
                                        const std::vector<std::int64_t>& rows) {
  const auto row_of = [&](std::size_t i) {
    return rows.empty() ? static_cast<std::int64_t>(i) : rows[i];
  };
  const ErrorKind kind = rows.empty() ? ErrorKind::argument : ErrorKind::file;
  for (std::size_t i = 0; i < intervals.size(); ++i) {
    const Interval& interval = intervals[i];
    if (is_time(interval.start_seconds) && is_time(interval.stop_seconds) &&
        interval.start_seconds <= interval.stop_seconds) {
      continue;
    }
    throw Error(name + "[" + std::to_string(row_of(i)) + "]",
                text_of(interval) + " is not an interval of time",
                "Valid are " + std::string(valid_times) + ", the start not after the stop", kind);
  }
  std::vector<std::size_t> order(intervals.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return starts_before(intervals[a], intervals[b]);
  });
  std::vector<Interval> result;
  std::size_t before = 0;
  for (const std::size_t i : order) {
    const Interval& interval = intervals[i];
    if (interval.start_seconds == interval.stop_seconds) continue;
    if (!result.empty() && interval.start_seconds < result.back().stop_seconds) {
      if (result.back().stop_seconds - interval.start_seconds > resolution_seconds) {
        throw Error(name + "[" + std::to_string(row_of(before)) + "] and [" +
                        std::to_string(row_of(i)) + "]",
                    text_of(intervals[before]) + " and " + text_of(interval) + " overlap",
                    "Give intervals that do not overlap", kind);
      }
      result.back().stop_seconds = interval.start_seconds;
      if (result.back().start_seconds == interval.start_seconds) result.pop_back();
    }
    result.push_back(interval);
    before = i;
  }
  return result;
}

std::vector<Interval> united(std::vector<Interval> intervals) {
  std::sort(intervals.begin(), intervals.end(), starts_before);
  std::vector<Interval> result;
  for (const Interval& interval : intervals) {
    if (!result.empty() && interval.start_seconds <= result.back().stop_seconds) {
      result.back().stop_seconds = std::max(result.back().stop_seconds, interval.stop_seconds);
    } else {
      result.push_back(interval);
    }
  }
  return result;
}

std::vector<Interval> intersection(const std::vector<Interval>& a, const std::vector<Interval>& b) {
  std::vector<Interval> result;
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    const Interval common{std::max(a[i].start_seconds, b[j].start_seconds),
                          std::min(a[i].stop_seconds, b[j].stop_seconds)};
    if (common.start_seconds < common.stop_seconds) result.push_back(common);
    if (a[i].stop_seconds < b[j].stop_seconds) {
      ++i;
    } else {
      ++j;
    }
  }
  return result;
}

}  // namespace synelix
