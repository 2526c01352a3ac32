// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "convolve/direct/row_stage.hpp"
#include "convolve/sweep/problem.hpp"
#include "index/range.hpp"
#include "pack/gather.hpp"
#include "tile/line.hpp"
#include "tile/output.hpp"
#include "tune/line.hpp"

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

/// \file
/// Strips whose rows lie one behind the other in the features are computed as lines of (sample,
/// channel), which give lines of (row, channel, basis). Samples that lie so are read in place;
/// others, and those of windows that reach beyond the epoch, are put so first. Nothing is packed
/// into lanes, and results are whole lines of a cache whatever the number of channels and bases.

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

  /// Whether this is the way for an item with these bases: rows that lie one behind the other, and
  /// less work than packs of lanes take.
  [[nodiscard]] KOKKOS_FUNCTION bool serves(Range bases) const {
    if (m_problem.layout.every != 1 || bases.size() != m_bases || m_bases > Tiles::bases) {
      return false;
    }
    std::int64_t taps = 0;
    for (std::int64_t b = 0; b < m_bases; ++b) {
      if (m_problem.is_copied(b)) continue;
      taps += m_problem.supports[b].size();
    }
    if (!tune::suits_line(m_problem.window, m_bases, taps, m_channels, m_tiles.lanes())) {
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

  /// Computes and stores all strips.
  KOKKOS_FUNCTION void compute() const {
    for (std::int64_t i = 0; i < m_block.strip_count; ++i) compute_strip(m_block.strips[i]);
    m_tiles.fence_streams();
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
    line.samples = samples_of(strip, valued);
    line.tap_step = m_channels;
    line.taps = m_problem.taps;
    line.taps_step = m_bases;
    line.window = m_problem.window;
    line.results_step = m_bases * m_tiles.lanes();
    compute_values(line, valued.size() * m_channels, to + valued.begin * row_values);
  }

  /// What the first of some rows of a strip sees by tap 0, behind all that they see by others.
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
    // What a last pack reads behind them, too.
    const std::int64_t end = index::larger(seen.size() * m_channels, past + m_tiles.lanes());
    for (std::int64_t i = 0; i < before; ++i) memory[i] = Scalar(0);
    for (std::int64_t i = behind; i < end; ++i) memory[i] = Scalar(0);
    if (stored.size() > 0) gather(source, stored, memory + before);
    return memory + past;
  }

  /// Whether samples of all channels lie as the line does.
  [[nodiscard]] KOKKOS_FUNCTION bool lies_in_line(const pack::ArraySource& source) const {
    return source.type == stored_type<Scalar> && !source.is_scaled() &&
           source.sample_stride == m_channels &&
           (m_channels == 1 ||
            (source.channels.stride() == 1 &&
             source.channels.run(m_block.first_channel - source.first_channel) >= m_channels));
  }

  /// Samples of all channels as a line.
  KOKKOS_FUNCTION void gather(const pack::ArraySource& source, Range samples, Scalar* to) const {
    for (std::int64_t c = 0; c < m_channels;) {
      const std::int64_t channel = m_block.first_channel + c;
      const std::int64_t run =
          index::smaller(source.channels.run(channel - source.first_channel), m_channels - c);
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

  /// `count` values of the line, all bases of each, to where they lie side by side.
  KOKKOS_FUNCTION void compute_values(const tile::LineTile<Scalar>& line, std::int64_t count,
                                      Scalar* to) const {
    const std::int64_t lanes = m_tiles.lanes();
    if (count < lanes) return compute_few(line, count, to);
    // Whole lines of the features from value `head` on, where there is one whose results begin one.
    std::int64_t head = 0;
    while (head < lanes && !is_line(to + head * m_bases)) ++head;
    const bool streams = m_features.stores == tile::Stores::streamed && head < lanes;
    if (head == lanes) head = 0;
    if (head > 0) compute_packs(line, 0, 1, to, tile::Stores::cached);
    std::int64_t i = head;
    const std::int64_t most = leaves_registers() ? count : tune::line_packs * lanes;
    for (; i + lanes <= count; i += most) {
      const std::int64_t packs = index::smaller(most, count - i) / lanes;
      compute_packs(line, i, packs, to, streams ? tile::Stores::streamed : tile::Stores::cached);
    }
    // Some of the last ones once more.
    if ((count - head) % lanes != 0)
      compute_packs(line, count - lanes, 1, to, tile::Stores::cached);
  }

  [[nodiscard]] KOKKOS_INLINE_FUNCTION static bool is_line(const Scalar* to) {
    return reinterpret_cast<std::uintptr_t>(to) % 64 == 0;
  }

  /// Whether one tile takes all bases, so that results need not be put in order in memory.
  [[nodiscard]] KOKKOS_INLINE_FUNCTION bool leaves_registers() const {
    return m_bases <= tune::most_line_bases;
  }

  /// Packs from value `first` on. The kernel is tile/line.hpp.
  KOKKOS_FUNCTION void compute_packs(const tile::LineTile<Scalar>& line, std::int64_t first,
                                     std::int64_t packs, Scalar* to, tile::Stores stores) const {
    alignas(64) Scalar results[tune::line_packs * Tiles::bases * Tiles::most_lanes];
    const std::int64_t lanes = m_tiles.lanes();
    const auto bases = static_cast<int>(m_bases);
    // Not a copy that is changed: loads of 16 bytes right behind stores of 8 stall.
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
