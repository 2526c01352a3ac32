// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "times/times.hpp"

#include "times/exact_times.hpp"
#include "types/number_text.hpp"

#include <synelix/error.hpp>
#include <synelix/time_bins.hpp>
#include <synelix/types/series.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <string>
#include <utility>

namespace synelix {
namespace {

/// Times are rounded to this, like the edges of bins.
constexpr double resolution_seconds = 1e-9;

std::string text_of(const Interval& interval) {
  return number_text(interval.start_seconds) + " to " + number_text(interval.stop_seconds) + " s";
}

bool starts_before(const Interval& a, const Interval& b) {
  return a.start_seconds < b.start_seconds;
}

constexpr double most_bins = 9007199254740992.0;  // above 2^53, bin numbers are not exact

/// Bins whose center is at or before the end, all rounded to nine digits.
std::int64_t bins_until(double end, double start, double bin, End kind) {
  start = nine_digits(start);
  end = nine_digits(end);
  const double last_centre = kind == End::open ? end - 1e-6 : end;
  std::int64_t count = static_cast<std::int64_t>(std::floor((end - start) / bin)) + 2;
  const auto centre = [&](std::int64_t k) {
    return nine_digits(start + static_cast<double>(k) * bin) + 0.5 * bin;
  };
  while (count > 0 && centre(count - 1) > last_centre) --count;
  return count;
}

double checked_bin(double bin_seconds) {
  if (bin_seconds >= 1e-9 && std::isfinite(bin_seconds)) return bin_seconds;
  throw Error("bin_seconds", number_text(bin_seconds) + " is not a width of a bin",
              "Give at least 1e-9");
}

std::vector<Interval> checked_intervals(const std::vector<Interval>& intervals) {
  std::vector<Interval> ordered = ordered_intervals("intervals", intervals);
  if (!ordered.empty()) return ordered;
  throw Error("intervals", intervals.empty() ? "there is none" : "all of them are of no length",
              "Give at least one of some length");
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

double start_of_bin(double bin_seconds, double seconds, double from_seconds) {
  const MeantPeriod bin = meant_period(checked_bin(bin_seconds));
  for (const double time : {seconds, from_seconds}) {
    if (is_time(time) && std::abs(time) / bin_seconds < most_bins) continue;
    throw Error("seconds",
                number_text(time) + " is no time with bins of " + number_text(bin_seconds) + " s",
                "Valid are " + std::string(valid_times) + ", and at most 2^53 bins");
  }
  const TimeGrid bins(from_seconds, bin);
  return bins.time(static_cast<double>(bins.index_of(seconds)));
}

double start_of_bins(double bin_seconds, double first_seconds, double last_seconds) {
  constexpr double day_seconds = 86400;
  const bool is_far = first_seconds > day_seconds && first_seconds > last_seconds - first_seconds;
  return is_far ? start_of_bin(bin_seconds, first_seconds) : 0.0;
}

Bins::Bins(double start, double end, const MeantPeriod& bin, End kind)
    : m_grid(start, bin),
      m_rate(1 / bin.high),
      m_near((resolution_seconds + 0x1p-50 * std::max(std::abs(start), std::abs(end))) * m_rate),
      m_first_time(std::min({start, nine_digits(start), m_grid.time(0)})),
      m_end(kind == End::open ? std::nextafter(end, start) : std::max(end, nine_digits(end))),
      m_count(bins_until(end, start, bin.high, kind)) {}

std::int64_t Bins::bin_near_edge(double time, double place, double near) const {
  constexpr double clear = 0.25;  // up to this, only the nearest edge matters
  if (near > clear) return m_grid.index_of(time);
  const double edge = std::nearbyint(place);
  const auto k = static_cast<std::int64_t>(edge);
  return m_grid.is_reached(edge, time) ? k : k - 1;
}

struct TimeBins::Part {
  Bins bins;
  std::int64_t first_row;
};

TimeBins::TimeBins(double bin_seconds, double start_seconds, double end_seconds)
    : m_bin_seconds(checked_bin(bin_seconds)), m_has_intervals(false) {
  if (!is_time(start_seconds) || !is_time(end_seconds) || end_seconds < start_seconds) {
    throw Error("end_seconds",
                "from " + number_text(start_seconds) + " to " + number_text(end_seconds) +
                    " s is not a stretch of time",
                "Valid are " + std::string(valid_times) + ", the start not after the end");
  }
  add({{start_seconds, end_seconds}}, IntervalStop::included);
}

TimeBins::TimeBins(double bin_seconds, const std::vector<Interval>& intervals, IntervalStop stop)
    : m_bin_seconds(checked_bin(bin_seconds)), m_has_intervals(true) {
  require_known("stop", stop);
  add(checked_intervals(intervals), stop);
}

void TimeBins::add(const std::vector<Interval>& ordered, IntervalStop at_stop) {
  const MeantPeriod bin = meant_period(m_bin_seconds);
  std::vector<Part> parts;
  parts.reserve(ordered.size());
  for (std::size_t i = 0; i < ordered.size(); ++i) {
    const auto [start, stop] = ordered[i];
    const double most = std::max(std::abs(start), std::abs(stop)) / m_bin_seconds;
    if (!(most + static_cast<double>(m_rows) < most_bins)) {
      throw Error("bin_seconds",
                  "bins of " + number_text(m_bin_seconds) + " s and times to " + number_text(stop) +
                      " s make too many bins",
                  "Give longer bins, or intervals that make at most 2^53 bins");
    }
    const bool touches =
        i + 1 < ordered.size() && nine_digits(ordered[i + 1].start_seconds) <= nine_digits(stop);
    const bool is_open = touches || at_stop == IntervalStop::excluded;
    const Bins bins(start, stop, bin, is_open ? End::open : End::closed);
    parts.push_back({bins, m_rows});
    m_rows += bins.count();
    if (bins.count() == 0) ++m_without_rows;
  }
  m_parts = std::make_shared<const std::vector<Part>>(std::move(parts));
}

std::optional<std::int64_t> TimeBins::row_of(double time) const {
  const auto next =
      std::upper_bound(m_parts->begin(), m_parts->end(), time,
                       [](double t, const Part& p) { return t < p.bins.first_time(); });
  if (next == m_parts->begin()) return std::nullopt;
  auto part = next - 1;
  if (part != m_parts->begin() && !part->bins.has_begun(time)) --part;
  const auto bin = part->bins.bin_of(time);
  if (!bin) return std::nullopt;
  return part->first_row + *bin;
}

std::vector<double> TimeBins::centres() const {
  std::vector<double> centres;
  centres.reserve(static_cast<std::size_t>(m_rows));
  for (const Part& part : *m_parts) {
    for (std::int64_t k = 0; k < part.bins.count(); ++k) {
      centres.push_back(nine_digits(part.bins.edge(k) + 0.5 * m_bin_seconds));
    }
  }
  return centres;
}

Epochs TimeBins::epochs() const {
  if (!m_has_intervals) return {};
  std::vector<Epoch> epochs;
  epochs.reserve(m_parts->size());
  for (const Part& part : *m_parts) {
    if (part.bins.count() == 0) continue;
    epochs.push_back({part.first_row, part.first_row + part.bins.count()});
  }
  return epochs;
}

std::vector<TimeSegment> TimeBins::segments() const {
  std::vector<TimeSegment> segments;
  segments.reserve(m_parts->size());
  for (const Part& part : *m_parts) {
    if (part.bins.count() == 0) continue;
    segments.push_back({part.first_row, part.bins.start(), 1 / m_bin_seconds});
  }
  return segments;
}

std::int64_t TimeBins::bytes() const {
  return static_cast<std::int64_t>(m_parts->capacity() * sizeof(Part));
}

Events Events::from_times(std::span<const std::span<const double>> times, const TimeBins& bins) {
  if (bins.rows() < 1) {
    throw Error(
        "bins",
        "bins of " + number_text(bins.bin_seconds()) + " s are too long, so that none is left",
        "Give at most twice the longest interval");
  }
  std::vector<std::vector<std::int64_t>> rows(times.size());
  for (std::size_t c = 0; c < times.size(); ++c) {
    rows[c].reserve(times[c].size());
    for (std::size_t i = 0; i < times[c].size(); ++i) {
      const double time = times[c][i];
      if (!is_time(time)) {
        throw Error("times[" + std::to_string(c) + "][" + std::to_string(i) + "]",
                    number_text(time) + " is not a time of a spike",
                    "Valid are " + std::string(valid_times));
      }
      if (const auto row = bins.row_of(time)) rows[c].push_back(*row);
    }
  }
  return from_unsorted(bins.rows(), std::move(rows), bins.epochs());
}

Events Events::from_times(const std::vector<std::vector<double>>& times, const TimeBins& bins) {
  const std::vector<std::span<const double>> spans(times.begin(), times.end());
  return from_times(std::span<const std::span<const double>>(spans), bins);
}

}  // namespace synelix
