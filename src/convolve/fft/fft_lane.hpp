// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "convolve/sweep/problem.hpp"
#include "index/range.hpp"
#include "index/segment.hpp"
#include "launch/device_levels.hpp"
#include "pack/comb.hpp"
#include "spectral/stages.hpp"

#include <Kokkos_Core.hpp>

#include <cstdint>

/// \file
/// One of the blocks that a team of a device transforms together: a strip of a channel, the source
/// of its samples and the destination of its rows. It is in the team's scratch.

namespace synelix::sweep {

/// Rows and samples of a block are numbered in int: a block fits in scratch.
struct BlockRange {
  std::int32_t begin = 0;
  std::int32_t end = 0;

  [[nodiscard]] KOKKOS_INLINE_FUNCTION bool holds(std::int32_t i) const {
    return begin <= i && i < end;
  }
};

template <class Scalar>
struct FftLane {
  index::Strip strip;        ///< complete, not clipped
  std::int64_t segment = 0;  ///< its segment, where the search for the next one starts
  std::int64_t channel = 0;
  std::int64_t first = 0;  ///< sample in the block's row 0
  Scalar* to = nullptr;    ///< the block's first output row of basis 0; may be outside of the
                           ///< features
  std::int64_t row_stride = 0;
  std::int64_t basis_stride = 0;
  Range spoiled;               ///< range that contains all samples that are not finite
  BlockRange seen;             ///< rows with samples; all others are 0
  BlockRange asked;            ///< requested output rows
  BlockRange valued;           ///< those of them with a value
  std::uint32_t failed;        ///< number of the last output with a result that is not finite
  std::uint8_t kinds_of_rows;  ///< the kinds of the requested rows
  bool is_careful;             ///< whether all rows are tested, because a sum may overflow
  bool is_whole;               ///< whether rows are stored directly in the features, see FftRows
  FftLevels<Scalar> levels;
  Scalar most_energy;  ///< the largest of the strip's blocks so far

  static constexpr std::uint8_t valued_rows = 1;
  static constexpr std::uint8_t missing_rows = 2;

  [[nodiscard]] KOKKOS_INLINE_FUNCTION Scalar* row_of(std::int64_t b, std::int64_t row) const {
    return to + b * basis_stride + row * row_stride;
  }
  [[nodiscard]] KOKKOS_INLINE_FUNCTION bool has_values() const { return valued.begin < valued.end; }

  KOKKOS_INLINE_FUNCTION void clear_spoiled() {
    constexpr std::int64_t beyond = std::int64_t{1} << 62;
    spoiled = {beyond, -beyond};
  }
  /// Extends the range of samples that are not finite. Lanes are shared by threads.
  KOKKOS_INLINE_FUNCTION void spoil(Range samples) {
    Kokkos::atomic_min(&spoiled.begin, samples.begin);
    Kokkos::atomic_max(&spoiled.end, samples.end);
  }
  [[nodiscard]] KOKKOS_INLINE_FUNCTION bool is_spoiled() const {
    return spoiled.begin < spoiled.end;
  }
  /// Whether any row of the block may be weak, whose windows reach over `parts` blocks. Its samples
  /// must be loaded.
  [[nodiscard]] KOKKOS_INLINE_FUNCTION bool may_be_weak(std::int64_t parts) {
    most_energy = Kokkos::max(most_energy, levels.energy);
    return has_values() && levels.may_be_weak(static_cast<Scalar>(parts) * most_energy);
  }

  /// Sets the block to block `of` of its strip: the samples for a part of the window, and the
  /// requested rows. Samples before these are not read, because the caller may have only a part of
  /// a series.
  KOKKOS_FUNCTION void set_block(const Problem<Scalar>& problem,
                                 const FeatureTarget<Scalar>& features, const index::Strip& of,
                                 const spectral::StageSizes& sizes, bool has_rows) {
    const std::int64_t every = problem.layout.every;
    const FeatureTarget<Scalar>& own = features.of(of.trial);
    levels.clear();
    const std::int64_t newest = sizes.first_row();
    first = of.sample + problem.lag - newest;
    const std::int64_t needed = of.rows > 0 ? (of.rows - 1) * every + newest + 1 : 0;
    const std::int64_t oldest =
        index::larger(of.samples.begin - first, newest + 1 - sizes.part_taps);
    seen = clipped({oldest, of.samples.end - first}, needed);
    asked =
        clipped({features.rows.begin - of.row, features.rows.end - of.row}, has_rows ? of.rows : 0);
    const Range with_value = index::valued_rows(of, every);
    valued = clipped(index::common(with_value, {asked.begin, asked.end}), of.rows);
    if (valued.end <= valued.begin) valued = {asked.begin, asked.begin};
    const bool is_missing_any = asked.begin < valued.begin || valued.end < asked.end;
    kinds_of_rows = static_cast<std::uint8_t>((has_values() ? valued_rows : 0) |
                                              (is_missing_any ? missing_rows : 0));
    row_stride = own.row_stride;
    basis_stride = own.basis_stride;
    to = own.first_row(channel, 0) + (of.row - own.rows.begin) * row_stride;
  }

 private:
  KOKKOS_INLINE_FUNCTION static BlockRange clipped(Range range, std::int64_t most) {
    const std::int64_t begin = index::larger(0, index::smaller(range.begin, most));
    const std::int64_t end = index::larger(begin, index::smaller(range.end, most));
    return {static_cast<std::int32_t>(begin), static_cast<std::int32_t>(end)};
  }
};
static_assert(sizeof(FftLane<double>) <= spectral::stage_lane_bytes);

/// The lanes of a work item: lanes of strip 0 first.
struct LaneGrid {
  index::WorkItem item;

  [[nodiscard]] KOKKOS_INLINE_FUNCTION std::int64_t size() const {
    return item.strips.size() * item.channels.size();
  }
};

/// A sample of a lane's epoch, 0 outside of it.
template <class Scalar, class Source>
KOKKOS_FUNCTION Scalar sample_of(const FftLane<Scalar>& lane, const Source& source,
                                 std::int64_t t) {
  if (t < lane.strip.samples.begin || t >= lane.strip.samples.end) return Scalar(0);
  return pack::sample_of<Scalar>(source.of(lane.strip.trial), t, lane.channel);
}

/// Sets a lane to lane `number` of a work item; beyond the last one, without rows. At the first
/// call, the lane is uninitialized.
template <class Scalar>
KOKKOS_FUNCTION void locate_lane(const Problem<Scalar>& problem, const LaneGrid& grid,
                                 std::int64_t number, bool is_first, FftLane<Scalar>& lane) {
  constexpr Range every_row{0, std::int64_t{1} << 62};
  const std::int64_t channels = grid.item.channels.size();
  const std::int64_t strip = grid.item.strips.begin + number / channels;
  if (is_first) {
    lane.failed = 0;
    lane.segment = problem.segment_of(index::smaller(strip, grid.item.strips.end - 1));
  }
  lane.channel = grid.item.channels.begin + number % channels;
  lane.clear_spoiled();
  lane.most_energy = Scalar(0);
  if (number >= grid.size()) {
    lane.strip = {};
    return;
  }
  lane.strip = problem.strip_from(lane.segment, strip, every_row);
}

}  // namespace synelix::sweep
