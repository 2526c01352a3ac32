// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "index/range.hpp"
#include "pack/comb.hpp"
#include "sweep/device_bank.hpp"
#include "sweep/device_stages.hpp"
#include "sweep/fft_lane.hpp"
#include "sweep/fft_mend.hpp"
#include "sweep/problem.hpp"
#include "sweep/team.hpp"
#include "tune/tiles.hpp"

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

/// \file
/// The FFT method on devices as a parallel loop: overlap-save with strips, blocks and work items as
/// on a host (sweep/fft.hpp), so that whoever asks for a part of the rows gets the bits that the
/// whole would have.
///
/// A team transforms a few blocks together, its lanes. Their spectra stay in scratch; basis by
/// basis the product with the bank's spectra is transformed back in a second buffer there, and the
/// last pass stores rows from registers: neighbouring threads have neighbouring samples, so that
/// features with the sample fastest are written in whole runs.
///
/// With the window in parts (sweep/fft_parts.hpp), a lane goes through its strip block by block,
/// and the spectra of the last blocks lie in the team's share of the workspace.
///
/// Samples that are not finite are taken for zeros as they come in. The rows that see them are
/// summed at the end, and so are all rows of a block where a transform overflows.

namespace synelix::sweep {

/// The functor. `Source` is pack::ArraySource or pack::EventSource. A team needs
/// spectral::stage_scratch_bytes of scratch and stage_ring_bytes of the workspace.
template <class Scalar, class Source, bool has_parts>
struct DeviceFftSweep {
  using Bounds = Kokkos::LaunchBounds<tune::device_fft_team, sizeof(Scalar) == 4 ? 2 : 1>;
  using Stored = spectral::StoredPoint<Scalar>;
  using Point = spectral::Point<Scalar>;
  using Lane = FftLane<Scalar>;

  Problem<Scalar> problem;
  Source source;
  Features<Scalar> features;
  index::WorkGrid grid;
  Workspace workspace;
  DeviceBank<Scalar> bank;
  Record record;

  /// Without memory of their own, there can be more teams than are in flight.
  [[nodiscard]] TeamShape team_shape(std::int64_t items, std::int64_t teams) const {
    const std::int64_t most = teams * (has_parts ? 1 : tune::device_fft_waves);
    return bank.team_shape(index::smaller(items, most));
  }

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    Work work = work_of(team);
    const TeamShare share = team_share(grid.size(), team.league_rank(), workspace.teams);
    for (std::int64_t i = share.begin; i < share.end; ++i) {
      const index::WorkItem item = grid.item(i);
      if (record.items != nullptr) {
        for_each_item(team, 1, [=, this](std::int64_t) { record.items[i] = item; });
      }
      work.bases = item.bases;
      const LaneGrid lanes{item};
      for (std::int64_t lane = 0; lane < lanes.size(); lane += bank.stages.lanes) {
        locate(team, work, lanes, lane);
        work.is_first = false;
        if constexpr (has_parts) {
          compute_strips(team, work);
        } else {
          compute_blocks(team, work);
        }
      }
    }
  }

 private:
  /// The memory of a team, and where it stands: the same for all threads.
  struct Work {
    Lane* lanes;
    Stored* points;
    Stored* spectra;       ///< of one block of each lane, or of the last blocks in turn
    std::int64_t* failed;  ///< number of the last output of which any lane came out not finite
    Range bases;
    bool is_first = true;
    std::int64_t outputs = 0;  ///< so far
    std::int32_t newest = 0;   ///< where the spectra of the last block are, of those of the parts
    std::int32_t parts = 1;    ///< blocks whose products are summed
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
    work.failed = reinterpret_cast<std::int64_t*>(end + lanes * spectral::stage_lane_bytes);
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
      if (work.is_first && i == 0) *work.failed = 0;
      locate_lane(problem, grid_of_item, first_lane + i, work.is_first, lane);
      if constexpr (!has_parts) {
        lane.set_block(problem, features, lane.strip, problem.window, true);
      }
    });
    team.team_barrier();
  }

  /// A block of each lane.
  template <class Team>
  KOKKOS_FUNCTION void compute_blocks(const Team& team, Work& work) const {
    if (any_lane(work, [](const Lane& lane) { return lane.has_values(); })) {
      take_in(team, work);
      give_out(team, work);
    }
    store_missing(team, work);
  }

  /// The strips of all lanes, block by block, from as many before them as their windows reach.
  template <class Team>
  KOKKOS_FUNCTION void compute_strips(const Team& team, Work& work) const {
    const std::int64_t before = bank.sizes.parts - 1;
    Range asked{};
    Range valued{};
    for (std::int32_t i = 0; i < bank.stages.lanes; ++i) {
      const index::Strip& strip = work.lanes[i].strip;
      asked = index::hull(asked, blocks_of(strip, {0, strip.rows}));
      valued =
          index::hull(valued, blocks_of(strip, index::valued_rows(strip, problem.layout.every)));
    }
    work.parts = 0;
    for (std::int64_t k = asked.begin - before; k < asked.end; ++k) {
      cut(team, work, k);
      const bool has_values = any_lane(work, [](const Lane& lane) { return lane.has_values(); });
      const bool is_needed = valued.begin - before <= k && k < valued.end;
      // Blocks before the first that has samples are zero.
      const bool has_begun = work.parts > 0 || has_values || any_lane(work, [](const Lane& lane) {
                               return lane.seen.begin < lane.seen.end;
                             });
      if (is_needed && has_begun) {
        work.newest = work.parts == 0 || work.newest + 1 == bank.sizes.parts ? 0 : work.newest + 1;
        if (work.parts < bank.sizes.parts) ++work.parts;
        take_in(team, work);
      }
      if (has_values) give_out(team, work);
      store_missing(team, work);
    }
  }

  template <class Is>
  [[nodiscard]] KOKKOS_INLINE_FUNCTION bool any_lane(const Work& work, const Is& is) const {
    bool is_any = false;
    for (std::int32_t i = 0; i < bank.stages.lanes; ++i) is_any = is_any || is(work.lanes[i]);
    return is_any;
  }

  /// The blocks of a strip that have any of its `rows` that are asked for.
  [[nodiscard]] KOKKOS_FUNCTION Range blocks_of(const index::Strip& strip, Range rows) const {
    const Range asked =
        index::common(rows, {features.rows.begin - strip.row, features.rows.end - strip.row});
    if (asked.size() == 0) return {};
    return {asked.begin / bank.sizes.block_rows,
            index::ceil_divide(asked.end, bank.sizes.block_rows)};
  }

  /// Lanes at block k of their strips: without rows where it is not needed, since a caller's
  /// samples may end before it.
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
      lane.set_block(problem, features, block, bank.sizes.part_taps, k >= asked.begin);
      const std::int64_t oldest = lane.first + bank.sizes.part_taps - problem.window;
      if (lane.spoiled.end <= oldest) lane.clear_spoiled();
    });
    team.team_barrier();
  }

  /// Samples to spectra.
  template <class Team>
  KOKKOS_FUNCTION void take_in(const Team& team, const Work& work) const {
    const std::int32_t n = bank.stages.stages.points;
    if constexpr (requires { source.begins; }) {
      put_events(team, work);
      bank.stages.forward(team, work.points, [](std::int32_t, const spectral::Places&) {});
    } else {
      bank.stages.forward(team, work.points,
                          [=, this](std::int32_t lane, const spectral::Places& places) {
                            put_samples(work.lanes[lane], places, work.points);
                          });
    }
    Stored* const spectra = spectra_at(work, work.newest);
    bank.stages.leaves(team, work.points,
                       [=](std::int32_t place, std::int32_t lane, const Point& value) {
                         spectra[lane * n + place] = spectral::stored(value);
                       });
  }

  /// The samples of a butterfly: rows column + q columns and, n further, the imaginary parts.
  KOKKOS_INLINE_FUNCTION void put_samples(Lane& lane, const spectral::Places& places,
                                          Stored* points) const {
    constexpr std::int32_t count = 16;
    const std::int32_t bits = bank.stages.stages.column_bits;
    const std::int32_t step = 2 * places.odd;  // values from one point to the next
    auto* to = reinterpret_cast<Scalar*>(points + places.first);
    std::int32_t row = places.column;
    SYNELIX_UNROLL(1)
    for (int half = 0; half < 2; ++half, ++to, row += bank.stages.stages.points) {
      const auto rows_to = [=](std::int32_t end) {
        const std::int32_t rows = end > row ? ((end - row - 1) >> bits) + 1 : 0;
        return rows < count ? rows : count;
      };
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
                                own[j * step] = is_sound ? value : Scalar(0);
                                if (is_sound) return;
                                last_spoiled = j;
                                if (first_spoiled == count) first_spoiled = j;
                              });
      if (last_spoiled >= 0) {
        lane.spoil({first + (std::int64_t{first_spoiled} << bits),
                    first + (std::int64_t{last_spoiled} << bits) + 1});
      }
    }
  }

  /// Counts at their samples, zeros elsewhere.
  template <class Team>
  KOKKOS_FUNCTION void put_events(const Team& team, const Work& work) const {
    const std::int32_t n = bank.stages.stages.points;
    const std::int32_t of_lane = n / 16;
    for_each_item(team, bank.stages.lanes * spectral::slots_of(n),
                  [=](std::int64_t i) { work.points[i] = {Scalar(0), Scalar(0)}; });
    team.team_barrier();
    for_each_item(team, bank.stages.lanes * of_lane, [=, this](std::int64_t i) {
      const auto number = static_cast<std::int32_t>(i) / of_lane;
      Lane& lane = work.lanes[number];
      pack::read_events<Scalar>(source.of(lane.strip.trial), lane.channel,
                                {lane.first + lane.seen.begin, lane.first + lane.seen.end},
                                i % of_lane, of_lane, [&](std::int64_t sample, Scalar value) {
                                  if (!is_finite(value)) {
                                    lane.spoil({sample, sample + 1});
                                    value = Scalar(0);
                                  }
                                  const auto row = static_cast<std::int32_t>(sample - lane.first);
                                  Stored& point =
                                      work.points[spectral::slot_of(number * n + row % n)];
                                  (row < n ? point.re : point.im) = value;
                                });
    });
    team.team_barrier();
  }

  /// Spectra to the rows of all bases.
  template <class Team>
  KOKKOS_FUNCTION void give_out(const Team& team, Work& work) const {
    const std::int32_t n = bank.stages.stages.points;
    for (std::int64_t b = work.bases.begin; b < work.bases.end; ++b) {
      ++work.outputs;
      const Stored* const kernel = bank.kernel(b, 0);
      bank.stages.inverse(team, work.points, [=, this](std::int32_t place, std::int32_t lane) {
        const std::int32_t at = lane * n + place;
        Point sum = spectral::times(spectral::load(spectra_at(work, work.newest)[at]),
                                    spectral::load(kernel[place]));
        if constexpr (has_parts) {
          std::int32_t ring = work.newest;
          for (std::int32_t part = 1; part < work.parts; ++part) {
            ring = ring == 0 ? static_cast<std::int32_t>(bank.sizes.parts) - 1 : ring - 1;
            const Point more = spectral::load(kernel[part * n + place]);
            const Point x = spectral::load(spectra_at(work, ring)[at]);
            sum.re = subtract_product(multiply_add(more.re, x.re, sum.re), more.im, x.im);
            sum.im = multiply_add(more.im, x.re, multiply_add(more.re, x.im, sum.im));
          }
        }
        return sum;
      });
      bank.stages.rows(team, work.points,
                       [=, this](std::int32_t lane, const spectral::Places& places) {
                         return RowStore(*this, work, lane, places, b);
                       });
      if (problem.layout.every > 1) store_every(team, work, b);
      if (*work.failed == work.outputs) mend(team, work, {b, b + 1}, true);
    }
    if (any_lane(work, [](const Lane& lane) { return lane.is_spoiled(); })) {
      mend(team, work, work.bases, false);
    }
  }

  /// The rows of one column of a lane, straight from registers; where not every sample has one,
  /// back to their places.
  struct RowStore {
    Stored* points;
    spectral::Places places;
    Scalar* to;
    std::int64_t row_stride;
    std::int64_t* failed;
    std::int64_t* lane_failed;
    std::int64_t output;
    std::int32_t n;
    std::int32_t bits;
    std::int32_t first;  ///< row 0 of the column, counted from the first that is stored
    std::int32_t rows;   ///< that are stored
    bool has_all;        ///< whether every sample has a row

    KOKKOS_INLINE_FUNCTION RowStore(const DeviceFftSweep& sweep, const Work& work,
                                    std::int32_t number, const spectral::Places& of_column,
                                    std::int64_t b) {
      Lane& lane = work.lanes[number];
      points = work.points;
      places = of_column;
      n = sweep.bank.stages.stages.points;
      bits = sweep.bank.stages.stages.column_bits;
      row_stride = lane.row_stride;
      to = sweep.row_of(lane, b, lane.valued.begin);
      first = places.column - static_cast<std::int32_t>(sweep.bank.sizes.part_taps) + 1 -
              lane.valued.begin;
      rows = lane.valued.end - lane.valued.begin;
      has_all = sweep.problem.layout.every == 1;
      failed = work.failed;
      lane_failed = &lane.failed;
      output = work.outputs;
    }

    KOKKOS_INLINE_FUNCTION void store(std::int32_t row, Scalar value) const {
      if (static_cast<std::uint32_t>(row) < static_cast<std::uint32_t>(rows)) {
        to[row * row_stride] = value + Scalar(0);  // so that no zero has a sign
      }
    }
    KOKKOS_INLINE_FUNCTION void operator()(int k, const Point& value) const {
      if (has_all) {
        store(first + (k << bits), value.re.value);
        store(first + (k << bits) + n, value.im.value);
      } else {
        points[places(k)] = spectral::stored(value);
      }
      // Every row depends on all points: this one tells for all of the block.
      if (k == 15 && places.column == 0 && !is_finite(value.im.value)) {
        *failed = *lane_failed = output;
      }
    }
  };

  /// The rows that stand for some of the samples only.
  template <class Team>
  KOKKOS_FUNCTION void store_every(const Team& team, const Work& work, std::int64_t b) const {
    const std::int64_t rows = bank.sizes.block_rows;
    for_each_item(team, bank.stages.lanes * rows, [=, this](std::int64_t i) {
      const auto number = static_cast<std::int32_t>(i / rows);
      const auto row = static_cast<std::int32_t>(i % rows);
      const Lane& lane = work.lanes[number];
      if (!lane.valued.holds(row)) return;
      const std::int32_t n = bank.stages.stages.points;
      const auto at =
          static_cast<std::int32_t>(bank.sizes.part_taps - 1 + row * problem.layout.every);
      const Stored& point = work.points[spectral::slot_of(number * n + (at < n ? at : at - n))];
      *row_of(lane, b, row) = (at < n ? point.re : point.im) + Scalar(0);
    });
    team.team_barrier();
  }

  /// A sample of a lane's epoch, 0 outside of it.
  [[nodiscard]] KOKKOS_FUNCTION Scalar sample_of(const Lane& lane, std::int64_t t) const {
    if (t < lane.strip.samples.begin || t >= lane.strip.samples.end) return Scalar(0);
    return pack::sample_of<Scalar>(source.of(lane.strip.trial), t, lane.channel);
  }

  [[nodiscard]] KOKKOS_INLINE_FUNCTION Scalar* row_of(const Lane& lane, std::int64_t b,
                                                      std::int64_t row) const {
    return lane.to + (b - features.of(lane.strip.trial).first_basis) * lane.basis_stride +
           row * lane.row_stride;
  }
  /// Sums the windows of rows: of those of failed lanes all; else of those that see what is not
  /// finite only that, since their sums are not finite whatever the other samples are.
  template <class Team>
  KOKKOS_FUNCTION void mend(const Team& team, const Work& work, Range bases, bool has_all) const {
    const std::int64_t rows = bank.sizes.block_rows;
    for_each_item(team, bank.stages.lanes * rows, [=, this](std::int64_t i) {
      const Lane& lane = work.lanes[i / rows];
      const std::int64_t row = i % rows;
      if (!(has_all ? lane.failed == work.outputs : lane.is_spoiled())) return;
      if (!lane.valued.holds(static_cast<std::int32_t>(row))) return;
      const std::int64_t newest =
          lane.first + bank.sizes.part_taps - 1 + row * problem.layout.every;
      const Range window{newest - problem.window + 1, newest + 1};
      const Range seen = has_all ? window : index::common(window, lane.spoiled);
      for (std::int64_t b = bases.begin; b < bases.end; ++b) {
        Scalar sum = 0;
        bool has_any = has_all;
        for (std::int64_t t = seen.end - 1; t >= seen.begin && sum == sum; --t) {
          const Scalar sample = sample_of(lane, t);
          if (!has_all && is_finite(sample)) continue;
          has_any = true;
          sum = Kokkos::fma(sample, problem.taps[(newest - t) * problem.bases + b], sum);
        }
        if (!has_any) return;
        *row_of(lane, b, row) = canonical(sum);
      }
    });
    team.team_barrier();
  }

  /// NaN to the rows without a value.
  template <class Team>
  KOKKOS_FUNCTION void store_missing(const Team& team, const Work& work) const {
    if (any_lane(work, [](const Lane& lane) { return lane.is_missing_any(); })) {
      const std::int64_t rows = bank.sizes.block_rows;
      for_each_item(team, bank.stages.lanes * rows, [=, this](std::int64_t i) {
        const Lane& lane = work.lanes[i / rows];
        const auto row = static_cast<std::int32_t>(i % rows);
        if (!lane.asked.holds(row) || lane.valued.holds(row)) return;
        for (std::int64_t b = work.bases.begin; b < work.bases.end; ++b) {
          *row_of(lane, b, row) = missing_value<Scalar>();
        }
      });
    }
    team.team_barrier();
  }
};

}  // namespace synelix::sweep
