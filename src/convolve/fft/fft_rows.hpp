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

/// The rows of one column of a lane, straight from registers; where not every sample has one,
/// back to their places. Point 15 comes last (spectral/butterfly.hpp).
template <class Scalar>
struct FftRowStore {
  using Stored = spectral::StoredPoint<Scalar>;

  Stored* points;
  spectral::Places places;
  Scalar* to;
  std::int64_t row_stride;
  std::uint32_t* failed;
  std::uint32_t* lane_failed;
  std::uint32_t output;
  std::int32_t n;
  std::int32_t bits;
  std::int32_t first;             ///< row 0 of the column, counted from the first that is stored
  std::int32_t rows;              ///< that are stored
  bool has_all;                   ///< whether every sample has a row
  mutable Scalar not_finite = 0;  ///< NaN once a row of the column is not finite

  /// `first_to` is where the first row goes that gets a value.
  KOKKOS_INLINE_FUNCTION FftRowStore(const DeviceBank<Scalar>& bank, Stored* all_points,
                                     FftLane<Scalar>& lane, const spectral::Places& of_column,
                                     Scalar* first_to, std::int64_t every,
                                     std::uint32_t* any_failed, std::uint32_t number)
      : points(all_points),
        places(of_column),
        to(first_to),
        row_stride(lane.row_stride),
        failed(any_failed),
        lane_failed(&lane.failed),
        output(number),
        n(bank.stages.stages.points),
        bits(bank.stages.stages.column_bits),
        first(of_column.column - static_cast<std::int32_t>(bank.sizes.part_taps) + 1 -
              lane.valued.begin),
        rows(lane.valued.end - lane.valued.begin),
        has_all(every == 1) {}

  KOKKOS_INLINE_FUNCTION void store(std::int32_t row, Scalar value) const {
    if (static_cast<std::uint32_t>(row) < static_cast<std::uint32_t>(rows)) {
      to[row * row_stride] = value + Scalar(0);  // so that no zero has a sign
    }
  }
  KOKKOS_INLINE_FUNCTION void operator()(int k, const spectral::Point<Scalar>& value) const {
    if (has_all) {
      store(first + (k << bits), value.re.value);
      store(first + (k << bits) + n, value.im.value);
    } else {
      points[places(k)] = spectral::stored(value);
    }
    // An addition of the last butterfly may overflow in one row alone: all rows are looked at.
    // Times zero, nothing but NaN and Inf is not zero.
    not_finite = Kokkos::fma(value.re.value, Scalar(0), not_finite);
    not_finite = Kokkos::fma(value.im.value, Scalar(0), not_finite);
    if (k == 15 && not_finite != Scalar(0)) {  // several threads may write the same number
      Kokkos::atomic_store(failed, output);
      Kokkos::atomic_store(lane_failed, output);
    }
  }
};

}  // namespace synelix::sweep
