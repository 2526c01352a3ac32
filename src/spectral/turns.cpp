// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "spectral/stages.hpp"
#include "spectral/transform.hpp"

#include <cmath>
#include <numbers>

namespace synelix::spectral {
namespace {

/// Writes cosine and sine of 2 pi part / whole. The angle is reduced to an eighth of the circle
/// first, so that roots that differ only in signs have equal digits.
template <class Scalar>
void write_twiddle(std::int64_t part, std::int64_t whole, Scalar* to) {
  part %= whole;
  if (part < 0) part += whole;
  const std::int64_t eighth = 8 * part / whole;
  std::int64_t rest = 8 * part - eighth * whole;  // in circles: rest / (8 whole)
  if (eighth % 2 != 0) rest = whole - rest;
  const double angle =
      std::numbers::pi / 4.0 * (static_cast<double>(rest) / static_cast<double>(whole));
  double c = std::cos(angle);
  double s = std::sin(angle);
  if ((eighth + 1) / 2 % 2 != 0) {
    const double swap = c;
    c = s;
    s = swap;
  }
  if (eighth >= 2 && eighth < 6) c = -c;
  if (eighth >= 4) s = -s;
  to[0] = static_cast<Scalar>(c);
  to[1] = static_cast<Scalar>(s);
}

/// Cosine and tangent of factor f of a column of the inverse passes (spectral/back_turns.hpp).
template <class Scalar>
StoredPoint<Scalar> back_turn(int radix, int f, std::int64_t column, std::int64_t columns) {
  int parts = 1;
  while (parts <= f) parts *= 2;
  const int half = radix / (2 * parts);
  const int k = parts == 1 ? 0 : back_result(parts, 2 * (f - parts / 2));
  double turn[2];
  write_twiddle(half * (column + k * columns), radix * columns, turn);
  // A quarter of a circle has no tangent, so the cosine is set to a tiny value.
  const double least = 1.0 / largest_tangent<Scalar>();
  if (turn[0] == 0.0) turn[0] = least;
  return {static_cast<Scalar>(turn[0]), static_cast<Scalar>(turn[1] / turn[0])};
}

/// The same for the last inverse pass, whose points are also rotated by -j / 4n of a circle for
/// u^j. The first step does that; its cosine is applied at the end.
template <class Scalar>
StoredPoint<Scalar> last_turn(int f, std::int64_t column, std::int64_t columns) {
  if (f > 1) return back_turn<Scalar>(16, f > 8 ? 0 : f - 1, column, columns);
  const std::int64_t n = 16 * columns;
  double common[2];
  write_twiddle(-column, 4 * n, common);
  double turn[2] = {common[0], common[1]};
  if (f == 1) write_twiddle(31 * column, 4 * n, turn);
  return {static_cast<Scalar>(f == 0 ? turn[0] : turn[0] / common[0]),
          static_cast<Scalar>(turn[1] / turn[0])};
}

}  // namespace

template <class Scalar>
void fill_tables(const Transform<Scalar>& shape, Scalar* memory) {
  const Transform<Scalar> bound = bind(shape, memory);
  for (int q = 0; q < shape.radix[0]; ++q) {
    write_twiddle(q, std::int64_t{4} * shape.radix[0], memory + 2 * q);
  }
  for (int i = 0; i + 1 < shape.passes; ++i) {
    const std::int64_t size = shape.radix[i] * shape.columns[i];
    Scalar* to = memory + (bound.turns[i] - bound.weights);
    for (std::int64_t j = 0; j < shape.columns[i]; ++j) {
      for (std::int64_t k = 0; k < shape.radix[i]; ++k, to += 2) {
        const std::int64_t weight = i == 0 ? j : 0;  // u^j is 1 / (4 n) of a circle, j times
        write_twiddle(weight - 4 * j * k, 4 * size, to);
      }
    }
  }
}

template <class Scalar>
void fill_tables(const Stages<Scalar>& stages, StoredPoint<Scalar>* memory) {
  StoredPoint<Scalar>* to = memory;
  for (int i = 0; i + 1 < stages.passes; ++i) {
    const std::int64_t columns = stages.columns[i];
    const std::int64_t size = stages.radix[i] * columns;
    for (std::int64_t f = 0; f < column_factors(stages.radix[i]); ++f) {
      for (std::int64_t j = 0; j < columns; ++j) {
        const std::int64_t k = f < 4 ? f : 4 * (f - 3);
        const std::int64_t weight = i == 0 && f < 4 ? j : 0;  // as above, in one of the two factors
        Scalar turn[2];
        write_twiddle(weight - 4 * j * k, 4 * size, turn);
        to[factor_place(f, j, columns)] = {turn[0], turn[1]};
      }
    }
    to += column_factors(stages.radix[i]) * columns;
    const int radix = stages.radix[i];
    for (int f = 0; f < back_factors(radix, i); ++f) {
      for (std::int64_t j = 0; j < columns; ++j) {
        to[factor_place(f, j, columns)] =
            i == 0 ? last_turn<Scalar>(f, j, columns) : back_turn<Scalar>(radix, f, j, columns);
      }
    }
    to += back_factors(radix, i) * columns;
  }
}

template void fill_tables(const Transform<float>&, float*);
template void fill_tables(const Transform<double>&, double*);
template void fill_tables(const Stages<float>&, StoredPoint<float>*);
template void fill_tables(const Stages<double>&, StoredPoint<double>*);

}  // namespace synelix::spectral
