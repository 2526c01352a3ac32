// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "choose/fft.hpp"

#include "choose/steps.hpp"
#include "index/segment.hpp"

#include <synelix/error.hpp>

#include <algorithm>
#include <bit>
#include <string>

namespace synelix::chooser {
namespace {

using index::ceil_divide;
using index::round_up;

/// Rows of a block of N = 2 points samples.
std::int64_t rows_of_block(const ProblemSize& problem, std::int64_t points, std::int64_t every) {
  return (2 * points - problem.window) / every + 1;
}

/// The length of transforms that take least time together, all else being equal.
std::int64_t best_points(const ProblemSize& problem, const Resources& resources,
                         std::int64_t every) {
  const auto cost_of = [&](std::int64_t points) {
    return strips_of(problem, rows_of_block(problem, points, every)) * static_cast<double>(points) *
           point_factor(problem, resources, every, points);
  };
  std::int64_t points = spectral::fewest_points;
  while (2 * points < problem.window) points *= 2;
  std::int64_t best = points;
  double least = cost_of(points);
  // Beyond 16 windows next to nothing is left to be won.
  while (points < 8 * problem.window) {
    points *= 2;
    const double cost = cost_of(points);
    if (cost < least) {
      best = points;
      least = cost;
    }
  }
  return best;
}

/// Columns that are staged together for rows of so many bytes.
std::int64_t run_columns(std::int64_t row_bytes) {
  const std::int64_t most =
      std::max<std::int64_t>(tune::most_fft_run_columns, tune::fewest_fft_run_bytes / row_bytes);
  return std::clamp<std::int64_t>(tune::fft_run_bytes / row_bytes, 4, most);
}

/// The most strips whose lanes, with `channels` each, fill packs best, the fewest of equals.
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

}  // namespace

void shape_fft(const ProblemSize& problem, const Resources& resources,
               const ConvolveOptions& options, Choice& choice) {
  const std::int64_t points = best_points(problem, resources, options.every);
  choice.fft_length = 2 * points;
  choice.strip_rows = rows_of_block(problem, points, options.every);
  choice.batch_bases = std::min(problem.bases, options.batch.bases.value_or(problem.bases));
  const std::int64_t lanes = resources.lanes;
  const std::int64_t most_lanes =
      std::max(lanes, tune::fft_block_bytes / (2 * points * problem.scalar_bytes));
  std::int64_t channels =
      std::min(problem.channels, options.batch.channels.value_or(problem.channels));
  if (channels > most_lanes) channels = std::max(lanes, most_lanes / lanes * lanes);
  choice.batch_channels = channels;
  // Rows that are no whole cache lines lie together where a pack has whole strips.
  choice.strips = has_whole_lines(problem, resources, choice)
                      ? best_strips(channels, most_lanes, resources.lanes)
                      : std::max<std::int64_t>(1, lanes / channels);
  const std::int64_t groups =
      ceil_divide(problem.channels, channels) * ceil_divide(problem.bases, choice.batch_bases);
  const double items = strips_of(problem, choice.strip_rows) * static_cast<double>(groups);
  while (choice.strips > 1 && choice.teams > 1 &&
         items < static_cast<double>(2 * choice.teams * choice.strips)) {
    choice.strips = ceil_divide(choice.strips, 2);
  }
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

double point_factor(const ProblemSize& problem, const Resources& resources, std::int64_t every,
                    std::int64_t points) {
  const tune::PointFactor* entry = tune::point_factors;
  while (entry->points < points) ++entry;
  const bool alternates = points == tune::alternating_points && resources.register_bytes == 64 &&
                          every == 1 && problem.bases >= tune::fewest_alternating_lines &&
                          problem.channels * problem.bases * problem.scalar_bytes % 64 == 0;
  return entry->factor * (alternates ? tune::alternating_factor : 1.0);
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
  return strips_of(problem, choice.strip_rows) * static_cast<double>(problem.channels) *
         (transform + bases * (transform + 6.0 * points));
}

spectral::BlockSizes block_sizes(const ProblemSize& problem, const Resources& resources,
                                 const Choice& choice) {
  spectral::BlockSizes sizes;
  sizes.scalar_bytes = problem.scalar_bytes;
  sizes.points = choice.fft_length / 2;
  sizes.pack_lanes = resources.lanes;
  sizes.lanes = round_up(choice.batch_channels * choice.strips, resources.lanes);
  sizes.bases = choice.batch_bases;
  sizes.stages = resources.mapping.team_size;
  const auto shape = spectral::shape_of<float>(sizes.points);
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
  return spectral::bank_bytes(block_sizes(problem, resources, choice), problem.bases) +
         std::int64_t{4} * 64;
}

}  // namespace synelix::chooser
