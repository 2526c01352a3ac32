// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "pack/gather.hpp"
#include "sweep/problem.hpp"
#include "sweep/row_stage.hpp"
#include "tile/flat.hpp"
#include "tile/output.hpp"
#include "tune/tiles.hpp"

#include <Kokkos_Core.hpp>

#include <cstdint>

/// \file
/// Short epochs: strips of a few rows of a few channels are computed one by one, by flat tiles,
/// into a stage where the rows of strips that follow each other in the features lie as they lie
/// there. Packs of lanes would cost more to fill and to interleave than to compute.

namespace synelix::sweep {

/// A work item of the direct method, all bases.
template <class Scalar, class Tiles>
class FlatStrips {
 public:
  /// `stage` has room for `stage_values`.
  KOKKOS_INLINE_FUNCTION FlatStrips(const Problem<Scalar>& problem, const pack::ArraySource& source,
                                    const Features<Scalar>& features,
                                    const pack::PackedBlock<Scalar>& block, const Tiles& tiles,
                                    Scalar* stage, std::int64_t stage_values)
      : m_problem(problem),
        m_source(source),
        m_features(features),
        m_block(block),
        m_tiles(tiles),
        m_stage(stage),
        m_row(block.channels * problem.bases),
        m_capacity((stage_values - tiles.lanes()) / m_row) {}

  /// Whether this is the way for strips of an item with these bases: features whose rows lie one
  /// behind the other, and less work than filling packs of lanes takes.
  [[nodiscard]] KOKKOS_FUNCTION bool serves(Range bases) const {
    if (m_problem.layout.every != 1 || bases.size() != m_problem.bases ||
        bases.size() > Tiles::bases || m_capacity < 1) {
      return false;
    }
    const std::int64_t most = tune::flat_work * m_block.strip_count / m_row;
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
      const std::int64_t seen = smaller(beyond - strip.samples.begin, m_problem.window);
      if (seen > tune::flat_rows) return false;
      work += valued.size() * seen;
    }
    return work <= most;
  }

  /// Computes and stores all strips.
  KOKKOS_FUNCTION void compute() {
    for (std::int64_t i = 0; i < m_block.strip_count; ++i) {
      const index::Strip& strip = m_block.strips[i];
      if (strip.rows == 0) continue;
      if (strip.trial != m_trial || strip.row != m_first_row + m_rows) {
        leave();
        m_trial = strip.trial;
        m_first_row = strip.row;
      }
      const Range valued = index::valued_rows(strip, m_problem.layout.every);
      for (std::int64_t row = 0; row < strip.rows;) {
        if (m_rows == m_capacity) leave();
        const std::int64_t end =
            smaller(smaller(row + m_capacity - m_rows, row + tune::flat_rows), strip.rows);
        add_rows(strip, {row, end}, valued);
        row = end;
      }
    }
    leave();
    m_tiles.fence_streams();
  }

 private:
  KOKKOS_INLINE_FUNCTION static constexpr std::int64_t smaller(std::int64_t a, std::int64_t b) {
    return a < b ? a : b;
  }

  KOKKOS_INLINE_FUNCTION static constexpr std::int64_t larger(std::int64_t a, std::int64_t b) {
    return a > b ? a : b;
  }

  /// Puts rows of a strip on the stage, behind those that are there.
  KOKKOS_FUNCTION void add_rows(const index::Strip& strip, Range rows, Range valued) {
    const std::int64_t begin = smaller(larger(rows.begin, valued.begin), rows.end);
    const std::int64_t end = larger(begin, smaller(rows.end, valued.end));
    Scalar* const to = m_stage + m_rows * m_row;
    if (begin < end) compute_rows(strip, {begin, end}, to + (begin - rows.begin) * m_row);
    // What a tile writes behind its rows is overwritten here, or by the rows that follow.
    for (std::int64_t i = 0; i < (begin - rows.begin) * m_row; ++i) to[i] = missing_value<Scalar>();
    for (std::int64_t i = (end - rows.begin) * m_row; i < rows.size() * m_row; ++i) {
      to[i] = missing_value<Scalar>();
    }
    m_rows += rows.size();
  }

  /// Rows of a strip that have values.
  KOKKOS_FUNCTION void compute_rows(const index::Strip& strip, Range rows, Scalar* to) const {
    constexpr std::int64_t most_values = tune::flat_rows * Tiles::bases + Tiles::most_lanes;
    alignas(64) Scalar values[most_values];
    Scalar samples[2 * tune::flat_rows];
    const std::int64_t first = strip.sample + rows.begin + m_problem.lag;
    const std::int64_t oldest =
        smaller(first, larger(strip.samples.begin, first + 1 - m_problem.window));
    const std::int64_t end = first + rows.size();
    const Range stored{larger(oldest, strip.samples.begin), smaller(end, strip.samples.end)};
    tile::FlatTile<Scalar> tile{.samples = samples + (first - oldest),
                                .oldest = oldest - first,
                                .taps = m_problem.taps,
                                .window = m_problem.window,
                                .bases = m_problem.bases,
                                .rows = rows.size(),
                                .results = m_block.channels == 1 ? to : values};
    // Beyond the epoch on either side.
    for (std::int64_t s = oldest; s < smaller(stored.begin, end); ++s) {
      samples[s - oldest] = Scalar(0);
    }
    for (std::int64_t s = larger(stored.end, oldest); s < end; ++s) samples[s - oldest] = Scalar(0);
    for (std::int64_t c = 0; c < m_block.channels; ++c) {
      if (stored.begin < stored.end) {
        pack::gather_line(m_source.of(strip.trial),
                          pack::Line<Scalar>{.channel = m_block.first_channel + c,
                                             .channels = 1,
                                             .samples = stored,
                                             .to = samples + (stored.begin - oldest),
                                             .to_step = 1});
      }
      m_tiles.compute(tile);
      if (m_block.channels == 1) return;
      m_tiles.copy({.to = to + c * m_problem.bases,
                    .to_step = m_row,
                    .from = values,
                    .from_step = m_problem.bases,
                    .count = m_problem.bases,
                    .rows = rows.size()},
                   tile::Stores::cached);
    }
  }

  /// Lets the rows of the stage leave.
  KOKKOS_FUNCTION void leave() {
    if (m_rows == 0) return;
    const Features<Scalar>& own = m_features.of(m_trial);
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
  const Features<Scalar>& m_features;
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
