// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "index/range.hpp"
#include "lanes/pack.hpp"
#include "launch/launch.hpp"
#include "launch/team.hpp"
#include "launch/thread_values.hpp"
#include "tune/device_tile.hpp"

#include <Kokkos_Core.hpp>

#include <cstdint>

/// \file
/// The tile of a matrix product on a device. Blocks of both operands over a few inner indices are
/// staged in scratch as physical values; then each thread adds their products to the sums of some
/// rows and columns, which it keeps in registers from the first block to the last. A thread's rows
/// and columns are in packs: an access of 16 bytes reads several of them.
///
/// An operand has
///
///     value(index, k)   the value of a row, or column, of the part at an inner index
///     pack(index, k)    as many neighbors as a pack has, starting with this value
///     by_index          whether neighbors in memory are rows, or columns; otherwise inner indices
///     packs             whether `pack` may be called if `index`, or otherwise `k`, is a multiple
///     of
///                       a pack's lanes
///     whole(size)       of `size` rows, or columns, the number whose values may be in packs; the
///                       others follow
///     turns             packs that are read ahead of each other; 1 if a pack takes much work,
///                       since sums need its registers
///
/// and, with `has_two`, for stored values of half the size,
///
///     twos              whether an access may have those of two packs, of inner indices
///     two(index, k)     both

namespace synelix::sweep {

template <class Scalar, tune::DeviceTileShape shape = tune::device_product_tile(sizeof(Scalar))>
struct DeviceTile {
  using Pack = lanes::Pack<Scalar, lanes::DeviceThread>;
  static constexpr int together = Pack::lanes;   ///< values of a pack
  static constexpr int rows = shape.rows;        ///< of a thread
  static constexpr int columns = shape.columns;  ///< of a thread
  static constexpr int threads = shape.threads();
  static constexpr int part_rows = tune::device_tile_part;
  static constexpr int part_columns = tune::device_tile_part;
  static constexpr int inner_block = shape.inner;
  static constexpr int row_threads = part_rows / rows;
  static constexpr int column_threads = part_columns / columns;
  using Bounds = Kokkos::LaunchBounds<threads, tune::device_tile_teams(shape)>;
  /// Values of scratch from one inner index to the next. If a warp writes 32 bytes of each of
  /// several rows, they are in different banks.
  static constexpr int pitch = part_rows + 4;
  static constexpr std::int64_t scratch_bytes =
      std::int64_t{2} * inner_block * pitch * std::int64_t{sizeof(Scalar)} + std::int64_t{2} * 64;
  static_assert(part_rows == part_columns && row_threads * column_threads == threads);
  static_assert(rows % together == 0 && columns % together == 0 && pitch % together == 0);

  /// Whether this scratch of a team is available on CUDA without an explicit request.
  static constexpr bool fits(std::int64_t bytes) { return bytes <= usual_scratch_bytes(threads); }

  /// Scratch: (inner index, row or column).
  struct TeamMemory {
    Scalar* left;
    Scalar* right;
  };
  template <class Team>
  KOKKOS_FUNCTION static TeamMemory room_of(const Team& team) {
    TeamMemory room;
    room.left = team_memory<Scalar>(team, std::int64_t{inner_block} * pitch);
    room.right = team_memory<Scalar>(team, std::int64_t{inner_block} * pitch);
    return room;
  }

  /// The registers of a thread, for parts with `packs` packs of columns for each thread.
  template <int packs>
  struct Sums {
    Scalar values[rows][packs * together];
  };

  /// A complete part: the products of left(row, k) and right(column, k) over `inner` indices, in
  /// their order. Each thread passes its sums to the result of put(), a function of (row, column,
  /// values): a row, and a pack of columns from `column` on, which may be after the last row and
  /// column of the part; or, if it has `takes_rows`, a pack of rows from `row` on. An area has
  /// `rows` and `columns`.
  template <class Team, class Area, class Left, class Right, class Put>
  KOKKOS_INLINE_FUNCTION static void multiply(const Team& team, const TeamMemory& room,
                                              const Area& area, std::int64_t inner,
                                              const Left& left, const Right& right,
                                              const Put& put) {
    if (area.columns <= columns_apart) {
      multiply_packs<1>(team, room, area, inner, left, right, put);
    } else {
      multiply_packs<columns / together>(team, room, area, inner, left, right, put);
    }
  }

 protected:  // fits add their own sums
  template <int packs, class Team, class Area, class Left, class Right, class Put>
  KOKKOS_INLINE_FUNCTION static void multiply_packs(const Team& team, const TeamMemory& room,
                                                    const Area& area, std::int64_t inner,
                                                    const Left& left, const Right& right,
                                                    const Put& put) {
    ThreadValues<Sums<packs>, threads, Team> sums(team);
    for_each_thread(team, sums, [=](int, Sums<packs>& own) { clear(own); });
    const auto height = static_cast<int>(area.rows);
    const auto width = static_cast<int>(area.columns);
    std::int64_t k = 0;
    do {
      const auto count = static_cast<int>(index::smaller(inner_block, inner - k));
      for_each_thread<threads>(team, [=](int thread) {
        stage(left, room.left, thread, height, k, count);
        stage(right, room.right, thread, width, k, count);
      });
      team.team_barrier();
      const bool ends = k + count == inner;
      for_each_thread(team, sums, [=](int thread, Sums<packs>& own) {
        if (first_row(thread) >= height || first_column(thread) >= width) return;
        accumulate(room, thread, count, own);
        if (ends) give(thread, own, put);
      });
      team.team_barrier();
      k += count;
    } while (k < inner);
  }

  KOKKOS_INLINE_FUNCTION static int first_row(int thread) {
    return thread / column_threads * together;
  }
  KOKKOS_INLINE_FUNCTION static int first_column(int thread) {
    return thread % column_threads * together;
  }
  static constexpr int rows_apart = row_threads * together;        ///< between packs of a thread
  static constexpr int columns_apart = column_threads * together;  ///< between packs of a thread

  /// A thread's share of a block of an operand, whose part has `size` rows or columns.
  template <class Operand>
  KOKKOS_INLINE_FUNCTION static void stage(const Operand& from, Scalar* to, int thread, int size,
                                           std::int64_t k, int count) {
    if (from.by_index) {
      if (from.packs) {
        stage_packs_by_index(from, to, thread, size, k, count);
      } else {
        stage_by_index(from, to, thread, size, k, count);
      }
    } else if (from.packs && count == inner_block) {
      if constexpr (requires { requires Operand::has_two; }) {
        if (from.twos) return stage_two_by_inner(from, to, thread, size, k);
      }
      stage_packs_by_inner(from, to, thread, size, k);
    } else {
      stage_by_inner(from, to, thread, size, k, count);
    }
  }

  /// Neighboring threads read neighboring packs of rows or columns.
  template <class Operand>
  KOKKOS_INLINE_FUNCTION static void stage_packs_by_index(const Operand& from, Scalar* to,
                                                          int thread, int size, std::int64_t k,
                                                          int count) {
    constexpr int across = part_rows / together;
    constexpr int step = threads / across;
    const int i = thread % across * together;
    const int first = thread / across;
    if (i + together <= from.whole(size)) {
      Scalar* const place = to + first * pitch + i;
      if (count == inner_block) {
        SYNELIX_UNROLL_ON_DEVICE(Operand::turns)
        for (int j = 0; j < inner_block / step; ++j) {
          from.pack(i, k + first + std::int64_t{j} * step).store(place + j * step * pitch);
        }
      } else {
        SYNELIX_UNROLL(1)
        for (int j = first; j < count; j += step) from.pack(i, k + j).store(to + j * pitch + i);
      }
    } else {
      SYNELIX_UNROLL(1)
      for (int at = i; at < i + together && at < size; ++at) {
        SYNELIX_UNROLL(1)
        for (int j = first; j < count; j += step) to[j * pitch + at] = from.value(at, k + j);
      }
    }
  }

  /// Neighboring threads read neighboring rows or columns.
  template <class Operand>
  KOKKOS_INLINE_FUNCTION static void stage_by_index(const Operand& from, Scalar* to, int thread,
                                                    int size, std::int64_t k, int count) {
    const int i = thread % part_rows;
    if (i >= size) return;
    SYNELIX_UNROLL(1)
    for (int j = thread / part_rows; j < count; j += threads / part_rows) {
      to[j * pitch + i] = from.value(i, k + j);
    }
  }

  /// Two threads read 32 bytes of inner indices, and neighboring pairs of threads neighboring rows
  /// or columns.
  template <class Operand>
  KOKKOS_INLINE_FUNCTION static void stage_packs_by_inner(const Operand& from, Scalar* to,
                                                          int thread, int size, std::int64_t k) {
    constexpr int step = threads / 2;
    constexpr int two_packs = 2 * together;
    const int first = thread % 2 * together;
    const int whole = from.whole(size);
    stage_rest_by_inner(from, to, thread, {whole, size}, k);
    SYNELIX_UNROLL(1)
    for (int i = thread / 2; i < whole; i += step) {
      SYNELIX_UNROLL_ON_DEVICE(Operand::turns)
      for (int j = 0; j < inner_block; j += two_packs) {
        const Pack values = from.pack(i, k + first + j);
        SYNELIX_UNROLL(16)
        for (int l = 0; l < together; ++l) to[(first + j + l) * pitch + i] = values.values[l];
      }
    }
  }

  /// Rows or columns that packs may not contain, one by one by all threads.
  template <class Operand>
  KOKKOS_INLINE_FUNCTION static void stage_rest_by_inner(const Operand& from, Scalar* to,
                                                         int thread, Range rest, std::int64_t k) {
    const auto end = static_cast<int>(rest.end);
    SYNELIX_UNROLL(1)
    for (int i = static_cast<int>(rest.begin); i < end; ++i) {
      SYNELIX_UNROLL(1)
      for (int j = thread; j < inner_block; j += threads) to[j * pitch + i] = from.value(i, k + j);
    }
  }

  /// The same for values of half the size: a thread has two packs.
  template <class Operand>
  KOKKOS_INLINE_FUNCTION static void stage_two_by_inner(const Operand& from, Scalar* to, int thread,
                                                        int size, std::int64_t k) {
    constexpr int step = threads / 2;
    constexpr int of_thread = 2 * together;
    static_assert(inner_block % (2 * of_thread) == 0);
    const int first = thread % 2 * of_thread;
    const int whole = from.whole(size);
    stage_rest_by_inner(from, to, thread, {whole, size}, k);
    SYNELIX_UNROLL(1)
    for (int i = thread / 2; i < whole; i += step) {
      SYNELIX_UNROLL_ON_DEVICE(Operand::turns)
      for (int j = 0; j < inner_block; j += 2 * of_thread) {
        const auto values = from.two(i, k + first + j);
        SYNELIX_UNROLL(16)
        for (int l = 0; l < of_thread; ++l) {
          to[(first + j + l) * pitch + i] = values.values[l / together].values[l % together];
        }
      }
    }
  }

  /// Neighboring threads read 32 bytes of inner indices.
  template <class Operand>
  KOKKOS_INLINE_FUNCTION static void stage_by_inner(const Operand& from, Scalar* to, int thread,
                                                    int size, std::int64_t k, int count) {
    constexpr int neighbours = 32 / static_cast<int>(sizeof(Scalar));
    const int first = thread % neighbours;
    SYNELIX_UNROLL(1)
    for (int i = thread / neighbours; i < size; i += threads / neighbours) {
      SYNELIX_UNROLL(1)
      for (int j = first; j < count; j += neighbours) to[j * pitch + i] = from.value(i, k + j);
    }
  }

  template <int packs>
  KOKKOS_INLINE_FUNCTION static void clear(Sums<packs>& sums) {
    SYNELIX_UNROLL(16)
    for (int i = 0; i < rows; ++i) {
      SYNELIX_UNROLL(16)
      for (int j = 0; j < packs * together; ++j) sums.values[i][j] = Scalar(0);
    }
  }

  /// Loads some packs of scratch.
  template <int count, int apart>
  KOKKOS_INLINE_FUNCTION static void read(const Scalar* from, Scalar (&to)[count]) {
    SYNELIX_UNROLL(16)
    for (int i = 0; i < count / together; ++i) {
      const Pack some = Pack::load(from + i * apart);
      SYNELIX_UNROLL(16)
      for (int l = 0; l < together; ++l) to[i * together + l] = some.values[l];
    }
  }

  /// Adds the products of staged values to the sums of a thread.
  template <int packs>
  KOKKOS_INLINE_FUNCTION static void accumulate(const TeamMemory& room, int thread, int count,
                                                Sums<packs>& sums) {
    const Scalar* left = room.left + first_row(thread);
    const Scalar* right = room.right + first_column(thread);
    SYNELIX_UNROLL(tune::device_tile_turns)
    for (int k = 0; k < count; ++k) {
      Scalar row[rows];
      Scalar column[packs * together];
      read<rows, rows_apart>(left, row);
      read<packs * together, columns_apart>(right, column);
      SYNELIX_UNROLL(16)
      for (int i = 0; i < rows; ++i) {
        SYNELIX_UNROLL(16)
        for (int j = 0; j < packs * together; ++j) {
          sums.values[i][j] =
              lanes::multiply_add(lanes::DeviceThread{}, row[i], column[j], sums.values[i][j]);
        }
      }
      left += pitch;
      right += pitch;
    }
  }

  /// The sums of a thread, pack by pack.
  template <int packs, class Put>
  KOKKOS_INLINE_FUNCTION static void give(int thread, const Sums<packs>& sums, const Put& put) {
    const auto to = put();
    if constexpr (requires { to.takes_rows; }) {
      give_rows(thread, sums, to);
    } else {
      give_columns(thread, sums, to);
    }
  }
  template <int packs, class To>
  KOKKOS_INLINE_FUNCTION static void give_columns(int thread, const Sums<packs>& sums,
                                                  const To& to) {
    SYNELIX_UNROLL(16)
    for (int i = 0; i < rows; ++i) {
      const int row = first_row(thread) + i / together * rows_apart + i % together;
      SYNELIX_UNROLL(16)
      for (int j = 0; j < packs * together; j += together) {
        Pack some;
        SYNELIX_UNROLL(16)
        for (int l = 0; l < together; ++l) some.values[l] = sums.values[i][j + l];
        to(row, first_column(thread) + j / together * columns_apart, some);
      }
    }
  }
  /// The same in packs of rows: to(row, column, values).
  template <int packs, class To>
  KOKKOS_INLINE_FUNCTION static void give_rows(int thread, const Sums<packs>& sums, const To& to) {
    SYNELIX_UNROLL(16)
    for (int j = 0; j < packs * together; ++j) {
      const int column = first_column(thread) + j / together * columns_apart + j % together;
      SYNELIX_UNROLL(16)
      for (int i = 0; i < rows; i += together) {
        Pack some;
        SYNELIX_UNROLL(16)
        for (int l = 0; l < together; ++l) some.values[l] = sums.values[i + l][j];
        to(first_row(thread) + i / together * rows_apart, column, some);
      }
    }
  }
};

}  // namespace synelix::sweep
