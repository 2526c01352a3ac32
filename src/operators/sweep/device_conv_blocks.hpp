// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "index/conv_axes.hpp"
#include "index/range.hpp"
#include "launch/canonical.hpp"
#include "launch/device_levels.hpp"
#include "launch/device_stages.hpp"
#include "launch/launch.hpp"
#include "launch/team.hpp"
#include "operators/problem/conv_problem.hpp"
#include "operators/problem/device_conv_fft_cut.hpp"
#include "tune/conv_sizes.hpp"
#include "tune/tiles.hpp"

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

/// \file
/// Common parts of convolution operators by transforms on a device: the blocks that a team
/// transforms together, its lanes; the loading of their samples; and their weak rows
/// (spectral/levels.hpp).
///
/// While threads read samples, they find a lower bound of the energy of all windows, at the cost of
/// a few instructions (launch/device_levels.hpp). If it is too small, and if windows reach beyond a
/// zero-padded end of a source, energies are summed again, in an order that depends only on the
/// block. So the weak rows depend only on their block.

namespace synelix::sweep {

/// A line of positions of a source, with its padding.
struct DeviceConvLine {
  pack::ConvSource source;
  std::int64_t extent = 0;
  index::PaddingMode padding_mode = index::PaddingMode::zero;

  /// Whether a position has a value, and is not zero padding.
  [[nodiscard]] KOKKOS_INLINE_FUNCTION bool holds(std::int64_t at) const {
    return padding_mode != index::PaddingMode::zero || (at >= 0 && at < extent);
  }
  template <class Scalar>
  [[nodiscard]] KOKKOS_INLINE_FUNCTION Scalar value(std::int64_t entry, std::int64_t channel,
                                                    std::int64_t at) const {
    const std::int64_t position = index::padded_position(at, extent, padding_mode);
    if (position < 0) return Scalar(0);
    return pack::conv_value<Scalar>(source, channel,
                                    entry * source.batch_stride + channel * source.channel_stride +
                                        position * source.space_strides[2]);
  }
};

/// A block that a team transforms, in the team's scratch.
template <class Scalar>
struct DeviceConvLane {
  std::int64_t entry;
  std::int64_t begin;       ///< its first position
  std::int32_t positions;   ///< 0: none
  std::int32_t weak_begin;  ///< range that contains all weak rows
  std::int32_t weak_end;    ///< end of this range
  std::uint32_t failed;     ///< number of the last output with a result that is not finite
  // The following alternate between two inputs: threads may still read one while the next is
  // prepared.
  std::uint32_t is_spoiled[2];  ///< whether any sample is not finite
  FftLevels<Scalar> levels[2];

  KOKKOS_INLINE_FUNCTION void take(const ConvBlocks::Block& block) {
    entry = block.entry;
    begin = block.positions.begin;
    positions = static_cast<std::int32_t>(block.positions.size());
    weak_begin = weak_end = 0;
    clear(0);
    clear(1);
  }
  KOKKOS_INLINE_FUNCTION void clear(int turn) {
    levels[turn].clear();
    is_spoiled[turn] = 0;
  }
  [[nodiscard]] KOKKOS_INLINE_FUNCTION bool is_weak(std::int32_t row) const {
    return weak_begin <= row && row < weak_end;
  }
};
static_assert(sizeof(DeviceConvLane<double>) <= device_conv_lane_bytes);

/// The scratch of a team, and the places of its parts.
template <class Scalar>
struct DeviceConvRoom {
  using Stored = spectral::StoredPoint<Scalar>;

  Stored* points;
  Stored* spectra;  ///< (spectrum, lane, place)
  DeviceConvLane<Scalar>* lanes;
  std::uint32_t* marks;  ///< defined by the sweep

  template <class Team>
  KOKKOS_FUNCTION DeviceConvRoom(const Team& team, const DeviceConvFftScratch& scratch) {
    auto* at = team_memory<std::byte>(team, scratch.bytes());
    points = reinterpret_cast<Stored*>(at);
    at += scratch.points_bytes();
    spectra = reinterpret_cast<Stored*>(at);
    at += scratch.spectra_bytes();
    static_assert(sizeof(DeviceConvLane<Scalar>) <= device_conv_lane_bytes);
    lanes = reinterpret_cast<DeviceConvLane<Scalar>*>(at);
    at += scratch.lanes * device_conv_lane_bytes;
    marks = reinterpret_cast<std::uint32_t*>(at);
  }
};

/// A team of a sweep: a thread for each butterfly of 16 points, at most a full team.
inline TeamShape device_conv_team(const DeviceConvFftScratch& scratch, std::int64_t teams) {
  const std::int64_t threads =
      index::smaller(std::int64_t{tune::device_fft_team}, scratch.lanes * scratch.points / 16);
  return {index::larger(1, teams),
          static_cast<int>(index::larger(std::int64_t{tune::device_fft_fewest}, threads)),
          scratch.bytes()};
}

/// Stores the samples of a butterfly in the places of its points: real parts at rows column + q
/// columns, and the imaginary parts n rows further. Rows [begin, end) are `sample(row)`, all others
/// zeros. Values that are not finite are recorded, and replaced by zero.
template <bool has_levels, class Scalar, class Sample>
KOKKOS_INLINE_FUNCTION void put_conv_samples(std::int32_t n, const spectral::Places& places,
                                             std::int32_t begin, std::int32_t end,
                                             spectral::StoredPoint<Scalar>* points,
                                             DeviceConvLane<Scalar>& lane, int turn,
                                             const Sample& sample) {
  FftComb<Scalar> comb;
  bool is_spoiled = false;
  const std::int32_t columns = n / 16;
  auto* to = reinterpret_cast<Scalar*>(points + places.first);
  std::int32_t row = places.column;
  SYNELIX_UNROLL(1)
  for (int half = 0; half < 2; ++half, ++to) {
    SYNELIX_UNROLL(1)
    for (std::int32_t q = 0; q < 16; ++q, row += columns) {
      Scalar value = 0;
      if (begin <= row && row < end) {
        value = sample(row);
        if (!is_finite(value)) {
          value = Scalar(0);
          is_spoiled = true;
        }
        if constexpr (has_levels) comb.add(value);
      }
      to[std::int64_t{2} * places.odd * q] = value;
    }
  }
  if (is_spoiled) Kokkos::atomic_max(&lane.is_spoiled[turn], std::uint32_t{1});
  if constexpr (has_levels) lane.levels[turn].add({comb.energy, comb.least, comb.smallest});
}

/// Adds the products of two points of a spectrum with those of another one; the first products
/// overwrite.
template <class Scalar>
KOKKOS_INLINE_FUNCTION void add_conv_products(const spectral::Point<Scalar>& first,
                                              const spectral::Point<Scalar>& second,
                                              const spectral::StoredPoint<Scalar>* kernel,
                                              bool is_first, spectral::StoredPoint<Scalar>* to) {
  const auto add = [](const spectral::Point<Scalar>& value, const spectral::Point<Scalar>& turn,
                      spectral::Point<Scalar>& sum) {
    sum.re = subtract_product(multiply_add(turn.re, value.re, sum.re), turn.im, value.im);
    sum.im = multiply_add(turn.im, value.re, multiply_add(turn.re, value.im, sum.im));
  };
  spectral::Point<Scalar> turns[2];
  spectral::Point<Scalar> sums[2] = {{{Scalar(0)}, {Scalar(0)}}, {{Scalar(0)}, {Scalar(0)}}};
  spectral::load_pair(kernel, turns[0], turns[1]);
  if (!is_first) spectral::load_pair(to, sums[0], sums[1]);
  add(first, turns[0], sums[0]);
  add(second, turns[1], sums[1]);
  spectral::store_pair(to, sums[0], sums[1]);
}

/// Stores the rows of a butterfly of the last inverse pass in the places of its points. Records
/// rows that are not finite; point 15 comes last (spectral/butterfly.hpp).
template <class Scalar>
struct DeviceConvRowsBack {
  spectral::StoredPoint<Scalar>* points;
  spectral::Places places;
  std::uint32_t* failed;
  std::uint32_t output;
  mutable Scalar not_finite = 0;  ///< NaN once a row is not finite

  KOKKOS_INLINE_FUNCTION void operator()(int k, const spectral::Point<Scalar>& value) const {
    points[places(k)] = spectral::stored(value);
    // Only NaN and Inf times zero are not zero.
    not_finite = Kokkos::fma(value.re.value, Scalar(0), not_finite);
    not_finite = Kokkos::fma(value.im.value, Scalar(0), not_finite);
    if (k == 15 && not_finite != Scalar(0)) Kokkos::atomic_max(failed, output);  // numbers grow
  }
};

/// The samples for the rows of a block in some channels: row r reads, for each part, the positions
/// from `first + shift + r` on.
struct DeviceConvSight {
  DeviceConvParts parts;
  std::int64_t entry = 0;
  std::int64_t channel = 0;  ///< of the array
  std::int64_t channels = 1;
  std::int64_t first = 0;
  std::int32_t rows = 0;

  /// Positions that every part of a row has: the last part may have fewer taps.
  [[nodiscard]] KOKKOS_INLINE_FUNCTION std::int64_t core() const {
    return parts.ahead(parts.count - 1) + 1;
  }
  /// Whether the windows of any row reach zero padding of the source.
  [[nodiscard]] KOKKOS_INLINE_FUNCTION bool reaches_over(const DeviceConvLine& line) const {
    return rows > 0 && !(line.holds(first) && line.holds(first + rows - 1 + parts.window() - 1));
  }
};

/// Whether any row of a block may be weak, by the lower bounds of its threads. A window with fewer
/// samples than an eighth of the points may be between two of them (FftComb).
template <class Scalar>
KOKKOS_FUNCTION bool may_be_weak(const DeviceConvLane<Scalar>& lane, const DeviceConvSight& sight,
                                 const DeviceConvLine& line, std::int32_t n, int turn) {
  if (sight.rows == 0) return false;
  FftLevels<Scalar> levels = lane.levels[turn];
  if (sight.core() < n / 8) levels.least = Scalar(0);
  return lane.is_spoiled[turn] != 0 || levels.may_be_weak(levels.energy) ||
         sight.reaches_over(line);
}

/// The energies of the segments of blocks, and their weak rows.
template <class Scalar, class SightOf>
struct DeviceConvEnergies {
  const DeviceConvRoom<Scalar>& room;
  const DeviceConvFftScratch& scratch;
  const DeviceConvLine& line;
  const SightOf& sight_of;  ///< (lane)

  /// Sets the weak rows of all lanes. Uses the memory of the points.
  template <class Team>
  KOKKOS_FUNCTION void find_weak(const Team& team) const {
    const auto segments = static_cast<std::int32_t>(scratch.segments());
    const auto lanes = static_cast<std::int32_t>(scratch.lanes);
    const auto samples = static_cast<std::int32_t>(2 * scratch.points);
    const std::int32_t length = samples / segments;
    const std::int32_t each = segments / static_cast<std::int32_t>(device_conv_run);
    auto* const sums = reinterpret_cast<double*>(room.points);
    double* const runs = sums + std::int64_t{lanes} * segments;
    DeviceConvLane<Scalar>* const all = room.lanes;
    const DeviceConvLine seen = line;
    const SightOf sight = sight_of;
    for_each_item(team, std::int64_t{lanes} * segments, [=](std::int64_t i) {
      const auto s = static_cast<std::int32_t>(i % segments);
      const auto lane = static_cast<std::int32_t>(i / segments);
      const DeviceConvSight own = sight(all[lane]);
      sums[i] = energy_of_segment(seen, own, s * length, (s + 1) * length);
      if (s > 0) return;
      all[lane].weak_begin = own.rows;
      all[lane].weak_end = 0;
    });
    team.team_barrier();
    for_each_item(team, std::int64_t{lanes} * each, [=](std::int64_t i) {
      double sum = 0;
      for (std::int64_t s = 0; s < device_conv_run; ++s) sum += sums[i * device_conv_run + s];
      runs[i] = sum;
    });
    team.team_barrier();
    for_each_item(team, std::int64_t{lanes} * samples, [=](std::int64_t i) {
      const auto row = static_cast<std::int32_t>(i % samples);
      const auto lane = static_cast<std::int32_t>(i / samples);
      const DeviceConvSight own = sight(all[lane]);
      if (row >= own.rows) return;
      double energy = 0;
      for (std::int32_t r = 0; r < each; ++r) energy += runs[lane * each + r];
      if (!is_weak(seen, own, row, spectral::weak_share * energy,
                   sums + std::int64_t{lane} * segments, length)) {
        return;
      }
      Kokkos::atomic_min(&all[lane].weak_begin, row);
      Kokkos::atomic_max(&all[lane].weak_end, row + 1);
    });
    team.team_barrier();
  }

 private:
  /// The energy of rows [begin, end) of a block in the reach of its parts, over all channels.
  KOKKOS_FUNCTION static double energy_of_segment(const DeviceConvLine& line,
                                                  const DeviceConvSight& sight, std::int32_t begin,
                                                  std::int32_t end) {
    double energy = 0;
    if (sight.rows == 0) return energy;
    for (std::int64_t c = 0; c < sight.channels; ++c) {
      for (std::int64_t part = 0; part < sight.parts.count; ++part) {
        const std::int64_t last = index::smaller(end, sight.rows + sight.parts.ahead(part));
        const std::int64_t first = sight.first + sight.parts.shift(part);
        for (std::int64_t r = begin; r < last; ++r) {
          const auto value =
              static_cast<double>(line.value<Scalar>(sight.entry, sight.channel + c, first + r));
          energy += value * value;
        }
      }
    }
    return energy;
  }

  KOKKOS_FUNCTION static bool is_weak(const DeviceConvLine& line, const DeviceConvSight& sight,
                                      std::int32_t row, double enough, const double* sums,
                                      std::int32_t length) {
    if (!is_finite(enough)) return true;
    double core = 0;
    const std::int64_t end = row + sight.core();
    for (std::int64_t s = index::ceil_divide(row, length); (s + 1) * length <= end; ++s) {
      core += sums[s];
      if (core >= enough) return false;
    }
    double energy = 0;
    std::int64_t existing = 0;
    bool is_any = false;
    const std::int64_t window = sight.parts.window();
    for (std::int64_t c = 0; c < sight.channels; ++c) {
      for (std::int64_t i = 0; i < window; ++i) {
        const std::int64_t at = sight.first + row + i;
        if (!line.holds(at)) continue;
        const auto value =
            static_cast<double>(line.value<Scalar>(sight.entry, sight.channel + c, at));
        energy += value * value;
        is_any = is_any || value != 0.0;
        ++existing;
      }
    }
    const double share =
        static_cast<double>(existing) / static_cast<double>(window * sight.channels);
    return is_any && energy < enough * share;
  }
};

}  // namespace synelix::sweep
