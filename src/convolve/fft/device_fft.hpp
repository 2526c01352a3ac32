// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "convolve/fft/device_bank.hpp"
#include "convolve/fft/fft_lane.hpp"
#include "convolve/fft/fft_recompute.hpp"
#include "convolve/fft/fft_rows.hpp"
#include "convolve/fft/fft_samples.hpp"
#include "convolve/sweep/problem.hpp"
#include "index/range.hpp"
#include "launch/device_stages.hpp"
#include "launch/team.hpp"
#include "pack/comb.hpp"
#include "tune/tiles.hpp"

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

/// \file
/// The FFT method on devices as a parallel loop: overlap-save with strips, blocks and work items as
/// on a host (convolve/fft/fft.hpp). A run for a part of the rows gives the same bits as a run for
/// all rows.
///
/// A team transforms a few blocks together, its lanes. Their spectra stay in scratch. For each
/// basis, the product with the bank's spectra is transformed back in a second buffer there, and the
/// last pass stores rows from registers. Neighboring threads have neighboring samples, so that
/// features with the sample fastest are written in contiguous runs.
///
/// With the window in parts (convolve/fft/fft.hpp), a lane goes through its strip block by block,
/// and the spectra of the last blocks are in the team's share of the workspace.
///
/// Samples that are not finite are replaced by zeros when they are loaded. The rows with these
/// samples in their windows are summed at the end, and so are all rows of a block if a transform
/// overflows. Weak rows are computed by another launch (convolve/fft/device_weak_rows.hpp).

namespace synelix::sweep {

/// The functor. `Source` is pack::ArraySource or pack::EventSource. A team needs
/// spectral::stage_scratch_bytes of scratch and stage_ring_bytes of the workspace.
template <class Scalar, class Source, bool has_parts>
struct DeviceFftSweep {
  using Bounds = Kokkos::LaunchBounds<tune::device_fft_team,
                                      has_parts ? 1 : tune::device_fft_teams(sizeof(Scalar))>;
  using Stored = spectral::StoredPoint<Scalar>;
  using Point = spectral::Point<Scalar>;
  using Lane = FftLane<Scalar>;

  Problem<Scalar> problem;
  Source source;
  FeatureTarget<Scalar> features;
  index::WorkGrid grid;
  Workspace workspace;
  DeviceBank<Scalar> bank;
  std::int32_t* suspect;  ///< not 0 after the launch: rows may be weak, see DeviceWeakRows
  Record record;

  /// If teams have no memory of their own, there can be more teams than can run at once.
  [[nodiscard]] TeamShape team_shape(std::int64_t items, std::int64_t teams) const {
    const std::int64_t most = teams * (has_parts ? 1 : tune::device_fft_waves);
    return bank.team_shape(index::smaller(items, most));
  }

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    Work work = work_of(team);
    for_each_team_item(team, grid.size(), workspace.teams, [&](std::int64_t i) {
      const index::WorkItem item = grid.item(i);
      if (record.items != nullptr) {
        for_each_item(team, 1, [=, this](std::int64_t) { record.items[i] = item; });
      }
      work.bases = {static_cast<std::int32_t>(item.bases.begin),
                    static_cast<std::int32_t>(item.bases.end)};
      const LaneGrid lanes{item};
      const auto count = static_cast<std::int32_t>(lanes.size());
      for (std::int32_t lane = 0; lane < count; lane += bank.stages.lanes) {
        locate(team, work, lanes, lane);
        work.is_first = false;
        if constexpr (has_parts) {
          compute_strips(team, work);
        } else {
          compute_blocks(team, work);
        }
      }
    });
  }

 private:
  /// The memory of a team, and its state: the same for all threads.
  struct Work {
    Lane* lanes;
    Stored* points;
    Stored* spectra;         ///< of one block of each lane, or of the last blocks in turn
    std::uint32_t* failed;   ///< number of the last output with a result that is not finite in any
                             ///< lane
    std::uint32_t* spoiled;  ///< number of the last block with samples that are not finite in any
                             ///< lane
    std::uint32_t* ragged;   ///< number of the last block with a lane whose `is_whole` is false
    BlockRange bases;
    bool is_first = true;
    std::uint32_t outputs = 0;    ///< so far
    std::uint32_t blocks = 0;     ///< of the lanes, so far
    bool has_values = false;      ///< whether any row of the lanes' block has a value
    bool is_missing_any = false;  ///< whether any has none
    std::int32_t newest = 0;      ///< place of the last block's spectra among those of the parts
    std::int32_t parts = 1;       ///< blocks whose products are summed
  };

  template <class Team>
  KOKKOS_FUNCTION Work work_of(const Team& team) const {
    const std::int64_t lanes = bank.stages.lanes;
    const std::int64_t n = bank.sizes.points;
    auto* const memory = team_memory<std::byte>(team, spectral::stage_scratch_bytes(bank.sizes));
    Work work;
    work.points = reinterpret_cast<Stored*>(memory);
    auto* end = memory + lanes * spectral::slots_of(n) * static_cast<std::int64_t>(sizeof(Stored));
    if constexpr (has_parts) {
      work.spectra =
          reinterpret_cast<Stored*>(workspace.data + team.league_rank() * workspace.bytes);
    } else {
      work.spectra = reinterpret_cast<Stored*>(end);
      end += lanes * n * static_cast<std::int64_t>(sizeof(Stored));
    }
    work.lanes = reinterpret_cast<Lane*>(end);
    work.failed = reinterpret_cast<std::uint32_t*>(end + lanes * spectral::stage_lane_bytes);
    work.spoiled = work.failed + 1;
    work.ragged = work.failed + 2;
    return work;
  }

  /// The spectra of all lanes at a place of the ring.
  [[nodiscard]] KOKKOS_INLINE_FUNCTION Stored* spectra_at(const Work& work,
                                                          std::int32_t place) const {
    if constexpr (!has_parts) return work.spectra;
    return work.spectra + std::int64_t{place} * bank.stages.lanes * bank.sizes.points;
  }

  template <class Team>
  KOKKOS_FUNCTION void locate(const Team& team, const Work& work, const LaneGrid& grid_of_item,
                              std::int64_t first_lane) const {
    for_each_item(team, bank.stages.lanes, [=, this](std::int64_t i) {
      Lane& lane = work.lanes[i];
      if (work.is_first && i == 0) *work.failed = *work.spoiled = *work.ragged = 0;
      locate_lane(problem, grid_of_item, first_lane + i, work.is_first, lane);
      if constexpr (!has_parts) {
        lane.set_block(problem, features, lane.strip, bank.sizes, true);
      }
    });
    team.team_barrier();
  }

  /// One block of each lane.
  template <class Team>
  KOKKOS_FUNCTION void compute_blocks(const Team& team, Work& work) const {
    look_at_rows(work);
    if (work.has_values) {
      take_in(team, work);
      give_out(team, work);
    }
    store_missing(team, work);
  }
  /// The properties of the lanes' current block that all threads need.
  KOKKOS_FUNCTION void look_at_rows(Work& work) const {
    ++work.blocks;
    std::uint32_t rows = 0;
    for (std::int32_t i = 0; i < bank.stages.lanes; ++i) rows |= work.lanes[i].kinds_of_rows;
    work.has_values = (rows & Lane::valued_rows) != 0;
    work.is_missing_any = (rows & Lane::missing_rows) != 0;
  }

  /// The strips of all lanes, block by block. It starts with as many blocks before them as their
  /// windows reach back.
  template <class Team>
  KOKKOS_FUNCTION void compute_strips(const Team& team, Work& work) const {
    const auto before = static_cast<std::int32_t>(bank.sizes.parts - 1);
    Range all{};
    Range with_value{};
    for (std::int32_t i = 0; i < bank.stages.lanes; ++i) {
      const index::Strip& strip = work.lanes[i].strip;
      all = index::hull(all, blocks_of(strip, {0, strip.rows}));
      with_value = index::hull(with_value,
                               blocks_of(strip, index::valued_rows(strip, problem.layout.every)));
    }
    const auto begin = static_cast<std::int32_t>(all.begin) - before;
    const auto end = static_cast<std::int32_t>(all.end);
    const BlockRange needed{static_cast<std::int32_t>(with_value.begin) - before,
                            static_cast<std::int32_t>(with_value.end)};
    work.parts = 0;
    for (std::int32_t k = begin; k < end; ++k) {
      cut(team, work, k);
      look_at_rows(work);
      // Blocks before the first one with samples are zero.
      const bool has_begun =
          work.parts > 0 || work.has_values ||
          any_lane(work, [](const Lane& lane) { return lane.seen.begin < lane.seen.end; });
      if (needed.holds(k) && has_begun) {
        work.newest = work.parts == 0 || work.newest + 1 == bank.sizes.parts ? 0 : work.newest + 1;
        if (work.parts < bank.sizes.parts) ++work.parts;
        take_in(team, work);
      }
      if (work.has_values) give_out(team, work);
      store_missing(team, work);
    }
  }

  template <class Is>
  [[nodiscard]] KOKKOS_INLINE_FUNCTION bool any_lane(const Work& work, const Is& is) const {
    bool is_any = false;
    for (std::int32_t i = 0; i < bank.stages.lanes; ++i) is_any = is_any || is(work.lanes[i]);
    return is_any;
  }

  /// The blocks of a strip that contain any of the requested `rows`.
  [[nodiscard]] KOKKOS_FUNCTION Range blocks_of(const index::Strip& strip, Range rows) const {
    const Range asked =
        index::common(rows, {features.rows.begin - strip.row, features.rows.end - strip.row});
    if (asked.size() == 0) return {};
    return {asked.begin / bank.sizes.block_rows,
            index::ceil_divide(asked.end, bank.sizes.block_rows)};
  }

  /// Moves lanes to block k of their strips. A lane gets no rows if its block is not needed, since
  /// a caller's samples may end before it.
  template <class Team>
  KOKKOS_FUNCTION void cut(const Team& team, const Work& work, std::int64_t k) const {
    for_each_item(team, bank.stages.lanes, [=, this](std::int64_t i) {
      Lane& lane = work.lanes[i];
      const Range asked = blocks_of(lane.strip, {0, lane.strip.rows});
      index::Strip block =
          index::block_of(lane.strip, k, bank.sizes.block_rows, problem.layout.every);
      if (asked.size() == 0 || k < asked.begin - (bank.sizes.parts - 1) || k >= asked.end) {
        block.rows = 0;
      }
      lane.set_block(problem, features, block, bank.sizes, k >= asked.begin);
      const std::int64_t oldest = lane.first + bank.first_row + 1 - problem.window;
      if (lane.spoiled.end <= oldest) lane.clear_spoiled();
    });
    team.team_barrier();
  }

  /// Samples to spectra.
  template <class Team>
  KOKKOS_FUNCTION void take_in(const Team& team, const Work& work) const {
    if constexpr (requires { source.begins; }) {
      put_events(team, bank.stages, source, work.lanes, work.points);
      bank.stages.forward(team, work.points, [](std::int32_t, const spectral::Places&) {});
    } else {
      bank.stages.forward_of(
          team, work.points,
          [=, this](std::int32_t lane, const spectral::Places& places, Point(&samples)[16])
              __attribute__((always_inline)) {
                read_samples(bank.stages, source, work.lanes[lane], places, work.points, samples);
              });
    }
    bank.stages.store_spectra(team, work.points, spectra_at(work, work.newest));
    // After the barriers of the passes, and before those of the next block.
    for_each_item(team, bank.stages.lanes, [=, this](std::int64_t i) {
      Lane& lane = work.lanes[i];
      const std::int64_t samples_of_comb = bank.stages.stages.points / 8;  // see FftComb
      if (bank.sizes.part_taps < samples_of_comb) lane.levels.least = Scalar(0);
      if (lane.may_be_weak(bank.sizes.parts)) Kokkos::atomic_max(suspect, std::int32_t{1});
      lane.is_careful =
          !(bank.cannot_overflow && lane.most_energy <= Scalar(safe_energy<Scalar>()));
      lane.is_whole = problem.layout.every == 1 && !lane.is_careful &&
                      FftRows<Scalar>::are_whole(bank, lane.valued);
      // Several threads may store the same number.
      if (lane.is_spoiled()) Kokkos::atomic_store(work.spoiled, work.blocks);
      if (!lane.is_whole) Kokkos::atomic_store(work.ragged, work.blocks);
    });
  }

  /// Spectra to the rows of all bases.
  template <class Team>
  KOKKOS_FUNCTION void give_out(const Team& team, Work& work) const {
    const Stored* kernel = bank.kernel(work.bases.begin, 0);
    const std::int64_t of_basis = bank.sizes.parts * bank.stages.stages.points;
    for (std::int32_t b = work.bases.begin; b < work.bases.end; ++b, kernel += of_basis) {
      ++work.outputs;
      if constexpr (has_parts) {
        sum_products(team, work, kernel);
        bank.stages.inverse_in_place(team, work.points);
      } else {
        bank.stages.inverse_of(team, work.points, work.spectra, kernel);
      }
      store_rows(team, work, b);
      if (problem.layout.every > 1) store_every(team, work, b);
      if (*work.failed == work.outputs) recompute(team, work, {b, b + 1}, true);
    }
    if (*work.spoiled == work.blocks) {
      if (*work.failed == work.outputs) team.team_barrier();  // some rows are summed a second time
      recompute(team, work, work.bases, false);
    }
  }

  /// Transforms points to rows of a basis. Lanes with `is_whole` store directly from registers.
  template <class Team>
  KOKKOS_FUNCTION void store_rows(const Team& team, const Work& work, std::int32_t basis) const {
    bank.stages.rows(team, work.points,
                     [=, this](std::int32_t number, const spectral::Places& places,
                               const auto& transform) __attribute__((always_inline)) {
                       Lane& lane = work.lanes[number];
                       if (!lane.is_whole) return;
                       transform(FftRows<Scalar>(bank, lane, places.column, basis));
                     });
    if (*work.ragged == work.blocks) {
      bank.stages.rows(team, work.points,
                       [=, this](std::int32_t number, const spectral::Places& places,
                                 const auto& transform) __attribute__((always_inline)) {
                         Lane& lane = work.lanes[number];
                         if (lane.is_whole) return;
                         transform([&](int k, const Point& value) __attribute__((always_inline)) {
                           work.points[places(k)] = spectral::stored(value);
                         });
                         const FftRows<Scalar> rows(bank, lane, places.column, basis);
                         rows.store_tested(bank, lane, places, problem.layout.every == 1,
                                           work.points, work.failed, work.outputs);
                       });
    }
    team.team_barrier();
  }

  /// The products of all parts, written to the buffer of the inverse transform.
  template <class Team>
  KOKKOS_FUNCTION void sum_products(const Team& team, const Work& work,
                                    const Stored* kernel) const {
    const std::int32_t n = bank.stages.stages.points;
    for_each_item(team, bank.stages.lanes * std::int64_t{n}, [=, this](std::int64_t i) {
      const auto at = static_cast<std::int32_t>(i);
      const std::int32_t place = at & (n - 1);
      Point sum{{Scalar(0)}, {Scalar(0)}};
      std::int32_t ring = work.newest;
      for (std::int32_t part = 0; part < work.parts; ++part) {
        const Point x = spectral::load(spectra_at(work, ring)[at]);
        const Point turn = spectral::load(kernel[part * n + place]);
        sum.re = subtract_product(multiply_add(turn.re, x.re, sum.re), turn.im, x.im);
        sum.im = multiply_add(turn.im, x.re, multiply_add(turn.re, x.im, sum.im));
        ring = ring == 0 ? static_cast<std::int32_t>(bank.sizes.parts) - 1 : ring - 1;
      }
      work.points[bank.stages.slot_of_place(place, at - place)] = spectral::stored(sum);
    });
    team.team_barrier();
  }

  /// Rows that are computed only at some of the samples (`every`).
  template <class Team>
  KOKKOS_FUNCTION void store_every(const Team& team, const Work& work, std::int64_t b) const {
    const std::int64_t rows = bank.sizes.block_rows;
    for_each_item(team, bank.stages.lanes * rows, [=, this](std::int64_t i) {
      const auto number = static_cast<std::int32_t>(i / rows);
      const auto row = static_cast<std::int32_t>(i % rows);
      const Lane& lane = work.lanes[number];
      if (!lane.valued.holds(row)) return;
      const std::int32_t n = bank.stages.stages.points;
      const auto at = static_cast<std::int32_t>(bank.first_row + row * problem.layout.every);
      const Stored& point = work.points[spectral::slot_of(number * n + (at < n ? at : at - n))];
      FftRows<Scalar>::store_row(lane.row_of(b, row), at < n ? point.re : point.im);
    });
    team.team_barrier();
  }

  /// Sums windows of rows directly: all rows of failed lanes; otherwise only rows whose windows
  /// contain values that are not finite. Of these it sums only those values, since their sums are
  /// not finite for any other samples. There is no barrier at the end: nothing that it reads or
  /// writes is accessed before the next one.
  template <class Team>
  KOKKOS_FUNCTION void recompute(const Team& team, const Work& work, BlockRange bases,
                                 bool has_all) const {
    const std::int64_t rows = bank.sizes.block_rows;
    for_each_item(team, bank.stages.lanes * rows, [=, this](std::int64_t i) {
      const Lane& lane = work.lanes[i / rows];
      const std::int64_t row = i % rows;
      if (!(has_all ? lane.failed == work.outputs : lane.is_spoiled())) return;
      if (!lane.valued.holds(static_cast<std::int32_t>(row))) return;
      const std::int64_t newest = lane.first + bank.first_row + row * problem.layout.every;
      const Range window{newest - problem.window + 1, newest + 1};
      const Range seen = has_all ? window : index::common(window, lane.spoiled);
      for (std::int32_t b = bases.begin; b < bases.end; ++b) {
        Scalar sum = 0;
        bool has_any = has_all;
        for (std::int64_t t = seen.end - 1; t >= seen.begin && sum == sum; --t) {
          const Scalar sample = sample_of(lane, source, t);
          if (!has_all && is_finite(sample)) continue;
          has_any = true;
          sum = Kokkos::fma(sample, problem.taps[(newest - t) * problem.bases + b], sum);
        }
        if (!has_any) return;
        *lane.row_of(b, row) = canonical(sum);
      }
    });
  }

  /// Stores NaN in the rows without a value.
  template <class Team>
  KOKKOS_FUNCTION void store_missing(const Team& team, const Work& work) const {
    if (work.is_missing_any) {
      for (std::int32_t number = 0; number < bank.stages.lanes; ++number) {
        const Lane& lane = work.lanes[number];
        const std::int32_t before = lane.valued.begin - lane.asked.begin;
        const std::int32_t missing = before + lane.asked.end - lane.valued.end;
        for_each_small_item(team, missing, [=](std::int32_t i) {
          const Lane& own = work.lanes[number];
          const std::int32_t row = i < before ? own.asked.begin + i : own.valued.end + (i - before);
          for (std::int32_t b = work.bases.begin; b < work.bases.end; ++b) {
            *own.row_of(b, row) = missing_value<Scalar>();
          }
        });
      }
    }
    team.team_barrier();
  }
};

}  // namespace synelix::sweep
