// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// From samples to times and back.
#include <synelix/types/stream.hpp>

#include <algorithm>
#include <cmath>

namespace synelix {
namespace {

/// A time this close to a sample, in samples, is the sample's.
constexpr double on_sample = 1e-3;
/// Beyond 2^53 a sample has no number of its own in double precision.
constexpr double most_samples = 9007199254740992.0;

double rate_of(const SeriesDescription& series) {
  if (!series.rate_hz) {
    throw Error("series.rate_hz", "the series has no rate, so its samples have no times",
                "Set the number of samples a second, or give samples in place of times");
  }
  return *series.rate_hz;
}

TimeSegment first_of(const SeriesDescription& series) {
  if (!series.segments.empty()) return series.segments.front();
  return {0, series.start_seconds, rate_of(series)};
}

}  // namespace

double SeriesDescription::seconds_of(std::int64_t sample) const {
  const auto next =
      std::upper_bound(segments.begin(), segments.end(), sample,
                       [](std::int64_t t, const TimeSegment& s) { return t < s.first_sample; });
  const TimeSegment segment = next == segments.begin() ? first_of(*this) : *(next - 1);
  return segment.start_seconds +
         static_cast<double>(sample - segment.first_sample) / segment.rate_hz;
}

double SeriesDescription::center_of(std::int64_t sample) const {
  const double start = seconds_of(sample);
  return bin_seconds ? std::nearbyint((start + 0.5 * *bin_seconds) * 1e9) / 1e9 : start;
}

std::int64_t SeriesDescription::sample_at(double seconds) const {
  const auto next = std::upper_bound(segments.begin(), segments.end(), seconds,
                                     [](double time, const TimeSegment& s) {
                                       return time < s.start_seconds - on_sample / s.rate_hz;
                                     });
  const TimeSegment segment = next == segments.begin() ? first_of(*this) : *(next - 1);
  const double behind = (seconds - segment.start_seconds) * segment.rate_hz;
  if (std::isnan(behind)) {
    throw Error("time", std::to_string(seconds) + " is not a time", "Give a number of seconds");
  }
  const double nearest = std::round(behind);
  const double whole = std::abs(behind - nearest) <= on_sample ? nearest : std::ceil(behind);
  const std::int64_t sample = segment.first_sample + static_cast<std::int64_t>(std::clamp(
                                                         whole, -most_samples, most_samples));
  return next == segments.end() ? sample : std::min(sample, next->first_sample);
}

}  // namespace synelix
