// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "convolve/choice/fft_blocks.hpp"

#include "convolve/choice/choose.hpp"
#include "index/segment.hpp"

#include <algorithm>

namespace synelix::chooser {
namespace {

using index::ceil_divide;
using index::round_up;

/// The largest number of blocks that a team transforms together: a power of two, at most one
/// butterfly for each thread, within the target size of scratch; 0 if one block does not fit.
std::int64_t lanes_of(spectral::StageSizes sizes, std::int64_t scratch_bytes) {
  sizes.lanes = 1;
  if (!spectral::has_stages(sizes.points)) return 0;
  if (spectral::stage_scratch_bytes(sizes) > scratch_bytes) return 0;
  const std::int64_t aim = std::min<std::int64_t>(scratch_bytes, tune::device_fft_bytes);
  const std::int64_t most = std::int64_t{16} * tune::device_fft_team;
  while (2 * sizes.lanes * sizes.points <= most) {
    sizes.lanes *= 2;
    if (spectral::stage_scratch_bytes(sizes) <= aim) continue;
    return sizes.lanes / 2;
  }
  return sizes.lanes;
}

spectral::StageSizes whole(const ProblemSize& problem, std::int64_t points, std::int64_t every) {
  return {problem.scalar_bytes,
          points,
          1,
          1,
          problem.window,
          spectral::whole_rows(points, problem.window, every)};
}

/// The largest blocks for a window in parts; one part if there are none.
spectral::StageSizes parted(const ProblemSize& problem, std::int64_t points, std::int64_t parts,
                            std::int64_t every) {
  const std::int64_t most = std::min(points, (problem.window - 1) / (parts - 1));
  const std::int64_t taps = most / every * every;
  if (taps == 0 || every > problem.samples || ceil_divide(problem.window, taps) != parts) return {};
  return {problem.scalar_bytes, points, 1, parts, taps, taps / every};
}

/// The relative cost of all blocks, in passes over a point.
double cost_on_device(const ProblemSize& problem, const spectral::StageSizes& sizes) {
  const auto bases = static_cast<double>(problem.bases);
  const double passes = spectral::shape_of<float>(sizes.points).passes + tune::device_fft_rows;
  const double products = static_cast<double>(sizes.parts - 1) * tune::device_fft_part;
  double factor = passes * (1.0 + bases) + products * bases;
  for (std::int64_t bytes = spectral::stage_scratch_bytes(sizes); bytes > tune::device_fft_bytes;
       bytes /= 2) {
    factor *= tune::device_fft_alone;
  }
  return strips_of(problem, sizes.block_rows) * static_cast<double>(sizes.points) * factor;
}

/// The fastest blocks with `fewest` to `most` parts; lanes is 0 if there are none.
spectral::StageSizes best_of_parts(const ProblemSize& problem, const Resources& resources,
                                   std::int64_t every, std::int64_t fewest, std::int64_t most) {
  spectral::StageSizes best;
  best.lanes = 0;
  double least = 0.0;
  const auto consider = [&](spectral::StageSizes sizes) {
    if (sizes.points == 0) return;
    sizes.lanes = lanes_of(sizes, resources.scratch_bytes);
    if (sizes.lanes == 0) return;
    const double cost = cost_on_device(problem, sizes);
    if (best.lanes > 0 && cost >= least) return;
    best = sizes;
    least = cost;
  };
  for (std::int64_t points = spectral::fewest_stage_points; points <= spectral::most_stage_points;
       points *= 2) {
    if (2 * points >= problem.window && fewest == 1) consider(whole(problem, points, every));
    for (std::int64_t parts = std::max<std::int64_t>(2, fewest); parts <= most; ++parts) {
      consider(parted(problem, points, parts, every));
    }
  }
  return best;
}

/// The fastest blocks of any number of parts. If the caller asks for a number, that number, or the
/// largest possible one below it.
spectral::StageSizes best_device_blocks(const ProblemSize& problem, const Resources& resources,
                                        const ConvolveOptions& options) {
  const std::int64_t every = options.every;
  if (!options.fft_parts) return best_of_parts(problem, resources, every, 1, tune::most_fft_parts);
  for (std::int64_t parts = *options.fft_parts; parts > 1; --parts) {
    const auto found = best_of_parts(problem, resources, every, parts, parts);
    if (found.lanes > 0) return found;
  }
  return best_of_parts(problem, resources, every, 1, 1);
}

/// The blocks of a strip with parts: enough that the blocks loaded ahead of it are few, and few
/// enough that all teams have work.
std::int64_t blocks_of_strip(const ProblemSize& problem, const ConvolveOptions& options,
                             const spectral::StageSizes& sizes, const Choice& choice) {
  const std::int64_t longest =
      std::max<std::int64_t>(1, ceil_divide(problem.longest_segment, sizes.block_rows));
  const std::int64_t runs =
      std::max<std::int64_t>(1, 2 * choice.teams * sizes.lanes / problem.channels);
  std::int64_t blocks =
      std::max(tune::device_fft_run * (sizes.parts - 1), ceil_divide(longest, runs));
  if (options.batch.samples) {
    blocks =
        std::min(blocks, *options.batch.samples / (choice.strips * sizes.part_taps) - sizes.parts);
  }
  return std::max<std::int64_t>(1, std::min(blocks, longest));
}

}  // namespace

bool has_device_blocks(const ProblemSize& problem, const Resources& resources,
                       const ConvolveOptions& options) {
  return best_device_blocks(problem, resources, options).lanes > 0;
}

void shape_device_fft(const ProblemSize& problem, const Resources& resources,
                      const ConvolveOptions& options, Choice& choice) {
  const spectral::StageSizes sizes = best_device_blocks(problem, resources, options);
  choice.fft_length = 2 * sizes.points;
  choice.fft_parts = sizes.parts;
  choice.fft_part_taps = sizes.part_taps;
  choice.batch_bases = std::min(problem.bases, options.batch.bases.value_or(problem.bases));
  choice.batch_channels =
      std::min({problem.channels, options.batch.channels.value_or(problem.channels),
                std::max<std::int64_t>(1, sizes.lanes)});
  choice.strips = std::max<std::int64_t>(1, sizes.lanes / choice.batch_channels);
  choice.strip_rows = sizes.block_rows;
  if (sizes.parts > 1) {
    choice.strip_rows *= blocks_of_strip(problem, options, sizes, choice);
  }
}

spectral::StageSizes stage_sizes(const ProblemSize& problem, const Resources& resources,
                                 const Choice& choice) {
  spectral::StageSizes sizes{problem.scalar_bytes, choice.fft_length / 2, 1,
                             choice.fft_parts,     choice.fft_part_taps,  block_rows(choice)};
  sizes.lanes = lanes_of(sizes, resources.scratch_bytes);
  return sizes;
}

}  // namespace synelix::chooser
