// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "convolve/fft/bank_spectra.hpp"
#include "convolve/fft/fft_store.hpp"
#include "convolve/sweep/problem.hpp"
#include "launch/team.hpp"
#include "spectral/run.hpp"
#include "tune/tiles.hpp"

#include <Kokkos_Core.hpp>

#include <cstdint>

/// \file
/// The inverse transform of the FFT method, for one pack of lanes: products of the spectra with the
/// bank's, leaf by leaf for all lines, the inverse passes, and the output rows. Full cache lines of
/// features are stored directly and bypass the caches; all others go through a stage of a few
/// columns.

namespace synelix::sweep {

/// The inverse passes for a sweep of the FFT method and the current pack of lanes. Sweep and pack
/// must outlive this object, and it must outlive the passes of its team.
template <class Sweep, class Scalar>
class FftLines {
  static_assert(tune::most_fft_parts <= spectral::InverseBlock<Scalar>::most_parts);

 public:
  KOKKOS_FUNCTION FftLines(const Sweep& sweep, const PackWork<Scalar>& work)
      : m_sweep(sweep), m_work(work) {}

  /// Stores all rows of the pack; ends with a barrier.
  template <class Team>
  KOKKOS_FUNCTION void store(const Team& team) const {
    const spectral::Transform<Scalar>& transform = bank().transform;
    const std::int64_t columns = transform.columns[0];
    const bool is_streamed = goes_past_caches();
    const std::int64_t lines =
        index::ceil_divide(m_work.lanes * bank().lines.bases, m_work.pack_lanes);
    if (is_streamed && m_work.parts == 1 && spectral::can_stream(transform) && !m_work.is_careful &&
        lines <= tune::most_streamed_lines) {
      for_each_item(team, 1, [=, this](std::int64_t) { stream_lines(lines); });
      team.team_barrier();
      return;
    }
    if (m_work.is_careful) {
      for_each_item(team, lines, [=, this](std::int64_t line) { clear_probe(line); });
    }
    const std::int64_t together =
        is_streamed && bank().lines.width < m_work.pack_lanes ? 1 : bank().sizes.resident_lines;
    for (std::int64_t line = 0; line < lines; line += together) {
      const Range group{line, smaller(line + together, lines)};
      const std::int64_t each =
          m_sweep.mapping.fft_lines > 0 ? m_sweep.mapping.fft_lines : group.size();
      const std::int64_t runs = index::ceil_divide(group.size(), each);
      for_each_item(team, transform.radix[0] * runs, [=, this](std::int64_t i) {
        const std::int64_t first = i % runs * each;
        invert_block(group.begin, {first, smaller(first + each, group.size())}, i / runs);
      });
      team.team_barrier();
      if (is_streamed) {
        for_each_item(team, group.size(),
                      [=, this](std::int64_t i) { stream_line(group.begin, i); });
      } else {
        const std::int64_t tile = bank().sizes.tile_columns;
        for_each_item(team, index::ceil_divide(columns, tile), [=, this](std::int64_t i) {
          Scalar* const stage = m_work.stages + i % bank().sizes.stages * m_work.stage_values;
          store_tile(group, {i * tile, smaller((i + 1) * tile, columns)}, stage);
        });
      }
      team.team_barrier();
    }
  }

 private:
  [[nodiscard]] KOKKOS_INLINE_FUNCTION const BankSpectra<Scalar>& bank() const {
    return m_sweep.bank;
  }

  [[nodiscard]] KOKKOS_INLINE_FUNCTION const FeatureTarget<Scalar>& features() const {
    return *m_work.features;
  }

  /// Called before the rows of a line are tested.
  KOKKOS_FUNCTION void clear_probe(std::int64_t line) const {
    Scalar* const probe = m_work.probes + line * m_work.pack_lanes;
    for (std::int64_t i = 0; i < m_work.pack_lanes; ++i) probe[i] = Scalar(0);
  }

  /// Number of values between the points of two lines.
  [[nodiscard]] KOKKOS_INLINE_FUNCTION std::int64_t line_values() const {
    return bank().transform.stored_points() * 2 * m_sweep.passes.lanes();
  }

  /// Lines [first_line + range.begin, first_line + range.end); `first_line` uses the first points.
  KOKKOS_FUNCTION void invert_block(std::int64_t first_line, Range range,
                                    std::int64_t block) const {
    spectral::InverseBlock<Scalar> arguments;
    arguments.transform = &bank().transform;
    arguments.lines = &bank().lines;
    arguments.parts = m_work.parts;
    for (int part = 0; part < m_work.parts; ++part) {
      arguments.spectra[part] = m_work.spectra_of(part, bank().sizes.parts);
    }
    arguments.kernels = m_work.kernels;
    arguments.kernel_step = bank().part_step;
    arguments.points = m_work.points + range.begin * line_values();
    arguments.line = first_line + range.begin;
    arguments.line_count = range.size();
    arguments.line_step = line_values();
    arguments.block = block;
    m_sweep.passes.call(arguments);
  }

  /// The arguments of the last pass of line `first_line + i`, which is line i of the points.
  KOKKOS_FUNCTION spectral::LastPass<Scalar> last_pass(std::int64_t first_line, std::int64_t i,
                                                       Range columns) const {
    spectral::LastPass<Scalar> arguments;
    arguments.transform = &bank().transform;
    arguments.points = m_work.points + i * line_values();
    arguments.begin = columns.begin;
    arguments.end = columns.end;
    arguments.first_row = bank().sizes.part_taps - 1;
    arguments.end_row =
        arguments.first_row + (bank().sizes.block_rows - 1) * m_sweep.problem.layout.every + 1;
    arguments.probe =
        m_work.is_careful ? m_work.probes + (first_line + i) * m_work.pack_lanes : nullptr;
    return arguments;
  }

  /// Whether all rows of all lines of a pack are full cache lines of features with the layout of
  /// the lines.
  KOKKOS_FUNCTION bool goes_past_caches() const {
    const std::int64_t lanes = m_work.pack_lanes;
    if (!m_sweep.passes.has_whole_lines() || m_sweep.problem.layout.every != 1) return false;
    if (!m_work.has_all(m_sweep.bases) || m_work.lanes * bank().lines.bases % lanes != 0)
      return false;
    for (std::int64_t lane = 0; lane < m_work.lanes;) {
      const index::Strip& strip = m_work.strip_of(lane);
      const FeatureTarget<Scalar>& own = features().of(strip.trial);
      const std::int64_t end = m_work.end_of_strip(lane);
      const std::int64_t channel = m_work.channel_of(lane);
      const Scalar* const to = own.first_row(channel, m_sweep.bases.begin);
      if (own.basis_stride != 1 || own.row_stride % lanes != 0 ||
          reinterpret_cast<std::uintptr_t>(to) % 64 != 0 ||
          (end - lane) * bank().lines.bases % lanes != 0) {
        return false;
      }
      if (end - lane > 1 && (own.channels.stride() != bank().lines.bases ||
                             own.channels.run_length(channel - own.first_channel) < end - lane)) {
        return false;
      }
      const Range valued = index::valued_rows(strip, m_sweep.problem.layout.every);
      if (valued.begin != 0 || valued.end != strip.rows || strip.row < features().rows.begin ||
          strip.row + strip.rows > features().rows.end) {
        return false;
      }
      lane = end;
    }
    return true;
  }

  /// The first row of a line whose stores bypass the caches.
  KOKKOS_FUNCTION Scalar* first_row_of(std::int64_t line) const {
    const std::int64_t output = line * m_work.pack_lanes;
    const std::int64_t lane = output / m_work.bases;
    const index::Strip& strip = m_work.strip_of(lane);
    const FeatureTarget<Scalar>& own = features().of(strip.trial);
    return own.first_row(m_work.channel_of(lane), m_sweep.bases.begin) +
           (strip.row - own.rows.begin) * own.row_stride + output % m_work.bases;
  }

  KOKKOS_FUNCTION void stream_line(std::int64_t first_line, std::int64_t i) const {
    const index::Strip& strip =
        m_work.strip_of((first_line + i) * m_work.pack_lanes / m_work.bases);
    spectral::LastPass<Scalar> arguments =
        last_pass(first_line, i, {0, bank().transform.columns[0]});
    arguments.end_row = arguments.first_row + strip.rows;
    arguments.to = first_row_of(first_line + i);
    arguments.row_step = features().of(strip.trial).row_stride;
    arguments.pieces = nullptr;
    arguments.piece_count = 0;
    m_sweep.passes.call(arguments);
  }

  /// Runs of lines whose strips have the same number of rows and the same distance.
  KOKKOS_FUNCTION void stream_lines(std::int64_t lines) const {
    Scalar* to[tune::most_streamed_lines];
    for (std::int64_t line = 0; line < lines; ++line) to[line] = first_row_of(line);
    for (std::int64_t line = 0; line < lines;) {
      const index::Strip& strip = m_work.strip_of(line * m_work.pack_lanes / m_work.bases);
      const std::int64_t row_step = features().of(strip.trial).row_stride;
      std::int64_t end = line + 1;
      for (; end < lines; ++end) {
        const index::Strip& other = m_work.strip_of(end * m_work.pack_lanes / m_work.bases);
        if (other.rows != strip.rows || features().of(other.trial).row_stride != row_step) break;
      }
      spectral::StreamedLines<Scalar> arguments;
      arguments.transform = &bank().transform;
      arguments.lines = &bank().lines;
      arguments.spectra = m_work.spectra;
      arguments.kernels = m_work.kernels;
      arguments.points = m_work.points;
      arguments.begin = line;
      arguments.end = end;
      arguments.to = to;
      arguments.row_step = row_step;
      arguments.first_row = bank().sizes.part_taps - 1;
      arguments.end_row = arguments.first_row + strip.rows;
      m_sweep.passes.call(arguments);
      line = end;
    }
  }

  /// Copies a few columns of a group of lines from the stage to their features.
  KOKKOS_FUNCTION void store_tile(Range lines, Range columns, Scalar* stage) const {
    spectral::Piece pieces[tune::most_pack_lanes];
    for (std::int64_t i = 0; i < lines.size(); ++i) {
      spectral::LastPass<Scalar> arguments = last_pass(lines.begin, i, columns);
      arguments.to = stage;
      arguments.row_step =
          bank().sizes.tile_columns * bank().sizes.resident_lines * m_work.pack_lanes;
      arguments.pieces = pieces;
      arguments.piece_count = m_work.pieces_of(lines, i, bank().sizes.tile_columns, pieces);
      m_sweep.passes.call(arguments);
    }
    const StagedTile<Scalar> tile{
        stage,
        columns,
        lines,
        bank().transform.columns[0],
        bank().sizes.tile_columns,
        bank().sizes.tile_columns * bank().sizes.resident_lines * m_work.pack_lanes,
        2 * bank().transform.radix[0],
        bank().sizes.part_taps - 1};
    store_staged(m_sweep.problem, m_sweep.bases, m_work, tile, m_sweep.passes);
  }

  const Sweep& m_sweep;
  const PackWork<Scalar>& m_work;
};

}  // namespace synelix::sweep
