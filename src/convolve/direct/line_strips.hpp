// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "convolve/direct/row_stage.hpp"
#include "convolve/sweep/problem.hpp"
#include "index/range.hpp"
#include "pack/gather.hpp"
#include "tile/line.hpp"
#include "tile/output.hpp"
#include "tune/tiles.hpp"

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

/// \file
/// Strips whose rows are contiguous in the features are computed as lines of (sample, channel),
/// which give lines of (row, channel, basis). Samples with this layout are read in place. Others,
/// and samples of windows that reach beyond the epoch, are first copied to this layout. Nothing is
/// packed into lanes, and results are full cache lines for any number of channels and bases.

namespace synelix::sweep {

/// A work item of the direct method, of all channels of the features and all bases.
template <class Scalar, class Tiles>
class LineStrips {
 public:
  /// `memory` has room for the packed block.
  KOKKOS_INLINE_FUNCTION LineStrips(const Problem<Scalar>& problem, const pack::ArraySource& source,
                                    const FeatureTarget<Scalar>& features,
                                    const pack::PackedBlock<Scalar>& block, const Tiles& tiles)
      : m_problem(problem),
        m_source(source),
        m_features(features),
        m_block(block),
        m_tiles(tiles),
        m_channels(block.channels),
        m_bases(problem.bases) {}

  /// Whether to use this form for an item with these bases: rows are contiguous, and it is less
  /// work than packs of lanes.
  [[nodiscard]] KOKKOS_FUNCTION bool serves(Range bases) const {
    if (m_problem.layout.every != 1 || bases.size() != m_bases || m_bases > Tiles::bases) {
      return false;
    }
    std::int64_t taps = 0;
    for (std::int64_t b = 0; b < m_bases; ++b) {
      if (m_problem.is_copied(b)) continue;
      taps += m_problem.supports[b].size();
    }
    if (!tune::suits_line(m_problem.window, m_bases, taps, m_channels, m_tiles.lanes(),
                          sizeof(Scalar))) {
      return false;
    }
    std::int64_t rows = 0;
    for (std::int64_t i = 0; i < m_block.strip_count; ++i) {
      const index::Strip& strip = m_block.strips[i];
      rows += strip.rows;
      if ((i == 0 || m_features.trials != nullptr) &&
          !has_dense_rows(m_features.of(strip.trial), m_block, m_bases)) {
        return false;
      }
    }
    return rows * m_channels >= tune::line_values * m_block.strip_count;
  }

  /// Whether no row of an item with these bases has a value, and all rows are contiguous. Then
  /// there is nothing to pack.
  [[nodiscard]] KOKKOS_FUNCTION bool is_missing(Range bases) const {
    if (m_problem.layout.every != 1 || bases.size() != m_bases) return false;
    for (std::int64_t i = 0; i < m_block.strip_count; ++i) {
      const index::Strip& strip = m_block.strips[i];
      if (index::valued_rows(strip, 1).size() > 0) return false;
      if ((i == 0 || m_features.trials != nullptr) &&
          !has_dense_rows(m_features.of(strip.trial), m_block, m_bases)) {
        return false;
      }
    }
    return true;
  }

  /// Computes and stores all strips.
  KOKKOS_FUNCTION void compute() const {
    for (std::int64_t i = 0; i < m_block.strip_count; ++i) compute_strip(m_block.strips[i]);
    if (m_features.stores != tile::Stores::cached) m_tiles.fence_streams();
  }

 private:
  KOKKOS_FUNCTION void compute_strip(const index::Strip& strip) const {
    const FeatureTarget<Scalar>& own = m_features.of(strip.trial);
    const std::int64_t row_values = m_channels * m_bases;
    Scalar* const to = own.first_row(m_block.first_channel, own.first_basis) +
                       (strip.row - own.rows.begin) * row_values;
    const Range found = index::valued_rows(strip, 1);
    const Range valued = found.size() > 0 ? found : Range{0, 0};
    for (std::int64_t i = 0; i < valued.begin * row_values; ++i) to[i] = missing_value<Scalar>();
    for (std::int64_t i = valued.end * row_values; i < strip.rows * row_values; ++i) {
      to[i] = missing_value<Scalar>();
    }
    if (valued.size() == 0) return;
    tile::LineTile<Scalar> line;
    const Scalar* const samples = samples_of(strip, valued);
    const Range taps = taps_of(strip, valued, samples);
    line.samples = samples - taps.begin * m_channels;
    line.tap_step = m_channels;
    line.taps = m_problem.taps + taps.begin * m_bases;
    line.taps_step = m_bases;
    line.window = taps.size();
    line.results_step = m_bases * m_tiles.lanes();
    compute_values(line, valued.size() * m_channels, to + valued.begin * row_values);
  }

  /// The sample for the first of some rows of a strip and tap 0; the samples for other taps precede
  /// it.
  KOKKOS_FUNCTION const Scalar* samples_of(const index::Strip& strip, Range rows) const {
    const pack::ArraySource& source = m_source.of(strip.trial);
    const std::int64_t newest = strip.sample + rows.begin + m_problem.lag;
    const Range seen{newest - (m_problem.window - 1), newest + rows.size()};
    const std::int64_t past = (m_problem.window - 1) * m_channels;
    const Range stored = index::common(seen, strip.samples);
    // Fewer values than a pack has are computed as a pack, which would read beyond the samples.
    if (stored.size() == seen.size() && rows.size() * m_channels >= m_tiles.lanes() &&
        lies_in_line(source)) {
      return static_cast<const Scalar*>(source.data) +
             source.channels.offset(m_block.first_channel - source.first_channel) +
             (newest - source.first_sample) * m_channels;
    }
    Scalar* const memory = m_block.values;
    const std::int64_t before = stored.size() > 0 ? (stored.begin - seen.begin) * m_channels : 0;
    const std::int64_t behind = before + (stored.size() > 0 ? stored.size() * m_channels : 0);
    // Includes the values that the last pack reads after them.
    const std::int64_t end = index::larger(seen.size() * m_channels, past + m_tiles.lanes());
    for (std::int64_t i = 0; i < before; ++i) memory[i] = Scalar(0);
    for (std::int64_t i = behind; i < end; ++i) memory[i] = Scalar(0);
    if (stored.size() > 0) gather(source, stored, memory + before);
    return memory + past;
  }

  /// The taps to use for some rows: those in the support if one basis has column tiles and all
  /// samples of the rows are finite. `samples`: the sample for the first row and tap 0.
  KOKKOS_FUNCTION Range taps_of(const index::Strip& strip, Range rows,
                                const Scalar* samples) const {
    const Range all{0, m_problem.window};
    const Range support = m_problem.supports[0];
    if (m_bases != 1 || support.size() == all.size() || column_step(all.size()) == 0) return all;
    const std::int64_t past = (all.size() - 1) * m_channels;
    const bool can_leave_out = pack::is_always_finite(m_source.of(strip.trial)) ||
                               is_finite(samples - past, past + rows.size() * m_channels);
    return can_leave_out ? support : all;
  }

  /// Whether values are finite; no alignment is needed.
  [[nodiscard]] KOKKOS_FUNCTION bool is_finite(const Scalar* values, std::int64_t count) const {
    const std::int64_t lanes = m_tiles.lanes();
    const auto bytes = static_cast<std::uintptr_t>(lanes) * sizeof(Scalar);
    const auto all_of = [](const Scalar* from, std::int64_t few) {
      Scalar sum = 0;
      for (std::int64_t i = 0; i < few; ++i) sum += from[i] * Scalar(0);
      return sum == Scalar(0);
    };
    const auto beyond = reinterpret_cast<std::uintptr_t>(values) % bytes;
    const auto ahead = static_cast<std::int64_t>((bytes - beyond) % bytes / sizeof(Scalar));
    const std::int64_t head = index::smaller(count, ahead);
    const std::int64_t packs = (count - head) / lanes;
    const Scalar* const behind = values + head + packs * lanes;
    return all_of(values, head) && m_tiles.is_finite(values + head, packs) &&
           all_of(behind, count - head - packs * lanes);
  }

  /// tune::column_step; 0 if there are no such tiles.
  [[nodiscard]] KOKKOS_FUNCTION int column_step(std::int64_t window) const {
    if (m_tiles.columns == nullptr) return 0;
    return tune::column_step(window, m_bases, m_channels, m_tiles.lanes(), sizeof(Scalar));
  }

  /// Whether samples of all channels have the layout of the line.
  [[nodiscard]] KOKKOS_FUNCTION bool lies_in_line(const pack::ArraySource& source) const {
    return source.type == stored_type<Scalar> && !source.is_scaled() &&
           source.sample_stride == m_channels &&
           (m_channels == 1 || (source.channels.stride() == 1 &&
                                source.channels.run_length(m_block.first_channel -
                                                           source.first_channel) >= m_channels));
  }

  /// Samples of all channels as a line.
  KOKKOS_FUNCTION void gather(const pack::ArraySource& source, Range samples, Scalar* to) const {
    for (std::int64_t c = 0; c < m_channels;) {
      const std::int64_t channel = m_block.first_channel + c;
      const std::int64_t run = index::smaller(
          source.channels.run_length(channel - source.first_channel), m_channels - c);
      pack::gather_line(source,
                        pack::Line<Scalar>{.channel = channel,
                                           .channels = run,
                                           .samples = samples,
                                           .to = to + c,
                                           .to_step = m_channels},
                        m_tiles.copies());
      c += run;
    }
  }

  /// `count` values of the line with all their bases, stored contiguously.
  KOKKOS_FUNCTION void compute_values(const tile::LineTile<Scalar>& line, std::int64_t count,
                                      Scalar* to) const {
    const std::int64_t lanes = m_tiles.lanes();
    if (count < lanes) return compute_few(line, count, to);
    // Starts full cache lines of the features at value `head`, if some value's results begin a
    // line.
    std::int64_t head = 0;
    while (head < lanes && !is_line(to + head * m_bases)) ++head;
    const bool streams = m_features.stores == tile::Stores::streamed && head < lanes;
    if (head == lanes) head = 0;
    if (head > 0) compute_packs(line, 0, 1, to, tile::Stores::cached);
    std::int64_t i = head;
    i += compute_columns(line, i, count, to, streams);
    const std::int64_t most = leaves_registers() ? count : tune::line_packs * lanes;
    for (; i + lanes <= count; i += most) {
      const std::int64_t packs = index::smaller(most, count - i) / lanes;
      compute_packs(line, i, packs, to, streams ? tile::Stores::streamed : tile::Stores::cached);
    }
    // Recomputes some values so that the last pack is full.
    if ((count - head) % lanes != 0)
      compute_packs(line, count - lanes, 1, to, tile::Stores::cached);
  }

  /// Computes as many values from `first` on as fill blocks of a column tile; returns their number.
  /// The kernel is in tile/column.hpp.
  KOKKOS_FUNCTION std::int64_t compute_columns(const tile::LineTile<Scalar>& line,
                                               std::int64_t first, std::int64_t count, Scalar* to,
                                               bool streams) const {
    const int step = column_step(line.window);
    if (step == 0) return 0;
    const std::int64_t block = m_channels * step * tune::column_packs;
    const std::int64_t blocks = (count - first) / block;
    if (blocks == 0) return 0;
    m_tiles.compute({.samples = line.samples + first,
                     .tap_step = line.tap_step,
                     .taps = line.taps,
                     .window = line.window,
                     .blocks = blocks,
                     .to = to + first * m_bases,
                     .stores = streams ? tile::Stores::streamed : tile::Stores::cached},
                    static_cast<int>(m_bases), step);
    return blocks * block;
  }

  [[nodiscard]] KOKKOS_INLINE_FUNCTION static bool is_line(const Scalar* to) {
    return reinterpret_cast<std::uintptr_t>(to) % 64 == 0;
  }

  /// Whether one tile has all bases, so that results need not be reordered in memory.
  [[nodiscard]] KOKKOS_INLINE_FUNCTION bool leaves_registers() const {
    return m_bases <= tune::most_line_bases;
  }

  /// Packs from value `first` on. The kernel is in tile/line.hpp.
  KOKKOS_FUNCTION void compute_packs(const tile::LineTile<Scalar>& line, std::int64_t first,
                                     std::int64_t packs, Scalar* to, tile::Stores stores) const {
    alignas(64) Scalar results[tune::line_packs * Tiles::bases * Tiles::most_lanes];
    const std::int64_t lanes = m_tiles.lanes();
    const auto bases = static_cast<int>(m_bases);
    // Not a modified copy: loads of 16 bytes right after stores of 8 stall.
    m_tiles.compute({.samples = line.samples + first,
                     .tap_step = line.tap_step,
                     .taps = line.taps,
                     .taps_step = line.taps_step,
                     .window = line.window,
                     .packs = packs,
                     .results = leaves_registers() ? nullptr : results,
                     .results_step = line.results_step,
                     .to = to + first * m_bases,
                     .stores = stores},
                    bases);
    if (leaves_registers()) return;
    Scalar* places[Tiles::bases];
    for (int k = 0; k < bases; ++k) places[k] = to + first * m_bases + k * lanes;
    m_tiles.spread({.from = results,
                    .pack_step = lanes,
                    .group_step = line.results_step,
                    .times = packs,
                    .to = places,
                    .stored = bases,
                    .shift = 0,
                    .to_step = line.results_step},
                   bases, stores);
  }

  /// Fewer values than a pack has.
  KOKKOS_FUNCTION void compute_few(const tile::LineTile<Scalar>& line, std::int64_t count,
                                   Scalar* to) const {
    alignas(64) Scalar values[Tiles::bases * Tiles::most_lanes];
    compute_packs(line, 0, 1, values, tile::Stores::cached);
    copy_values(to, values, count * m_bases);
  }

  const Problem<Scalar>& m_problem;
  const pack::ArraySource& m_source;
  const FeatureTarget<Scalar>& m_features;
  const pack::PackedBlock<Scalar>& m_block;
  const Tiles& m_tiles;
  std::int64_t m_channels;
  std::int64_t m_bases;
};

}  // namespace synelix::sweep
