// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "nwb/interval_bins.hpp"

#include "vocabulary/number_text.hpp"

#include <synelix/error.hpp>

#include <algorithm>

namespace synelix::nwb {
namespace {

constexpr double most_bins = 9007199254740992.0;  // beyond 2^53 a bin has no number of its own

double rounded(double seconds) { return std::nearbyint(seconds * 1e9) / 1e9; }

}  // namespace

IntervalBins::IntervalBins(const std::vector<Interval>& intervals, double bin_seconds)
    : m_bin_seconds(bin_seconds) {
  m_parts.reserve(intervals.size());
  for (std::size_t i = 0; i < intervals.size(); ++i) {
    const double start = rounded(intervals[i].start_seconds);
    const double stop = rounded(intervals[i].stop_seconds);
    const double most = std::max(std::abs(start), std::abs(stop)) / bin_seconds;
    if (!(most + static_cast<double>(m_rows) < most_bins)) {
      throw Error("bin_seconds",
                  "bins of " + number_text(bin_seconds) + " s and times to " + number_text(stop) +
                      " s make too many bins",
                  "Give longer bins, or intervals that make at most 2^53 bins");
    }
    const bool touches =
        i + 1 < intervals.size() && rounded(intervals[i + 1].start_seconds) <= stop;
    const Bins bins(start, stop, bin_seconds, touches ? End::open : End::closed);
    m_parts.push_back({bins, m_rows});
    m_rows += bins.count();
    if (bins.count() == 0) ++m_without_rows;
  }
}

std::optional<std::int64_t> IntervalBins::row_of(double time) const {
  const auto next = std::upper_bound(m_parts.begin(), m_parts.end(), time,
                                     [](double t, const Part& p) { return t < p.bins.start(); });
  if (next == m_parts.begin()) return std::nullopt;
  const auto bin = (next - 1)->bins.bin_of(time);
  if (!bin) return std::nullopt;
  return (next - 1)->first_row + *bin;
}

std::vector<Epoch> IntervalBins::epochs() const {
  std::vector<Epoch> epochs;
  epochs.reserve(m_parts.size());
  for (const Part& part : m_parts) {
    if (part.bins.count() == 0) continue;
    epochs.push_back({part.first_row, part.first_row + part.bins.count()});
  }
  return epochs;
}

std::vector<TimeSegment> IntervalBins::segments() const {
  std::vector<TimeSegment> segments;
  segments.reserve(m_parts.size());
  for (const Part& part : m_parts) {
    if (part.bins.count() == 0) continue;
    segments.push_back({part.first_row, part.bins.start(), 1 / m_bin_seconds});
  }
  return segments;
}

}  // namespace synelix::nwb
