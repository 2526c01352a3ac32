// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "operators/sweep/conv_positions.hpp"
#include "operators/sweep/device_conv_blocks.hpp"

#include <Kokkos_Core.hpp>

#include <cstdint>

/// \file
/// Gradients of convolutions along one dimension by their weights, by transforms, on a device. The
/// blocks of all entries are cut into slices, and these into split-K partials; a team takes a
/// partial of some channels, some output channels and one part of their windows. It transforms a
/// pack of blocks at a time: the samples in the windows of a channel, and the reversed output
/// gradient. The products of each pair of channels are summed over the packs of a slice, lane by
/// lane. Then lanes are added in their order, transformed back, and added to the sums of the
/// partial, which `ConvReduceSplitKSweep` adds.
///
/// A block is marked if a tap meets too little of a channel's energy in it (spectral/levels.hpp),
/// or if it has a value that is not finite: its channel or output channel is replaced by zeros, and
/// its products are summed term by term. The same holds for all blocks of a slice if a sum is not
/// finite.

namespace synelix::sweep {

/// The functor.
template <class Scalar>
struct DeviceConvFftWeightsSweep {
  using Bounds = Kokkos::LaunchBounds<tune::device_fft_team, 1>;
  using Stored = spectral::StoredPoint<Scalar>;
  using Point = spectral::Point<Scalar>;
  using Lane = DeviceConvLane<Scalar>;
  using Room = DeviceConvRoom<Scalar>;

  ConvWeightsProblem problem;
  DeviceConvFftWeightsCut cut;
  DeviceStages<Scalar> stages;
  Scalar* sums = nullptr;  ///< (partial, group, output channel, channel, tap)
  Workspace workspace;

  [[nodiscard]] KOKKOS_FUNCTION DeviceConvFftScratch scratch() const {
    return {sizeof(Scalar), stages.stages.points, stages.lanes, cut.channels * (1 + cut.results),
            most_slice_packs};
  }
  [[nodiscard]] TeamShape team_shape(std::int64_t count, std::int64_t) const {
    return device_conv_team(scratch(), count);
  }

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const Room room(team, scratch());
    std::uint32_t outputs = 0;
    for_each_team_item(team, cut.items, workspace.teams,
                       [&](std::int64_t i) { compute(team, room, item_of(i), outputs); });
  }

 private:
  /// The work of a team.
  struct Item {
    std::int64_t group;
    std::int64_t part;
    Range channels;
    Range output_channels;
    std::int64_t partial;
  };
  /// Packs of blocks, and whether their sums are the first of the partial.
  struct Slice {
    Range packs;
    bool is_first;
  };

  [[nodiscard]] KOKKOS_FUNCTION Item item_of(std::int64_t number) const {
    Item item;
    item.output_channels =
        part_of(problem.output_channels, cut.results, take_digit(number, cut.result_blocks));
    item.channels = part_of(problem.channels, cut.channels, take_digit(number, cut.channel_blocks));
    item.part = take_digit(number, cut.parts.count);
    item.partial = take_digit(number, cut.partials);
    item.group = number;
    return item;
  }

  template <class Team>
  KOKKOS_FUNCTION void compute(const Team& team, const Room& room, const Item& item,
                               std::uint32_t& outputs) const {
    const TeamShare slices = team_share(cut.slices, item.partial, cut.partials);
    for (std::int64_t i = slices.begin; i < slices.end; ++i) {
      const Slice slice{part_of(cut.blocks.packs, cut.slice_packs, i), i == slices.begin};
      for (std::int64_t pack = slice.packs.begin; pack < slice.packs.end; ++pack) {
        add_pack(team, room, item, pack, pack - slice.packs.begin, outputs == 0);
      }
      const std::int64_t pairs = item.channels.size() * item.output_channels.size();
      for (std::int64_t pair = 0; pair < pairs; pair += stages.lanes) {
        give_out(team, room, item, slice, pair, ++outputs);
      }
    }
  }

  /// The marks of a block of a slice: channels, then output channels, a bit for each.
  [[nodiscard]] KOKKOS_INLINE_FUNCTION std::uint32_t* marks_of(const Room& room, std::int64_t pack,
                                                               std::int64_t lane) const {
    return room.marks + (pack * stages.lanes + lane) * 2;
  }

  /// Adds the products of a pack of blocks to the sums of all pairs. `number` is its number in the
  /// slice.
  template <class Team>
  KOKKOS_FUNCTION void add_pack(const Team& team, const Room& room, const Item& item,
                                std::int64_t pack, std::int64_t number, bool is_begin) const {
    for_each_item(team, stages.lanes, [=, this](std::int64_t i) {
      Lane& lane = room.lanes[i];
      lane.take(cut.blocks.block(pack * stages.lanes + i, problem.batch));
      if (is_begin) lane.failed = 0;
      std::uint32_t* const marks = marks_of(room, number, i);
      marks[0] = marks[1] = 0;
    });
    team.team_barrier();
    for (std::int64_t c = 0; c < item.channels.size(); ++c) {
      take_in(team, room, item, c, number);
    }
    for (std::int64_t o = 0; o < item.output_channels.size(); ++o) {
      add_products(team, room, item, o, number);
    }
  }

  [[nodiscard]] KOKKOS_INLINE_FUNCTION DeviceConvLine line() const {
    return {problem.source, problem.axes[2].sources, problem.axes[2].padding_mode};
  }
  [[nodiscard]] KOKKOS_INLINE_FUNCTION DeviceConvLine gradient_line() const {
    return {problem.output_gradient, problem.axes[2].results, index::PaddingMode::zero};
  }
  /// The first source position of a block.
  [[nodiscard]] KOKKOS_INLINE_FUNCTION std::int64_t first_of(const Item& item,
                                                             const Lane& lane) const {
    return problem.axes[2].pass().source + lane.begin + cut.parts.shift(item.part);
  }
  /// Rows are taps, and the samples that they meet in a block are a window.
  [[nodiscard]] KOKKOS_FUNCTION DeviceConvSight sight_of(const Item& item, std::int64_t c,
                                                         const Lane& lane) const {
    const DeviceConvParts whole{1, lane.positions, lane.positions, 1};
    const std::int32_t rows =
        lane.positions > 0 ? static_cast<std::int32_t>(cut.parts.ahead(item.part)) + 1 : 0;
    return {whole, lane.entry,           item.group * problem.channels + item.channels.begin + c,
            1,     first_of(item, lane), rows};
  }

  /// Transforms the samples in the windows of a channel to spectra; zeros if a block is marked.
  template <class Team>
  KOKKOS_FUNCTION void take_in(const Team& team, const Room& room, const Item& item, std::int64_t c,
                               std::int64_t number) const {
    const std::int32_t n = stages.stages.points;
    const std::int64_t channel = item.group * problem.channels + item.channels.begin + c;
    const auto ahead = static_cast<std::int32_t>(cut.parts.ahead(item.part));
    const auto turn = static_cast<int>(c % 2);
    stages.forward(team, room.points, [=, this](std::int32_t i, const spectral::Places& at) {
      Lane& lane = room.lanes[i];
      const std::int64_t first = first_of(item, lane);
      const std::int64_t entry = lane.entry;
      const std::int32_t end = lane.positions > 0 ? lane.positions + ahead : 0;
      const DeviceConvLine seen = line();
      put_conv_samples<true>(n, at, 0, end, room.points, lane, turn, [&](std::int32_t row) {
        return seen.template value<Scalar>(entry, channel, first + row);
      });
    });
    bool is_any = false;
    for (std::int32_t i = 0; i < stages.lanes; ++i) {
      const Lane& lane = room.lanes[i];
      is_any = is_any || may_be_weak(lane, sight_of(item, c, lane), line(), n, turn);
    }
    for_each_item(team, stages.lanes, [=](std::int64_t i) { room.lanes[i].clear(1 - turn); });
    Stored* const spectra = room.spectra + c * stages.lanes * std::int64_t{n};
    stages.store_spectrum(
        team, room.points,
        [=](std::int32_t place, std::int32_t lane, const Point& first, const Point& second) {
          spectral::store_pair(spectra + (lane * n + place), first, second);
        });
    if (is_any) {
      const auto sight = [this, item, c](const Lane& lane) { return sight_of(item, c, lane); };
      const DeviceConvEnergies<Scalar, decltype(sight)> energies{room, scratch(), line(), sight};
      energies.find_weak(team);
      for_each_item(team, stages.lanes * std::int64_t{n}, [=, this](std::int64_t i) {
        const std::int64_t lane = i / n;
        if (room.lanes[lane].weak_begin >= room.lanes[lane].weak_end) return;
        spectra[i] = {Scalar(0), Scalar(0)};
        if (i % n == 0) marks_of(room, number, lane)[0] |= std::uint32_t{1} << c;
      });  // no barrier: nothing accesses this before the first pass of the next input
    }
  }

  /// Transforms a reversed output channel, and adds its products with all channels.
  template <class Team>
  KOKKOS_FUNCTION void add_products(const Team& team, const Room& room, const Item& item,
                                    std::int64_t o, std::int64_t number) const {
    const std::int32_t n = stages.stages.points;
    const std::int64_t channel =
        item.group * problem.output_channels + item.output_channels.begin + o;
    const auto rows = static_cast<std::int32_t>(cut.blocks.rows);
    const auto turn = static_cast<int>((item.channels.size() + o) % 2);
    const Scalar scale = Scalar(1) / static_cast<Scalar>(n);  // the inverse transform does not
                                                              // scale
    stages.forward(team, room.points, [=, this](std::int32_t i, const spectral::Places& at) {
      Lane& lane = room.lanes[i];
      const std::int64_t last = lane.begin + rows - 1;
      const std::int64_t entry = lane.entry;
      const std::int32_t begin = rows - lane.positions;
      const DeviceConvLine seen = gradient_line();
      put_conv_samples<false>(n, at, begin, rows, room.points, lane, turn, [&](std::int32_t row) {
        return scale * seen.template value<Scalar>(entry, channel, last - row);
      });
    });
    for_each_item(team, stages.lanes, [=, this](std::int64_t i) {
      room.lanes[i].clear(1 - turn);
      if (room.lanes[i].is_spoiled[turn] != 0) {
        marks_of(room, number, i)[1] |= std::uint32_t{1} << o;
      }
    });
    const auto channels = static_cast<std::int32_t>(item.channels.size());
    const auto results = static_cast<std::int32_t>(item.output_channels.size());
    const std::int32_t of_spectrum = stages.lanes * n;
    const auto own = static_cast<std::int32_t>(o);
    const bool is_first = number == 0;
    stages.store_spectrum(
        team, room.points,
        [=, this](std::int32_t place, std::int32_t lane, const Point& first, const Point& second) {
          const Stored* spectrum = room.spectra + (lane * n + place);
          Stored* to = room.spectra + (lane * n + place + (cut.channels + own) * of_spectrum);
          SYNELIX_UNROLL(1)
          for (std::int32_t c = 0; c < channels; ++c) {
            add_conv_products(first, second, spectrum, is_first, to);
            spectrum += of_spectrum;
            to += results * of_spectrum;
          }
        });
  }

  /// Adds the sums of a slice to the sums of the partial, for as many pairs as there are lanes.
  template <class Team>
  KOKKOS_FUNCTION void give_out(const Team& team, const Room& room, const Item& item,
                                const Slice& slice, std::int64_t first_pair,
                                std::uint32_t number) const {
    const std::int32_t n = stages.stages.points;
    const std::int32_t lanes = stages.lanes;
    const auto results = static_cast<std::int32_t>(item.output_channels.size());
    const auto left = static_cast<std::int32_t>(item.channels.size() * results - first_pair);
    const Stored* const first =
        room.spectra + (cut.channels + first_pair) * lanes * std::int64_t{n};
    stages.inverse(team, room.points,
                   [=](std::int32_t place, std::int32_t pair, Point& sum, Point& next_sum) {
                     sum = next_sum = {{Scalar(0)}, {Scalar(0)}};
                     if (pair >= left) return;
                     const Stored* from = first + (pair * lanes * n + place);
                     SYNELIX_UNROLL(1)
                     for (std::int32_t i = 0; i < lanes; ++i, from += n) {
                       Point value;
                       Point next;
                       spectral::load_pair(from, value, next);
                       sum = sum + value;
                       next_sum = next_sum + next;
                     }
                   });
    stages.rows(team, room.points,
                [=](std::int32_t pair, const spectral::Places& places, const auto& transform) {
                  transform(DeviceConvRowsBack<Scalar>{room.points, places,
                                                       &room.lanes[pair].failed, number});
                });
    team.team_barrier();
    const Range taps = cut.parts.of(item.part);
    const auto rows = static_cast<std::int32_t>(cut.blocks.rows);
    const auto spacing =
        static_cast<std::int32_t>(index::smaller(cut.parts.spacing, std::int64_t{2} * n));
    for_each_item(
        team, std::int64_t{index::smaller(lanes, left)} * taps.size(), [=, this](std::int64_t i) {
          const auto pair = static_cast<std::int32_t>(i / taps.size());
          const auto k = static_cast<std::int32_t>(i % taps.size());
          const std::int32_t at = rows - 1 + k * spacing;
          const Stored& point = room.points[spectral::slot_of(pair * n + (at < n ? at : at - n))];
          const std::int64_t c = (first_pair + pair) / results;
          const std::int64_t o = (first_pair + pair) % results;
          store(room, item, slice, c, o, k, room.lanes[pair].failed == number,
                at < n ? point.re : point.im);
        });
    team.team_barrier();
  }

  /// Adds the sum of a slice for tap k of the item's part: the result of the transform plus the
  /// terms left out of it; or all terms.
  KOKKOS_FUNCTION void store(const Room& room, const Item& item, const Slice& slice, std::int64_t c,
                             std::int64_t o, std::int32_t k, bool has_failed, Scalar given) const {
    Scalar sum = has_failed ? Scalar(0) : given;
    for (std::int64_t pack = slice.packs.begin; pack < slice.packs.end; ++pack) {
      for (std::int32_t i = 0; i < stages.lanes; ++i) {
        const std::uint32_t* const marks = marks_of(room, pack - slice.packs.begin, i);
        const bool is_marked = ((marks[0] >> c | marks[1] >> o) & 1U) != 0;
        if (!has_failed && !is_marked) continue;
        sum += block_sum(item, cut.blocks.block(pack * stages.lanes + i, problem.batch),
                         item.channels.begin + c, item.output_channels.begin + o, k);
      }
    }
    const std::int64_t pair =
        (item.partial * problem.groups + item.group) * problem.output_channels * problem.channels +
        (item.output_channels.begin + o) * problem.channels + item.channels.begin + c;
    Scalar& to = sums[pair * problem.axes[2].taps + cut.parts.of(item.part).begin + k];
    to = slice.is_first ? sum : to + sum;
  }

  /// The sum of the products of a block, position by position.
  KOKKOS_FUNCTION Scalar block_sum(const Item& item, const ConvBlocks::Block& block, std::int64_t c,
                                   std::int64_t o, std::int32_t k) const {
    const std::int64_t first = problem.axes[2].pass().source +
                               (cut.parts.of(item.part).begin + k) * problem.axes[2].spacing;
    const DeviceConvLine seen = line();
    const DeviceConvLine gradient = gradient_line();
    Scalar sum = 0;
    for (std::int64_t p = block.positions.begin; p < block.positions.end; ++p) {
      sum = Kokkos::fma(
          seen.template value<Scalar>(block.entry, item.group * problem.channels + c, first + p),
          gradient.template value<Scalar>(block.entry, item.group * problem.output_channels + o, p),
          sum);
    }
    return sum;
  }
};

}  // namespace synelix::sweep
