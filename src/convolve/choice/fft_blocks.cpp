// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "convolve/choice/fft_blocks.hpp"

#include "convolve/choice/choose.hpp"
#include "index/segment.hpp"
#include "tune/steps.hpp"

#include <synelix/error.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <string>

namespace synelix::chooser {
namespace {

using index::ceil_divide;
using index::round_up;

/// The shape of blocks: N = 2 points samples, and the parts of the window.
struct Blocks {
  std::int64_t points = 0;
  std::int64_t parts = 1;
  std::int64_t part_taps = 0;
  std::int64_t rows = 0;
};

/// Blocks of N samples that hold the entire window.
Blocks whole_blocks(const ProblemSize& problem, std::int64_t points, std::int64_t every) {
  return {points, 1, problem.window, (2 * points - problem.window) / every + 1};
}

/// The largest blocks with `parts` parts, each a multiple of `every`, in blocks of N samples; one
/// part if there are none.
Blocks parted_blocks(const ProblemSize& problem, std::int64_t points, std::int64_t parts,
                     std::int64_t every) {
  const std::int64_t most = std::min(points, (problem.window - 1) / (parts - 1));
  const std::int64_t taps = most / every * every;
  if (taps == 0 || every > problem.samples || ceil_divide(problem.window, taps) != parts) return {};
  return {points, parts, taps, taps / every};
}

/// The fastest blocks for a window in one part.
Blocks best_whole(const ProblemSize& problem, const Resources& resources, std::int64_t every) {
  const auto cost_of = [&](const Blocks& blocks) {
    return strips_of(problem, blocks.rows) * static_cast<double>(blocks.points) *
           point_factor(problem, resources, every, blocks.points).sum();
  };
  std::int64_t points = spectral::fewest_points;
  while (2 * points < problem.window) points *= 2;
  Blocks best = whole_blocks(problem, points, every);
  double least = cost_of(best);
  // More than 16 windows gain almost nothing.
  while (points < 8 * problem.window) {
    points *= 2;
    const Blocks blocks = whole_blocks(problem, points, every);
    const double cost = cost_of(blocks);
    if (cost < least) {
      best = blocks;
      least = cost;
    }
  }
  return best;
}

/// The shortest blocks with `parts` parts, or with the largest possible number below. A part is a
/// multiple of `every`, so there are no parts if `every` exceeds the samples.
Blocks asked_blocks(const ProblemSize& problem, const Resources& resources, std::int64_t every,
                    std::int64_t parts) {
  for (; parts > 1 && every <= problem.samples; --parts) {
    const std::int64_t taps = round_up(ceil_divide(problem.window, parts), every);
    std::int64_t points = spectral::fewest_points;
    while (points < taps) points *= 2;
    const Blocks blocks = parted_blocks(problem, points, parts, every);
    if (blocks.parts == parts) return blocks;
  }
  return best_whole(problem, resources, every);
}

/// The number of columns to stage together, for rows of `row_bytes`.
std::int64_t run_columns(std::int64_t row_bytes) {
  const std::int64_t most =
      std::max<std::int64_t>(tune::most_fft_run_columns, tune::fewest_fft_run_bytes / row_bytes);
  return std::clamp<std::int64_t>(tune::fft_run_bytes / row_bytes, 4, most);
}

/// The number of strips whose lanes, with `channels` each, fill packs best; of equal ones the
/// smallest.
std::int64_t best_strips(std::int64_t channels, std::int64_t most_lanes, int pack_lanes) {
  std::int64_t best = 1;
  double best_filled = 0.0;
  for (std::int64_t strips = 1; strips == 1 || strips * channels <= most_lanes; ++strips) {
    const double filled = static_cast<double>(strips * channels) /
                          static_cast<double>(round_up(strips * channels, pack_lanes));
    if (filled > best_filled + 1e-9) {
      best = strips;
      best_filled = filled;
    }
  }
  return best;
}

/// The blocks of each of `strips` strips that a batch has room for, besides the blocks before the
/// first one.
std::int64_t blocks_of_batch(const ConvolveOptions& options, std::int64_t strips,
                             const Choice& choice) {
  if (!options.batch.samples) return std::int64_t{1} << 40;
  return *options.batch.samples / (strips * choice.fft_part_taps) - choice.fft_parts;
}

/// Chooses the blocks of a strip and the strips of an item, such that teams are equally busy, lanes
/// are filled, and few blocks are loaded ahead of a strip.
void shape_runs(const ProblemSize& problem, const Resources& resources,
                const ConvolveOptions& options, Choice& choice) {
  const std::int64_t rows = block_rows(choice);
  const std::int64_t longest =
      std::max<std::int64_t>(1, ceil_divide(problem.longest_segment, rows));
  const std::int64_t groups = ceil_divide(problem.channels, choice.batch_channels) *
                              ceil_divide(problem.bases, choice.batch_bases);
  std::int64_t best_blocks = 1;
  std::int64_t best_strips = choice.strips;
  double least = 0.0;
  for (std::int64_t strips = choice.strips; strips > 0;
       strips = strips > 1 ? ceil_divide(strips, 2) : 0) {
    const std::int64_t filled = strips * choice.batch_channels;
    const auto packs = static_cast<double>(ceil_divide(filled, resources.lanes));
    const auto lines =
        static_cast<double>(ceil_divide(filled * choice.batch_bases, resources.lanes));
    const std::int64_t most_blocks = blocks_of_batch(options, strips, choice);
    if (most_blocks < 1 && strips > 1) continue;
    const std::int64_t least_cuts = ceil_divide(longest, std::max<std::int64_t>(1, most_blocks));
    const std::int64_t most_cuts =
        std::max(least_cuts, std::min(longest, 2 * strips * choice.teams));
    for (std::int64_t cuts = least_cuts; cuts <= most_cuts; ++cuts) {
      const std::int64_t blocks = ceil_divide(longest, cuts);
      const double items =
          std::ceil(strips_of(problem, blocks * rows) / static_cast<double>(strips)) *
          static_cast<double>(groups);
      const double cost = std::ceil(items / static_cast<double>(choice.teams)) *
                          (static_cast<double>(blocks) * (packs + lines) +
                           static_cast<double>(choice.fft_parts - 1) * packs);
      if (least > 0.0 && cost >= least) continue;
      best_blocks = blocks;
      best_strips = strips;
      least = cost;
    }
  }
  choice.strips = best_strips;
  choice.strip_rows = best_blocks * rows;
}

/// Shapes the work items for blocks.
void shape_items(const ProblemSize& problem, const Resources& resources,
                 const ConvolveOptions& options, const Blocks& blocks, Choice& choice) {
  choice.fft_length = 2 * blocks.points;
  choice.fft_parts = blocks.parts;
  choice.fft_part_taps = blocks.part_taps;
  choice.strip_rows = blocks.rows;
  choice.batch_bases = std::min(problem.bases, options.batch.bases.value_or(problem.bases));
  const std::int64_t lanes = resources.lanes;
  const std::int64_t most_lanes =
      std::max(lanes, resources.bytes.fft_block / (choice.fft_length * problem.scalar_bytes));
  std::int64_t channels =
      std::min(problem.channels, options.batch.channels.value_or(problem.channels));
  if (channels > most_lanes) channels = std::max(lanes, most_lanes / lanes * lanes);
  choice.batch_channels = channels;
  // Rows that are not full cache lines are staged together if a pack has complete strips. Packs of
  // parted blocks share the memory of one.
  const std::int64_t lanes_of_item = blocks.parts > 1 ? tune::most_lanes : most_lanes;
  choice.strips = has_whole_lines(problem, resources, choice)
                      ? best_strips(channels, lanes_of_item, resources.lanes)
                      : std::max<std::int64_t>(1, lanes / channels);
  if (blocks.parts > 1) return shape_runs(problem, resources, options, choice);
  const std::int64_t groups =
      ceil_divide(problem.channels, channels) * ceil_divide(problem.bases, choice.batch_bases);
  const double items = strips_of(problem, choice.strip_rows) * static_cast<double>(groups);
  while (choice.strips > 1 && choice.teams > 1 &&
         items < static_cast<double>(2 * choice.teams * choice.strips)) {
    choice.strips = ceil_divide(choice.strips, 2);
  }
}

/// The cost of blocks on one core with full work items, in nanoseconds of the default table. So the
/// batch, the budget, the threads and a calibration do not affect the bits.
double cost_of(const ProblemSize& problem, Resources resources, std::int64_t every,
               const Blocks& blocks) {
  resources.concurrency = 1;
  resources.bytes = table_bytes;
  Choice choice;
  choice.method = Method::fft;
  choice.every = every;
  choice.teams = 1;
  shape_items(problem, resources, {}, blocks, choice);
  return total_of(count_steps(problem, resources, choice),
                  tune::steps_of(resources.register_bytes));
}

/// The blocks with the least total cost.
Blocks best_blocks(const ProblemSize& problem, const Resources& resources, std::int64_t every) {
  Blocks best = best_whole(problem, resources, every);
  double least = cost_of(problem, resources, every, best);
  for (std::int64_t points = spectral::fewest_points; points < problem.window; points *= 2) {
    const std::int64_t taps = points / every * every;
    if (taps == 0) continue;
    const std::int64_t parts = ceil_divide(problem.window, taps);
    if (parts < 2 || parts > tune::most_fft_parts) continue;
    const Blocks blocks = parted_blocks(problem, points, parts, every);
    if (blocks.parts == 1) continue;
    const double cost = cost_of(problem, resources, every, blocks);
    if (cost < least) {
      best = blocks;
      least = cost;
    }
  }
  return best;
}

}  // namespace

void shape_fft(const ProblemSize& problem, const Resources& resources,
               const ConvolveOptions& options, Choice& choice) {
  if (transforms_in_scratch(resources)) {
    return shape_device_fft(problem, resources, options, choice);
  }
  const Blocks blocks = options.fft_parts
                            ? asked_blocks(problem, resources, options.every, *options.fft_parts)
                            : best_blocks(problem, resources, options.every);
  shape_items(problem, resources, options, blocks, choice);
}

bool make_fft_smaller(Choice& choice) {
  if (choice.strips > 1) {
    choice.strips = ceil_divide(choice.strips, 2);
  } else if (choice.teams > 1) {
    choice.teams = ceil_divide(choice.teams, 2);
  } else if (choice.batch_channels > 1) {
    choice.batch_channels = ceil_divide(choice.batch_channels, 2);
  } else if (choice.batch_bases > 1) {
    choice.batch_bases = ceil_divide(choice.batch_bases, 2);
  } else {
    return false;
  }
  return true;
}

PointFactor point_factor(const ProblemSize& problem, const Resources& resources, std::int64_t every,
                         std::int64_t points) {
  const tune::PointFactor* entry = tune::point_factors;
  while (entry->points < points) ++entry;
  const bool alternates = points == tune::alternating_points && resources.register_bytes == 64 &&
                          every == 1 && problem.bases >= tune::fewest_alternating_lines &&
                          problem.channels * problem.bases * problem.scalar_bytes % 64 == 0;
  return {alternates ? tune::alternating_factor : 1.0, entry->factor - 1.0};
}

std::int64_t block_rows(const Choice& choice) {
  return choice.fft_parts > 1 ? choice.fft_part_taps / choice.every : choice.strip_rows;
}

double products_factor(std::int64_t parts, double packs, double lines) {
  return static_cast<double>(parts - 1) *
         (packs * tune::part_streamed + lines * tune::part_multiplied);
}

bool has_whole_lines(const ProblemSize& problem, const Resources& resources, const Choice& choice) {
  return choice.batch_channels * choice.batch_bases * problem.scalar_bytes % 64 == 0 &&
         resources.register_bytes == 64;
}

double fft_flops(const ProblemSize& problem, const Choice& choice) {
  const auto points = static_cast<double>(choice.fft_length) / 2.0;
  const double transform =
      points * (5.0 * static_cast<double>(
                          std::bit_width(static_cast<std::uint64_t>(choice.fft_length / 2)) - 1) +
                6.0);
  const auto bases = static_cast<double>(problem.bases);
  const double products = 8.0 * static_cast<double>(choice.fft_parts) - 2.0;
  return strips_of(problem, block_rows(choice)) * static_cast<double>(problem.channels) *
         (transform + bases * (transform + products * points));
}

spectral::BlockSizes block_sizes(const ProblemSize& problem, const Resources& resources,
                                 const Choice& choice) {
  spectral::BlockSizes sizes;
  sizes.scalar_bytes = problem.scalar_bytes;
  sizes.points = choice.fft_length / 2;
  sizes.pack_lanes = resources.lanes;
  sizes.parts = choice.fft_parts;
  sizes.part_taps = choice.fft_part_taps;
  sizes.block_rows = block_rows(choice);
  if (sizes.parts > 1) {
    sizes.window_rows = (sizes.block_rows - 1) * choice.every + problem.window;
  }
  sizes.lanes = sizes.parts > 1 ? resources.lanes
                                : round_up(choice.batch_channels * choice.strips, resources.lanes);
  sizes.bases = choice.batch_bases;
  sizes.stages = resources.mapping.team_size;
  const auto shape = spectral::shape_of<float>(sizes.points, resources.register_bytes);
  const std::int64_t filled =
      std::min<std::int64_t>(resources.lanes, choice.batch_channels * choice.strips);
  const std::int64_t lines = ceil_divide(filled * sizes.bases, resources.lanes);
  const std::int64_t line_bytes =
      shape.stored_points() * 2 * resources.lanes * problem.scalar_bytes;
  sizes.resident_lines = std::clamp<std::int64_t>(tune::fft_resident_bytes / line_bytes, 1, lines);
  const std::int64_t row_bytes = std::min<std::int64_t>(choice.batch_channels, resources.lanes) *
                                 sizes.bases * problem.scalar_bytes;
  sizes.tile_columns = resources.mapping.fft_columns > 0
                           ? resources.mapping.fft_columns
                           : std::min(run_columns(row_bytes), shape.columns[0]);
  return sizes;
}

std::int64_t spectra_bytes(const ProblemSize& problem, const Resources& resources,
                           const Choice& choice) {
  if (choice.method != Method::fft) return 0;
  if (transforms_in_scratch(resources)) {
    return spectral::stage_bank_bytes(stage_sizes(problem, resources, choice), problem.bases) +
           std::int64_t{2} * 64;
  }
  return spectral::bank_bytes(block_sizes(problem, resources, choice), problem.bases) +
         std::int64_t{4} * 64;
}

namespace {

/// Up to this number, each number of bases is tried, which takes a few milliseconds.
constexpr std::int64_t most_single = 4096;

/// Calls `visit` with the numbers of bases, up to `most`, that may give the smallest workspace;
/// with all of them if they are few. Fewer bases make the memory of a team smaller and the tables
/// of all groups larger. Of the numbers with the same number of groups, it visits the first and up
/// to a pack after it, since tables are smaller if bases and lanes divide each other.
template <class Visit>
void for_each_number_of_bases(std::int64_t all, std::int64_t most, std::int64_t lanes,
                              const Visit& visit) {
  for (std::int64_t bases = 1; bases <= most;) {
    const std::int64_t groups = index::ceil_divide(all, bases);
    const std::int64_t next = groups == 1 ? most + 1 : (all - 1) / (groups - 1) + 1;
    const std::int64_t tried = most > most_single ? bases + lanes + 1 : next;
    const std::int64_t end = std::min({next, tried, most + 1});
    for (std::int64_t b = bases; b < end; ++b) visit(b);
    bases = next;
  }
}

}  // namespace

Choice smallest_fft(const ProblemSize& problem, const Resources& resources, const Choice& choice) {
  Choice candidate = choice;
  candidate.teams = 1;
  candidate.strips = 1;
  if (transforms_in_scratch(resources)) return candidate;  // the block is in scratch
  Choice least = candidate;
  std::int64_t least_bytes = workspace_bytes(problem, resources, candidate);
  // More channels than the lanes of a pack only add packed samples.
  const std::int64_t most_channels = std::min<std::int64_t>(choice.batch_channels, resources.lanes);
  for_each_number_of_bases(problem.bases, choice.batch_bases, resources.lanes, [&](std::int64_t b) {
    candidate.batch_bases = b;
    for (std::int64_t c = 1; c <= most_channels; ++c) {
      candidate.batch_channels = c;
      const std::int64_t bytes = workspace_bytes(problem, resources, candidate);
      if (bytes >= least_bytes) continue;
      least = candidate;
      least_bytes = bytes;
    }
  });
  return least;
}

}  // namespace synelix::chooser
