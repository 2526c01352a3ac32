// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "convolve/sweep/problem.hpp"
#include "lanes/pack.hpp"

#include <Kokkos_Core.hpp>

#include <cstdint>

/// \file
/// How a thread of a device stores its registers: packs of neighboring rows of some bases, in one
/// store if they are contiguous in the features.

namespace synelix::sweep {

/// Bases of a tile.
struct TileBases {
  int first;
  int count;
};

/// The destination of rows of a strip of one channel. One thread of a team computes it for all.
template <class Scalar>
struct RowTarget {
  using Pack = lanes::Pack<Scalar, lanes::DeviceThread>;

  Scalar* to;  ///< row 0 of basis 0
  std::int64_t row_stride;
  std::int64_t basis_stride;
  int rows;          ///< of the strip
  int valued_begin;  ///< rows with a value: [valued_begin, valued_end)
  int valued_end;
  bool has_whole_end;      ///< whether the last row has a value and is the last of a pack
  bool has_whole_columns;  ///< whether packs of neighboring rows are contiguous and aligned, for
                           ///< each basis
  bool has_whole_rows;     ///< the same for packs of neighboring bases, for each row

  KOKKOS_INLINE_FUNCTION static RowTarget of(const Problem<Scalar>& problem,
                                             const FeatureTarget<Scalar>& features,
                                             const index::Strip& strip, std::int64_t channel,
                                             std::int64_t first_basis) {
    const FeatureTarget<Scalar>& own = features.of(strip.trial);
    const Range valued = index::valued_rows(strip, problem.layout.every);
    RowTarget target;
    target.to = own.first_row(channel, first_basis) + (strip.row - own.rows.begin) * own.row_stride;
    target.row_stride = own.row_stride;
    target.basis_stride = own.basis_stride;
    target.rows = static_cast<int>(strip.rows);
    target.valued_begin = static_cast<int>(valued.begin);
    target.valued_end = static_cast<int>(valued.end);
    target.has_whole_end = target.valued_end == target.rows && target.rows % Pack::lanes == 0;
    const bool is_aligned =
        reinterpret_cast<std::uintptr_t>(target.to) % lanes::DeviceThread::bytes == 0;
    target.has_whole_columns =
        is_aligned && own.row_stride == 1 && own.basis_stride % Pack::lanes == 0;
    target.has_whole_rows =
        is_aligned && own.basis_stride == 1 && own.row_stride % Pack::lanes == 0;
    return target;
  }

  /// Whether any row of [begin, end) has a value.
  KOKKOS_INLINE_FUNCTION bool has_value(int begin, int end) const {
    return begin < valued_end && end > valued_begin;
  }

  /// Stores some packs of rows. The first one starts at `row`, a multiple of a pack, and each one
  /// is `step` rows after the previous one. Rows after the last one of the strip are skipped.
  /// \param tile        its first basis, and the number of its bases: at most `bases`
  /// \param are_finite  whether all sums are known to be finite
  template <int step, int groups, int bases>
  KOKKOS_INLINE_FUNCTION void store(const Pack (&sums)[groups][bases], int row, TileBases tile,
                                    bool are_finite) const {
    const int first = tile.first;
    const int count = tile.count;
    const bool is_inside =
        valued_begin <= row && row + (groups - 1) * step + Pack::lanes <= valued_end;
    const bool is_plain =
        (is_inside || (valued_begin <= row && has_whole_end)) && (are_finite || find_finite(sums));
    if (is_plain && has_whole_columns) {
      Scalar* at = to + row + first * basis_stride;
      SYNELIX_UNROLL(16)
      for (int b = 0; b < bases; ++b, at += basis_stride) {
        if (b >= count) return;
        SYNELIX_UNROLL(16)
        for (int g = 0; g < groups; ++g) {
          if (row + g * step < rows) plus_zero(sums[g][b]).store(at + g * step);
        }
      }
      return;
    }
    if constexpr (bases % Pack::lanes == 0) {
      if (is_plain && is_inside && has_whole_rows && count == bases) {
        SYNELIX_UNROLL(16)
        for (int g = 0; g < groups; ++g) {
          store_rows(sums[g], to + (row + g * step) * row_stride + first);
        }
        return;
      }
    }
    store_each<step>(sums, row, first, count);
  }

 private:
  /// A finite value times 0 is 0; any other gives NaN, which stays in the sum.
  template <int groups, int bases>
  KOKKOS_INLINE_FUNCTION static bool find_finite(const Pack (&sums)[groups][bases]) {
    Pack zero = Pack::zero();  // several sums, because one chain would have the latency of all
                               // additions
    SYNELIX_UNROLL(16)
    for (int k = 0; k < groups * bases; ++k) {
      SYNELIX_UNROLL(16)
      for (int i = 0; i < Pack::lanes; ++i) {
        zero.values[i] = lanes::multiply_add(
            lanes::DeviceThread{}, sums[k / bases][k % bases].values[i], Scalar(0), zero.values[i]);
      }
    }
    Scalar sum = 0;
    for (int i = 0; i < Pack::lanes; ++i) sum += zero.values[i];
    return sum == Scalar(0);
  }

  /// The same as `canonical` for finite values.
  KOKKOS_INLINE_FUNCTION static Pack plus_zero(const Pack& pack) {
    Pack result;
    SYNELIX_UNROLL(16)
    for (int i = 0; i < Pack::lanes; ++i) result.values[i] = pack.values[i] + Scalar(0);
    return result;
  }

  /// A pack of rows of each basis, if all of them have a value or none has. Returns whether it
  /// stored.
  template <int bases>
  KOKKOS_INLINE_FUNCTION bool store_packs(const Pack (&sums)[bases], int row, int first,
                                          int count) const {
    const bool is_valued = valued_begin <= row && row + Pack::lanes <= valued_end;
    const bool is_missing = row + Pack::lanes <= rows && !has_value(row, row + Pack::lanes);
    if (!is_valued && !is_missing) return false;
    Scalar* at = to + row + first * basis_stride;
    SYNELIX_UNROLL(16)
    for (int b = 0; b < bases; ++b, at += basis_stride) {
      if (b >= count) break;
      (is_valued ? sums[b].canonical() : Pack::broadcast(missing_value<Scalar>())).store(at);
    }
    return true;
  }

  /// Rows whose bases are contiguous.
  template <int bases>
  KOKKOS_INLINE_FUNCTION void store_rows(const Pack (&sums)[bases], Scalar* at) const {
    SYNELIX_UNROLL(16)
    for (int i = 0; i < Pack::lanes; ++i, at += row_stride) {
      SYNELIX_UNROLL(16)
      for (int b = 0; b < bases; b += Pack::lanes) {
        Pack row;
        for (int k = 0; k < Pack::lanes; ++k) row.values[k] = sums[b + k].values[i];
        plus_zero(row).store(at + b);
      }
    }
  }

  /// Value by value: for ends of strips, other layouts, and values that are not finite.
  template <int step, int groups, int bases>
  KOKKOS_INLINE_FUNCTION void store_each(const Pack (&sums)[groups][bases], int row, int first,
                                         int count) const {
    SYNELIX_UNROLL(16)
    for (int g = 0; g < groups; ++g) {
      if (has_whole_columns && store_packs(sums[g], row + g * step, first, count)) continue;
      SYNELIX_UNROLL(16)
      for (int i = 0; i < Pack::lanes; ++i) {
        const int own = row + g * step + i;
        if (own >= rows) continue;
        const bool is_valued = valued_begin <= own && own < valued_end;
        Scalar* at = to + own * row_stride + first * basis_stride;
        SYNELIX_UNROLL(16)
        for (int b = 0; b < bases; ++b, at += basis_stride) {
          if (b < count) {
            *at = is_valued ? canonical(sums[g][b].values[i]) : missing_value<Scalar>();
          }
        }
      }
    }
  }
};

}  // namespace synelix::sweep
