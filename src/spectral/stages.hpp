// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "index/segment.hpp"
#include "spectral/transform.hpp"

#include <cstdint>

/// \file
/// `Stages`: a transform as executed by the threads of a team: one butterfly of one block at a
/// time, with points in the team's scratch. Shapes are those of `Transform`; the layout of tables
/// lets neighboring threads read neighboring values.
///
/// Only seven twiddle factors of a column (five for 8 points) are read; the others are products of
/// two. So a pass reads less from the caches than from scratch. The values of a thread are in
/// pairs, each one access of 16 bytes for float.

namespace synelix::spectral {

/// A complex number in memory, one access of a thread.
template <class Scalar>
struct alignas(2 * sizeof(Scalar)) StoredPoint {
  Scalar re;
  Scalar im;
};

/// Two adjacent complex numbers: one access for float, two for double.
template <class Scalar>
struct alignas(16) [[gnu::may_alias]] StoredPair {
  Scalar first_re;
  Scalar first_im;
  Scalar second_re;
  Scalar second_im;
};

/// Values of the tables for a column: the factors of results 0 to 3, and of 4, 8 and 12 relative to
/// that of 0. Another one makes the number even.
constexpr int column_factors(int radix) { return 4 + radix / 4; }
/// The place of factor f of a column.
constexpr std::int64_t factor_place(std::int64_t f, std::int64_t column, std::int64_t columns) {
  return (f / 2 * columns + column) * 2 + f % 2;
}

/// The same for the table of the inverse passes (spectral/back_turns.hpp): of middle passes, and of
/// the last inverse pass, `pass` 0: two for its first step, and one more to make pairs.
constexpr int back_factors(int radix, int pass) { return radix / 2 + (pass == 0 ? 2 : 0); }

/// The largest tangent in it. Its inverse is negligible compared with 1, and products with it must
/// not overflow.
template <class Scalar>
constexpr double largest_tangent() {
  return sizeof(Scalar) == 4 ? 0x1p30 : 0x1p60;
}

/// The place of result i in a butterfly that halves repeatedly: the number with the bits of i in
/// reverse order.
constexpr int back_result(int points, int i) {
  int k = 0;
  for (int bit = points / 2; bit > 0; bit /= 2, i /= 2) k += i % 2 * bit;
  return k;
}

/// The shape of a transform, and its tables.
template <class Scalar>
struct Stages {
  static constexpr int most_passes = 5;

  std::int32_t points = 0;  ///< n complex points
  std::int32_t passes = 0;
  std::int32_t radix[most_passes] = {};  ///< 16 points for the first pass
  std::int32_t columns[most_passes] = {};
  std::int32_t column_bits = 0;                          ///< of the columns of the first pass
  std::int32_t leaf_bits = 0;                            ///< of the butterflies of the last pass
  const StoredPoint<Scalar>* factors[most_passes] = {};  ///< (factor, column); none of the last
  const StoredPoint<Scalar>* back[most_passes] = {};     ///< the same for the inverse passes

  /// Butterflies of a pass of one block.
  [[nodiscard]] constexpr std::int32_t items(int pass) const { return points / radix[pass]; }
};

/// The smallest and the largest transform of a team, in complex points; and whether there is one
/// with this number of points, a power of two: its first pass has 16 points, in a multiple of 16
/// columns.
inline constexpr std::int64_t fewest_stage_points = 256;
inline constexpr std::int64_t most_stage_points = std::int64_t{1} << 18;
constexpr bool has_stages(std::int64_t points) {
  return points >= fewest_stage_points && points <= most_stage_points &&
         shape_of<float>(points).radix[0] == 16;
}

/// The place of point i in scratch: 16 threads that read points 64 apart access different banks,
/// and so do 8 threads that read pairs 8 or 16 apart. Pairs stay aligned.
constexpr std::int32_t slot_of(std::int32_t i) { return i + (i >> 4) * 2; }

/// Places of scratch for n points.
constexpr std::int64_t slots_of(std::int64_t points) { return points + points / 8; }

/// The place in a spectrum of result k of a butterfly of the last pass: pairs of results, each pair
/// butterfly by butterfly.
constexpr std::int32_t spectrum_place(std::int32_t k, std::int32_t butterfly,
                                      std::int32_t butterflies) {
  return (k / 2 * butterflies + butterfly) * 2 + k % 2;
}

/// The stages for n points, a power of two, without tables.
template <class Scalar>
constexpr Stages<Scalar> stages_of(std::int64_t points) {
  const Transform<Scalar> shape = shape_of<Scalar>(points);
  Stages<Scalar> stages;
  stages.points = static_cast<std::int32_t>(points);
  stages.passes = shape.passes;
  for (int i = 0; i < shape.passes; ++i) {
    stages.radix[i] = shape.radix[i];
    stages.columns[i] = static_cast<std::int32_t>(shape.columns[i]);
  }
  while (std::int32_t{1} << stages.column_bits < stages.columns[0]) ++stages.column_bits;
  while (std::int32_t{1} << stages.leaf_bits < stages.items(stages.passes - 1)) ++stages.leaf_bits;
  return stages;
}

/// Points of the tables.
template <class Scalar>
constexpr std::int64_t table_points(const Stages<Scalar>& stages) {
  std::int64_t count = 0;
  for (int i = 0; i + 1 < stages.passes; ++i) {
    count +=
        (column_factors(stages.radix[i]) + back_factors(stages.radix[i], i)) * stages.columns[i];
  }
  return count;
}

/// The stages with their tables at `memory`.
template <class Scalar>
constexpr Stages<Scalar> bind(Stages<Scalar> stages, const StoredPoint<Scalar>* memory) {
  for (int i = 0; i + 1 < stages.passes; ++i) {
    stages.factors[i] = memory;
    memory += column_factors(stages.radix[i]) * stages.columns[i];
    stages.back[i] = memory;
    memory += back_factors(stages.radix[i], i) * stages.columns[i];
  }
  return stages;
}

/// Computes the tables, in double, rounded once.
template <class Scalar>
void fill_tables(const Stages<Scalar>& stages, StoredPoint<Scalar>* memory);

/// Rows of float that fill the unit in which devices write memory (32 bytes). If a block's rows
/// begin at a multiple of this number of samples, and so do rows of a strip, no unit is written by
/// two accesses.
inline constexpr std::int64_t aligned_rows = 8;

/// The newest sample of row 0 of a block of 2 `points` samples with the complete window; and the
/// rows of such a block, for one row in `every` samples.
constexpr std::int64_t first_row_of(std::int64_t points, std::int64_t window) {
  const std::int64_t aligned = index::round_up(window - 1, aligned_rows);
  return aligned + aligned_rows > 2 * points ? window - 1 : aligned;
}
constexpr std::int64_t whole_rows(std::int64_t points, std::int64_t window, std::int64_t every) {
  return (2 * points - 1 - first_row_of(points, window)) / every + 1;
}

/// The sizes of a team's transforms, and of windows and blocks.
struct StageSizes {
  std::int64_t scalar_bytes = 4;
  std::int64_t points = 0;     ///< complex points of a transform: half the length of a block
  std::int64_t lanes = 1;      ///< blocks that a team transforms together
  std::int64_t parts = 1;      ///< of the window
  std::int64_t part_taps = 0;  ///< of all parts except the last; the window if there is one
  std::int64_t block_rows = 0;

  /// The newest sample of row 0 of a block, relative to the block's first.
  [[nodiscard]] constexpr std::int64_t first_row() const {
    return parts > 1 ? part_taps - 1 : first_row_of(points, part_taps);
  }
};

/// Bytes of scratch for each block besides its points, and for a team.
inline constexpr std::int64_t stage_lane_bytes = 192;
inline constexpr std::int64_t stage_team_bytes = 64;

/// Bytes of scratch of a team: the spectra of its blocks (with parts, they are in the workspace),
/// and one output of each during its transform.
constexpr std::int64_t stage_scratch_bytes(const StageSizes& sizes) {
  const std::int64_t kept = sizes.parts > 1 ? 0 : sizes.points;
  return sizes.lanes *
             ((kept + slots_of(sizes.points)) * 2 * sizes.scalar_bytes + stage_lane_bytes) +
         stage_team_bytes;
}

/// Bytes of a team's share of the workspace: the spectra of the blocks in a window with parts.
constexpr std::int64_t stage_ring_bytes(const StageSizes& sizes) {
  return sizes.parts > 1 ? sizes.parts * sizes.lanes * sizes.points * 2 * sizes.scalar_bytes : 0;
}

/// Bytes of the tables of a bank: factors, the spectra of each basis and part, and a number.
constexpr std::int64_t stage_bank_bytes(const StageSizes& sizes, std::int64_t bases) {
  return (table_points(stages_of<float>(sizes.points)) + bases * sizes.parts * sizes.points) * 2 *
             sizes.scalar_bytes +
         static_cast<std::int64_t>(sizeof(std::int32_t));
}

}  // namespace synelix::spectral
