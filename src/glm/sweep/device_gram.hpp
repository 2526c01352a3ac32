// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "glm/sweep/device_products.hpp"
#include "glm/sweep/device_totals.hpp"
#include "glm/sweep/device_triangle.hpp"
#include "launch/launch.hpp"
#include "launch/team.hpp"
#include "launch/thread_values.hpp"
#include "launch/workspace.hpp"

#include <Kokkos_Core.hpp>

#include <cstdint>

/// \file
/// The panels on the diagonal of symmetric products. A team has a panel of columns over a block of
/// rows, and reads each feature once: the staged values are both operands. Each thread has a unit
/// of sums (glm/sweep/device_triangle.hpp), and totals in double until the block ends.
///
/// Scratch: (row, column), X and w X. The column of ones follows the columns of the panel; the rest
/// is 0.

namespace synelix::sweep {

/// \tparam panel  most columns of a panel
template <class Scalar, int panel>
struct DeviceGramSweep {
  using Pack = lanes::Pack<Scalar, lanes::DeviceThread>;
  using Features = DeviceFeatures<Scalar, false>;
  using Operand = typename DeviceWeightedRows<Scalar>::Operand;
  static constexpr int together = Pack::lanes;
  static constexpr int rows = DeviceTriangle::rows;
  static constexpr int columns = DeviceTriangle::columns;
  static constexpr int threads = tune::device_gram_threads(DeviceTriangle::units(panel));
  static constexpr int inner_block = tune::device_gram_inner(sizeof(Scalar));
  static constexpr int turns = tune::device_gram_turns(sizeof(Scalar));
  static constexpr int pitch = panel + columns;
  static constexpr std::int64_t staged_bytes =
      std::int64_t{2} * inner_block * pitch * std::int64_t{sizeof(Scalar)} + std::int64_t{2} * 64;
  /// Totals do not fit in registers if Scalar is double.
  static constexpr int in_scratch = sizeof(Scalar) > 4
                                        ? totals_in_scratch(rows* columns, threads, staged_bytes)
                                        : 0;
  using Totals = DeviceTotals<rows * columns, in_scratch, threads>;
  static constexpr std::int64_t scratch_bytes = staged_bytes + Totals::scratch_values * 8 + 64;
  using Bounds = Kokkos::LaunchBounds<threads, tune::device_gram_teams(threads)>;
  static_assert(rows % together == 0 && columns % together == 0 && panel % columns == 0);
  static_assert(scratch_bytes <= usual_scratch_bytes(threads));

  DeviceDesign from;
  DeviceWeightedRows<Scalar> weighted;
  std::int64_t products = 1;
  DeviceTriangle triangle;
  double* sums = nullptr;       ///< of the first block
  std::int64_t block_step = 0;  ///< values from one block to the next
  Workspace workspace;

  [[nodiscard]] TeamShape team_shape(std::int64_t items, std::int64_t) const {
    return {items, threads, scratch_bytes};
  }
  /// Work items.
  [[nodiscard]] KOKKOS_FUNCTION std::int64_t items() const {
    return from.blocks() * products * triangle.panels();
  }

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    Room room;
    room.left = team_memory<Scalar>(team, std::int64_t{inner_block} * pitch);
    room.right = team_memory<Scalar>(team, std::int64_t{inner_block} * pitch);
    room.totals = team_memory<double>(team, Totals::scratch_values);
    for_each_team_item(team, items(), workspace.teams, [&](std::int64_t i) {
      const std::int64_t panels = triangle.panels();
      add_block(team, room, i % panels, i / panels % products, i / panels / products);
    });
  }

 private:
  struct Room {
    Scalar* left;
    Scalar* right;
    double* totals;
  };
  /// The registers of a thread.
  struct Own {
    int row;  ///< its first row in scratch; -1: the thread has no unit
    int column;
    Scalar sums[rows][columns];
    Totals totals;
  };

  template <class Team>
  KOKKOS_FUNCTION void add_block(const Team& team, const Room& room, std::int64_t number,
                                 std::int64_t product, std::int64_t block) const {
    const DeviceDesign& design = kept_for_passes(team, from);
    const auto width = static_cast<int>(triangle.width(number));
    const auto units = static_cast<int>(DeviceTriangle::units(width));
    ThreadValues<Own, threads, Team> values(team);
    for_each_thread(team, values, [=](int thread, Own& own) {
      begin(room, thread, width, units, own);
      SYNELIX_UNROLL(1)
      for (int at = thread; at < inner_block * pitch; at += threads) {
        room.left[at] = Scalar(0);
        room.right[at] = Scalar(0);
      }
    });
    team.team_barrier();
    const Range of_block = from.block(block);
    for (std::int64_t t = of_block.begin; t < of_block.end; t += tune::fit_tile_rows) {
      if (!from.has_tile(t)) continue;
      const std::int64_t inner = index::smaller(tune::fit_tile_rows, of_block.end - t);
      const Operand right = weighted.operand(design, product, t, number * panel);
      std::int64_t k = 0;
      do {
        const auto count = static_cast<int>(index::smaller(inner_block, inner - k));
        for_each_thread<threads>(team,
                                 [=](int thread) { stage(right, room, thread, width, k, count); });
        team.team_barrier();
        const bool begins = k == 0;
        const bool ends = k + count == inner;
        for_each_thread(team, values, [=](int thread, Own& own) {
          if (own.row >= 0) accumulate(room, thread, count, begins, ends, own);
        });
        team.team_barrier();
        k += count;
      } while (k < inner);
    }
    double* const to =
        sums + block * block_step + product * triangle.values() + triangle.place_of_panel(number);
    for_each_thread(team, values, [=](int thread, Own& own) {
      if (own.row < 0) return;
      SYNELIX_UNROLL(32)
      for (int at = 0; at < rows * columns; ++at) {
        to[at * units + thread] = own.totals.get(room.totals, thread, at);
      }
    });
  }

  /// Determines the unit of a thread.
  KOKKOS_INLINE_FUNCTION static void begin(const Room& room, int thread, int width, int units,
                                           Own& own) {
    SYNELIX_UNROLL(32)
    for (int at = 0; at < rows * columns; ++at) own.totals.set(room.totals, thread, at, 0);
    own.row = -1;
    own.column = panel;
    if (thread >= units) return;
    if (thread == units - 1) {
      own.row = panel;
      return;
    }
    int unit = 0;  // the first of a column of units
    for (int column = 0; column * columns < width; ++column) {
      const auto next = static_cast<int>(DeviceTriangle::units_before(column + 1));
      if (thread < next) {
        own.row = (thread - unit) * rows;
        own.column = column * columns;
        return;
      }
      unit = next;
    }
    own.row = (thread - unit) * rows;
  }

  KOKKOS_INLINE_FUNCTION static void put(const Room& room, int place, Scalar value,
                                         Scalar weighted_value) {
    room.left[place] = value;
    room.right[place] = weighted_value;
  }

  KOKKOS_INLINE_FUNCTION static void put_value(const Operand& from, const Room& room, int i, int j,
                                               std::int64_t k) {
    const Scalar value = from.features.value(i, k + j);
    put(room, j * pitch + i, value, from.weight(k + j) * value);
  }

  /// Stages a thread's share of some rows.
  KOKKOS_INLINE_FUNCTION static void stage(const Operand& from, const Room& room, int thread,
                                           int width, std::int64_t k, int count) {
    const Features& features = from.features;
    if (thread < count) {  // the column of ones
      const bool is_valid = features.from->is_valid(features.row_of(0, k + thread));
      put(room, thread * pitch + panel, is_valid ? Scalar(1) : Scalar(0),
          is_valid ? from.weight(k + thread) : Scalar(0));
    }
    if (!features.by_index) {
      stage_by_row(from, room, thread, width, k, count);
    } else if (features.packs) {
      constexpr int across = panel / together;
      constexpr int step = threads / across;
      const int i = thread % across * together;
      if (thread >= step * across) return;
      if (i + together > width) {
        SYNELIX_UNROLL(1)
        for (int at = i; at < width; ++at) {
          SYNELIX_UNROLL(1)
          for (int j = thread / across; j < count; j += step) {
            put_value(from, room, at, j, k);
          }
        }
        return;
      }
      SYNELIX_UNROLL(1)
      for (int j = thread / across; j < count; j += step) {
        const Pack values = features.pack(i, k + j);
        const Scalar weight = from.weight(k + j);
        Pack right;
        SYNELIX_UNROLL(16)
        for (int l = 0; l < together; ++l) right.values[l] = weight * values.values[l];
        values.store(room.left + j * pitch + i);
        right.store(room.right + j * pitch + i);
      }
    } else {
      SYNELIX_UNROLL(1)
      for (int at = thread; at < count * panel; at += threads) {
        const int i = at % panel;
        const int j = at / panel;
        if (i < width) put_value(from, room, i, j, k);
      }
    }
  }

  /// The same if neighboring rows are contiguous: threads read 32 bytes of floats of each of some
  /// columns.
  KOKKOS_INLINE_FUNCTION static void stage_by_row(const Operand& from, const Room& room, int thread,
                                                  int width, std::int64_t k, int count) {
    constexpr int neighbours = 8;
    static_assert(inner_block % neighbours == 0);
    SYNELIX_UNROLL(1)
    for (int at = thread; at < inner_block * panel; at += threads) {
      const int i = at / neighbours % panel;
      const int j = at / neighbours / panel * neighbours + at % neighbours;
      if (i < width && j < count) put_value(from, room, i, j, k);
    }
  }

  template <int count>
  KOKKOS_INLINE_FUNCTION static void read(const Scalar* from, Scalar (&to)[count]) {
    SYNELIX_UNROLL(16)
    for (int i = 0; i < count; i += together) {
      const Pack some = Pack::load(from + i);
      SYNELIX_UNROLL(16)
      for (int l = 0; l < together; ++l) to[i + l] = some.values[l];
    }
  }

  /// Adds products of the staged values to the sums of a thread, and at the end of a tile of rows
  /// adds these to its totals.
  KOKKOS_INLINE_FUNCTION static void accumulate(const Room& room, int thread, int count,
                                                bool begins, bool ends, Own& own) {
    if (begins) {
      SYNELIX_UNROLL(16)
      for (int i = 0; i < rows; ++i) {
        SYNELIX_UNROLL(16)
        for (int j = 0; j < columns; ++j) own.sums[i][j] = Scalar(0);
      }
    }
    const Scalar* left = room.left + own.row;
    const Scalar* right = room.right + own.column;
    SYNELIX_UNROLL_ON_DEVICE(turns)
    for (int k = 0; k < count; ++k) {
      Scalar row[rows];
      Scalar column[columns];
      read(left, row);
      read(right, column);
      SYNELIX_UNROLL(16)
      for (int i = 0; i < rows; ++i) {
        SYNELIX_UNROLL(16)
        for (int j = 0; j < columns; ++j) {
          own.sums[i][j] =
              lanes::multiply_add(lanes::DeviceThread{}, row[i], column[j], own.sums[i][j]);
        }
      }
      left += pitch;
      right += pitch;
    }
    if (!ends) return;
    SYNELIX_UNROLL(16)
    for (int i = 0; i < rows; ++i) {
      SYNELIX_UNROLL(16)
      for (int j = 0; j < columns; ++j) {
        own.totals.add(room.totals, thread, i * columns + j, static_cast<double>(own.sums[i][j]));
      }
    }
  }
};

}  // namespace synelix::sweep
