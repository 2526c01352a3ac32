// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "convolve/fft/device_bank.hpp"
#include "convolve/fft/fft_lane.hpp"
#include "spectral/stage.hpp"

#include <Kokkos_Core.hpp>

#include <cstdint>

/// \file
/// Rows of a transform on a device, from the butterflies of its last inverse pass.

namespace synelix::sweep {

/// The rows of one column of a lane. In a lane with `is_whole`, all imaginary parts are rows, and
/// all real parts from some point on. They are stored directly from registers in the features. All
/// others are first written back to the places of their points, and are tested there one by one:
/// tests of each row inside a butterfly would take registers from it.
template <class Scalar>
struct FftRows {
  using Stored = spectral::StoredPoint<Scalar>;
  using Point = spectral::Point<Scalar>;

  /// Real parts from this point on are rows of a lane with `is_whole`.
  static constexpr int most_without = 8;

  char* to;            ///< row of the imaginary part of point 0
  std::int64_t step;   ///< bytes from one point to the next
  std::int64_t half;   ///< bytes from real to imaginary parts
  std::int32_t row;    ///< number of that row, counted from the first with a value
  std::int32_t begin;  ///< the first point whose real part is a row of a lane with `is_whole`
  mutable Point kept[8];

  KOKKOS_INLINE_FUNCTION FftRows(const DeviceBank<Scalar>& bank, const FftLane<Scalar>& lane,
                                 std::int32_t column, std::int32_t basis) {
    const std::int32_t n = bank.stages.stages.points;
    const std::int32_t bits = bank.stages.stages.column_bits;
    const std::int32_t at = n + column - bank.first_row;
    const std::int64_t row_bytes = lane.row_stride * static_cast<std::int64_t>(sizeof(Scalar));
    to = reinterpret_cast<char*>(lane.row_of(basis, at));
    step = row_bytes << bits;
    half = row_bytes * n;
    row = at - lane.valued.begin;
    begin = (n - row + (1 << bits) - 1) >> bits;
  }

  /// The value of `is_whole` for a block with values in these rows.
  [[nodiscard]] KOKKOS_INLINE_FUNCTION static bool are_whole(const DeviceBank<Scalar>& bank,
                                                             const BlockRange& valued) {
    return valued.begin + bank.first_row <= most_without << bank.stages.stages.column_bits &&
           valued.end >= 2 * bank.stages.stages.points - bank.first_row;
  }

  /// Adds zero so that no zero has a sign.
  KOKKOS_INLINE_FUNCTION static void store_row(void* at, Scalar value) {
    *static_cast<Scalar*>(at) = value + Scalar(0);
  }

  /// The rows of a lane with `is_whole`. Even points come first, and point 14 is the last of them
  /// (spectral::back_result): they are stored together, then the odd ones.
  KOKKOS_INLINE_FUNCTION void operator()(int k, const Point& value) const {
    kept[k / 2] = value;
    if (k >= 14) store_kept(k - 14);
  }
  KOKKOS_INLINE_FUNCTION void store_kept(int first) const {
    char* imaginary = to + first * step;
    char* real = imaginary - half;
    SYNELIX_UNROLL(8)
    for (int k = first; k < 16; k += 2, real += 2 * step, imaginary += 2 * step) {
      if (k >= most_without || k >= begin) store_row(real, kept[k / 2].re.value);
      store_row(imaginary, kept[k / 2].im.value);
    }
  }

  /// Stores the rows that have a value from the places of their points, if every sample has a row.
  /// An addition of the last butterfly may overflow in a single row, so all rows are tested if one
  /// may. Only NaN and Inf times zero are not zero.
  KOKKOS_INLINE_FUNCTION void store_tested(const DeviceBank<Scalar>& bank, FftLane<Scalar>& lane,
                                           const spectral::Places& places, bool has_all,
                                           const Stored* points, std::uint32_t* failed,
                                           std::uint32_t output) const {
    const auto rows =
        has_all ? static_cast<std::uint32_t>(lane.valued.end - lane.valued.begin) : 0U;
    const std::int32_t n = bank.stages.stages.points;
    std::int32_t own = row;
    Scalar not_finite = 0;
    char* at = to;
    SYNELIX_UNROLL(1)
    for (int k = 0; k < 16; ++k, at += step, own += 1 << bank.stages.stages.column_bits) {
      const Stored point = points[places(k)];
      if (static_cast<std::uint32_t>(own - n) < rows) store_row(at - half, point.re);
      if (static_cast<std::uint32_t>(own) < rows) store_row(at, point.im);
      not_finite = Kokkos::fma(point.re, Scalar(0), not_finite);
      not_finite = Kokkos::fma(point.im, Scalar(0), not_finite);
    }
    if (lane.is_careful && not_finite != Scalar(0)) {  // several threads may store the same number
      Kokkos::atomic_store(failed, output);
      Kokkos::atomic_store(&lane.failed, output);
    }
  }
};

}  // namespace synelix::sweep
