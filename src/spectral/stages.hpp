// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "index/segment.hpp"
#include "spectral/transform.hpp"

#include <cstdint>

/// \file
/// `Stages`: a transform as the threads of a team run it: one butterfly of one block at a time,
/// points in the team's scratch. Shapes are those of `Transform`; tables are laid out so that
/// neighbouring threads read neighbouring values.
///
/// Of the turns of a column only seven (five for 8 points) are read, the others are products of
/// two: so that a pass takes less from the caches than it does from scratch. What a thread needs
/// lies in pairs, each one access of 16 bytes for float.

namespace synelix::spectral {

/// A complex number in memory, one access of a thread.
template <class Scalar>
struct alignas(2 * sizeof(Scalar)) StoredPoint {
  Scalar re;
  Scalar im;
};

/// Two of them, side by side: one access for float, two for double.
template <class Scalar>
struct alignas(16) [[gnu::may_alias]] StoredPair {
  Scalar first_re;
  Scalar first_im;
  Scalar second_re;
  Scalar second_im;
};

/// Values of the tables that a column has: the turns of results 0 to 3, and of 4, 8 and 12 over
/// that of 0. One more makes pairs of them.
constexpr int column_factors(int radix) { return 4 + radix / 4; }
/// Where factor f of a column lies.
constexpr std::int64_t factor_place(std::int64_t f, std::int64_t column, std::int64_t columns) {
  return (f / 2 * columns + column) * 2 + f % 2;
}

/// The same of the table of the way back (spectral/back_turns.hpp): of passes in the middle, and of
/// the last one back, `pass` 0: two for its first step, and one more to make pairs.
constexpr int back_factors(int radix, int pass) { return radix / 2 + (pass == 0 ? 2 : 0); }

/// The largest tangent in it. Its inverse is nothing beside 1, and what is multiplied by it must
/// not overflow.
template <class Scalar>
constexpr double largest_tangent() {
  return sizeof(Scalar) == 4 ? 0x1p30 : 0x1p60;
}

/// Where a butterfly leaves results that are halved again and again: the number with the bits of i
/// in the opposite order.
constexpr int back_result(int points, int i) {
  int k = 0;
  for (int bit = points / 2; bit > 0; bit /= 2, i /= 2) k += i % 2 * bit;
  return k;
}

/// The shape of a transform, and its tables.
template <class Scalar>
struct Stages {
  static constexpr int most_passes = 5;

  std::int32_t points = 0;  ///< n, complex
  std::int32_t passes = 0;
  std::int32_t radix[most_passes] = {};  ///< 16 points for the first pass
  std::int32_t columns[most_passes] = {};
  std::int32_t column_bits = 0;                          ///< of the columns of the first pass
  std::int32_t leaf_bits = 0;                            ///< of the butterflies of the last pass
  const StoredPoint<Scalar>* factors[most_passes] = {};  ///< (factor, column); none of the last
  const StoredPoint<Scalar>* back[most_passes] = {};     ///< the same of the way back

  /// Butterflies of a pass of one block.
  [[nodiscard]] constexpr std::int32_t items(int pass) const { return points / radix[pass]; }
};

/// The smallest and the largest transform of a team, in complex points; and whether there is one of
/// so many, a power of two: its first pass is of 16 points, in columns of whole sixteens.
inline constexpr std::int64_t fewest_stage_points = 256;
inline constexpr std::int64_t most_stage_points = std::int64_t{1} << 18;
constexpr bool has_stages(std::int64_t points) {
  return points >= fewest_stage_points && points <= most_stage_points &&
         shape_of<float>(points).radix[0] == 16;
}

/// Where point i lies in scratch: 16 threads that read points 64 apart find them in different
/// banks, and so do 8 threads that read pairs 8 or 16 apart. Pairs stay aligned.
constexpr std::int32_t slot_of(std::int32_t i) { return i + (i >> 4) * 2; }

/// Points of scratch that n points take.
constexpr std::int64_t slots_of(std::int64_t points) { return points + points / 8; }

/// Where a spectrum has result k of a butterfly of the last pass, of so many butterflies: pairs of
/// results, each pair butterfly by butterfly.
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

/// Rows of float that fill a piece of memory which devices write as one (32 bytes). Where a thread
/// block's rows begin at a multiple of so many samples, and rows of a strip do, too, no piece is
/// written by two accesses.
inline constexpr std::int64_t aligned_rows = 8;

/// The newest sample that row 0 of a block of 2 `points` samples sees, where it sees the whole
/// window; and the rows of such a block, for one row in `every` samples.
constexpr std::int64_t first_row_of(std::int64_t points, std::int64_t window) {
  const std::int64_t aligned = index::round_up(window - 1, aligned_rows);
  return aligned + aligned_rows > 2 * points ? window - 1 : aligned;
}
constexpr std::int64_t whole_rows(std::int64_t points, std::int64_t window, std::int64_t every) {
  return (2 * points - 1 - first_row_of(points, window)) / every + 1;
}

/// What a team transforms, and how windows and blocks are cut.
struct StageSizes {
  std::int64_t scalar_bytes = 4;
  std::int64_t points = 0;     ///< complex, of a transform: half the length of a block
  std::int64_t lanes = 1;      ///< blocks that a team transforms together
  std::int64_t parts = 1;      ///< of the window
  std::int64_t part_taps = 0;  ///< of all parts but the last; the window where there is one
  std::int64_t block_rows = 0;

  /// The newest sample that row 0 of a block sees, counted from the block's first.
  [[nodiscard]] constexpr std::int64_t first_row() const {
    return parts > 1 ? part_taps - 1 : first_row_of(points, part_taps);
  }
};

/// Bytes of scratch that a team keeps of each block beside its points, and of all.
inline constexpr std::int64_t stage_lane_bytes = 192;
inline constexpr std::int64_t stage_team_bytes = 64;

/// Bytes of scratch of a team: the spectra of its blocks, which parts have elsewhere, and one
/// output of each while it is transformed.
constexpr std::int64_t stage_scratch_bytes(const StageSizes& sizes) {
  const std::int64_t kept = sizes.parts > 1 ? 0 : sizes.points;
  return sizes.lanes *
             ((kept + slots_of(sizes.points)) * 2 * sizes.scalar_bytes + stage_lane_bytes) +
         stage_team_bytes;
}

/// Bytes of a team's share of the workspace: the spectra of the blocks that parts see.
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
