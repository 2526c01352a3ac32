// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "convolve/fft/fft_lane.hpp"
#include "convolve/fft/fft_recompute.hpp"
#include "launch/device_stages.hpp"
#include "launch/team.hpp"
#include "pack/comb.hpp"
#include "spectral/stage.hpp"

#include <Kokkos_Core.hpp>

#include <cstdint>

/// \file
/// Loads samples of blocks that a device transforms to the places of their points in scratch, and
/// computes the levels of each block. Values that are not finite are recorded, and replaced by
/// zero.

namespace synelix::sweep {

/// Loads samples of any type to the places of a butterfly. Those that are not finite are recorded.
template <class Scalar>
KOKKOS_INLINE_FUNCTION void put_samples(const DeviceStages<Scalar>& stages,
                                        const pack::ArraySource& source, FftLane<Scalar>& lane,
                                        const spectral::Places& places,
                                        spectral::StoredPoint<Scalar>* points) {
  constexpr std::int32_t count = 16;
  FftComb<Scalar> comb;
  const std::int32_t bits = stages.stages.column_bits;
  const std::int32_t step = 2 * places.odd;  // values from one point to the next
  auto* to = reinterpret_cast<Scalar*>(points + places.first);
  std::int32_t row = places.column;
  SYNELIX_UNROLL(1)
  for (int half = 0; half < 2; ++half, ++to, row += stages.stages.points) {
    const auto rows_to = [=](std::int32_t end) {
      const std::int32_t rows = end > row ? ((end - row - 1) >> bits) + 1 : 0;
      return rows < count ? rows : count;
    };
    // Places of a team's memory have 32 bits, because the registers of devices are few.
    // NOLINTBEGIN(bugprone-implicit-widening-of-multiplication-result)
    const std::int32_t begin = rows_to(lane.seen.begin);
    const std::int32_t end = rows_to(lane.seen.end);
    SYNELIX_UNROLL(1)
    for (std::int32_t q = 0; q < begin; ++q) to[q * step] = Scalar(0);
    SYNELIX_UNROLL(1)
    for (std::int32_t q = end; q < count; ++q) to[q * step] = Scalar(0);
    if (begin >= end) continue;
    const std::int64_t first = lane.first + row + (std::int64_t{begin} << bits);
    std::int32_t last_spoiled = -1;
    std::int32_t first_spoiled = count;
    Scalar* const own = to + begin * step;
    pack::read_comb<Scalar>(source.of(lane.strip.trial),
                            pack::Comb{lane.channel, first, std::int64_t{1} << bits, end - begin},
                            [&](std::int32_t j, Scalar value) {
                              const bool is_sound = is_finite(value);
                              if (!is_sound) value = Scalar(0);
                              own[j * step] = value;
                              comb.add(value);
                              if (is_sound) return;
                              last_spoiled = j;
                              if (first_spoiled == count) first_spoiled = j;
                            });
    // NOLINTEND(bugprone-implicit-widening-of-multiplication-result)
    if (last_spoiled >= 0) {
      lane.spoil({first + (std::int64_t{first_spoiled} << bits),
                  first + (std::int64_t{last_spoiled} << bits) + 1});
    }
  }
  lane.levels.add({comb.energy, comb.least, comb.smallest});
}

/// Loads samples that need no conversion to the places of a butterfly; returns false if any is not
/// finite. The levels are those of FftComb, with fewer instructions for complete halves.
template <class Scalar>
KOKKOS_INLINE_FUNCTION bool put_plain(const DeviceStages<Scalar>& stages,
                                      const pack::ArraySource& source, FftLane<Scalar>& lane,
                                      const spectral::Places& places,
                                      spectral::StoredPoint<Scalar>* points) {
  constexpr std::int32_t count = 16;
  constexpr Scalar most = Kokkos::Experimental::finite_max_v<Scalar>;
  const std::int32_t bits = stages.stages.column_bits;
  const std::int64_t comb_step = source.sample_stride << bits;
  const std::int32_t step = 2 * places.odd;  // values from one point to the next
  auto* to = reinterpret_cast<Scalar*>(points + places.first);
  std::int32_t row = places.column;
  const Scalar* from = static_cast<const Scalar*>(source.data) +
                       source.channels.offset(lane.channel - source.first_channel) +
                       (lane.first + row - source.first_sample) * source.sample_stride;
  const BlockRange seen = lane.seen;
  FftLevels<Scalar> levels{Scalar(0), most, most};
  Scalar previous = -1;
  const auto add = [&](Scalar square) {
    levels.energy += square;
    if (previous >= Scalar(0)) levels.least = Kokkos::min(levels.least, previous + square);
    previous = square;
  };
  // NOLINTBEGIN(bugprone-implicit-widening-of-multiplication-result)
  SYNELIX_UNROLL(1)
  for (int half = 0; half < 2; ++half, ++to, row += stages.stages.points) {
    if (seen.begin <= row && row + ((count - 1) << bits) < seen.end) {
      Scalar values[count];
      SYNELIX_UNROLL(16)
      for (int q = 0; q < count; ++q) values[q] = from[q * comb_step];
      SYNELIX_UNROLL(16)
      for (int q = 0; q < count; ++q) to[q * step] = values[q];
      add(values[0] * values[0]);
      SYNELIX_UNROLL(16)
      for (int q = 1; q < count; ++q) {
        const Scalar square = values[q] * values[q];
        const Scalar both = previous + square;
        levels.least = Kokkos::fmin(levels.least, both);
        if (q % 2 == 0) levels.energy += both;
        previous = square;
      }
      levels.energy += previous;
    } else {
      SYNELIX_UNROLL(1)
      for (std::int32_t q = 0; q < count; ++q) {
        const bool is_seen = seen.holds(row + (q << bits));
        const Scalar value = is_seen ? from[q * comb_step] : Scalar(0);
        to[q * step] = value;
        if (is_seen) add(value * value);
      }
    }
    from += stages.stages.points * source.sample_stride;
  }
  // NOLINTEND(bugprone-implicit-widening-of-multiplication-result)
  if (!is_finite(levels.energy)) return false;
  // If no two neighbors are both zero, their sums are enough, unless they are weak.
  if (levels.least > Scalar(0) && levels.least < most) {
    levels.smallest = Scalar(0);
  } else {
    const auto look_at = [&](Scalar value) {
      if (value != Scalar(0)) levels.smallest = Kokkos::min(levels.smallest, value * value);
    };
    SYNELIX_UNROLL(1)
    for (int q = 0; q < count; ++q) {
      look_at(points[places(q)].re);
      look_at(points[places(q)].im);
    }
  }
  lane.levels.add(levels);
  return true;
}

/// The samples of a butterfly: real parts at rows column + q columns, and imaginary parts n rows
/// further.
template <class Scalar>
KOKKOS_INLINE_FUNCTION void read_samples(const DeviceStages<Scalar>& stages,
                                         const pack::ArraySource& source, FftLane<Scalar>& lane,
                                         const spectral::Places& places,
                                         spectral::StoredPoint<Scalar>* points,
                                         spectral::Point<Scalar> (&samples)[16]) {
  const pack::ArraySource& own = source.of(lane.strip.trial);
  constexpr auto plain = sizeof(Scalar) == 4 ? StoredType::float32 : StoredType::float64;
  if (own.type != plain || own.is_scaled() || !put_plain(stages, own, lane, places, points)) {
    put_samples(stages, source, lane, places, points);
  }
  DeviceStages<Scalar>::load_all(points, places, samples);
}

/// Stores counts at the samples of events, and zeros elsewhere.
template <class Team, class Scalar>
KOKKOS_FUNCTION void put_events(const Team& team, const DeviceStages<Scalar>& stages,
                                const pack::EventSource& source, FftLane<Scalar>* lanes,
                                spectral::StoredPoint<Scalar>* points) {
  const std::int32_t n = stages.stages.points;
  const std::int32_t of_lane = n / 16;
  for_each_item(team, stages.lanes * spectral::slots_of(n),
                [=](std::int64_t i) { points[i] = {Scalar(0), Scalar(0)}; });
  team.team_barrier();
  for_each_item(team, stages.lanes * of_lane, [=, &source](std::int64_t i) {
    const auto number = static_cast<std::int32_t>(i) / of_lane;
    FftLane<Scalar>& lane = lanes[number];
    FftComb<Scalar> comb;
    pack::read_events<Scalar>(source.of(lane.strip.trial), lane.channel,
                              {lane.first + lane.seen.begin, lane.first + lane.seen.end},
                              i % of_lane, of_lane, [&](std::int64_t sample, Scalar value) {
                                if (!is_finite(value)) {
                                  lane.spoil({sample, sample + 1});
                                  value = Scalar(0);
                                }
                                const auto row = static_cast<std::int32_t>(sample - lane.first);
                                spectral::StoredPoint<Scalar>& point =
                                    points[spectral::slot_of(number * n + row % n)];
                                (row < n ? point.re : point.im) = value;
                                comb.add(value);
                              });
    // There are zeros between events.
    if (comb.previous >= Scalar(0)) lane.levels.add({comb.energy, Scalar(0), comb.smallest});
  });
  team.team_barrier();
}

}  // namespace synelix::sweep
