// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "convolve/direct/pack_extent.hpp"
#include "convolve/sweep/problem.hpp"
#include "pack/gather.hpp"
#include "tile/bank.hpp"
#include "tile/output.hpp"
#include "tune/tiles.hpp"

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

/// \file
/// How results of the direct method's tiles are stored in the features. Results are (row, basis,
/// lane). If every lane has all rows of a tile, results are interleaved in registers and stored in
/// one of three forms: rows of (channel, basis), rows that are consecutive in time, or columns of
/// time. All other results are stored run by run.

namespace synelix::sweep {

/// The output of one pack of lanes, for some bases.
template <class Scalar, class Tiles>
class PackOutput {
 public:
  KOKKOS_INLINE_FUNCTION PackOutput(const FeatureTarget<Scalar>& features,
                                    const pack::PackedBlock<Scalar>& block,
                                    const LaneTarget* targets, const PackExtent& extent,
                                    const Tiles& tiles, Range bases)
      : m_features(features),
        m_block(block),
        m_targets(targets),
        m_extent(extent),
        m_tiles(tiles),
        m_bases(bases) {
    if constexpr (Tiles::spreads) choose_form();
  }

  /// Takes rows [begin, end) of the strips; `results` starts with row `begin`. Rows that every lane
  /// has may be stored later, by `advance`, so the results must stay valid until then.
  KOKKOS_INLINE_FUNCTION void buffer(std::int64_t begin, std::int64_t end, const Scalar* results) {
    finish();
    std::int64_t row = begin;
    if constexpr (Tiles::spreads) {
      const std::int64_t first = clamp(m_extent.whole.begin, begin, end);
      const std::int64_t last = clamp(m_extent.whole.end, first, end);
      if (last - first >= m_fewest_rows) {
        for (; row < first; ++row) store_row(row, results + (row - begin) * row_size());
        hold(first, last, results + (first - begin) * row_size());
        row = last;
      }
    }
    for (; row < end; ++row) store_row(row, results + (row - begin) * row_size());
  }

  /// Stores some of the rows that were taken last. It is called a few times between the tiles that
  /// are computed meanwhile, once for each basis, so that shuffles and stores overlap with
  /// multiply-adds.
  KOKKOS_INLINE_FUNCTION void advance() { flush(m_share); }

  /// Whether the waiting rows are stored as groups of one basis each of a row, which a bank tile
  /// can store.
  [[nodiscard]] KOKKOS_INLINE_FUNCTION bool suits_bank() const {
    return m_fewest_rows != never && m_form == Form::rows &&
           m_bases.size() <= tune::most_bank_packs;
  }

  /// Returns the waiting rows as groups that a bank tile stores, and marks them as stored.
  KOKKOS_INLINE_FUNCTION tile::Spread<Scalar> pop() {
    const tile::Spread<Scalar> groups = rows_of_groups(m_done, m_groups);
    m_done = m_groups;
    return groups;
  }

  /// How groups that are handed over are to be stored.
  [[nodiscard]] KOKKOS_INLINE_FUNCTION tile::Stores stores() const {
    return stores_at(m_first * m_row_stride);
  }

  /// Stores all waiting rows.
  KOKKOS_INLINE_FUNCTION void finish() { flush(m_groups); }

 private:
  static constexpr std::int64_t never = std::int64_t{1} << 60;
  enum class Form { rows, times, columns };

  KOKKOS_INLINE_FUNCTION static constexpr std::int64_t clamp(std::int64_t value, std::int64_t least,
                                                             std::int64_t most) {
    return value < least ? least : value > most ? most : value;
  }

  /// Stores the next `most` groups.
  KOKKOS_INLINE_FUNCTION void flush(std::int64_t most) {
    if constexpr (Tiles::spreads) {
      const std::int64_t left = m_groups - m_done;
      if (left == 0) return;
      const std::int64_t done = m_done + (most < left ? most : left);
      spread(m_done, done);
      m_done = done;
    }
  }

  [[nodiscard]] KOKKOS_INLINE_FUNCTION std::int64_t row_size() const {
    return m_bases.size() * m_tiles.lanes();
  }

  [[nodiscard]] KOKKOS_INLINE_FUNCTION const FeatureTarget<Scalar>& features_of(
      const index::Strip& strip) const {
    return m_features.of(strip.trial);
  }

  /// The address of the first basis of a lane's first row.
  [[nodiscard]] KOKKOS_INLINE_FUNCTION Scalar* place_of(const LaneTarget& target) const {
    const index::Strip& strip = m_block.strips[target.strip];
    const FeatureTarget<Scalar>& own = features_of(strip);
    return own.data + (m_bases.begin - own.first_basis) * own.basis_stride +
           (strip.row - own.rows.begin) * own.row_stride + target.offset;
  }

  /// Chooses the form in which rows are stored, and the addresses of the packs of a group.
  KOKKOS_FUNCTION void choose_form() {
    const int lanes = m_tiles.lanes();
    const std::int64_t width = m_bases.size();
    int filled = 0;
    while (filled < lanes && m_targets[filled].run > 0) ++filled;
    m_fewest_rows = never;
    if (filled == 0 || m_extent.whole.size() == 0 || !have_equal_strides(filled)) return;
    const FeatureTarget<Scalar>& own = features_of(m_block.strips[m_targets[0].strip]);
    std::int64_t step = 0;
    if (own.basis_stride == 1 && fits_rows(own, filled)) {
      m_form = Form::rows;
      m_fewest_rows = 1;
      step = own.row_stride;
    } else if (own.basis_stride == 1 && own.row_stride == width) {
      m_form = Form::times;
      m_fewest_rows = index::ceil_divide(lanes, width);
    } else if (own.row_stride == 1) {
      m_form = Form::columns;
      m_fewest_rows = lanes;
      step = own.basis_stride;
    } else {
      return;
    }
    // The groups of a full tile are the packs of its results divided by the packs of a group.
    m_share = m_form == Form::rows ? index::ceil_divide(Tiles::rows, width) : Tiles::rows / lanes;
    m_row_stride = own.row_stride;
    m_basis_stride = own.basis_stride;
    if (m_form != Form::rows) {
      m_stored = filled;
      for (int lane = 0; lane < filled; ++lane) m_places[lane] = place_of(m_targets[lane]);
    }
    if (m_features.stores == tile::Stores::streamed) choose_stores(step);
  }

  /// Bypasses the caches if packs are aligned, or if a large enough part of a group is contiguous.
  KOKKOS_FUNCTION void choose_stores(std::int64_t step) {
    bool are_aligned = is_aligned(step);
    int run = 0;
    int longest_run = 0;
    for (int k = 0; k < m_stored; ++k) {
      const auto values = reinterpret_cast<std::uintptr_t>(m_places[k]) / sizeof(Scalar);
      are_aligned = are_aligned && is_aligned(static_cast<std::int64_t>(values));
      const bool follows = k > 0 && m_places[k] == m_places[k - 1] + m_tiles.lanes();
      if (follows) m_follows |= 1U << k;
      run = follows ? run + 1 : 1;
      longest_run = run > longest_run ? run : longest_run;
    }
    if (are_aligned) {
      m_stores = tile::Stores::streamed;
    } else if (m_form == Form::rows && longest_run >= tune::fewest_packs_of_a_run) {
      m_stores = tile::Stores::streamed_runs;
    }
  }

  /// Whether a number of values is a multiple of packs.
  [[nodiscard]] KOKKOS_INLINE_FUNCTION bool is_aligned(std::int64_t values) const {
    return values % m_tiles.lanes() == 0;
  }

  /// Whether the features of all lanes have the same strides; those of trials may differ.
  [[nodiscard]] KOKKOS_FUNCTION bool have_equal_strides(int filled) const {
    if (m_features.trials == nullptr) return true;
    const FeatureTarget<Scalar>& first = features_of(m_block.strips[m_targets[0].strip]);
    for (int lane = 1; lane < filled; ++lane) {
      const FeatureTarget<Scalar>& own = features_of(m_block.strips[m_targets[lane].strip]);
      if (own.row_stride != first.row_stride || own.basis_stride != first.basis_stride ||
          own.channels.stride() != first.channels.stride()) {
        return false;
      }
    }
    return true;
  }

  /// Whether each pack of a row of (lane, basis) is contiguous in the features; also finds its
  /// address.
  KOKKOS_FUNCTION bool fits_rows(const FeatureTarget<Scalar>& own, int filled) {
    const int lanes = m_tiles.lanes();
    const auto width = static_cast<int>(m_bases.size());
    if (filled * width % lanes != 0) return false;
    m_stored = filled * width / lanes;
    int lane = 0;
    int basis = 0;
    for (int k = 0; k < m_stored; ++k) {
      const LaneTarget& target = m_targets[lane];
      const int others = (basis + lanes - 1) / width;  // further lanes in the pack
      if (others > 0 && (others >= target.run || own.channels.stride() != width)) return false;
      m_places[k] = place_of(target) + basis;
      basis += lanes;
      lane += basis / width;
      basis %= width;
    }
    return true;
  }

  /// Keeps rows [begin, end), which every lane has, to be stored later. Values that are no full
  /// group of packs are stored at once, some of them twice.
  KOKKOS_FUNCTION void hold(std::int64_t begin, std::int64_t end, const Scalar* results) {
    const int lanes = m_tiles.lanes();
    const std::int64_t width = m_bases.size();
    m_first = begin;
    m_results = results;
    m_done = 0;
    if (m_form == Form::rows) {
      m_groups = end - begin;
    } else if (m_form == Form::times) {
      const std::int64_t values = (end - begin) * width;
      m_groups = values / lanes;
      if (values % lanes != 0) {
        tile::Spread<Scalar> group = group_of_times(0, 1);
        group.from += (values - lanes) * lanes;
        group.shift += values - lanes;
        m_tiles.spread(group, lanes, tile::Stores::cached);
      }
    } else {
      m_groups = (end - begin) / lanes * width;
      if ((end - begin) % lanes != 0) {
        tile::Spread<Scalar> group = group_of_columns(0, width);
        group.from += (end - lanes - begin) * row_size();
        group.shift += end - lanes - begin;
        m_tiles.spread(group, lanes, tile::Stores::cached);
      }
    }
  }

  /// Stores groups [begin, end) of packs.
  KOKKOS_FUNCTION void spread(std::int64_t begin, std::int64_t end) const {
    const int lanes = m_tiles.lanes();
    const std::int64_t width = m_bases.size();
    if (m_form == Form::rows) {
      const tile::Spread<Scalar> groups = rows_of_groups(begin, end);
      m_tiles.spread(groups, static_cast<int>(width), stores_at(groups.shift));
    } else if (m_form == Form::times) {
      const tile::Spread<Scalar> groups = group_of_times(begin, end);
      m_tiles.spread(groups, lanes, stores_at(groups.shift));
    } else {
      while (begin < end) {  // row by row of columns
        const std::int64_t next = (begin / width + 1) * width;
        const std::int64_t last = next < end ? next : end;
        const tile::Spread<Scalar> groups = group_of_columns(begin, last);
        m_tiles.spread(groups, lanes, stores_at(groups.shift));
        begin = last;
      }
    }
  }

  /// Groups of the bases of one row each.
  [[nodiscard]] KOKKOS_INLINE_FUNCTION tile::Spread<Scalar> rows_of_groups(std::int64_t begin,
                                                                           std::int64_t end) const {
    return {.from = m_results + begin * row_size(),
            .pack_step = m_tiles.lanes(),
            .group_step = row_size(),
            .times = end - begin,
            .to = m_places,
            .stored = m_stored,
            .shift = (m_first + begin) * m_row_stride,
            .to_step = m_row_stride,
            .follows = m_follows};
  }

  /// Groups of consecutive values in time of a lane.
  [[nodiscard]] KOKKOS_INLINE_FUNCTION tile::Spread<Scalar> group_of_times(std::int64_t begin,
                                                                           std::int64_t end) const {
    const std::int64_t lanes = m_tiles.lanes();
    return {.from = m_results + begin * lanes * lanes,
            .pack_step = lanes,
            .group_step = lanes * lanes,
            .times = end - begin,
            .to = m_places,
            .stored = m_stored,
            .shift = m_first * m_row_stride + begin * lanes,
            .to_step = lanes};
  }

  /// Groups of rows of one basis each: basis by basis for as many rows as there are lanes, then the
  /// next rows. Returns the groups of one such set of rows.
  [[nodiscard]] KOKKOS_INLINE_FUNCTION tile::Spread<Scalar> group_of_columns(
      std::int64_t begin, std::int64_t end) const {
    const std::int64_t lanes = m_tiles.lanes();
    const std::int64_t row = begin / m_bases.size() * lanes;
    const std::int64_t basis = begin % m_bases.size();
    return {.from = m_results + row * row_size() + basis * lanes,
            .pack_step = row_size(),
            .group_step = lanes,
            .times = end - begin,
            .to = m_places,
            .stored = m_stored,
            .shift = m_first + row + basis * m_basis_stride,
            .to_step = m_basis_stride};
  }

  [[nodiscard]] KOKKOS_INLINE_FUNCTION tile::Stores stores_at(std::int64_t shift) const {
    if (m_stores == tile::Stores::streamed && !is_aligned(shift)) return tile::Stores::cached;
    return m_stores;
  }

  /// One row of the strips that have this row, run by run.
  KOKKOS_FUNCTION void store_row(std::int64_t row, const Scalar* results) const {
    alignas(64) Scalar line[Tiles::bases * Tiles::most_lanes];
    const std::int64_t width = m_bases.size();
    const bool valued = m_extent.valued.begin <= row && row < m_extent.valued.end;
    if (valued) interleave_row(results, line);
    for (int lane = 0; lane < m_tiles.lanes();) {
      const LaneTarget& target = m_targets[lane];
      if (target.run == 0) return;
      const int left = m_tiles.lanes() - lane;
      const int count = target.run < left ? target.run : left;
      const index::Strip& strip = m_block.strips[target.strip];
      if (row < strip.rows) {
        const FeatureTarget<Scalar>& own = features_of(strip);
        store_run(own, place_of(target) + row * own.row_stride, line + lane * width, count,
                  valued && has_value(strip, strip.sample + row * m_block.every));
      }
      lane += count;
    }
  }

  /// One row of results as (lane, basis).
  KOKKOS_FUNCTION void interleave_row(const Scalar* results, Scalar* line) const {
    const int lanes = m_tiles.lanes();
    const auto width = static_cast<int>(m_bases.size());
    if constexpr (Tiles::spreads) {
      Scalar* places[Tiles::bases];
      for (int k = 0; k < width; ++k) places[k] = line + k * lanes;
      m_tiles.spread({.from = results,
                      .pack_step = lanes,
                      .group_step = 0,
                      .times = 1,
                      .to = places,
                      .stored = width,
                      .shift = 0,
                      .to_step = 0},
                     width, tile::Stores::cached);
    } else {
      for (int lane = 0; lane < lanes; ++lane) {
        for (int b = 0; b < width; ++b) line[lane * width + b] = results[b * lanes + lane];
      }
    }
  }

  /// `count` neighboring channels of one row.
  KOKKOS_FUNCTION void store_run(const FeatureTarget<Scalar>& own, Scalar* to, const Scalar* from,
                                 std::int64_t count, bool valued) const {
    const std::int64_t width = m_bases.size();
    const std::int64_t channel_stride = own.channels.stride();
    const std::int64_t stride = own.basis_stride;
    if (!valued) {
      for (std::int64_t i = 0; i < count; ++i) {
        for (std::int64_t b = 0; b < width; ++b) {
          to[i * channel_stride + b * stride] = missing_value<Scalar>();
        }
      }
    } else if (stride == 1 && (channel_stride == width || count == 1)) {
      copy_runs(to, count * width, from, count * width, 1);
    } else if (stride == 1) {
      copy_runs(to, channel_stride, from, width, count);
    } else {
      for (std::int64_t i = 0; i < count; ++i) {
        store_bases(to + i * channel_stride, stride, from + i * width, width);
      }
    }
  }

  /// Runs of results, which are canonical.
  KOKKOS_FUNCTION void copy_runs(Scalar* to, std::int64_t to_step, const Scalar* from,
                                 std::int64_t count, std::int64_t runs) const {
    if constexpr (Tiles::spreads) {
      m_tiles.copy({.to = to,
                    .to_step = to_step,
                    .from = from,
                    .from_step = count,
                    .count = count,
                    .rows = runs},
                   tile::Stores::cached);
    } else {
      for (std::int64_t i = 0; i < runs; ++i) {
        copy_values(to + i * to_step, from + i * count, count);
      }
    }
  }

  const FeatureTarget<Scalar>& m_features;
  const pack::PackedBlock<Scalar>& m_block;
  const LaneTarget* m_targets;  ///< of the pack's lanes
  const PackExtent& m_extent;
  const Tiles& m_tiles;
  Range m_bases;
  Form m_form = Form::rows;
  std::int64_t m_fewest_rows = never;  ///< for `spread`
  int m_stored = 0;                    ///< packs of a group
  unsigned m_follows = 0;              ///< bit k: pack k of a group follows pack k - 1
  tile::Stores m_stores = tile::Stores::cached;
  std::int64_t m_row_stride = 0;
  std::int64_t m_basis_stride = 0;
  Scalar* m_places[Tiles::bases] = {};
  std::int64_t m_first = 0;           ///< the first waiting row
  const Scalar* m_results = nullptr;  ///< of that row
  std::int64_t m_groups = 0;          ///< the number of waiting groups of packs
  std::int64_t m_share = 0;           ///< groups stored by each `advance`
  std::int64_t m_done = 0;            ///< groups that are already stored
};

}  // namespace synelix::sweep
