// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "convolve/choice/direct_items.hpp"

#include "index/segment.hpp"
#include "tune/device.hpp"
#include "tune/tiles.hpp"

#include <algorithm>

namespace synelix::chooser {
namespace {

using index::ceil_divide;
using index::round_up;

/// Nanoseconds of a multiply-add of one lane.
double lane_multiply_add(const Resources& resources) {
  return resources.nanoseconds.multiply_add / static_cast<double>(resources.lanes);
}

/// Rows of a strip, for a block of `lanes` lanes with about `bytes` bytes.
std::int64_t rows_for(const ProblemSize& problem, std::int64_t every, std::int64_t lanes,
                      std::int64_t bytes) {
  const std::int64_t packed_rows = bytes / (lanes * problem.scalar_bytes);
  return packed_rows <= problem.window ? 1 : (packed_rows - problem.window) / every + 1;
}

/// Chooses channels and strips of a direct work item. The cost is the number of lanes, used or not,
/// plus two for each run of neighboring channels (a strip of a group). Choose the pair with the
/// largest used share. Rows of all channels are stored as full cache lines, which is worth some
/// unused lanes: a partial line must be read before it is written. For the same reason, groups of
/// at least a pack are a multiple of packs.
void shape_lanes(const ProblemSize& problem, const Resources& resources,
                 const ConvolveOptions& options, std::int64_t most_lanes, Choice& choice) {
  const std::int64_t most_channels =
      std::min({problem.channels, options.batch.channels.value_or(problem.channels), most_lanes});
  constexpr double whole_rows = 1.2;
  double best = -1.0;
  for (std::int64_t fewest = ceil_divide(problem.channels, most_channels);;) {
    const std::int64_t even = ceil_divide(problem.channels, fewest);
    const std::int64_t packs = round_up(even, resources.lanes);
    const bool is_whole = fewest > 1 && even >= resources.lanes && packs <= most_channels;
    const std::int64_t channels = is_whole ? packs : even;
    std::int64_t most_strips = std::max<std::int64_t>(1, most_lanes / channels);
    while (most_strips > 1 && rows_of_batch(problem, options, most_strips) < 1) --most_strips;
    const std::int64_t groups = ceil_divide(problem.channels, channels);
    const std::int64_t last = problem.channels - (groups - 1) * channels;
    // At least half as many: shorter strips are harder to find, and longer ones harder to
    // distribute.
    for (std::int64_t strips = most_strips; 2 * strips >= most_strips && strips > 0; --strips) {
      const std::int64_t paid = (groups - 1) * round_up(channels * strips, resources.lanes) +
                                round_up(last * strips, resources.lanes) + 2 * groups * strips;
      const double filled = static_cast<double>(problem.channels * strips) /
                            static_cast<double>(paid) * (groups == 1 ? whole_rows : 1.0);
      if (filled > best) {
        best = filled;
        choice.batch_channels = channels;
        choice.strips = strips;
      }
    }
    if (even <= std::max<std::int64_t>(1, most_channels / 4)) return;
    // The next number of groups with fewer channels each: more groups of equal size only cost more.
    fewest = ceil_divide(problem.channels, even - 1);
  }
}

/// Rows of a strip, at most `most`, with the least total cost for segments of all lengths. A strip
/// also packs a window and has a fixed overhead, which favors long strips. The last strip of a
/// segment is shorter. Strips of an item are ordered by length, but a pack is computed up to its
/// longest strip, and rows that only some of its strips have are stored one by one. This favors
/// strips that are not much longer than most segments.
std::int64_t rows_for_lengths(const ProblemSize& problem, const Resources& resources,
                              std::int64_t every, std::int64_t most) {
  const double tap = static_cast<double>(problem.bases) * lane_multiply_add(resources);
  const std::int64_t mean = problem.rows / std::max<std::int64_t>(1, problem.segments);
  std::int64_t best_rows = most;
  const auto cost_of_strip = [&](std::int64_t rows, double taps, double spread) {
    const auto computed = static_cast<double>(rows);
    return spread * computed * taps * tap +
           (computed * static_cast<double>(every) + taps) * tune::packed_sample +
           tune::strip_overhead;
  };
  double best = 0.0;
  for (std::int64_t rows = most; rows > 0; rows = std::min(rows - 1, rows * 7 / 8)) {
    double cost = 0.0;
    for (std::size_t k = 0; k < SegmentLengths::classes; ++k) {
      const std::int64_t segments = problem.lengths.segments[k];
      if (segments == 0) continue;
      const std::int64_t length = problem.lengths.rows[k] / segments;
      // Taps beyond the epochs of an item are skipped; its longest epoch has a few times the mean
      // length.
      const double taps = std::min(
          static_cast<double>(problem.window),
          4.0 * static_cast<double>(every) * static_cast<double>(std::max(length, mean) + 1));
      const double spread =
          tune::spread_least +
          tune::spread_each * std::min(tune::spread_most_lengths,
                                       static_cast<double>(rows) / static_cast<double>(length));
      const std::int64_t full = length / rows;
      double own = static_cast<double>(full) * cost_of_strip(rows, taps, 1.0);
      if (length % rows != 0) own += cost_of_strip(length % rows, taps, spread);
      cost += static_cast<double>(segments) * own;
    }
    if (rows == most || cost < 0.98 * best) {
      best = cost;
      best_rows = rows;
    }
  }
  return best_rows;
}

/// A work item of at most `most_lanes` lanes and about `bytes` of packed samples.
void shape_block(const ProblemSize& problem, const Resources& resources,
                 const ConvolveOptions& options, std::int64_t most_lanes, std::int64_t bytes,
                 Choice& choice) {
  shape_lanes(problem, resources, options, most_lanes, choice);
  choice.batch_bases = std::min(problem.bases, options.batch.bases.value_or(problem.bases));
  const std::int64_t lanes = round_up(choice.batch_channels * choice.strips, resources.lanes);
  std::int64_t rows = rows_for(problem, options.every, lanes, bytes);
  rows = std::clamp<std::int64_t>(rows, 1, tune::most_rows);
  rows = std::min({rows, rows_of_batch(problem, options, choice.strips),
                   std::max<std::int64_t>(1, problem.longest_segment)});
  choice.strip_rows =
      rows_for_lengths(problem, resources, options.every, std::max<std::int64_t>(1, rows));
}

/// A work item of one strip of all channels, which are more than the packed lanes.
void shape_line(const ProblemSize& problem, const Resources& resources,
                const ConvolveOptions& options, Choice& choice) {
  choice.batch_channels = problem.channels;
  choice.batch_bases = problem.bases;
  choice.strips = 1;
  const std::int64_t lanes = round_up(problem.channels, resources.lanes);
  const std::int64_t bytes =
      std::max<std::int64_t>(resources.bytes.direct_block,
                             (problem.window + tune::line_rows) * lanes * problem.scalar_bytes);
  const std::int64_t rows = std::min({rows_for(problem, 1, lanes, bytes),
                                      rows_of_batch(problem, options, 1), problem.longest_segment});
  choice.strip_rows = std::max<std::int64_t>(1, rows);
}

/// A work item of one strip of one channel, for the bases of a window tile.
void shape_window(const ProblemSize& problem, const Resources& resources,
                  const ConvolveOptions& options, Choice& choice) {
  const int shape = problem.window_shape;
  const int most_bases = tune::window_item_bases(tune::window_shapes[shape].bases,
                                                 static_cast<std::size_t>(problem.scalar_bytes));
  choice.strips = 1;
  choice.batch_channels = 1;
  choice.batch_bases = std::min<std::int64_t>(
      {most_bases, problem.bases, options.batch.bases.value_or(problem.bases)});
  choice.strip_rows = std::max<std::int64_t>(
      1, std::min({tune::window_item_rows(shape, resources.lanes, problem.window),
                   rows_of_batch(problem, options, 1), problem.longest_segment}));
}

/// Cuts strips shorter until each team has some work items, so that no team is idle.
void share_out(const ProblemSize& problem, Choice& choice) {
  const std::int64_t groups = ceil_divide(problem.channels, choice.batch_channels) *
                              ceil_divide(problem.bases, choice.batch_bases);
  const std::int64_t wanted = ceil_divide(4 * choice.teams, groups);
  const std::int64_t rows = ceil_divide(problem.rows, wanted * choice.strips);
  const std::int64_t floor = std::max<std::int64_t>(tune::fewest_rows, problem.window / 4);
  choice.strip_rows = std::min(choice.strip_rows, std::max(rows, floor));
}

}  // namespace

std::int64_t rows_of_batch(const ProblemSize& problem, const ConvolveOptions& options,
                           std::int64_t strips) {
  if (!options.batch.samples) return problem.rows;
  const std::int64_t samples = *options.batch.samples / strips;
  return samples < problem.window ? 0 : (samples - problem.window) / options.every + 1;
}

std::int64_t whole_tiles(std::int64_t strip_rows, const ProblemSize& problem) {
  const bool is_cut =
      strip_rows > std::int64_t{4} * tune::tile_rows && strip_rows < problem.longest_segment;
  return is_cut ? strip_rows / tune::tile_rows * tune::tile_rows : strip_rows;
}

bool is_line(const ProblemSize& problem, const Resources& resources,
             const ConvolveOptions& options) {
  const std::int64_t bytes =
      (problem.window + tune::line_rows) * problem.channels * problem.scalar_bytes;
  const std::int64_t copies = std::max<std::int64_t>(1, problem.shared_members) - 1;
  const std::int64_t taps = problem.taps_in_support - copies * problem.shared_taps;
  return resources.mapping.stage_rows > 0 && !problem.has_events && options.every == 1 &&
         options.batch.channels.value_or(problem.channels) >= problem.channels &&
         options.batch.bases.value_or(problem.bases) >= problem.bases &&
         problem.bases <= tune::most_bases && bytes <= tune::line_bytes &&
         problem.rows * problem.channels >= tune::line_values * problem.segments &&
         tune::suits_line(problem.window, problem.bases, taps, problem.channels, resources.lanes,
                          problem.scalar_bytes);
}

void shape_direct(const ProblemSize& problem, const Resources& resources,
                  const ConvolveOptions& options, Choice& choice) {
  if (takes_windows(problem, resources, choice)) {
    return shape_window(problem, resources, options, choice);
  }
  std::int64_t lanes = tune::most_lanes;
  const std::int64_t twice = 2 * problem.window * problem.scalar_bytes;  // of a lane
  const auto bytes = std::max<std::int64_t>(
      {resources.bytes.direct_block, twice * resources.lanes,
       std::min<std::int64_t>(twice * tune::most_lanes, tune::long_block_bytes)});
  if (problem.window * lanes * problem.scalar_bytes > bytes) {
    lanes = std::max<std::int64_t>(
        resources.lanes,
        bytes / (2 * problem.window * problem.scalar_bytes) / resources.lanes * resources.lanes);
  }
  if (problem.channels > tune::most_lanes && is_line(problem, resources, options)) {
    shape_line(problem, resources, options, choice);
  } else {
    shape_block(problem, resources, options, lanes, bytes, choice);
  }
  share_out(problem, choice);
  choice.strip_rows = whole_tiles(choice.strip_rows, problem);
}

bool takes_windows(const ProblemSize& problem, const Resources& resources, const Choice& choice) {
  const std::int64_t rows = tune::window_rows(problem.window_shape, resources.lanes);
  return resources.mapping.is_device && choice.method == Method::direct && choice.every == 1 &&
         !problem.has_events &&
         static_cast<double>(problem.rows) >= tune::fewest_window_rows * static_cast<double>(rows) *
                                                  static_cast<double>(problem.segments);
}

bool takes_lines(const ProblemSize& problem, const Resources& resources, const Choice& choice) {
  ConvolveOptions options;
  options.every = choice.every;
  options.batch = {{}, choice.batch_channels, choice.batch_bases};
  return is_line(problem, resources, options);
}

bool shares_filter(const ProblemSize& problem, const Resources& resources, const Choice& choice) {
  return choice.method == Method::direct && choice.every == 1 && choice.batch_bases > 1 &&
         resources.mapping.tiles == 0 && problem.longest_segment >= problem.window &&
         !takes_lines(problem, resources, choice) &&
         tune::suits_sharing(problem.shared_members, problem.shared_taps, problem.shared_delay,
                             choice.strip_rows);
}

std::int64_t strip_rows_for(const ProblemSize& problem, const Resources& resources,
                            const Choice& choice, std::int64_t rows) {
  const std::int64_t longest = std::min(rows, choice.strip_rows);
  if (choice.method == Method::events || takes_windows(problem, resources, choice)) return longest;
  const double multiply_add = lane_multiply_add(resources);
  std::int64_t best_rows = longest;
  double best = 0.0;
  for (std::int64_t strips = 1; strips <= choice.strips; strips *= 2) {
    const std::int64_t strip_rows = std::min(longest, ceil_divide(rows, strips));
    const std::int64_t lanes = round_up(choice.batch_channels * strips, resources.lanes);
    const double computed =
        static_cast<double>(lanes * strip_rows * problem.window * choice.batch_bases) *
        multiply_add;
    const double packed =
        static_cast<double>(lanes * ((strip_rows - 1) * choice.every + problem.window)) *
        tune::packed_sample;
    if (strips == 1 || computed + packed < best) {
      best = computed + packed;
      best_rows = strip_rows;
    }
    if (strip_rows == 1) break;
  }
  return best_rows;
}

}  // namespace synelix::chooser
