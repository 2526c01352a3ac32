// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hdf5/source/recording_parts.hpp"

#include "times/times.hpp"
#include "types/checks.hpp"
#include "types/number_text.hpp"

#include <synelix/error.hpp>

namespace synelix::stream {
namespace {

/// The samples of the file in each segment of its time.
std::vector<Range> segments_of(const SeriesDescription& recording, std::int64_t samples) {
  if (recording.segments.empty()) return {{0, samples}};
  std::vector<Range> ranges;
  for (std::size_t i = 0; i < recording.segments.size(); ++i) {
    const bool is_last = i + 1 == recording.segments.size();
    ranges.push_back({recording.segments[i].first_sample,
                      is_last ? samples : recording.segments[i + 1].first_sample});
  }
  return ranges;
}

Range common(Range a, Range b) { return {std::max(a.begin, b.begin), std::min(a.end, b.end)}; }

/// The intersection of two ascending lists of disjoint ranges.
std::vector<Range> intersection(const std::vector<Range>& a, const std::vector<Range>& b) {
  std::vector<Range> result;
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    const Range both = common(a[i], b[j]);
    if (both.size() > 0) result.push_back(both);
    if (a[i].end < b[j].end) {
      ++i;
    } else {
      ++j;
    }
  }
  return result;
}

/// The given epochs of the file, as ranges.
std::vector<Range> checked_epochs(const Epochs& epochs, std::int64_t samples) {
  refuse_no_epochs(epochs);
  std::vector<Range> result;
  std::int64_t border = 0;
  for (std::size_t i = 0; i < epochs.size(); ++i) {
    const Epoch& epoch = epochs[i];
    if (epoch.begin < border || epoch.end < epoch.begin || epoch.end > samples) {
      throw Error("epochs[" + std::to_string(i) + "]",
                  "[" + std::to_string(epoch.begin) + ", " + std::to_string(epoch.end) +
                      ") is not a range of samples here",
                  "Give ascending, disjoint, half-open ranges of samples from " +
                      std::to_string(border) + " to " + std::to_string(samples));
    }
    border = epoch.end;
    result.push_back({epoch.begin, epoch.end});
  }
  return result;
}

std::string times_text(const SeriesDescription& recording, Range samples) {
  return number_text(recording.seconds_of(samples.begin)) + " to " +
         number_text(recording.seconds_of(samples.end - 1)) + " s";
}

/// The samples of each interval, cut at jumps.
std::vector<Range> runs_of_intervals(const SeriesDescription& recording, Range samples,
                                     const std::vector<Range>& segments,
                                     const Hdf5SourceOptions& options, const std::string& name) {
  if (!options.epochs.empty()) {
    throw Error("intervals", "they are given beside epochs",
                "Give only one of them, since intervals become epochs");
  }
  if (!recording.rate_hz) {
    throw Error("intervals", "they are given for " + name + ", a recording without a rate",
                "Give it a rate: `starting_time` or `timestamps` beside the data (NWB), or an "
                "attribute `rate_hz` of the dataset");
  }
  require_known("interval_stop", options.interval_stop);
  // A bin that begins at the stop is after the interval.
  const bool has_stop = options.interval_stop == IntervalStop::included && !recording.bin_seconds;
  const std::vector<Interval> ordered = ordered_intervals("intervals", options.intervals);
  std::vector<Range> runs;
  std::int64_t border = samples.begin;
  for (std::size_t i = 0; i < ordered.size(); ++i) {
    const auto [start, stop] = ordered[i];
    std::int64_t end = has_stop ? recording.sample_behind(stop) : recording.sample_at(stop);
    if (i + 1 < ordered.size()) {  // a sample at the start of the next interval belongs to that one
      end = std::min(end, recording.sample_at(ordered[i + 1].start_seconds));
    }
    const Range run{std::clamp(recording.sample_at(start), border, samples.end),
                    std::clamp(end, border, samples.end)};
    if (run.size() > 0) runs.push_back(run);
    border = run.end;
  }
  if (runs.empty()) {
    throw Error("intervals", "none of them holds a sample of " + name,
                "Give intervals of some length within " + times_text(recording, samples));
  }
  if (runs.size() < options.intervals.size()) {
    warn(std::to_string(options.intervals.size() - runs.size()) + " of " +
         std::to_string(options.intervals.size()) + " intervals hold no sample of " + name +
         ", which was recorded from " + times_text(recording, samples));
  }
  return intersection(runs, segments);
}

/// Segments of the series' time: one begins at each run, and at each segment of the file.
void describe_times(const SeriesDescription& recording, const std::vector<Range>& runs,
                    const std::vector<Range>& segments, SeriesDescription& series) {
  if (!recording.rate_hz) return;
  std::int64_t before = 0;
  for (const Range& run : runs) {
    for (const Range& part : intersection({run}, segments)) {
      series.segments.push_back({before, recording.seconds_of(part.begin), *recording.rate_hz});
      before += part.size();
    }
  }
  series.start_seconds = series.segments.front().start_seconds;
  if (series.segments.size() == 1) series.segments.clear();
}

}  // namespace

Range checked_range(const char* name, const std::optional<Range>& range, std::int64_t extent) {
  if (!range) return {0, extent};
  if (range->begin < 0 || range->end <= range->begin || range->end > extent) {
    throw FileError(name,
                    "[" + std::to_string(range->begin) + ", " + std::to_string(range->end) +
                        ") is empty or not within the data",
                    "Give a half-open range, not empty, from 0 to " + std::to_string(extent));
  }
  return *range;
}

RecordingParts parts_of(const SeriesDescription& recording, std::int64_t samples,
                        const Hdf5SourceOptions& options, const std::string& name) {
  const Range wanted = checked_range("samples", options.samples, samples);
  const std::vector<Range> segments = segments_of(recording, samples);
  std::vector<Range> runs = {wanted};
  Epochs epochs;
  if (!options.intervals.empty()) {
    runs = runs_of_intervals(recording, wanted, segments, options, name);
    std::int64_t before = 0;
    for (const Range& run : runs) {
      epochs.push_back({before, before + run.size()});
      before += run.size();
    }
  } else {
    const std::vector<Range> asked = checked_epochs(options.epochs, samples);
    const bool has_epochs = !asked.empty();
    std::vector<Range> ranges = runs;
    if (has_epochs) ranges = intersection(asked, ranges);
    if (ranges.empty()) {
      throw Error("epochs", "no epoch is within the samples that are read",
                  "Give at least one, or read other samples");
    }
    ranges = intersection(ranges, segments);
    if (has_epochs || ranges.size() > 1) {
      for (const Range& range : ranges) {
        epochs.push_back({range.begin - wanted.begin, range.end - wanted.begin});
      }
    }
  }
  SeriesDescription series = recording;
  series.segments.clear();
  series.first_sample = runs.front().begin;
  describe_times(recording, runs, segments, series);
  return {SampleMap(std::move(runs)), std::move(epochs), std::move(series)};
}

}  // namespace synelix::stream
