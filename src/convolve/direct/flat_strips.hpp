// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "convolve/direct/row_stage.hpp"
#include "convolve/sweep/problem.hpp"
#include "index/range.hpp"
#include "pack/gather.hpp"
#include "tile/flat.hpp"
#include "tile/output.hpp"
#include "tune/tiles.hpp"

#include <Kokkos_Core.hpp>

#include <cstdint>

/// \file
/// Short epochs of one channel: strips of a few rows are computed one by one by flat tiles. They
/// write to a stage, in which rows of consecutive strips have the layout of the features. Packs of
/// lanes would cost more to fill and to interleave than to compute. (Several channels fill packs by
/// themselves, and measured slower this way.)

namespace synelix::sweep {

/// A work item of the direct method, of one channel and all bases.
template <class Scalar, class Tiles>
class FlatStrips {
 public:
  /// `stage` has room for `stage_values`.
  KOKKOS_INLINE_FUNCTION FlatStrips(const Problem<Scalar>& problem, const pack::ArraySource& source,
                                    const FeatureTarget<Scalar>& features,
                                    const pack::PackedBlock<Scalar>& block, const Tiles& tiles,
                                    Scalar* stage, std::int64_t stage_values)
      : m_problem(problem),
        m_source(source),
        m_features(features),
        m_block(block),
        m_tiles(tiles),
        m_stage(stage),
        m_row(problem.bases),
        m_capacity((stage_values - tiles.lanes()) / m_row) {}

  /// Whether to use this form for strips of an item with these bases: the features' rows are
  /// contiguous, and it is less work than filling packs of lanes.
  [[nodiscard]] KOKKOS_FUNCTION bool serves(Range bases) const {
    if (m_block.channels != 1 || m_problem.layout.every != 1 || bases.size() != m_problem.bases ||
        m_capacity < 1) {
      return false;
    }
    std::int64_t work = 0;
    for (std::int64_t i = 0; i < m_block.strip_count; ++i) {
      const index::Strip& strip = m_block.strips[i];
      if ((i == 0 || m_features.trials != nullptr) &&
          !has_dense_rows(m_features.of(strip.trial), m_block, m_problem.bases)) {
        return false;
      }
      const Range valued = index::valued_rows(strip, m_problem.layout.every);
      if (valued.size() == 0) continue;
      const std::int64_t beyond = strip.sample + valued.end + m_problem.lag;
      const std::int64_t seen = index::smaller(beyond - strip.samples.begin, m_problem.window);
      if (seen > tune::flat_rows) return false;
      work += index::round_up(valued.size() * m_problem.bases, m_tiles.lanes()) * seen;
    }
    return work <= tune::flat_work * m_block.strip_count;
  }

  /// Computes and stores all strips.
  KOKKOS_FUNCTION void compute() {
    for (std::int64_t i = 0; i < m_block.strip_count; ++i) {
      const index::Strip& strip = m_block.strips[i];
      if (strip.rows == 0) continue;
      if (strip.trial != m_trial || strip.row != m_first_row + m_rows) {
        flush();
        m_trial = strip.trial;
        m_first_row = strip.row;
      }
      const Range valued = index::valued_rows(strip, m_problem.layout.every);
      for (std::int64_t row = 0; row < strip.rows;) {
        if (m_rows == m_capacity) flush();
        const std::int64_t end = index::smaller(
            index::smaller(row + m_capacity - m_rows, row + tune::flat_rows), strip.rows);
        add_rows(strip, {row, end}, valued);
        row = end;
      }
    }
    flush();
    m_tiles.fence_streams();
  }

 private:
  /// Appends rows of a strip to the stage.
  KOKKOS_FUNCTION void add_rows(const index::Strip& strip, Range rows, Range valued) {
    const Range both = index::common(rows, valued);
    const Range computed = both.size() > 0 ? both : Range{rows.begin, rows.begin};
    Scalar* const to = m_stage + m_rows * m_row;
    if (computed.size() > 0) {
      compute_rows(strip, computed, to + (computed.begin - rows.begin) * m_row);
    }
    // Values that a tile writes after its rows are overwritten here, or by the following rows.
    for (std::int64_t i = 0; i < (computed.begin - rows.begin) * m_row; ++i) {
      to[i] = missing_value<Scalar>();
    }
    for (std::int64_t i = (computed.end - rows.begin) * m_row; i < rows.size() * m_row; ++i) {
      to[i] = missing_value<Scalar>();
    }
    m_rows += rows.size();
  }

  /// Rows of a strip that have values. The kernel is in tile/flat.hpp.
  KOKKOS_FUNCTION void compute_rows(const index::Strip& strip, Range rows, Scalar* to) const {
    Scalar samples[2 * tune::flat_rows];
    const std::int64_t first = strip.sample + rows.begin + m_problem.lag;
    const std::int64_t oldest =
        index::smaller(first, index::larger(strip.samples.begin, first + 1 - m_problem.window));
    const std::int64_t end = first + rows.size();
    const Range stored = index::common({oldest, end}, strip.samples);
    // Samples outside of the epoch on either side.
    for (std::int64_t s = oldest; s < index::smaller(stored.begin, end); ++s) {
      samples[s - oldest] = Scalar(0);
    }
    for (std::int64_t s = stored.end; s < end; ++s) samples[s - oldest] = Scalar(0);
    if (stored.size() > 0) {
      pack::gather_line(m_source.of(strip.trial),
                        pack::Line<Scalar>{.channel = m_block.first_channel,
                                           .channels = 1,
                                           .samples = stored,
                                           .to = samples + (stored.begin - oldest),
                                           .to_step = 1},
                        m_tiles.copies());
    }
    m_tiles.compute(tile::FlatTile<Scalar>{.samples = samples + (first - oldest),
                                           .oldest = oldest - first,
                                           .taps = m_problem.taps,
                                           .window = m_problem.window,
                                           .bases = m_problem.bases,
                                           .rows = rows.size(),
                                           .results = to});
  }

  /// Stores the rows of the stage.
  KOKKOS_FUNCTION void flush() {
    if (m_rows == 0) return;
    const FeatureTarget<Scalar>& own = m_features.of(m_trial);
    m_tiles.copy({.to = own.first_row(m_block.first_channel, own.first_basis) +
                        (m_first_row - own.rows.begin) * m_row,
                  .to_step = 0,
                  .from = m_stage,
                  .from_step = 0,
                  .count = m_rows * m_row,
                  .rows = 1},
                 m_features.stores);
    m_first_row += m_rows;
    m_rows = 0;
  }

  const Problem<Scalar>& m_problem;
  const pack::ArraySource& m_source;
  const FeatureTarget<Scalar>& m_features;
  const pack::PackedBlock<Scalar>& m_block;
  const Tiles& m_tiles;
  Scalar* m_stage;
  std::int64_t m_row;       ///< values of a row
  std::int64_t m_capacity;  ///< rows of the stage
  std::int64_t m_trial = -1;
  std::int64_t m_first_row = 0;  ///< of the stage, among all rows
  std::int64_t m_rows = 0;       ///< on the stage
};

}  // namespace synelix::sweep
