// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/time_bins.hpp>

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// \file
/// Times in seconds: what can be one, intervals in order and what lists of them have in common, and
/// `Bins`.

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

/// Intervals in the order of time. Those of no length are left out; where one reaches less than
/// 1e-9 s into the next, it ends there.
/// \param name  what they are, for messages
/// \param rows  the number of each in what it was read from; empty: 0, 1, 2, ...
/// \throws Error, and FileError where rows are given, where one is not finite, ends before it
/// starts, or two overlap
std::vector<Interval> ordered_intervals(const std::string& name,
                                        const std::vector<Interval>& intervals,
                                        const std::vector<std::int64_t>& rows = {});

/// Intervals in the order of time, those that overlap or touch made one.
std::vector<Interval> united(std::vector<Interval> intervals);

/// The times that are in both of two lists in the order of time.
std::vector<Interval> intersection(const std::vector<Interval>& a, const std::vector<Interval>& b);

/// Whether the end belongs to the time that is cut into bins. It does not where other bins begin
/// there: then a spike at the end is theirs, and the last centre lies 1e-6 s before it or earlier.
enum class End : std::uint8_t { closed, open };

/// From times in seconds to bins, by the rule of time_bins.hpp. Spikes of a 30 kHz clock lie on the
/// edges of 1 ms bins, so dividing and rounding down puts many of them into the wrong bin.
class Bins {
 public:
  Bins(double start, double end, double bin, End kind = End::closed)
      : m_start(start), m_end(end), m_bin(bin), m_kind(kind) {
    const double last_centre = kind == End::open ? end - 1e-6 : end;
    std::int64_t count = static_cast<std::int64_t>(std::floor((end - start) / bin)) + 2;
    while (count > 0 && edge(count - 1) + 0.5 * bin > last_centre) --count;
    m_count = count;
  }

  /// Bins whose centre is at or before the end.
  [[nodiscard]] std::int64_t count() const { return m_count; }
  [[nodiscard]] double start() const { return m_start; }
  [[nodiscard]] double end() const { return m_end; }

  /// Where bin k begins, rounded to 1e-9 s.
  [[nodiscard]] double edge(std::int64_t k) const {
    return std::nearbyint((m_start + static_cast<double>(k) * m_bin) * 1e9) / 1e9;
  }

  /// The bin of a time; nothing where it lies before the start, after the end, or in no kept bin.
  [[nodiscard]] std::optional<std::int64_t> bin_of(double time) const {
    if (time < m_start || time > m_end || (time == m_end && m_kind == End::open)) {
      return std::nullopt;
    }
    auto k = static_cast<std::int64_t>(std::floor((time - m_start) / m_bin));
    while (k > 0 && edge(k) > time) --k;
    while (edge(k + 1) <= time) ++k;
    if (k >= m_count) return std::nullopt;
    return k;
  }

 private:
  double m_start;
  double m_end;
  double m_bin;
  End m_kind;
  std::int64_t m_count;
};

}  // namespace synelix
