// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "convolve/choice/choose.hpp"

#include "convolve/choice/direct_items.hpp"
#include "convolve/choice/fft_blocks.hpp"
#include "index/segment.hpp"
#include "tune/tiles.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace synelix::chooser {
namespace {

using index::ceil_divide;

double real(std::int64_t n) { return static_cast<double>(n); }

/// Packs of lanes of all work items, and packs of their results.
struct Packs {
  double samples = 0.0;
  double results = 0.0;
};

/// Packs for strips of `strip_rows` rows.
Packs packs_of(const ProblemSize& problem, const Resources& resources, const Choice& choice,
               std::int64_t strip_rows) {
  const std::int64_t groups = ceil_divide(problem.channels, choice.batch_channels);
  const std::int64_t last_channels = problem.channels - (groups - 1) * choice.batch_channels;
  const auto of_items = [&](std::int64_t strips) -> Packs {
    const auto of_group = [&](std::int64_t channels) -> Packs {
      const std::int64_t lanes = channels * strips;
      const std::int64_t left = lanes % resources.lanes;
      return {real(ceil_divide(lanes, resources.lanes)),
              real(lanes / resources.lanes * problem.bases +
                   ceil_divide(left * problem.bases, resources.lanes))};
    };
    const Packs whole = of_group(choice.batch_channels);
    const Packs last = of_group(last_channels);
    return {real(groups - 1) * whole.samples + last.samples,
            real(groups - 1) * whole.results + last.results};
  };
  const double strips = strips_of(problem, strip_rows);
  const double whole_items = std::floor(strips / real(choice.strips));
  const Packs whole = of_items(choice.strips);
  const Packs last =
      of_items(static_cast<std::int64_t>(strips - whole_items * real(choice.strips)));
  return {whole_items * whole.samples + last.samples, whole_items * whole.results + last.results};
}

/// Number of contiguous pieces of rows, over all channels and bases, that are stored separately.
double runs_of_rows(const ProblemSize& problem, const Resources& resources, const Choice& choice) {
  const double groups = real(ceil_divide(problem.channels, choice.batch_channels));
  return real(problem.rows) * groups * (1.0 + real(choice.batch_channels / resources.lanes));
}

/// The share of a window's taps that are multiplied with samples of the same segment.
double share_of_taps_seen(const ProblemSize& problem, std::int64_t every) {
  const double samples =
      real(problem.rows) * real(every) / real(std::max<std::int64_t>(1, problem.segments));
  return std::min(1.0, samples / real(problem.window));
}

/// Counts packs of a line, and a multiply-add of each value with all taps.
Steps count_line(const ProblemSize& problem, const Resources& resources, const Choice& choice) {
  const double packs = real(problem.rows) * real(problem.channels) / real(resources.lanes);
  Steps counts;
  const bool is_trimmed =
      problem.bases == 1 && tune::column_step(problem.window, 1, problem.channels, resources.lanes,
                                              problem.scalar_bytes) > 0;
  counts.multiply_add =
      packs * real(is_trimmed ? problem.taps_in_support : problem.window * problem.bases);
  counts.result = packs * real(problem.bases);
  counts.strip = strips_of(problem, choice.strip_rows);
  if (problem.stored_bytes != problem.scalar_bytes) counts.sample = packs;  // converted first
  return counts;
}

Steps count_direct(const ProblemSize& problem, const Resources& resources, const Choice& choice) {
  if (takes_lines(problem, resources, choice)) return count_line(problem, resources, choice);
  const double strips = strips_of(problem, choice.strip_rows);
  const double rows = real(problem.rows) / strips;
  const double packs = packs_of(problem, resources, choice, choice.strip_rows).samples;
  const bool is_whole =
      problem.channels == 1 || problem.channels * problem.bases % resources.lanes == 0;
  const bool is_banked = is_whole && problem.channels > 1 && choice.every == 1 &&
                         choice.batch_bases <= tune::most_bank_packs &&
                         resources.register_bytes == 64;
  double result = is_banked ? tune::banked_result : 1.0;
  double taps = rows * real(problem.taps_in_support);
  if (shares_filter(problem, resources, choice)) {
    const double members = real(problem.shared_members);
    taps -= real(problem.shared_taps) * (rows * (members - 1) - real(problem.shared_delay));
    taps += rows * members * real(tune::copied_pack);
    result = 1.0;
  }
  Steps counts;
  counts.multiply_add = packs * taps * share_of_taps_seen(problem, choice.every);
  counts.result = result * packs * rows * real(problem.bases);
  counts.run = is_whole ? 0.0 : runs_of_rows(problem, resources, choice);
  counts.strip = strips * real(ceil_divide(problem.channels, choice.batch_channels));
  counts.sample = packs * (rows * real(choice.every) + real(problem.window));
  return counts;
}

Steps count_fft(const ProblemSize& problem, const Resources& resources, const Choice& choice) {
  Packs packs = packs_of(problem, resources, choice, block_rows(choice));
  const double products = products_factor(choice.fft_parts, packs.samples, packs.results);
  if (choice.fft_parts > 1) {  // blocks that are loaded ahead of each strip
    packs.samples += real(choice.fft_parts - 1) *
                     packs_of(problem, resources, choice, choice.strip_rows).samples;
  }
  const double results = real(problem.rows) * real(problem.channels) * real(problem.bases);
  const std::int64_t points = choice.fft_length / 2;
  Steps counts;
  // With parts, the samples of the previous block are moved.
  counts.sample =
      packs.samples * real(choice.fft_parts > 1 ? choice.fft_part_taps : choice.fft_length);
  const PointFactor factor = point_factor(problem, resources, choice.every, points);
  counts.fft_point = real(points) * (products + (packs.samples + packs.results) * factor.near);
  counts.fft_far = real(points) * (packs.samples + packs.results) * factor.far;
  if (!has_whole_lines(problem, resources, choice)) {
    counts.fft_result = results / real(resources.lanes);
    counts.fft_run = runs_of_rows(problem, resources, choice);
  }
  return counts;
}

Steps count_events(const ProblemSize& problem, const Resources& resources, const Choice& choice) {
  const double item_rows = real(choice.strip_rows) * real(choice.strips);
  const double rows_of_event = real(problem.window) / real(choice.every);
  // Rows of one channel are contiguous values; rows of several channels are apart, and each has a
  // part of a register.
  const bool is_run = choice.every == 1 && choice.batch_channels == 1;
  const double registers = is_run ? real(problem.bases) / real(resources.lanes)
                                  : real(ceil_divide(problem.bases, resources.lanes));
  Steps counts;
  counts.event = real(problem.events) * (1.0 + rows_of_event / item_rows);
  counts.event_tap =
      real(problem.events) * registers * rows_of_event * share_of_taps_seen(problem, choice.every);
  counts.event_result =
      real(problem.rows) * real(problem.channels) * real(problem.bases) / real(resources.lanes);
  counts.event_strip = std::ceil(strips_of(problem, choice.strip_rows) / real(choice.strips)) *
                       real(problem.channels);
  return counts;
}

}  // namespace

double strips_of(const ProblemSize& problem, std::int64_t rows) {
  double strips = 0.0;
  for (std::size_t k = 0; k < SegmentLengths::classes; ++k) {
    const std::int64_t segments = problem.lengths.segments[k];
    if (segments == 0) continue;
    strips += real(segments) * real(ceil_divide(problem.lengths.rows[k] / segments, rows));
  }
  return strips > 0.0 ? strips : real(std::max<std::int64_t>(1, ceil_divide(problem.rows, rows)));
}

Steps count_steps(const ProblemSize& problem, const Resources& resources, const Choice& choice) {
  switch (choice.method) {
    case Method::fft:
      return count_fft(problem, resources, choice);
    case Method::events:
      return count_events(problem, resources, choice);
    default:
      return count_direct(problem, resources, choice);
  }
}

double total_of(const Steps& counts, const Steps& nanoseconds) {
  double total = 0.0;
  for (const NamedStep& step : all_steps) total += counts.*step.value * nanoseconds.*step.value;
  return total;
}

}  // namespace synelix::chooser
