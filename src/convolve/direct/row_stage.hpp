// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "convolve/direct/pack_output.hpp"
#include "convolve/sweep/problem.hpp"
#include "pack/gather.hpp"
#include "tile/output.hpp"

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

/// \file
/// If rows of features are no full packs, but are contiguous, a tile's rows of all channels of a
/// strip are first collected in the caches, where they form full cache lines. A strip is stored as
/// soon as its last channel is computed, while the next strips are computed.

namespace synelix::sweep {

/// Whether rows of an item's channels and `width` bases are contiguous in the features.
template <class Scalar>
KOKKOS_INLINE_FUNCTION bool has_dense_rows(const FeatureTarget<Scalar>& features,
                                           const pack::PackedBlock<Scalar>& block,
                                           std::int64_t width) {
  return features.basis_stride == 1 && features.row_stride == block.channels * width &&
         (block.channels == 1 ||
          (features.channels.stride() == width &&
           features.channels.run_length(block.first_channel - features.first_channel) >=
               block.channels));
}

/// The stage of an item: a tile's rows of each strip, (strip, row, channel, basis).
template <class Scalar, class Tiles>
class RowStage {
 public:
  KOKKOS_INLINE_FUNCTION RowStage(const FeatureTarget<Scalar>& features,
                                  const pack::PackedBlock<Scalar>& block, const Tiles& tiles,
                                  Range bases, Scalar* values)
      : m_features(features),
        m_block(block),
        m_tiles(tiles),
        m_bases(bases),
        m_values(values),
        m_row(block.channels * bases.size()),
        m_first_channel(features.channels.offset(block.first_channel - features.first_channel)) {}

  /// Whether rows of an item are contiguous in the features, and would otherwise be stored run by
  /// run.
  KOKKOS_INLINE_FUNCTION static bool serves(const FeatureTarget<Scalar>& features,
                                            const pack::PackedBlock<Scalar>& block,
                                            const Tiles& tiles, Range bases) {
    const std::int64_t width = bases.size();
    return features.trials == nullptr && width <= Tiles::bases && block.channels > 1 &&
           has_dense_rows(features, block, width) &&
           (block.channels * width % tiles.lanes() != 0 || cuts_lines(features, block, tiles));
  }

  /// Starts the rows of a tile.
  KOKKOS_INLINE_FUNCTION void start(Range tile) {
    m_tile = tile;
    m_left = 0;
  }

  /// Takes results (row, basis, lane) of some rows of the tile for a pack of lanes. `scratch` has
  /// the size of these results.
  KOKKOS_FUNCTION void buffer(const LaneTarget* targets, Range rows, const Scalar* results,
                              Scalar* scratch) const {
    const std::int64_t lanes = m_tiles.lanes();
    const std::int64_t width = m_bases.size();
    Scalar* places[Tiles::bases];
    for (std::int64_t k = 0; k < width; ++k) places[k] = scratch + k * lanes;
    m_tiles.spread({.from = results,
                    .pack_step = lanes,
                    .group_step = width * lanes,
                    .times = rows.size(),
                    .to = places,
                    .stored = static_cast<int>(width),
                    .shift = 0,
                    .to_step = width * lanes},
                   static_cast<int>(width), tile::Stores::cached);
    for (std::int64_t lane = 0; lane < lanes;) {
      const LaneTarget& target = targets[lane];
      if (target.run == 0) return;
      const std::int64_t count = target.run < lanes - lane ? target.run : lanes - lane;
      Scalar* const to = rows_of(target.strip) + (rows.begin - m_tile.begin) * m_row;
      m_tiles.copy({.to = to + target.offset - m_first_channel,
                    .to_step = m_row,
                    .from = scratch + lane * width,
                    .from_step = width * lanes,
                    .count = count * width,
                    .rows = rows.size()},
                   tile::Stores::cached);
      lane += count;
    }
  }

  /// Stores the strips whose lanes are all before `lane`.
  KOKKOS_FUNCTION void flush_before(std::int64_t lane) {
    for (; m_left < m_block.strip_count && (m_left + 1) * m_block.channels <= lane; ++m_left) {
      flush(m_block.order[m_left]);
    }
  }

 private:
  /// Whether rows begin inside a pack, and a pack has lanes of several rows. Runs are then short,
  /// and most of their cache lines would be written in parts (perf/NOTES.md, How results are
  /// stored).
  KOKKOS_INLINE_FUNCTION static bool cuts_lines(const FeatureTarget<Scalar>& features,
                                                const pack::PackedBlock<Scalar>& block,
                                                const Tiles& tiles) {
    const auto begin =
        static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(features.data) / sizeof(Scalar) %
                                  static_cast<std::uintptr_t>(tiles.lanes()));
    return features.stores == tile::Stores::streamed && begin != 0 &&
           block.channels % tiles.lanes() != 0;
  }

  [[nodiscard]] KOKKOS_INLINE_FUNCTION Scalar* rows_of(std::int64_t strip) const {
    return m_values + strip * Tiles::rows * m_row;
  }

  KOKKOS_FUNCTION void flush(std::int64_t number) const {
    const index::Strip& strip = m_block.strips[number];
    const std::int64_t end = m_tile.end < strip.rows ? m_tile.end : strip.rows;
    if (end <= m_tile.begin) return;
    Scalar* const values = rows_of(number);
    for (std::int64_t row = m_tile.begin; row < end; ++row) {
      if (has_value(strip, strip.sample + row * m_block.every)) continue;
      Scalar* const missing = values + (row - m_tile.begin) * m_row;
      for (std::int64_t i = 0; i < m_row; ++i) missing[i] = missing_value<Scalar>();
    }
    Scalar* const to = m_features.data + (m_bases.begin - m_features.first_basis) +
                       m_first_channel + (strip.row + m_tile.begin - m_features.rows.begin) * m_row;
    m_tiles.copy({.to = to,
                  .to_step = 0,
                  .from = values,
                  .from_step = 0,
                  .count = (end - m_tile.begin) * m_row,
                  .rows = 1},
                 m_features.stores);
  }

  const FeatureTarget<Scalar>& m_features;
  const pack::PackedBlock<Scalar>& m_block;
  const Tiles& m_tiles;
  Range m_bases;
  Scalar* m_values;
  std::int64_t m_row;  ///< values of a row
  std::int64_t m_first_channel;
  Range m_tile;
  std::int64_t m_left = 0;  ///< number of strips of the tile that are stored, in their order
};

}  // namespace synelix::sweep
