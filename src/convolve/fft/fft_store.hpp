// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "convolve/sweep/problem.hpp"
#include "index/range.hpp"
#include "pack/gather.hpp"
#include "spectral/arguments.hpp"
#include "spectral/block.hpp"

#include <Kokkos_Core.hpp>

#include <cstdint>

/// \file
/// The state of the FFT method for the current pack of lanes, and the stores of staged rows to
/// features.

namespace synelix::sweep {

using index::larger;
using index::smaller;

/// A pack of lanes of a work item, and the memory of its team.
template <class Scalar>
struct PackWork {
  const FeatureTarget<Scalar>* features = nullptr;  ///< destination of the rows
  pack::PackedBlock<Scalar> block;
  Scalar* points = nullptr;
  Scalar* spectra = nullptr;
  Scalar* probes = nullptr;    ///< (line, lane): not 0 if any row of an output is not finite
  Scalar* energy = nullptr;    ///< (lane): sum of squares of the samples
  Scalar* levels = nullptr;    ///< (segment, lane): the same for segments
  Scalar* least = nullptr;     ///< (lane): the least energy of segments that are completely in a
                               ///< window
  Scalar* smallest = nullptr;  ///< (lane): the smallest nonzero square
  Range* weak = nullptr;       ///< (lane): range that contains all weak rows
  Scalar* stages = nullptr;
  const Scalar* kernels = nullptr;
  std::int64_t stage_values = 0;
  std::int64_t first_basis = 0;
  std::int64_t bases = 0;  ///< of the lines
  std::int64_t pack_lanes = 0;
  std::int64_t first_lane = 0;
  std::int64_t lanes = 0;         ///< lanes of the pack with a strip and a channel
  int parts = 1;                  ///< blocks whose products are summed
  std::int64_t newest = 0;        ///< number of the newest block with kept spectra
  std::int64_t spectra_step = 0;  ///< values from the spectra of one block to the next
  bool is_careful = true;         ///< whether all rows are tested, because a sum may overflow

  KOKKOS_INLINE_FUNCTION void set_first_lane(std::int64_t lane) {
    first_lane = lane;
    lanes = smaller(pack_lanes, block.strip_count * block.channels - lane);
  }
  [[nodiscard]] KOKKOS_INLINE_FUNCTION const index::Strip& strip_of(std::int64_t lane) const {
    return block.strips[(first_lane + lane) / block.channels];
  }
  [[nodiscard]] KOKKOS_INLINE_FUNCTION std::int64_t channel_of(std::int64_t lane) const {
    return block.first_channel + (first_lane + lane) % block.channels;
  }
  /// Whether the requested bases are exactly those of the lines.
  [[nodiscard]] KOKKOS_INLINE_FUNCTION bool has_all(Range asked) const {
    return asked.begin == first_basis && asked.size() == bases;
  }
  /// The first lane of the pack that belongs to the next strip.
  [[nodiscard]] KOKKOS_INLINE_FUNCTION std::int64_t end_of_strip(std::int64_t lane) const {
    const std::int64_t strip = (first_lane + lane) / block.channels;
    return smaller(lanes, (strip + 1) * block.channels - first_lane);
  }

  /// The spectra of the block `ago` blocks before the newest, in a ring of `kept`.
  [[nodiscard]] KOKKOS_INLINE_FUNCTION Scalar* spectra_of(std::int64_t ago,
                                                          std::int64_t kept) const {
    return spectra + (newest + kept - ago) % kept * spectra_step;
  }

  /// The levels of that block.
  [[nodiscard]] KOKKOS_INLINE_FUNCTION Scalar* levels_of(std::int64_t ago,
                                                         std::int64_t kept) const {
    return levels + (newest + kept - ago) % kept * (1 + spectral::segments_of_part) * pack_lanes;
  }

  /// Whether any row has a value.
  [[nodiscard]] KOKKOS_INLINE_FUNCTION bool has_values(std::int64_t every) const {
    for (std::int64_t lane = 0; lane < lanes; lane = end_of_strip(lane)) {
      if (index::valued_rows(strip_of(lane), every).size() > 0) return true;
    }
    return false;
  }

  /// Whether all rows of basis b of a lane are finite.
  [[nodiscard]] KOKKOS_INLINE_FUNCTION bool is_finite(std::int64_t lane, std::int64_t b) const {
    return !is_careful || probes[lane * bases + b] == Scalar(0);
  }
  [[nodiscard]] KOKKOS_INLINE_FUNCTION bool is_finite() const {
    for (std::int64_t lane = 0; lane < lanes; ++lane) {
      for (std::int64_t b = 0; b < bases; ++b) {
        if (!is_finite(lane, b)) return false;
      }
    }
    return true;
  }

  /// Outputs [begin, end) of the pack that a line of a group has in common with a strip.
  struct Run {
    std::int64_t begin;
    std::int64_t end;
    std::int64_t strip_begin;  ///< of the strip, within the group
    std::int64_t strip_end;
  };
  [[nodiscard]] KOKKOS_INLINE_FUNCTION Run run_from(std::int64_t output, std::int64_t end,
                                                    Range group) const {
    const std::int64_t lane = output / bases;
    const std::int64_t strip = (first_lane + lane) / block.channels;
    const std::int64_t strip_lane = strip * block.channels - first_lane;
    const std::int64_t group_end = smaller(group.end * pack_lanes, lanes * bases);
    Run run;
    run.strip_begin = larger(group.begin * pack_lanes, strip_lane * bases);
    run.strip_end = smaller(group_end, end_of_strip(lane) * bases);
    run.begin = output;
    run.end = smaller(end, run.strip_end);
    return run;
  }

  /// The places where the lanes of line number i of a group are staged: rows of a strip are
  /// contiguous. Returns the number of pieces.
  KOKKOS_INLINE_FUNCTION int pieces_of(Range group, std::int64_t i, std::int64_t tile_columns,
                                       spectral::Piece* pieces) const {
    const std::int64_t first = (group.begin + i) * pack_lanes;
    const std::int64_t end = smaller(first + pack_lanes, lanes * bases);
    int count = 0;
    for (std::int64_t output = first; output < end; ++count) {
      const Run run = run_from(output, end, group);
      pieces[count].first = static_cast<std::int32_t>(run.begin - first);
      pieces[count].count = static_cast<std::int32_t>(run.end - run.begin);
      pieces[count].offset =
          tile_columns * (run.strip_begin - group.begin * pack_lanes) + first - run.strip_begin;
      pieces[count].step = run.strip_end - run.strip_begin;
      output = run.end;
    }
    return count;
  }
};

/// Staged rows: columns [begin, end), for 2 radix row groups, of a group of lines.
template <class Scalar>
struct StagedTile {
  const Scalar* values;
  Range columns;
  Range lines;
  std::int64_t row_step;      ///< rows from one row group to the next
  std::int64_t tile_columns;  ///< columns that the stage has room for
  std::int64_t group_step;    ///< values from one row group to the next
  std::int64_t groups;
  std::int64_t first_row;  ///< the first row of the block
};

/// Rows [begin, end) of a strip and a run of its outputs; `from` starts with row `begin`.
template <class Scalar>
struct StagedRows {
  const Scalar* from;
  std::int64_t step;  ///< values from one row to the next
  Range rows;
};

/// Stores staged rows channel by channel, basis by basis, for any layout.
template <class Scalar>
KOKKOS_FUNCTION void store_scattered(const FeatureTarget<Scalar>& own, Range bases, Range valued,
                                     const index::Strip& strip, std::int64_t channel,
                                     std::int64_t basis, std::int64_t basis_end,
                                     const StagedRows<Scalar>& staged) {
  for (std::int64_t b = larger(basis, bases.begin); b < smaller(basis_end, bases.end); ++b) {
    Scalar* const to = own.first_row(channel, b) +
                       (strip.row + staged.rows.begin - own.rows.begin) * own.row_stride;
    const Scalar* const from = staged.from + (b - basis);
    for (std::int64_t r = 0; r < staged.rows.size(); ++r) {
      const std::int64_t row = staged.rows.begin + r;
      const bool has_value = valued.begin <= row && row < valued.end;
      to[r * own.row_stride] = has_value ? from[r * staged.step] : missing_value<Scalar>();
    }
  }
}

/// Stores a run of outputs of staged rows.
template <class Scalar, class Passes>
KOKKOS_FUNCTION void store_rows(const FeatureTarget<Scalar>& own, Range bases, Range valued,
                                const PackWork<Scalar>& work,
                                const typename PackWork<Scalar>::Run& run,
                                const StagedRows<Scalar>& staged, const Passes& passes) {
  const index::Strip& strip = work.strip_of(run.begin / work.bases);
  const std::int64_t first = work.channel_of(run.begin / work.bases);
  const std::int64_t channels = (run.end - 1) / work.bases - run.begin / work.bases + 1;
  const bool is_dense =
      own.basis_stride == 1 && work.has_all(bases) &&
      (channels == 1 || (own.channels.stride() == work.bases &&
                         own.channels.run_length(first - own.first_channel) >= channels)) &&
      valued.begin <= staged.rows.begin && staged.rows.end <= valued.end;
  if (is_dense) {
    Scalar* to = own.first_row(first, bases.begin) + run.begin % work.bases +
                 (strip.row + staged.rows.begin - own.rows.begin) * own.row_stride;
    const std::int64_t width = run.end - run.begin;
    if (own.row_stride == width && staged.step == width) {
      passes.copy(to, staged.from, width * staged.rows.size());
      return;
    }
    for (std::int64_t r = 0; r < staged.rows.size(); ++r, to += own.row_stride) {
      passes.copy(to, staged.from + r * staged.step, width);
    }
    return;
  }
  for (std::int64_t output = run.begin; output < run.end;) {
    const std::int64_t lane = output / work.bases;
    const std::int64_t basis = output % work.bases;
    const std::int64_t end = smaller(run.end, (lane + 1) * work.bases);
    StagedRows<Scalar> of_channel = staged;
    of_channel.from += output - run.begin;
    store_scattered(own, bases, valued, strip, work.channel_of(lane), work.first_basis + basis,
                    work.first_basis + basis + end - output, of_channel);
    output = end;
  }
}

/// Stores the rows of a tile in the requested features.
template <class Scalar, class Passes>
KOKKOS_FUNCTION void store_staged(const Problem<Scalar>& problem, Range bases,
                                  const PackWork<Scalar>& work, const StagedTile<Scalar>& tile,
                                  const Passes& passes) {
  const FeatureTarget<Scalar>& features = *work.features;
  const std::int64_t first = tile.lines.begin * work.pack_lanes;
  const std::int64_t end = smaller(tile.lines.end * work.pack_lanes, work.lanes * work.bases);
  for (std::int64_t output = first; output < end;) {
    const auto run = work.run_from(output, end, tile.lines);
    const index::Strip& strip = work.strip_of(output / work.bases);
    const FeatureTarget<Scalar>& own = features.of(strip.trial);
    const Range valued = index::valued_rows(strip, problem.layout.every);
    const Range asked{larger(0, features.rows.begin - strip.row),
                      smaller(strip.rows, features.rows.end - strip.row)};
    const std::int64_t width = run.end - run.begin;
    const Scalar* const from = tile.values + tile.tile_columns * (output - first);
    for (std::int64_t k = 0; k < tile.groups; ++k) {
      // Sample of the first column, counted from that of the strip's first row.
      const std::int64_t sample = tile.columns.begin + k * tile.row_step - tile.first_row;
      const std::int64_t samples_end = sample + tile.columns.size();
      if (samples_end <= 0) continue;
      const std::int64_t begin = sample > 0 ? index::steps_of(sample, problem.layout.every) : 0;
      const Range rows{larger(asked.begin, begin),
                       smaller(asked.end, index::steps_of(samples_end, problem.layout.every))};
      if (rows.begin >= rows.end) continue;
      const StagedRows<Scalar> staged{
          from + k * tile.group_step + (rows.begin * problem.layout.every - sample) * width,
          width * problem.layout.every, rows};
      store_rows(own, bases, valued, work, run, staged, passes);
    }
    output = run.end;
  }
}

}  // namespace synelix::sweep
