// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "operators/sweep/conv_positions.hpp"
#include "operators/sweep/device_conv_blocks.hpp"

#include <Kokkos_Core.hpp>

#include <cstdint>

/// \file
/// Convolutions along one dimension with stride 1 by transforms (overlap-save), and their gradients
/// by input, on a device. A team takes a few blocks of positions, its lanes, and some output
/// channels of one group. For each channel and each part of a window, it transforms the samples of
/// the blocks, and adds the products with the spectra of the weights to one spectrum for each
/// output channel, all of which are in scratch. These are transformed back and stored.
///
/// Blocks begin at fixed positions, and lanes do not interact, so bits depend neither on teams nor
/// on the blocks that are transformed together. A launch is one pass of the axis: the first stores,
/// with the bias, and the others add to the result.
///
/// If any row of a block and output channel is not finite, its rows are summed term by term, and so
/// are weak rows.

namespace synelix::sweep {

/// The functor.
template <class Scalar>
struct DeviceConvFftSweep {
  using Bounds =
      Kokkos::LaunchBounds<tune::device_fft_team, tune::device_fft_teams(sizeof(Scalar))>;
  using Stored = spectral::StoredPoint<Scalar>;
  using Point = spectral::Point<Scalar>;
  using Lane = DeviceConvLane<Scalar>;
  using Room = DeviceConvRoom<Scalar>;

  ConvProblem problem;
  DeviceConvFftCut cut;
  DeviceStages<Scalar> stages;
  const Stored* kernels = nullptr;  ///< (group, output channel, channel, part, place)
  Workspace workspace;

  [[nodiscard]] KOKKOS_FUNCTION DeviceConvFftScratch scratch() const {
    return {sizeof(Scalar), stages.stages.points, stages.lanes, cut.results, 0};
  }
  [[nodiscard]] TeamShape team_shape(std::int64_t count, std::int64_t) const {
    return device_conv_team(scratch(), count);
  }

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const Room room(team, scratch());
    std::uint32_t outputs = 0;
    for_each_team_item(team, cut.items, workspace.teams,
                       [&](std::int64_t i) { compute(team, room, i, outputs); });
  }

 private:
  /// The work of a team.
  struct Item {
    std::int64_t group;
    std::int64_t pack;
    Range output_channels;
  };

  [[nodiscard]] KOKKOS_FUNCTION Item item_of(std::int64_t number) const {
    Item item;
    item.output_channels =
        part_of(problem.output_channels, cut.results, take_digit(number, cut.result_blocks));
    item.pack = take_digit(number, cut.blocks.packs);
    item.group = number;
    return item;
  }

  /// `outputs` counts the outputs of the team so far.
  template <class Team>
  KOKKOS_FUNCTION void compute(const Team& team, const Room& room, std::int64_t number,
                               std::uint32_t& outputs) const {
    const Item item = item_of(number);
    const bool is_begin = outputs == 0;
    for_each_item(team, stages.lanes, [=, this](std::int64_t i) {
      Lane& lane = room.lanes[i];
      lane.take(cut.blocks.block(item.pack * stages.lanes + i, problem.batch));
      if (is_begin) lane.failed = 0;
    });
    team.team_barrier();
    for (std::int64_t c = 0; c < problem.channels; ++c) {
      for (std::int64_t part = 0; part < cut.parts.count; ++part) {
        add_term(team, room, item, c, part);
      }
    }
    if (any_may_be_weak(room, item)) {
      const auto sight = [this, item](const Lane& lane) { return sight_of(item, lane); };
      const DeviceConvEnergies<Scalar, decltype(sight)> energies{room, scratch(), line(), sight};
      energies.find_weak(team);
    }
    for (std::int64_t o = item.output_channels.begin; o < item.output_channels.end; ++o) {
      give_out(team, room, item, o, ++outputs);
    }
  }

  [[nodiscard]] KOKKOS_INLINE_FUNCTION DeviceConvLine line() const {
    return {problem.source, problem.axes[2].sources, problem.axes[2].padding_mode};
  }
  /// The first source position of a block.
  [[nodiscard]] KOKKOS_INLINE_FUNCTION std::int64_t first_of(const Lane& lane) const {
    const std::int64_t first = cut.pass.is_backward ? cut.pass.source - (cut.pass.end - 1)
                                                    : cut.pass.source + cut.pass.begin;
    return first + lane.begin;
  }
  [[nodiscard]] KOKKOS_FUNCTION DeviceConvSight sight_of(const Item& item, const Lane& lane) const {
    return {cut.parts,        lane.entry,     item.group * problem.channels,
            problem.channels, first_of(lane), lane.positions};
  }
  [[nodiscard]] KOKKOS_FUNCTION bool any_may_be_weak(const Room& room, const Item& item) const {
    bool is_any = false;
    for (std::int32_t i = 0; i < stages.lanes; ++i) {
      const Lane& lane = room.lanes[i];
      is_any = is_any || may_be_weak(lane, sight_of(item, lane), line(), stages.stages.points, 0);
    }
    return is_any;
  }

  /// Adds the products of a channel and a part to the spectra of all output channels.
  template <class Team>
  KOKKOS_FUNCTION void add_term(const Team& team, const Room& room, const Item& item,
                                std::int64_t c, std::int64_t part) const {
    const std::int32_t n = stages.stages.points;
    const std::int64_t channel = item.group * problem.channels + c;
    const auto ahead = static_cast<std::int32_t>(cut.parts.ahead(part));
    const std::int64_t shift = cut.parts.shift(part);
    stages.forward(team, room.points, [=, this](std::int32_t number, const spectral::Places& at) {
      Lane& lane = room.lanes[number];
      const std::int64_t first = first_of(lane) + shift;
      const std::int64_t entry = lane.entry;
      const std::int32_t end = lane.positions > 0 ? lane.positions + ahead : 0;
      const DeviceConvLine seen = line();
      put_conv_samples<true>(n, at, 0, end, room.points, lane, 0, [&](std::int32_t row) {
        return seen.template value<Scalar>(entry, channel, first + row);
      });
    });
    const std::int64_t terms = problem.channels * cut.parts.count;
    const Stored* const first_kernel =
        kernels +
        (((item.group * problem.output_channels + item.output_channels.begin) * problem.channels +
          c) *
             cut.parts.count +
         part) *
            n;
    const auto results = static_cast<std::int32_t>(item.output_channels.size());
    const std::int32_t of_result = stages.lanes * n;
    const bool is_first = c == 0 && part == 0;
    stages.store_spectrum(
        team, room.points,
        [=](std::int32_t place, std::int32_t lane, const Point& first, const Point& second) {
          Stored* to = room.spectra + (lane * n + place);
          const Stored* kernel = first_kernel + place;
          SYNELIX_UNROLL(1)
          for (std::int32_t o = 0; o < results; ++o) {
            add_conv_products(first, second, kernel, is_first, to);
            to += of_result;
            kernel += terms * n;
          }
        });
  }

  /// Transforms the spectrum of an output channel to its positions.
  template <class Team>
  KOKKOS_FUNCTION void give_out(const Team& team, const Room& room, const Item& item,
                                std::int64_t o, std::uint32_t number) const {
    const std::int32_t n = stages.stages.points;
    const Stored* const sums =
        room.spectra + (o - item.output_channels.begin) * stages.lanes * std::int64_t{n};
    stages.inverse(team, room.points,
                   [=](std::int32_t place, std::int32_t lane, Point& first, Point& second) {
                     spectral::load_pair(sums + (lane * n + place), first, second);
                   });
    stages.rows(team, room.points,
                [=](std::int32_t lane, const spectral::Places& places, const auto& transform) {
                  transform(DeviceConvRowsBack<Scalar>{room.points, places,
                                                       &room.lanes[lane].failed, number});
                });
    team.team_barrier();
    const auto ahead = static_cast<std::int32_t>(cut.parts.ahead(0));
    const auto rows = static_cast<std::int32_t>(cut.blocks.rows);
    for_each_item(team, std::int64_t{stages.lanes} * rows, [=, this](std::int64_t i) {
      const auto lane = static_cast<std::int32_t>(i / rows);
      const auto row = static_cast<std::int32_t>(i - std::int64_t{lane} * rows);
      if (row >= room.lanes[lane].positions) return;
      const bool is_given = room.lanes[lane].failed != number && !room.lanes[lane].is_weak(row);
      const std::int32_t at = ahead + row;
      const Stored& point = room.points[spectral::slot_of(lane * n + (at < n ? at : at - n))];
      store(item, o, room.lanes[lane], row, is_given, at < n ? point.re : point.im);
    });
    team.team_barrier();
  }

  /// Stores a result: from the transform, or as the sum of its terms.
  KOKKOS_FUNCTION void store(const Item& item, std::int64_t o, const Lane& lane, std::int32_t row,
                             bool is_given, Scalar given) const {
    const ConvResult& result = problem.result;
    const std::int64_t channel = item.group * problem.output_channels + o;
    const std::int64_t at = cut.pass.is_backward ? cut.pass.end - 1 - (lane.begin + row)
                                                 : cut.pass.begin + lane.begin + row;
    Scalar& to = static_cast<Scalar*>(
        result.data)[lane.entry * result.batch_stride + channel * result.channel_stride +
                     at * result.space_strides[2]];
    Scalar sum(0);
    if (!cut.is_first) {
      sum = to;
    } else if (problem.has_bias) {
      sum = pack::conv_value<Scalar>(problem.bias, channel, channel * problem.bias.channel_stride);
    }
    if (is_given) {
      to = canonical(sum + given);
      return;
    }
    const index::ConvAxis& axis = problem.axes[2];
    const std::int64_t first = first_of(lane) + row;
    for (std::int64_t c = 0; c < problem.channels; ++c) {
      for (std::int64_t i = 0; i < axis.taps; ++i) {
        const Scalar value = line().template value<Scalar>(
            lane.entry, item.group * problem.channels + c, first + i * axis.spacing);
        sum = Kokkos::fma(weight_of<Scalar>(problem, item.group, c, o, i), value, sum);
      }
    }
    to = canonical(sum);
  }
};

}  // namespace synelix::sweep
