// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "convolve/sweep/problem.hpp"
#include "index/range.hpp"
#include "pack/gather.hpp"

#include <Kokkos_Core.hpp>

#include <cstdint>

/// \file
/// The destination of each lane of the packed block, and the rows and taps to compute for each pack
/// of lanes.

namespace synelix::sweep {

/// The destination of a lane of the packed block: the place of its features, and the number of
/// lanes from it on that belong to the same strip and to neighboring channels. Lanes without a
/// strip have no run.
struct LaneTarget {
  std::int64_t offset;  ///< of its channel in the features
  std::int32_t strip;
  std::int32_t run;
};

/// The union of rows and taps of the strips of a pack of lanes.
struct PackExtent {
  std::int64_t rows = 0;  ///< of the longest strip
  Range valued;           ///< rows with a value in some strip
  Range whole;            ///< rows with a value in every strip
  Range taps;             ///< taps that meet samples; the others add zeros
  Range packed;           ///< rows of the packed block that are read
  std::int32_t has_non_finite = 0;
  bool has_shared = false;  ///< the rows of the shared filter are computed
};

/// The destination of lane number `lane`.
template <class Scalar>
KOKKOS_FUNCTION LaneTarget lane_target(const FeatureTarget<Scalar>& features,
                                       const pack::PackedBlock<Scalar>& block, std::int64_t lane) {
  const std::int64_t filled = block.strip_count * block.channels;
  if (lane >= filled) return {0, 0, 0};
  const std::int32_t strip = block.order[lane / block.channels];
  const FeatureTarget<Scalar>& own = features.of(block.strips[strip].trial);
  const pack::LaneRun run = pack::lane_run(lane, filled, block.channels, block.first_channel,
                                           own.channels, own.first_channel);
  return {own.channels.offset(run.channel - own.first_channel), strip,
          static_cast<std::int32_t>(run.end - run.begin)};
}

/// The extent of the pack whose first lane is `lane`.
template <class Scalar>
KOKKOS_FUNCTION PackExtent pack_extent(const Problem<Scalar>& problem,
                                       const pack::PackedBlock<Scalar>& block, std::int64_t lane) {
  PackExtent extent;
  Range samples;  // packed rows that may not be 0
  extent.whole = {0, problem.strip_rows};
  const std::int64_t every = problem.layout.every;
  const std::int64_t last_lane =
      index::smaller(lane + block.pack_lanes, block.strip_count * block.channels) - 1;
  const std::int64_t last = last_lane < lane ? -1 : last_lane / block.channels;
  for (std::int64_t i = lane / block.channels; i <= last; ++i) {
    const index::Strip& strip = block.strips[block.order[i]];
    const Range valued = index::valued_rows(strip, every);
    extent.rows = index::larger(extent.rows, strip.rows);
    extent.whole = index::common(extent.whole, valued);
    if (valued.size() == 0) continue;
    extent.valued = index::hull(extent.valued, valued);
    samples = index::hull(samples, block.seen(strip));
  }
  if (extent.valued.size() == 0) return extent;
  const std::int64_t newest = extent.valued.begin * every + problem.window - 1;
  const std::int64_t oldest = (extent.valued.end - 1) * every + problem.window - 1;
  if (samples.size() > 0) {
    extent.taps = {index::larger(0, newest + 1 - samples.end),
                   index::smaller(problem.window, oldest + 1 - samples.begin)};
  }
  if (extent.taps.size() == 0) extent.taps = {0, 1};
  extent.packed = {newest + 1 - extent.taps.end, oldest + 1 - extent.taps.begin};
  return extent;
}

}  // namespace synelix::sweep
