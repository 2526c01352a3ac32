// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

/// \file
/// `Transform`: the shape of a transform of real blocks, and the addresses of its constants.
///
/// A block of N = 2 n real values x becomes the n complex points (x[j] + i x[j + n]) u^j with u =
/// exp(i pi / 2n), and then their discrete Fourier transform. Products of such spectra are
/// convolutions in which values that leave the block wrap around with the opposite sign (z^N = -1).
/// Overlap-save discards those values anyway. So one lane holds one real block, and no data of its
/// neighbors.
///
/// Each forward pass splits blocks of points by decimation in frequency: the first pass also
/// multiplies by u^j, and later passes work within each of its `radix[0]` blocks. The order of the
/// results is the order of the inverse transform, which runs the same passes backwards; no point is
/// reordered.

namespace synelix::spectral {

/// The shape of a transform; the caller provides the memory of its tables.
template <class Scalar>
struct Transform {
  static constexpr int most_passes = 16;

  std::int64_t points = 0;                 ///< n, complex
  std::int64_t step = 0;                   ///< points from one block of the first pass to the next
  int passes = 0;                          ///< at least 2
  int radix[most_passes] = {};             ///< 4, 8 or 16 points for each pass
  std::int64_t columns[most_passes] = {};  ///< of a pass, in one of its blocks; 1 for the last
  /// Of all passes except the last, (column, result, cosine and sine of its twiddle factor)
  const Scalar* turns[most_passes] = {};
  const Scalar* weights = nullptr;  ///< cosine and sine of u^(q n / radix[0]) for each q

  /// Number of points in the memory of a block while it is transformed.
  [[nodiscard]] constexpr std::int64_t stored_points() const { return radix[0] * step; }
};

/// The smallest and the largest transform, in complex points.
inline constexpr std::int64_t fewest_points = 64;
inline constexpr std::int64_t most_points = std::int64_t{1} << 40;

/// Bytes of a register, for sets whose 32 registers hold the 16 points of a butterfly.
inline constexpr int wide_register_bytes = 64;
/// Whether transforms of a set have passes of 8 points and 4: sets with 16 registers would keep
/// half of 16 points on the stack (perf/NOTES.md, The FFT method). It depends on the bytes of a
/// register, so that all sets of a width have the same shapes.
constexpr bool has_short_passes(std::int64_t register_bytes) {
  return register_bytes < wide_register_bytes;
}

/// The shape for n points, a power of two of at least `fewest_points`, for registers of a number of
/// bytes; without tables.
template <class Scalar>
constexpr Transform<Scalar> shape_of(std::int64_t points,
                                     std::int64_t register_bytes = wide_register_bytes) {
  Transform<Scalar> shape;
  shape.points = points;
  int bits = 0;
  while ((std::int64_t{1} << bits) < points) ++bits;
  const bool is_short = has_short_passes(register_bytes);
  // As few passes as possible, the long ones first; or short ones, those of 4 points first.
  shape.passes = is_short ? (bits + 2) / 3 : (bits + 3) / 4;
  const int first = is_short ? 3 * shape.passes - bits : bits - 3 * shape.passes;
  std::int64_t left = points;
  for (int i = 0; i < shape.passes; ++i) {
    shape.radix[i] = i >= first ? 8 : is_short ? 4 : 16;
    left /= shape.radix[i];
    shape.columns[i] = left;
  }
  // One point more than the period of a cache's sets.
  shape.step = shape.columns[0] + 1;
  return shape;
}

/// Values of the tables of a shape.
template <class Scalar>
constexpr std::int64_t table_values(const Transform<Scalar>& shape) {
  std::int64_t values = 2 * shape.radix[0];
  for (int i = 0; i + 1 < shape.passes; ++i) values += 2 * shape.radix[i] * shape.columns[i];
  return values;
}

/// The shape with its tables at `memory`.
template <class Scalar>
constexpr Transform<Scalar> bind(Transform<Scalar> shape, const Scalar* memory) {
  shape.weights = memory;
  memory += 2 * shape.radix[0];
  for (int i = 0; i + 1 < shape.passes; ++i) {
    shape.turns[i] = memory;
    memory += 2 * shape.radix[i] * shape.columns[i];
  }
  return shape;
}

/// Computes the tables, in double, rounded once.
template <class Scalar>
void fill_tables(const Transform<Scalar>& shape, Scalar* memory);

}  // namespace synelix::spectral
