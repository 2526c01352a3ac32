// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hdf5/source/signal_attributes.hpp"
#include "times/times.hpp"
#include "types/number_text.hpp"

#include <synelix/error.hpp>

#include <algorithm>
#include <cmath>

namespace synelix::stream {
namespace {

/// A difference of more than this many periods is a jump.
constexpr double jump_periods = 1.5;
/// The largest allowed distance of a timestamp from its fitted time, in samples.
constexpr double most_deviation_allowed = 0.5;

std::string seconds_text(double seconds) { return number_text(seconds) + " s"; }

std::string place(const std::string& name, std::int64_t sample) {
  return name + "[" + std::to_string(sample) + "]";
}

/// The median difference of the first piece; neither a jump nor a late sample changes it.
double first_period(const std::string& name, std::int64_t samples, const ReadTimestamps& read) {
  std::vector<double> times(static_cast<std::size_t>(std::min(samples, timestamps_together)));
  read({0, static_cast<std::int64_t>(times.size())}, times.data());
  std::vector<double> differences;
  for (std::size_t i = 1; i < times.size(); ++i) {
    const double difference = times[i] - times[i - 1];
    if (std::isfinite(difference)) differences.push_back(difference);
  }
  if (differences.empty()) return 0.0;  // the first pass reports values that are not finite
  const auto middle = differences.begin() + static_cast<std::ptrdiff_t>(differences.size() / 2);
  std::nth_element(differences.begin(), middle, differences.end());
  if (*middle > 0.0) return *middle;
  if (std::any_of(differences.begin(), differences.end(), [](double d) { return d < 0; })) {
    return 0.0;  // the first pass also reports decreasing times
  }
  throw FileError(name, "these timestamps stand still: their median difference is 0",
                  "Give times of samples of a rate");
}

/// Runs over all timestamps: next(sample, time).
template <class Next>
void for_each_timestamp(std::int64_t samples, const ReadTimestamps& read, const Next& next) {
  std::vector<double> times(static_cast<std::size_t>(std::min(samples, timestamps_together)));
  for (std::int64_t begin = 0; begin < samples; begin += timestamps_together) {
    const Range piece{begin, std::min(begin + timestamps_together, samples)};
    read(piece, times.data());
    for (std::int64_t t = piece.begin; t < piece.end; ++t) {
      next(t, times[static_cast<std::size_t>(t - begin)]);
    }
  }
}

/// A run of samples without a jump, and the sums for its straight line. Times are relative to the
/// first one plus `k` periods, to avoid cancellation.
struct Run {
  std::int64_t first_sample = 0;
  double first_time = 0;
  std::int64_t samples = 0;
  double sum = 0;           ///< of e(k) = time(k) - first_time - k * period
  double sum_weighted = 0;  ///< of k * e(k)

  void add(double time, double period) {
    const auto k = static_cast<double>(samples);
    const double e = (time - first_time) - k * period;
    sum += e;
    sum_weighted += k * e;
    ++samples;
  }
  /// Sum over k of (k - mean)^2.
  [[nodiscard]] double spread() const {
    const auto n = static_cast<double>(samples);
    return n * (n * n - 1.0) / 12.0;
  }
  /// Sum over k of (k - mean) * e(k).
  [[nodiscard]] double slope() const {
    return sum_weighted - 0.5 * static_cast<double>(samples - 1) * sum;
  }
  /// The fitted time of the first sample if the period is longer by `longer`.
  [[nodiscard]] double start(double longer) const {
    const auto n = static_cast<double>(samples);
    return first_time + sum / n - 0.5 * (n - 1.0) * longer;
  }
};

/// The runs between jumps. Checks that times are finite and do not decrease.
std::vector<Run> find_runs(const std::string& name, std::int64_t samples, double period,
                           const ReadTimestamps& read) {
  std::vector<Run> runs;
  double before = 0;
  for_each_timestamp(samples, read, [&](std::int64_t t, double time) {
    if (!std::isfinite(time)) {
      throw FileError(place(name, t),
                      std::isnan(time) ? "it is not a number" : "it is not a finite number",
                      "Give a time in seconds for each sample");
    }
    if (!is_time(time)) {
      throw FileError(place(name, t), seconds_text(time) + " is not a time",
                      "Valid are " + std::string(valid_times));
    }
    if (t > 0 && time < before) {
      throw FileError(place(name, t),
                      "the time " + seconds_text(time) + " comes after " + seconds_text(before),
                      "Give times that do not go down");
    }
    if (t == 0 || time - before > jump_periods * period) {
      if (static_cast<std::int64_t>(runs.size()) == most_segments) {
        throw FileError(
            place(name, t),
            "this is jump " + std::to_string(most_segments) + ", to " + seconds_text(time) +
                "; a jump is a difference above 1.5 times the median of " + seconds_text(period),
            "Give times with fewer jumps");
      }
      runs.push_back({.first_sample = t, .first_time = time});
    }
    runs.back().add(time, period);
    before = time;
  });
  return runs;
}

}  // namespace

synelix::TimestampsFit fit_timestamps(const std::string& name, std::int64_t samples,
                                      const ReadTimestamps& read) {
  const double rough = first_period(name, samples, read);
  const std::vector<Run> runs = find_runs(name, samples, rough, read);
  double slope = 0;
  double spread = 0;
  for (const Run& run : runs) {
    slope += run.slope();
    spread += run.spread();
  }
  const double longer = spread > 0 ? slope / spread : 0.0;
  const double period = rough + longer;
  if (!(period > 0) || !std::isfinite(1.0 / period)) {
    throw FileError(name, "the fitted period is " + seconds_text(period),
                    "Give times of samples of a rate");
  }
  TimestampsFit fit{.rate_hz = 1.0 / period, .most_deviation = 0, .segments = {}};
  for (const Run& run : runs) {
    fit.segments.push_back({run.first_sample, run.start(longer), fit.rate_hz});
  }
  std::size_t next = 0;
  for_each_timestamp(samples, read, [&](std::int64_t t, double time) {
    if (next < fit.segments.size() && fit.segments[next].first_sample == t) ++next;
    const TimeSegment& segment = fit.segments[next - 1];
    const double expected =
        segment.start_seconds + static_cast<double>(t - segment.first_sample) * period;
    const double deviation = std::abs(time - expected) / period;
    if (!(deviation <= most_deviation_allowed)) {
      throw FileError(
          place(name, t),
          "the time is " + seconds_text(time) + ", but samples at " + std::to_string(fit.rate_hz) +
              " Hz make " + seconds_text(expected) + " expected",
          "Give times within half a sample of a rate, or after a jump of more than 1.5 periods");
    }
    fit.most_deviation = std::max(fit.most_deviation, deviation);
  });
  return fit;
}

void require_fit_of(const synelix::TimestampsFit& fit, std::int64_t samples) {
  const auto is_segment = [&](const TimeSegment& segment) {
    return segment.first_sample < samples && is_time(segment.start_seconds) &&
           segment.rate_hz == fit.rate_hz;
  };
  const auto is_behind = [](const TimeSegment& one, const TimeSegment& next) {
    return next.first_sample <= one.first_sample || next.start_seconds < one.start_seconds;
  };
  const std::vector<TimeSegment>& segments = fit.segments;
  const bool is_fit =
      fit.rate_hz > 0 && std::isfinite(fit.rate_hz) && fit.most_deviation >= 0 &&
      fit.most_deviation <= most_deviation_allowed && !segments.empty() &&
      static_cast<std::int64_t>(segments.size()) <= most_segments &&
      segments.front().first_sample == 0 &&
      std::all_of(segments.begin(), segments.end(), is_segment) &&
      std::adjacent_find(segments.begin(), segments.end(), is_behind) == segments.end();
  if (is_fit) return;
  throw Error("timestamps_fit",
              "it has " + std::to_string(segments.size()) + " segments at " +
                  std::to_string(fit.rate_hz) + " Hz, which are not a fit of " +
                  std::to_string(samples) + " timestamps",
              "Give what a source of the same dataset has fitted, or leave it out");
}

}  // namespace synelix::stream
