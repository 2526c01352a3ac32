// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "index/conv_axes.hpp"
#include "index/range.hpp"
#include "launch/canonical.hpp"
#include "launch/team.hpp"
#include "launch/team_turns.hpp"
#include "launch/workspace.hpp"
#include "operators/problem/conv_problem.hpp"
#include "operators/problem/conv_transform_cut.hpp"
#include "operators/sweep/conv_positions.hpp"
#include "operators/sweep/conv_transforms.hpp"
#include "pack/conv_block.hpp"
#include "tile/output.hpp"
#include "tune/tiles.hpp"

#include <Kokkos_Core.hpp>

#include <cstdint>

/// \file
/// Convolutions along one dimension with stride 1 by transforms (overlap-save), and their gradients
/// by input, on a host. A virtual item is a pack of blocks of positions of one group. Each channel
/// of each block is transformed once. For each result, the products with the spectra of its weights
/// are summed over the channels in their order and transformed back, and the rows whose windows are
/// inside the block are stored. Blocks begin at fixed positions, so bits depend neither on teams
/// nor on the other lanes.
///
/// A launch is one pass of the axis. The first stores, with the bias; the others (margins that
/// padding filled from the input) add to the result.
///
/// If any row of a block and result is not finite, its rows are summed one by one. The same holds
/// for weak rows (spectral/levels.hpp), by the energy of all channels.

namespace synelix::sweep {

/// The functor.
template <class Scalar>
struct ConvFftSweep {
  using TeamMemory = ConvTransformTeamMemory<Scalar>;

  ConvProblem problem;
  ConvFftCut cut;
  ConvTransforms<Scalar> transforms;
  const Scalar* kernels = nullptr;
  Workspace workspace;
  TeamTurns turns = {};

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const TeamMemory room(workspace.data + team.league_rank() * workspace.bytes, transforms.sizes(),
                          cut.kernels.results_at_once);
    for_each_of_share(team, cut.items, workspace.teams, turns,
                      [=, this](std::int64_t i) { compute(i, room); });
  }

 private:
  /// Samples of a block before the first row whose window is inside.
  [[nodiscard]] KOKKOS_INLINE_FUNCTION std::int64_t ahead() const { return cut.blocks.window - 1; }

  KOKKOS_FUNCTION void compute(std::int64_t number, const TeamMemory& room) const {
    const std::int64_t first_lane = take_digit(number, cut.blocks.packs) * transforms.lanes();
    const std::int64_t group = number;
    for (std::int64_t c = 0; c < problem.channels; ++c) {
      for (std::int64_t i = 0; i < transforms.lanes(); ++i) {
        const ConvBlocks::Block block = cut.blocks.block(first_lane + i, problem.batch);
        const std::int64_t rows = block.positions.size();
        gather_block(block, group, c, {0, rows > 0 ? rows + ahead() : 0}, transforms.length(),
                     room.points + i * transforms.line_step());
      }
      transforms.forward(room.points, room.packed, room.spectra + c * transforms.spectrum_values(),
                         room.levels, cut.blocks.window, {ahead(), ahead() + cut.blocks.rows},
                         c > 0);
    }
    Range weak[tune::most_bases];
    for (std::int64_t i = 0; i < transforms.lanes(); ++i) {
      weak[i] = weak_rows_of(group, cut.blocks.block(first_lane + i, problem.batch), i, room);
    }
    for (std::int64_t o = 0; o < problem.output_channels;) {
      const std::int64_t results = cut.kernels.results(o);
      spectral::SumsBlock<Scalar> sums{};
      sums.kind = spectral::KernelKind::numbers;
      sums.results = static_cast<int>(results);
      sums.terms = problem.channels;
      sums.spectra = room.spectra;
      sums.spectra_term = transforms.spectrum_values();
      sums.kernels = kernels + cut.kernels.offset(group, o);
      sums.kernel_point = cut.kernels.point(results);
      sums.kernel_term = 2 * results;
      sums.points = room.points;
      transforms.sum(sums);
      for (std::int64_t r = 0; r < results; ++r, ++o) {
        transforms.last(room.points + r * transforms.points_values(), room.packed, ahead(),
                        ahead() + cut.blocks.rows);
        finish(group, o, first_lane, weak, room);
      }
    }
  }

  /// The first source position of a block.
  [[nodiscard]] KOKKOS_INLINE_FUNCTION std::int64_t first_of(const ConvBlocks::Block& block) const {
    const std::int64_t first = cut.pass.is_backward ? cut.pass.source - (cut.pass.end - 1)
                                                    : cut.pass.source + cut.pass.begin;
    return first + block.positions.begin;
  }
  /// Gathers some of the samples of a block in a channel, followed by zeros.
  KOKKOS_FUNCTION void gather_block(const ConvBlocks::Block& block, std::int64_t group,
                                    std::int64_t channel, Range samples, std::int64_t length,
                                    Scalar* to) const {
    gather_positions(problem.source, problem.axes[2].sources, problem.axes[2].padding_mode,
                     block.entry, group * problem.channels + channel,
                     first_of(block) + samples.begin, samples.size(), length, to);
  }

  /// The smallest range with all weak rows of a lane.
  KOKKOS_FUNCTION Range weak_rows_of(std::int64_t group, const ConvBlocks::Block& block,
                                     std::int64_t lane, const TeamMemory& room) const {
    const std::int64_t rows = block.positions.size();
    if (rows == 0 || problem.channels == 0) return {0, 0};
    const auto energy = static_cast<double>(room.levels.total[lane]);
    if (!(energy - energy == 0.0)) return {0, rows};
    if (transforms.is_strong(room.levels, lane)) return {0, 0};
    spectral::Windows windows;
    windows.window = cut.blocks.window;
    windows.newest = {ahead(), ahead() + rows};
    windows.samples = existing_positions(problem.axes[2], first_of(block), rows + ahead());
    windows.enough = spectral::weak_share * energy;
    const std::int64_t segment = transforms.sizes().segment(windows.window);
    const auto is_strong = [&](std::int64_t g) {
      return transforms.is_strong(room.levels, lane, windows, segment, g);
    };
    Range newest{0, 0};
    for (std::int64_t g = ahead() / segment; g * segment < windows.newest.end; ++g) {
      if (!is_strong(g)) newest = index::hull(newest, {g * segment, (g + 1) * segment});
    }
    newest = index::common(newest, windows.newest);
    if (newest.size() == 0) return {0, 0};
    windows.samples = index::common(windows.samples, {newest.begin - ahead(), newest.end});
    windows.newest = newest;
    Scalar* const seen = room.lines;
    Scalar* const squares = room.lines + transforms.length();
    const std::int64_t count = windows.samples.size();
    for (std::int64_t i = 0; i < count; ++i) squares[i] = Scalar(0);
    for (std::int64_t c = 0; c < problem.channels; ++c) {
      gather_block(block, group, c, windows.samples, count, seen);
      for (std::int64_t i = 0; i < count; ++i) squares[i] += seen[i] * seen[i];
    }
    const Range weak = spectral::weak_rows(windows, segment, is_strong, [&](std::int64_t i) {
      return static_cast<double>(squares[i - windows.samples.begin]);
    });
    if (weak.size() == 0) return {0, 0};
    return {weak.begin - ahead(), weak.end - ahead()};
  }

  /// The destination of a block's rows: the first one, and the steps between them.
  struct Rows {
    Scalar* to;
    std::int64_t step;
    std::int64_t count;
  };
  KOKKOS_FUNCTION Rows rows_of(std::int64_t group, std::int64_t output_channel,
                               std::int64_t lane) const {
    const ConvBlocks::Block block = cut.blocks.block(lane, problem.batch);
    const ConvResult& result = problem.result;
    const std::int64_t step = result.space_strides[2];
    const std::int64_t at = cut.pass.is_backward ? cut.pass.end - 1 - block.positions.begin
                                                 : cut.pass.begin + block.positions.begin;
    return {static_cast<Scalar*>(result.data) + block.entry * result.batch_stride +
                (group * problem.output_channels + output_channel) * result.channel_stride +
                at * step,
            cut.pass.is_backward ? -step : step, block.positions.size()};
  }

  [[nodiscard]] KOKKOS_FUNCTION Scalar bias_of(std::int64_t group,
                                               std::int64_t output_channel) const {
    if (!cut.is_first || !problem.has_bias) return Scalar(0);
    const std::int64_t channel = group * problem.output_channels + output_channel;
    return pack::conv_value<Scalar>(problem.bias, channel, channel * problem.bias.channel_stride);
  }

  /// Stores a result of a pack of blocks.
  KOKKOS_FUNCTION void finish(std::int64_t group, std::int64_t output_channel,
                              std::int64_t first_lane, const Range* weak,
                              const TeamMemory& room) const {
    const std::int64_t lanes = transforms.lanes();
    const std::int64_t end = ahead() + cut.blocks.rows;
    std::uint32_t failed = 0;
    if (!transforms.is_finite(room.packed, ahead(), end)) {
      for (std::int64_t i = 0; i < lanes; ++i) {
        if (!transforms.is_finite(room.packed, ahead(), end, i)) failed |= 1U << i;
      }
    }
    Scalar* const rows = room.packed + ahead() * lanes;
    const Scalar bias = bias_of(group, output_channel);
    if (bias != Scalar(0)) {
      for (std::int64_t i = 0; i < cut.blocks.rows * lanes; ++i) {
        rows[i] = canonical(rows[i] + bias);
      }
    }
    const std::int64_t stored = store_together(group, output_channel, first_lane, rows);
    for (std::int64_t i = 0; i < lanes; ++i) {
      if ((failed >> i & 1U) != 0) continue;
      const Rows to = rows_of(group, output_channel, first_lane + i);
      for (std::int64_t r = stored; r < to.count; ++r) {
        if (weak[i].begin <= r && r < weak[i].end) continue;
        Scalar& place = to.to[r * to.step];
        place = canonical(cut.is_first ? rows[r * lanes + i] : place + rows[r * lanes + i]);
      }
    }
    for (std::int64_t i = 0; i < lanes; ++i) {
      const bool has_failed = (failed >> i & 1U) != 0;
      const Range rows_of_lane{0, rows_of(group, output_channel, first_lane + i).count};
      const Range summed = has_failed ? rows_of_lane : weak[i];
      if (summed.size() > 0) sum_rows(group, output_channel, first_lane + i, summed, room);
    }
  }

  /// Stores the first rows of all lanes, as many as all of them have, if neighbors are contiguous:
  /// transposed in registers. Returns their number.
  KOKKOS_FUNCTION std::int64_t store_together(std::int64_t group, std::int64_t output_channel,
                                              std::int64_t first_lane, const Scalar* rows) const {
    const std::int64_t lanes = transforms.lanes();
    Scalar* to[tune::most_bases];
    std::int64_t count = cut.blocks.rows;
    int used = 0;
    for (; used < lanes; ++used) {
      const Rows of_lane = rows_of(group, output_channel, first_lane + used);
      if (of_lane.count == 0) break;
      if (of_lane.step != 1 || !cut.is_first) return 0;
      to[used] = of_lane.to;
      count = index::smaller(count, of_lane.count);
    }
    const std::int64_t groups = count / lanes;
    passes_table().spread[tile::way_of(tile::Stores::cached)][lanes](
        tile::Spread<Scalar>{.from = rows,
                             .pack_step = lanes,
                             .group_step = lanes * lanes,
                             .times = groups,
                             .to = to,
                             .stored = used,
                             .shift = 0,
                             .to_step = lanes});
    return groups * lanes;
  }
  [[nodiscard]] KOKKOS_FUNCTION const tile::TileTable<Scalar>& passes_table() const {
    return *transforms.passes.row_copies.table;
  }

  /// Sums rows of a block that the transform could not give, term by term.
  KOKKOS_FUNCTION void sum_rows(std::int64_t group, std::int64_t output_channel, std::int64_t lane,
                                Range summed, const TeamMemory& room) const {
    const ConvBlocks::Block block = cut.blocks.block(lane, problem.batch);
    Rows to = rows_of(group, output_channel, lane);
    to.to += summed.begin * to.step;
    to.count = summed.size();
    const index::ConvAxis& axis = problem.axes[2];
    Scalar* const seen = room.lines;
    Scalar* const sums = room.lines + transforms.length();
    const Scalar bias = bias_of(group, output_channel);
    for (std::int64_t r = 0; r < to.count; ++r) {
      sums[r] = cut.is_first ? bias : to.to[r * to.step];
    }
    for (std::int64_t c = 0; c < problem.channels; ++c) {
      gather_block(block, group, c, {summed.begin, summed.end + ahead()}, 0, seen);
      for (std::int64_t i = 0; i < axis.taps; ++i) {
        const auto weight = weight_of<Scalar>(problem, group, c, output_channel, i);
        const Scalar* const from = seen + i * axis.spacing;
        for (std::int64_t r = 0; r < to.count; ++r) sums[r] += weight * from[r];
      }
    }
    for (std::int64_t r = 0; r < to.count; ++r) to.to[r * to.step] = canonical(sums[r]);
  }
};

}  // namespace synelix::sweep
