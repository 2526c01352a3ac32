// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "pack/gather.hpp"
#include "sweep/fft_mend.hpp"
#include "sweep/fft_store.hpp"
#include "sweep/passes.hpp"
#include "sweep/problem.hpp"
#include "sweep/strips.hpp"
#include "sweep/team.hpp"
#include "tune/tiles.hpp"

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

/// \file
/// Overlap-save by fast Fourier transforms as a parallel loop. A work item is strips x channels x
/// bases, a strip being a block of N - W + 1 samples of one epoch; whoever asks for a part of its
/// rows gets the bits that the whole would have. Samples are packed as for the direct method, N
/// rows of one lane for each strip and channel. A pack of lanes at a time is transformed; its
/// product with the bank's spectra is expanded to outputs (channel, basis), line by line, and those
/// are transformed back, so that the last pass leaves finished rows: whole lines of features go
/// past the caches at once, all others over a stage of a few columns.
///
/// A value that is not finite spoils its lane's whole block. Every row of a block depends on all of
/// its points, so one row of each line tells; sweep/fft_mend.hpp does what has to be done then.

namespace synelix::sweep {

/// The functor. `Source` is pack::ArraySource or pack::EventSource. A team's share of the workspace
/// holds what spectral::block_memory says, then strips.
template <class Scalar, class Passes, class Source>
struct FftSweep {
  Problem<Scalar> problem;
  Source source;
  Features<Scalar> features;
  index::WorkGrid grid;
  Workspace workspace;
  Passes passes;
  BankSpectra<Scalar> bank;
  Range bases;  ///< those that are asked for; the grid has them in whole groups
  tune::Mapping mapping;
  Record record;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const TeamShare share = team_share(grid.size(), team.league_rank(), workspace.teams);
    for (std::int64_t i = share.begin; i < share.end; ++i) compute_item(team, i);
    passes.end_copies();
  }

 private:
  using Work = PackWork<Scalar>;

  template <class Team>
  KOKKOS_FUNCTION void compute_item(const Team& team, std::int64_t number) const {
    const index::WorkItem item = grid.item(number);
    const spectral::BlockMemory layout = spectral::block_memory(bank.sizes);
    std::byte* const memory = workspace.data + team.league_rank() * workspace.bytes;
    auto* const strips = reinterpret_cast<index::Strip*>(memory + layout.bytes);
    Work work;
    pack::PackedBlock<Scalar>& block = work.block;
    block.values = reinterpret_cast<Scalar*>(memory + layout.packed);
    block.rows = 2 * bank.transform.points;
    block.channels = item.channels.size();
    block.lanes = index::round_up(item.strips.size() * block.channels, passes.lanes());
    block.first_channel = item.channels.begin;
    block.pack_lanes = passes.lanes();
    auto* const order = reinterpret_cast<std::int32_t*>(strips + grid.strip_step);
    block.strips = strips;
    block.order = order;
    block.strip_count = item.strips.size();
    block.lag = problem.lag - (problem.window - 1);
    block.window = problem.window;
    block.every = problem.layout.every;
    work.points = reinterpret_cast<Scalar*>(memory + layout.points);
    work.spectra = reinterpret_cast<Scalar*>(memory + layout.spectra);
    work.probes = reinterpret_cast<Scalar*>(memory + layout.probes);
    work.stages = reinterpret_cast<Scalar*>(memory + layout.stages);
    work.stage_values = layout.stage_values;
    work.kernels = bank.kernels + item.bases.begin / bank.lines.bases * bank.group_step;
    work.first_basis = item.bases.begin;
    work.bases = bank.lines.bases;
    work.pack_lanes = passes.lanes();

    // Whole blocks, whichever of their rows are asked for: those stand for their transforms.
    constexpr Range every_row{0, std::int64_t{1} << 62};
    locate_strips(team, problem, mapping, item.strips, every_row, strips, order);
    if (record.items != nullptr) {
      for_each_item(team, 1, [=, this](std::int64_t) { record.items[number] = item; });
    }
    gather_rows(team, work, {0, block.lanes});
    team.team_barrier();
    for (std::int64_t lane = 0; lane < block.lanes; lane += passes.lanes()) {
      work.set_first_lane(lane);
      if (work.has_values(problem.layout.every)) {
        compute_pack(team, work);
      } else {
        store_missing(team, work);
      }
      team.team_barrier();
    }
  }

  template <class Team>
  KOKKOS_FUNCTION void gather_rows(const Team& team, const Work& work, Range lanes) const {
    const std::int64_t rows = mapping.pack_rows;
    const std::int64_t packs = lanes.size() / work.pack_lanes;
    const std::int64_t row_groups = index::ceil_divide(work.block.rows, rows);
    for_each_item(team, row_groups * packs, [=, this](std::int64_t i) {
      const std::int64_t lane = lanes.begin + i % packs * work.pack_lanes;
      const std::int64_t row = i / packs * rows;
      pack::gather(work.block, source, lane, lane + work.pack_lanes, row,
                   smaller(row + rows, work.block.rows), passes.copies());
    });
  }

  /// One pack of lanes, and once more where it is not finite.
  template <class Team>
  KOKKOS_FUNCTION void compute_pack(const Team& team, const Work& work) const {
    convolve_pack(team, work);
    if (work.is_finite()) return;
    for_each_item(team, work.pack_lanes, [=](std::int64_t i) { zero_what_is_not_finite(work, i); });
    team.team_barrier();
    convolve_pack(team, work);
    gather_rows(team, work, {work.first_lane, work.first_lane + work.pack_lanes});
    team.team_barrier();
    for_each_item(team, work.lanes,
                  [=, this](std::int64_t i) { mend_lane(problem, features, bases, work, i); });
  }

  template <class Team>
  KOKKOS_FUNCTION void convolve_pack(const Team& team, const Work& work) const {
    const spectral::Transform<Scalar>& transform = bank.transform;
    const std::int64_t columns = transform.columns[0];
    const std::int64_t chunk = mapping.fft_columns > 0 ? mapping.fft_columns : columns;
    for_each_item(team, index::ceil_divide(columns, chunk), [=, this](std::int64_t i) {
      passes.run(spectral::FirstPass<Scalar>{&bank.transform, work.block.lane(work.first_lane),
                                             work.pack_lanes, work.points, i * chunk,
                                             smaller((i + 1) * chunk, columns)});
    });
    team.team_barrier();
    for_each_item(team, transform.radix[0], [=, this](std::int64_t q) {
      passes.run(spectral::ForwardBlock<Scalar>{&bank.transform, &bank.lines, work.points,
                                                work.spectra, q});
    });
    team.team_barrier();
    const bool is_streamed = goes_past_caches(work);
    const std::int64_t lines = index::ceil_divide(work.lanes * bank.lines.bases, work.pack_lanes);
    if (is_streamed && spectral::can_stream(transform) && lines <= tune::most_streamed_lines) {
      for_each_item(team, 1, [=, this](std::int64_t) { stream_lines(work, lines); });
      team.team_barrier();
      return;
    }
    const std::int64_t together =
        is_streamed && bank.lines.width < work.pack_lanes ? 1 : bank.sizes.resident_lines;
    for (std::int64_t line = 0; line < lines; line += together) {
      const Range group{line, smaller(line + together, lines)};
      for_each_item(team, transform.radix[0] * group.size(), [=, this](std::int64_t i) {
        invert_block(work, group.begin, i % group.size(), i / group.size());
      });
      team.team_barrier();
      if (is_streamed) {
        for_each_item(team, group.size(),
                      [=, this](std::int64_t i) { stream_line(work, group.begin, i); });
      } else {
        const std::int64_t tile = bank.sizes.tile_columns;
        for_each_item(team, index::ceil_divide(columns, tile), [=, this](std::int64_t i) {
          Scalar* const stage = work.stages + i % bank.sizes.stages * work.stage_values;
          store_tile(work, group, {i * tile, smaller((i + 1) * tile, columns)}, stage);
        });
      }
      team.team_barrier();
    }
  }

  /// Values between the points of two lines.
  [[nodiscard]] KOKKOS_INLINE_FUNCTION std::int64_t line_values() const {
    return bank.transform.stored_points() * 2 * passes.lanes();
  }

  KOKKOS_FUNCTION void invert_block(const Work& work, std::int64_t first_line, std::int64_t i,
                                    std::int64_t block) const {
    spectral::InverseBlock<Scalar> arguments;
    arguments.transform = &bank.transform;
    arguments.lines = &bank.lines;
    arguments.parts = 1;
    arguments.spectra[0] = work.spectra;
    arguments.kernels = work.kernels;
    arguments.kernel_step = 0;
    arguments.points = work.points + i * line_values();
    arguments.line = first_line + i;
    arguments.block = block;
    passes.run(arguments);
  }

  /// The arguments of the last pass of line `first_line + i`, which lies i lines into the points.
  KOKKOS_FUNCTION spectral::LastPass<Scalar> last_pass(const Work& work, std::int64_t first_line,
                                                       std::int64_t i, Range columns) const {
    spectral::LastPass<Scalar> arguments;
    arguments.transform = &bank.transform;
    arguments.points = work.points + i * line_values();
    arguments.begin = columns.begin;
    arguments.end = columns.end;
    arguments.first_row = problem.window - 1;
    arguments.end_row = arguments.first_row + (problem.strip_rows - 1) * problem.layout.every + 1;
    arguments.probe = work.probes + (first_line + i) * work.pack_lanes;
    return arguments;
  }

  /// Whether all rows of all lines of a pack are whole cache lines of features that lie as lines
  /// do.
  KOKKOS_FUNCTION bool goes_past_caches(const Work& work) const {
    const std::int64_t lanes = work.pack_lanes;
    if (!passes.has_whole_lines() || problem.layout.every != 1) return false;
    if (!work.has_all(bases) || work.lanes * bank.lines.bases % lanes != 0) return false;
    for (std::int64_t lane = 0; lane < work.lanes;) {
      const index::Strip& strip = work.strip_of(lane);
      const Features<Scalar>& own = features.of(strip.trial);
      const std::int64_t end = work.end_of_strip(lane);
      const std::int64_t channel = work.channel_of(lane);
      const Scalar* const to = own.first_row(channel, bases.begin);
      if (own.basis_stride != 1 || own.row_stride % lanes != 0 ||
          reinterpret_cast<std::uintptr_t>(to) % 64 != 0 ||
          (end - lane) * bank.lines.bases % lanes != 0) {
        return false;
      }
      if (end - lane > 1 && (own.channels.stride() != bank.lines.bases ||
                             own.channels.run(channel - own.first_channel) < end - lane)) {
        return false;
      }
      const Range valued = index::valued_rows(strip, problem.layout.every);
      if (valued.begin != 0 || valued.end != strip.rows || strip.row < features.rows.begin ||
          strip.row + strip.rows > features.rows.end) {
        return false;
      }
      lane = end;
    }
    return true;
  }

  /// Where the rows of a line that goes past the caches begin.
  KOKKOS_FUNCTION Scalar* first_row_of(const Work& work, std::int64_t line) const {
    const std::int64_t output = line * work.pack_lanes;
    const std::int64_t lane = output / work.bases;
    const index::Strip& strip = work.strip_of(lane);
    const Features<Scalar>& own = features.of(strip.trial);
    return own.first_row(work.channel_of(lane), bases.begin) +
           (strip.row - own.rows.begin) * own.row_stride + output % work.bases;
  }

  KOKKOS_FUNCTION void stream_line(const Work& work, std::int64_t first_line,
                                   std::int64_t i) const {
    const index::Strip& strip = work.strip_of((first_line + i) * work.pack_lanes / work.bases);
    spectral::LastPass<Scalar> arguments =
        last_pass(work, first_line, i, {0, bank.transform.columns[0]});
    arguments.end_row = arguments.first_row + strip.rows;
    arguments.to = first_row_of(work, first_line + i);
    arguments.row_step = features.of(strip.trial).row_stride;
    arguments.pieces = nullptr;
    arguments.piece_count = 0;
    passes.run(arguments);
  }

  /// Runs of lines whose strips have equally many rows, equally far apart.
  KOKKOS_FUNCTION void stream_lines(const Work& work, std::int64_t lines) const {
    Scalar* to[tune::most_streamed_lines];
    for (std::int64_t line = 0; line < lines; ++line) to[line] = first_row_of(work, line);
    for (std::int64_t line = 0; line < lines;) {
      const index::Strip& strip = work.strip_of(line * work.pack_lanes / work.bases);
      const std::int64_t row_step = features.of(strip.trial).row_stride;
      std::int64_t end = line + 1;
      for (; end < lines; ++end) {
        const index::Strip& other = work.strip_of(end * work.pack_lanes / work.bases);
        if (other.rows != strip.rows || features.of(other.trial).row_stride != row_step) break;
      }
      spectral::StreamedLines<Scalar> arguments;
      arguments.transform = &bank.transform;
      arguments.lines = &bank.lines;
      arguments.spectra = work.spectra;
      arguments.kernels = work.kernels;
      arguments.points = work.points;
      arguments.begin = line;
      arguments.end = end;
      arguments.to = to;
      arguments.row_step = row_step;
      arguments.first_row = problem.window - 1;
      arguments.end_row = arguments.first_row + strip.rows;
      arguments.probes = work.probes;
      passes.run(arguments);
      line = end;
    }
  }

  /// A few columns of a group of lines over the stage to their features.
  KOKKOS_FUNCTION void store_tile(const Work& work, Range lines, Range columns,
                                  Scalar* stage) const {
    spectral::Piece pieces[tune::most_pack_lanes];
    for (std::int64_t i = 0; i < lines.size(); ++i) {
      spectral::LastPass<Scalar> arguments = last_pass(work, lines.begin, i, columns);
      arguments.to = stage;
      arguments.row_step = bank.sizes.tile_columns * bank.sizes.resident_lines * work.pack_lanes;
      arguments.pieces = pieces;
      arguments.piece_count = work.pieces_of(lines, i, bank.sizes.tile_columns, pieces);
      passes.run(arguments);
    }
    const StagedTile<Scalar> tile{
        stage,
        columns,
        lines,
        bank.transform.columns[0],
        bank.sizes.tile_columns,
        bank.sizes.tile_columns * bank.sizes.resident_lines * work.pack_lanes,
        2 * bank.transform.radix[0]};
    store_staged(problem, features, bases, work, tile, passes);
  }

  /// NaN to all rows of a pack of lanes.
  template <class Team>
  KOKKOS_FUNCTION void store_missing(const Team& team, const Work& work) const {
    for_each_item(team, work.lanes,
                  [=, this](std::int64_t i) { mend_lane(problem, features, bases, work, i); });
  }
};

}  // namespace synelix::sweep
