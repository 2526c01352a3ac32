// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Conversion of samples to times and back.
#include "times/exact_times.hpp"

#include <synelix/types/stream.hpp>

#include <algorithm>
#include <optional>

namespace synelix {
namespace {

/// A time this close to that of a sample, in samples, counts as equal.
constexpr double on_sample = 1e-3;
/// Numbers of samples beyond 2^53 are not exact in double precision.
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

/// The tolerance for a time of a sample, in samples. Times long after 0 have fewer digits.
double nearness(double seconds, double rate_hz) {
  constexpr double most = 0.25;
  return std::min(std::max(on_sample, 0x1p-51 * std::abs(seconds) * rate_hz), most);
}

/// The times of samples of a segment. Rows request them in order, so the last one is cached.
const TimeGrid& times_of(const TimeSegment& segment, const std::optional<double>& bin_seconds) {
  struct Remembered {
    double start;
    double rate;
    double bin;
    TimeGrid grid;
  };
  thread_local Remembered last{0, 1, 0, TimeGrid(0, period_of_rate(1))};
  const double bin = bin_seconds.value_or(0);
  if (last.start != segment.start_seconds || last.rate != segment.rate_hz || last.bin != bin) {
    constexpr double is_one = 1e-9;
    const bool is_of_bins = std::abs(bin * segment.rate_hz - 1) < is_one;
    last = {segment.start_seconds, segment.rate_hz, bin,
            TimeGrid(segment.start_seconds,
                     is_of_bins ? meant_period(bin) : period_of_rate(segment.rate_hz))};
  }
  return last.grid;
}

/// Which sample a time stands for if it equals that of a sample.
enum class OnSample : std::uint8_t { same, next };

std::int64_t sample_of(const SeriesDescription& series, double seconds, OnSample on_one) {
  const auto next = std::upper_bound(
      series.segments.begin(), series.segments.end(), seconds,
      [](double time, const TimeSegment& s) {
        return time < s.start_seconds - nearness(s.start_seconds, s.rate_hz) / s.rate_hz;
      });
  const TimeSegment segment = next == series.segments.begin() ? first_of(series) : *(next - 1);
  const double behind = (seconds - segment.start_seconds) * segment.rate_hz;
  if (std::isnan(behind)) {
    throw Error("time", std::to_string(seconds) + " is not a time", "Give a number of seconds");
  }
  const double nearest = std::round(behind);
  const double on_nearest = on_one == OnSample::next ? nearest + 1 : nearest;
  const bool is_on = std::abs(behind - nearest) <= nearness(seconds, segment.rate_hz);
  const double whole = is_on ? on_nearest : std::ceil(behind);
  const std::int64_t sample = segment.first_sample + static_cast<std::int64_t>(std::clamp(
                                                         whole, -most_samples, most_samples));
  return next == series.segments.end() ? sample : std::min(sample, next->first_sample);
}

}  // namespace

double SeriesDescription::seconds_of(std::int64_t sample) const {
  const auto next =
      std::upper_bound(segments.begin(), segments.end(), sample,
                       [](std::int64_t t, const TimeSegment& s) { return t < s.first_sample; });
  const TimeSegment segment = next == segments.begin() ? first_of(*this) : *(next - 1);
  return times_of(segment, bin_seconds).time(static_cast<double>(sample - segment.first_sample));
}

double SeriesDescription::center_of(std::int64_t sample) const {
  const double start = seconds_of(sample);
  return bin_seconds ? nine_digits(start + 0.5 * *bin_seconds) : start;
}

std::int64_t SeriesDescription::sample_at(double seconds) const {
  return sample_of(*this, seconds, OnSample::same);
}

std::int64_t SeriesDescription::sample_behind(double seconds) const {
  return sample_of(*this, seconds, OnSample::next);
}

}  // namespace synelix
