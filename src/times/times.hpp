// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "times/exact_times.hpp"
#include "types/checks.hpp"

#include <synelix/time_bins.hpp>

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// \file
/// Times in seconds: valid times, ordered intervals and intersections of lists of them, and `Bins`.

namespace synelix {

/// Seconds from 1970 to the year 10000: no clock of a recording shows more, with any origin.
inline constexpr double most_seconds = 253402300800.0;

/// Whether a number of seconds can be a time; infinite ones and NaN cannot.
constexpr bool is_time(double seconds) {
  return seconds >= -most_seconds && seconds <= most_seconds;
}

/// The valid values, for messages: the end of a sentence.
inline constexpr const char* valid_times =
    "finite numbers of seconds, at most 2.5e11 (the year 10000)";

template <>
inline constexpr std::string_view value_names<IntervalStop>[] { "included", "excluded" };

/// Intervals in the order of time. Empty intervals are removed; if one overlaps the next by less
/// than 1e-9 s, it ends there.
/// \param name  of the intervals, for messages
/// \param rows  the number of each in its source; empty: 0, 1, 2, ...
/// \throws Error (FileError if rows are given) if one is not finite, ends before it starts, or two
///         overlap
std::vector<Interval> ordered_intervals(const std::string& name,
                                        const std::vector<Interval>& intervals,
                                        const std::vector<std::int64_t>& rows = {});

/// Intervals in the order of time; those that overlap or touch are merged.
std::vector<Interval> united(std::vector<Interval> intervals);

/// The intersection of two lists in the order of time.
std::vector<Interval> intersection(const std::vector<Interval>& a, const std::vector<Interval>& b);

/// Whether the end belongs to the time that is cut into bins. It does not if other bins begin
/// there, or the caller excludes it: then a spike at the end belongs to the other bins, and the
/// last center is at least 1e-6 s before it.
enum class End : std::uint8_t { closed, open };

/// From times in seconds to bins, by the rule of time_bins.hpp.
class Bins {
 public:
  Bins(double start, double end, const MeantPeriod& bin, End kind = End::closed);

  /// Bins whose center is at or before the end.
  [[nodiscard]] std::int64_t count() const { return m_count; }
  [[nodiscard]] double start() const { return m_grid.start(); }
  /// The first time that may be in bin 0.
  [[nodiscard]] double first_time() const { return m_first_time; }

  /// The double nearest to the beginning of bin k.
  [[nodiscard]] double edge(std::int64_t k) const { return m_grid.time(static_cast<double>(k)); }

  /// Whether a time is at or after the start.
  [[nodiscard]] bool has_begun(double time) const {
    return time >= m_grid.start() || m_grid.is_reached(0, time);
  }

  /// The bin of a time; nothing if it is before the start, after the end, or in no kept bin.
  [[nodiscard]] std::optional<std::int64_t> bin_of(double time) const {
    if (!(time >= m_first_time) || time > m_end) return std::nullopt;
    // Away from edges, a quotient of doubles gives the bin. Few times are near an edge.
    const double place = (time - m_grid.start()) * m_rate;
    const double near = place * rounding + m_near;
    auto k = static_cast<std::int64_t>(place);
    const double behind = place - static_cast<double>(k);
    if (!(behind > near && behind < 1 - near)) k = bin_near_edge(time, place, near);
    if (k < 0 || k >= m_count) return std::nullopt;
    return k;
  }

 private:
  static constexpr double rounding = 0x1p-50;  ///< of a quotient, with room

  [[nodiscard]] std::int64_t bin_near_edge(double time, double place, double near) const;

  TimeGrid m_grid;
  double m_rate;        ///< bins a second
  double m_near;        ///< the largest rounding error of a time, in bins
  double m_first_time;  ///< the start, or the start in nine digits
  double m_end;         ///< the last time that counts
  std::int64_t m_count = 0;
};

}  // namespace synelix
