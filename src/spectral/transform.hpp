// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

/// \file
/// `Transform`: the shape of a transform of real blocks, and where its constants lie.
///
/// A block of N = 2 n real values x becomes the n complex points (x[j] + i x[j + n]) u^j with
/// u = exp(i pi / 2n), and those their discrete Fourier transform. Products of such spectra are
/// convolutions in which what leaves the block comes back with the other sign (z^N = -1): all that
/// overlap-save needs, which discards those values anyway. So one lane holds one real block, and
/// nothing of its neighbours.
///
/// Forward, each pass splits blocks of points by decimation in frequency: first, where u^j is
/// multiplied in, then within each of the `radix[0]` blocks that it leaves. Results are left in the
/// order in which the inverse takes them, the same passes backwards; no point is reordered.

namespace synelix::spectral {

/// The shape of a transform; its tables lie where the caller put them.
template <class Scalar>
struct Transform {
  static constexpr int most_passes = 16;

  std::int64_t points = 0;                 ///< n, complex
  std::int64_t step = 0;                   ///< points from one block of the first pass to the next
  int passes = 0;                          ///< at least 2
  int radix[most_passes] = {};             ///< 4, 8 or 16 points for each pass
  std::int64_t columns[most_passes] = {};  ///< of a pass, in one of its blocks; 1 for the last
  /// Of all passes but the last, (column, result, cosine and sine of its turn)
  const Scalar* turns[most_passes] = {};
  const Scalar* weights = nullptr;  ///< cosine and sine of u^(q n / radix[0]) for each q

  /// Points of the memory that a block takes while it is transformed.
  [[nodiscard]] constexpr std::int64_t stored_points() const { return radix[0] * step; }
};

/// The smallest and the largest transform, in complex points.
inline constexpr std::int64_t fewest_points = 64;
inline constexpr std::int64_t most_points = std::int64_t{1} << 40;

/// Bytes of the registers of sets whose 32 registers hold the 16 points of a butterfly.
inline constexpr int wide_register_bytes = 64;
/// Whether transforms of a set are passes of 8 points and 4: sets with 16 registers would keep half
/// of 16 points on the stack (perf/NOTES.md, The FFT method). It goes by the bytes of a register,
/// so that all sets of a width have the same shapes.
constexpr bool has_short_passes(std::int64_t register_bytes) {
  return register_bytes < wide_register_bytes;
}

/// The shape for n points, a power of two from `fewest_points` on, on registers of so many bytes;
/// without tables.
template <class Scalar>
constexpr Transform<Scalar> shape_of(std::int64_t points,
                                     std::int64_t register_bytes = wide_register_bytes) {
  Transform<Scalar> shape;
  shape.points = points;
  int bits = 0;
  while ((std::int64_t{1} << bits) < points) ++bits;
  const bool is_short = has_short_passes(register_bytes);
  // As few passes as there can be, the long ones first; or short ones, those of 4 points first.
  shape.passes = is_short ? (bits + 2) / 3 : (bits + 3) / 4;
  const int first = is_short ? 3 * shape.passes - bits : bits - 3 * shape.passes;
  std::int64_t left = points;
  for (int i = 0; i < shape.passes; ++i) {
    shape.radix[i] = i >= first ? 8 : is_short ? 4 : 16;
    left /= shape.radix[i];
    shape.columns[i] = left;
  }
  // One point more than fits the period of a cache's sets.
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
