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
/// Samples of blocks that a device transforms, to the places of their points in scratch, and the
/// levels of each block. What is not finite is noted, and taken for zero.

namespace synelix::sweep {

/// The samples of a butterfly: rows column + q columns and, n further, the imaginary parts.
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

/// Counts at their samples, zeros elsewhere.
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
    // Between events are zeros.
    if (comb.previous >= Scalar(0)) lane.levels.add({comb.energy, Scalar(0), comb.smallest});
  });
  team.team_barrier();
}

}  // namespace synelix::sweep
