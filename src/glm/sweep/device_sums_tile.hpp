// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "glm/sweep/device_totals.hpp"
#include "index/range.hpp"
#include "lanes/pack.hpp"
#include "launch/device_tile.hpp"
#include "launch/team.hpp"
#include "launch/thread_values.hpp"
#include "tune/device_tile.hpp"

#include <Kokkos_Core.hpp>

#include <cstdint>

/// \file
/// The tile of sums over a block of rows. Products of a tile of rows are summed in the working
/// type, in registers. After the tile they are added to totals in double, which stay with their
/// thread until the block ends: in scratch, as many as fit, and in registers. So a block is written
/// once.
///
/// A part may have one additional row, that of ones: padding of scratch holds it, and each thread
/// has its sum for one column. A separate part would stage the right operand once more.

namespace synelix::sweep {

template <class Scalar>
struct DeviceSumsTile : DeviceTile<Scalar, tune::device_fit_tile(sizeof(Scalar))> {
  using Base = DeviceTile<Scalar, tune::device_fit_tile(sizeof(Scalar))>;
  using Pack = typename Base::Pack;
  using Base::columns;
  using Base::columns_apart;
  using Base::inner_block;
  using Base::part_columns;
  using Base::part_rows;
  using Base::pitch;
  using Base::rows;
  using Base::rows_apart;
  using Base::threads;
  using Base::together;
  static_assert(pitch > part_rows && threads >= part_columns && threads >= inner_block);

  /// Totals of a thread, and how many of them are in scratch.
  static constexpr int totals = rows * columns;
  static constexpr int in_scratch = totals_in_scratch(totals, threads, Base::scratch_bytes);
  using Totals = DeviceTotals<totals, in_scratch, threads>;
  static constexpr std::int64_t sums_bytes = Base::scratch_bytes + Totals::scratch_values * 8 + 64;

  struct Room {
    typename Base::TeamMemory staged;
    double* totals;  ///< (total, thread)
  };
  template <class Team>
  KOKKOS_FUNCTION static Room room_of_sums(const Team& team) {
    Room room;
    room.staged = Base::room_of(team);
    room.totals = team_memory<double>(team, Totals::scratch_values);
    return room;
  }

  /// The registers of a thread.
  template <int packs>
  struct Own {
    typename Base::template Sums<packs> sums;
    Totals totals;
    Scalar ones;
    double ones_total;
  };
  template <int packs, class Team>
  using Values = ThreadValues<Own<packs>, threads, Team>;

  /// Sets the totals to 0.
  template <int packs, class Team>
  KOKKOS_INLINE_FUNCTION static void begin(const Team& team, const Room& room,
                                           Values<packs, Team>& values) {
    for_each_thread(team, values, [=](int thread, Own<packs>& own) {
      own.ones_total = 0;
      SYNELIX_UNROLL(64)
      for (int at = 0; at < rows * packs * together; ++at)
        own.totals.set(room.totals, thread, at, 0);
    });
  }

  /// Adds the products of left(row, k) and right(column, k) over `inner` indices.
  template <int packs, class Team, class Area, class Left, class Right>
  KOKKOS_INLINE_FUNCTION static void add(const Team& team, const Room& room, const Area& area,
                                         bool has_ones, std::int64_t inner, const Left& left,
                                         const Right& right, Values<packs, Team>& values) {
    const auto height = static_cast<int>(area.rows);
    const auto width = static_cast<int>(area.columns);
    std::int64_t k = 0;
    do {
      const auto count = static_cast<int>(index::smaller(inner_block, inner - k));
      for_each_thread<threads>(team, [=](int thread) {
        Base::stage(left, room.staged.left, thread, height, k, count);
        Base::stage(right, room.staged.right, thread, width, k, count);
        if (has_ones && thread < count) {
          room.staged.left[thread * pitch + part_rows] = left.value(height, k + thread);
        }
      });
      team.team_barrier();
      const bool begins = k == 0;
      const bool ends = k + count == inner;
      for_each_thread(team, values, [=](int thread, Own<packs>& own) {
        if (has_ones && thread < width) add_ones(room, thread, count, begins, ends, own);
        if (Base::first_row(thread) >= height || Base::first_column(thread) >= width) return;
        if (begins) Base::clear(own.sums);
        Base::accumulate(room.staged, thread, count, own.sums);
        if (ends) add_totals(room, thread, own);
      });
      team.team_barrier();
      k += count;
    } while (k < inner);
  }

  /// Writes the totals of an area, and zeros to the columns after it up to `written`. Rows are
  /// `step` apart, with an even number of columns.
  template <int packs, class Team, class Area>
  KOKKOS_INLINE_FUNCTION static void give(const Team& team, const Room& room, const Area& area,
                                          bool has_ones, std::int64_t written, std::int64_t step,
                                          Values<packs, Team>& values, double* to) {
    const auto height = static_cast<int>(area.rows);
    const auto width = static_cast<int>(area.columns);
    const auto end = static_cast<int>(written);
    for_each_thread(team, values, [=](int thread, Own<packs>& own) {
      if (has_ones && thread < end) {
        to[height * step + thread] = thread < width ? own.ones_total : 0.0;
      }
      SYNELIX_UNROLL(16)
      for (int i = 0; i < rows; ++i) {
        const int row = Base::first_row(thread) + i / together * rows_apart + i % together;
        SYNELIX_UNROLL(16)
        for (int j = 0; j < packs * together; j += 2) {
          const int column =
              Base::first_column(thread) + j / together * columns_apart + j % together;
          if (row >= height || column >= end) continue;
          DoublePack some;
          SYNELIX_UNROLL(2)
          for (int l = 0; l < 2; ++l) {
            const double total = own.totals.get(room.totals, thread, i * packs * together + j + l);
            some.values[l] = column + l < width ? total : 0.0;
          }
          some.store(to + row * step + column);
        }
      }
    });
  }

 private:
  using DoublePack = lanes::Pack<double, lanes::DeviceThread>;
  static_assert(together % 2 == 0 && DoublePack::lanes == 2);

  template <int packs>
  KOKKOS_INLINE_FUNCTION static void add_totals(const Room& room, int thread, Own<packs>& own) {
    SYNELIX_UNROLL(16)
    for (int i = 0; i < rows; ++i) {
      SYNELIX_UNROLL(16)
      for (int j = 0; j < packs * together; ++j) {
        own.totals.add(room.totals, thread, i * packs * together + j,
                       static_cast<double>(own.sums.values[i][j]));
      }
    }
  }
  /// Adds the products of the row of ones, for the column with the thread's number.
  template <int packs>
  KOKKOS_INLINE_FUNCTION static void add_ones(const Room& room, int thread, int count, bool begins,
                                              bool ends, Own<packs>& own) {
    Scalar sum = begins ? Scalar(0) : own.ones;
    const Scalar* left = room.staged.left + part_rows;
    const Scalar* right = room.staged.right + thread;
    SYNELIX_UNROLL(tune::device_tile_turns)
    for (int k = 0; k < count; ++k) {
      sum = lanes::multiply_add(lanes::DeviceThread{}, *left, *right, sum);
      left += pitch;
      right += pitch;
    }
    own.ones = sum;
    if (ends) own.ones_total += static_cast<double>(sum);
  }
};

}  // namespace synelix::sweep
