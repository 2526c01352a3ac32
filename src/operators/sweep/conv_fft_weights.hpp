// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "index/conv_axes.hpp"
#include "index/range.hpp"
#include "launch/team.hpp"
#include "launch/team_turns.hpp"
#include "launch/workspace.hpp"
#include "operators/problem/conv_problem.hpp"
#include "operators/problem/conv_transform_cut.hpp"
#include "operators/sweep/conv_positions.hpp"
#include "operators/sweep/conv_transforms.hpp"
#include "pack/conv_block.hpp"

#include <Kokkos_Core.hpp>

#include <cstdint>

/// \file
/// Gradients of convolutions along one dimension by their weights, by transforms, on a host. The
/// blocks of all entries are cut into split-K partials by the problem alone; a virtual item is a
/// partial of one group and some output channels. A few packs of blocks at a time are transformed:
/// the samples in their windows, and the reversed output gradient. For each channel and output
/// channel, the products of all these packs are summed and transformed back once, and the lanes are
/// added in their order to the partial's sums. Partials are added by `ConvReduceSplitKSweep`.
///
/// Lanes with a sum that is not finite are summed term by term. The same holds for lanes in which a
/// tap meets too little of the energy of a channel's samples (spectral/levels.hpp): the output
/// gradient is a window that moves from tap to tap.

namespace synelix::sweep {

/// The functor.
template <class Scalar>
struct ConvFftWeightsSweep {
  using TeamMemory = ConvTransformTeamMemory<Scalar>;

  ConvWeightsProblem problem;
  ConvFftWeightsCut cut;
  ConvTransforms<Scalar> transforms;
  Scalar* sums = nullptr;  ///< (partial, group, output channel, channel, tap)
  Workspace workspace;
  TeamTurns turns = {};

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const TeamMemory room(workspace.data + team.league_rank() * workspace.bytes, transforms.sizes(),
                          cut.results_at_once);
    for_each_of_share_in_steps(
        team, cut.items, workspace.teams, turns,
        [=, this](std::int64_t i, const Pause& pause) { return compute(i, room, pause); });
  }

 private:
  /// Some packs of blocks, and the requested output channels.
  struct Run {
    std::int64_t group;
    std::int64_t pack;
    std::int64_t packs;
    bool is_first;  ///< of the partial
  };

  /// Returns false if it pauses. The item then continues at the next run of packs.
  KOKKOS_FUNCTION bool compute(std::int64_t number, const TeamMemory& room,
                               const Pause& pause) const {
    const std::int64_t parts = index::ceil_divide(problem.output_channels, cut.output_channels);
    const Range output_channels =
        part_of(problem.output_channels, cut.output_channels, take_digit(number, parts));
    const std::int64_t partial = take_digit(number, cut.partials);
    const std::int64_t group = number;
    const TeamShare runs = team_share(cut.runs, partial, cut.partials);
    Scalar* const to = sums + (partial * problem.groups + group) * problem.output_channels *
                                  problem.channels * problem.axes[2].taps;
    const std::int64_t begin = runs.begin + pause.first_step();
    for (std::int64_t i = begin; i < runs.end; ++i) {
      if (i > begin && pause.is_before(i - runs.begin)) return false;
      const std::int64_t pack = i * cut.packs;
      add({group, pack, index::smaller(cut.packs, cut.blocks.packs - pack), i == runs.begin},
          output_channels, room, to);
    }
    return true;
  }

  KOKKOS_FUNCTION void add(const Run& run, Range output_channels, const TeamMemory& room,
                           Scalar* to) const {
    const std::int64_t step = transforms.spectrum_values();
    Scalar* const of_output_gradient = room.spectra + problem.channels * cut.packs * step;
    auto* const weak = reinterpret_cast<std::uint32_t*>(of_output_gradient + cut.packs * step);
    for (std::int64_t c = 0; c < problem.channels; ++c) {
      weak[c] = 0;
      for (std::int64_t i = 0; i < run.packs; ++i) {
        for_each_lane(run, i, [&](std::int64_t lane, const ConvBlocks::Block& block) {
          gather_windows(run, c, block, transforms.length(),
                         room.points + lane * transforms.line_step());
        });
        transforms.forward(room.points, room.packed, room.spectra + (c * cut.packs + i) * step,
                           room.levels, cut.blocks.rows, taps_of(cut.blocks.rows), false);
        for_each_lane(run, i, [&](std::int64_t lane, const ConvBlocks::Block& block) {
          if (has_weak_taps(block, lane, room)) weak[c] |= 1U << lane;
        });
      }
    }
    for (std::int64_t o = output_channels.begin; o < output_channels.end; ++o) {
      for (std::int64_t i = 0; i < run.packs; ++i) {
        for_each_lane(run, i, [&](std::int64_t lane, const ConvBlocks::Block& block) {
          gather_reversed(run, o, block, room.lines, room.points + lane * transforms.line_step());
        });
        transforms.forward(room.points, room.packed, of_output_gradient + i * step);
      }
      for (std::int64_t c = 0; c < problem.channels;) {
        const std::int64_t results =
            c + cut.results_at_once <= problem.channels ? cut.results_at_once : 1;
        spectral::SumsBlock<Scalar> products{};
        products.kind = spectral::KernelKind::packs;
        products.results = static_cast<int>(results);
        products.terms = run.packs;
        products.spectra = of_output_gradient;
        products.spectra_term = step;
        products.kernels = room.spectra + c * cut.packs * step;
        products.kernel_point = 2 * transforms.lanes();
        products.kernel_term = step;
        products.kernel_result = cut.packs * step;
        products.points = room.points;
        transforms.sum(products);
        for (std::int64_t r = 0; r < results; ++r, ++c) {
          const std::int64_t first = cut.blocks.rows - 1;
          transforms.last(room.points + r * transforms.points_values(), room.packed, first,
                          first + cut.blocks.window);
          finish(run, c, o, weak[c], room, to + (o * problem.channels + c) * problem.axes[2].taps);
        }
      }
    }
  }

  /// Calls visit(lane, block) for the lanes of pack number i of a run.
  template <class Visit>
  KOKKOS_FUNCTION void for_each_lane(const Run& run, std::int64_t i, const Visit& visit) const {
    for (std::int64_t lane = 0; lane < transforms.lanes(); ++lane) {
      visit(lane, cut.blocks.block((run.pack + i) * transforms.lanes() + lane, problem.batch));
    }
  }

  /// The range of the newest samples that taps meet in a block with this many positions.
  [[nodiscard]] KOKKOS_INLINE_FUNCTION Range taps_of(std::int64_t rows) const {
    return {rows - 1, rows - 1 + cut.blocks.window};
  }

  /// Whether a tap meets too little of a lane's energy.
  KOKKOS_FUNCTION bool has_weak_taps(const ConvBlocks::Block& block, std::int64_t lane,
                                     const TeamMemory& room) const {
    const std::int64_t rows = block.positions.size();
    const auto energy = static_cast<double>(room.levels.total[lane]);
    if (rows == 0) return false;
    if (!(energy - energy == 0.0)) return true;
    if (rows == cut.blocks.rows && transforms.is_strong(room.levels, lane)) return false;
    const index::ConvAxis& axis = problem.axes[2];
    spectral::Windows windows;
    windows.window = rows;
    windows.newest = taps_of(rows);
    windows.samples =
        existing_positions(axis, axis.pass().source + block.positions.begin, windows.newest.end);
    windows.enough = spectral::weak_share * energy;
    const std::int64_t segment = transforms.sizes().segment(cut.blocks.rows);
    const std::int64_t lanes = transforms.lanes();
    const Range weak = spectral::weak_rows(
        windows, segment,
        [&](std::int64_t g) {
          return transforms.is_strong(room.levels, lane, windows, segment, g);
        },
        [&](std::int64_t i) {
          const auto value = static_cast<double>(room.packed[i * lanes + lane]);
          return value * value;
        });
    return weak.size() > 0;
  }

  /// Gathers the samples in the windows of a block, followed by zeros.
  KOKKOS_FUNCTION void gather_windows(const Run& run, std::int64_t channel,
                                      const ConvBlocks::Block& block, std::int64_t length,
                                      Scalar* to) const {
    const index::ConvAxis& axis = problem.axes[2];
    const std::int64_t rows = block.positions.size();
    gather_positions(problem.source, axis.sources, axis.padding_mode, block.entry,
                     run.group * problem.channels + channel,
                     axis.pass().source + block.positions.begin,
                     rows > 0 ? rows + cut.blocks.window - 1 : 0, length, to);
  }
  KOKKOS_FUNCTION void gather_output_gradient(const Run& run, std::int64_t output_channel,
                                              const ConvBlocks::Block& block, std::int64_t length,
                                              Scalar* to) const {
    gather_positions(problem.output_gradient, problem.axes[2].results, index::PaddingMode::zero,
                     block.entry, run.group * problem.output_channels + output_channel,
                     block.positions.begin, block.positions.size(), length, to);
  }
  /// Gathers an output channel of a block from its last position to the first, divided by the
  /// number of points, so the inverse transform needs no scaling.
  KOKKOS_FUNCTION void gather_reversed(const Run& run, std::int64_t output_channel,
                                       const ConvBlocks::Block& block, Scalar* line,
                                       Scalar* to) const {
    gather_output_gradient(run, output_channel, block, cut.blocks.rows, line);
    const Scalar scale = Scalar(1) / static_cast<Scalar>(transforms.transform.points);
    for (std::int64_t i = 0; i < cut.blocks.rows; ++i) {
      to[i] = line[cut.blocks.rows - 1 - i] * scale;
    }
    for (std::int64_t i = cut.blocks.rows; i < transforms.length(); ++i) to[i] = Scalar(0);
  }

  /// Adds the sums of all lanes to the taps of a channel and output channel.
  KOKKOS_FUNCTION void finish(const Run& run, std::int64_t channel, std::int64_t output_channel,
                              std::uint32_t weak, const TeamMemory& room, Scalar* to) const {
    const std::int64_t lanes = transforms.lanes();
    const std::int64_t first = cut.blocks.rows - 1;
    const std::int64_t end = first + cut.blocks.window;
    const index::ConvAxis& axis = problem.axes[2];
    if (weak != 0 || !transforms.is_finite(room.packed, first, end)) {
      for (std::int64_t lane = 0; lane < lanes; ++lane) {
        const bool is_weak = (weak >> lane & 1U) != 0;
        if (!is_weak && transforms.is_finite(room.packed, first, end, lane)) continue;
        sum_lane(run, channel, output_channel, lane, room);
      }
    }
    for (std::int64_t k = 0; k < axis.taps; ++k) {
      const Scalar* const row = room.packed + (first + k * axis.spacing) * lanes;
      Scalar sum = row[0];
      for (std::int64_t lane = 1; lane < lanes; ++lane) sum += row[lane];
      to[k] = run.is_first ? sum : to[k] + sum;
    }
  }

  /// Sums a lane that the transform could not give, position by position.
  KOKKOS_FUNCTION void sum_lane(const Run& run, std::int64_t channel, std::int64_t output_channel,
                                std::int64_t lane, const TeamMemory& room) const {
    const index::ConvAxis& axis = problem.axes[2];
    Scalar* const windows = room.lines;
    Scalar* const output_gradient = room.lines + transforms.length();
    Scalar* const to = room.packed + (cut.blocks.rows - 1) * transforms.lanes() + lane;
    for (std::int64_t i = 0; i < run.packs; ++i) {
      const ConvBlocks::Block block =
          cut.blocks.block((run.pack + i) * transforms.lanes() + lane, problem.batch);
      const std::int64_t rows = block.positions.size();
      gather_windows(run, channel, block, rows + cut.blocks.window - 1, windows);
      gather_output_gradient(run, output_channel, block, rows, output_gradient);
      for (std::int64_t k = 0; k < axis.taps; ++k) {
        Scalar& place = to[k * axis.spacing * transforms.lanes()];
        Scalar sum = i == 0 ? Scalar(0) : place;
        for (std::int64_t p = 0; p < rows; ++p)
          sum += windows[k * axis.spacing + p] * output_gradient[p];
        place = sum;
      }
    }
  }
};

}  // namespace synelix::sweep
