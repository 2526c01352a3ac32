// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "convolve/fft/device_bank.hpp"
#include "convolve/fft/fft_lane.hpp"
#include "convolve/fft/fft_recompute.hpp"
#include "spectral/stage.hpp"

#include <Kokkos_Core.hpp>

#include <cstdint>

/// \file
/// Where a device's last pass leaves rows.

namespace synelix::sweep {

/// The rows of one column of a lane, straight from registers. Points k, k + 8, k + 4 and k + 12
/// come one behind the other, those of k = 3 last (spectral/back_turns.hpp), and are stored
/// together. Where some imaginary part is no row, or not every sample has a row, points go back to
/// their places first: tests of each row in the midst of a butterfly would take registers from it.
template <class Scalar>
struct FftRowStore {
  using Stored = spectral::StoredPoint<Scalar>;
  using Point = spectral::Point<Scalar>;

  const DeviceBank<Scalar>& bank;
  Stored* points;
  FftLane<Scalar>& lane;
  spectral::Places places;
  Scalar* to;         ///< row of the real part of point 0, which may not be stored
  std::int64_t step;  ///< bytes from one point to the next
  std::int64_t four;  ///< bytes of four steps
  std::int64_t half;  ///< bytes from real to imaginary parts
  std::uint32_t* failed;
  std::uint32_t output;
  std::int32_t begin;             ///< the first point whose real part is stored, if all are whole
  bool has_all;                   ///< whether every sample has a row
  bool is_whole;                  ///< and all imaginary parts are stored, and all real from `begin`
  bool is_careful;                ///< whether all rows are looked at
  mutable Point kept[4];          ///< points of the same k
  mutable Scalar not_finite = 0;  ///< NaN once a row of the column is not finite

  /// `block` is where row 0 of the block goes, which may not be stored.
  KOKKOS_INLINE_FUNCTION FftRowStore(const DeviceBank<Scalar>& of_bank, Stored* all_points,
                                     FftLane<Scalar>& of_lane, const spectral::Places& of_column,
                                     Scalar* block, std::int64_t every, std::uint32_t* any_failed,
                                     std::uint32_t number)
      : bank(of_bank),
        points(all_points),
        lane(of_lane),
        places(of_column),
        failed(any_failed),
        output(number),
        has_all(every == 1),
        is_careful(of_lane.is_careful) {
    const std::int32_t n = bank.stages.stages.points;
    const std::int32_t bits = bank.stages.stages.column_bits;
    to = block + first_row() * lane.row_stride;
    const std::int64_t row_bytes = lane.row_stride * static_cast<std::int64_t>(sizeof(Scalar));
    step = row_bytes << bits;
    four = step << 2;
    half = row_bytes * n;
    const std::int32_t before = lane.valued.begin - first_row();  // rows that are not stored
    begin = (before + (1 << bits) - 1) >> bits;
    is_whole = has_all && before <= n && first_row() + n + (15 << bits) < lane.valued.end;
  }

  /// Number of the row of the real part of point 0.
  [[nodiscard]] KOKKOS_INLINE_FUNCTION std::int32_t first_row() const {
    return places.column - bank.first_row;
  }
  KOKKOS_INLINE_FUNCTION void operator()(int k, const Point& value) const {
    kept[k / 4] = value;
    if (k >= 12) store_kept(k - 12);
  }
  [[nodiscard]] KOKKOS_INLINE_FUNCTION static Scalar* moved(Scalar* at, std::int64_t bytes) {
    return reinterpret_cast<Scalar*>(reinterpret_cast<char*>(at) + bytes);
  }
  /// Points k, k + 4, k + 8, k + 12. Zero is added so that no zero has a sign.
  KOKKOS_INLINE_FUNCTION void store_kept(int k) const {
    if (is_whole) {
      Scalar* at = moved(to, k * step);
      SYNELIX_UNROLL(4)
      for (int i = 0; i < 4; ++i, at = moved(at, four)) {
        if (k + 4 * i >= begin) *at = kept[i].re.value + Scalar(0);
        *moved(at, half) = kept[i].im.value + Scalar(0);
      }
    } else {
      SYNELIX_UNROLL(4)
      for (int i = 0; i < 4; ++i) points[places(k + 4 * i)] = spectral::stored(kept[i]);
    }
    if (is_careful) {
      // An addition of the last butterfly may overflow in one row alone: all rows are looked at.
      // Times zero, nothing but NaN and Inf is not zero.
      SYNELIX_UNROLL(4)
      for (int i = 0; i < 4; ++i) {
        not_finite = Kokkos::fma(kept[i].re.value, Scalar(0), not_finite);
        not_finite = Kokkos::fma(kept[i].im.value, Scalar(0), not_finite);
      }
      if (k == 3 && not_finite != Scalar(0)) {  // several threads may store the same number
        Kokkos::atomic_store(failed, output);
        Kokkos::atomic_store(&lane.failed, output);
      }
    }
    if (k == 3 && has_all && !is_whole) store_tested();
  }
  /// From their places, the rows that get a value.
  KOKKOS_INLINE_FUNCTION void store_tested() const {
    const auto rows = static_cast<std::uint32_t>(lane.valued.end - lane.valued.begin);
    const std::int32_t n = bank.stages.stages.points;
    const std::int32_t next = 1 << bank.stages.stages.column_bits;
    std::int32_t row = first_row() - lane.valued.begin;
    Scalar* at = to;
    SYNELIX_UNROLL(4)
    for (int k = 0; k < 16; ++k, at = moved(at, step), row += next) {
      const Stored point = points[places(k)];
      if (static_cast<std::uint32_t>(row) < rows) *at = point.re + Scalar(0);
      if (static_cast<std::uint32_t>(row + n) < rows) *moved(at, half) = point.im + Scalar(0);
    }
  }
};

}  // namespace synelix::sweep
