// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>

#include <cstdint>

/// \file
/// The functions phi_b(u) of every family at one u, in double, for kernels. Formulas are those of
/// basis.hpp and eval_basis.hpp; splines by the triangle of the `order` functions that are not zero
/// at u (de Boor), knots from their formula rather than from a table.

namespace synelix::bases {

/// Most inputs of a Fourier basis.
inline constexpr int most_dimensions = 4;
/// Highest order of a spline in eval mode: the size of an array on the stack of a thread.
inline constexpr int most_order = 32;
/// Right end of the knots: just above 1, so that u = 1 lies inside the last half-open interval.
inline constexpr double knots_end = 1.0 + 2.220446049250313e-16;

enum class Family : std::uint8_t {
  raised_cosine_linear,
  raised_cosine_log,
  bspline,
  cyclic_bspline,
  mspline,
  orth_exponential,
  identity,
  fourier
};

/// A family with its parameters, trivially copyable.
struct Functions {
  Family family = Family::identity;
  std::int64_t bases = 0;
  std::int64_t order = 0;       ///< of splines
  double width = 0;             ///< of raised cosines
  double spacings = 0;          ///< of raised cosines: peaks stand at b / spacings
  double time_scaling = 0;      ///< of RaisedCosineLog
  double stretch = 0;           ///< of RaisedCosineLog: ln(1 + time_scaling)
  int dimensions = 1;           ///< of Fourier
  std::int64_t cosines = 0;     ///< of Fourier: combinations
  std::int64_t sines_from = 0;  ///< of Fourier: 1 where the first combination is all zero
  /// Of Fourier (combination, dimension) frequencies; of OrthExponential the rates.
  const double* table = nullptr;
  std::int64_t rates = 0;  ///< of OrthExponential
};

/// Raised cosine of half-width 1 around 0; exactly 0 from |x| = 1 on.
KOKKOS_INLINE_FUNCTION double raised_cosine(double x) {
  if (x <= -1.0 || x >= 1.0) return 0.0;
  return 0.5 * (1.0 + Kokkos::cos(Kokkos::numbers::pi * x));
}

/// The knot `i` of `intervals` even intervals from 0 to knots_end, also before 0.
///
/// Rounded as numpy.linspace(0, knots_end, intervals + 1) rounds it: i times the rounded step, and
/// the end itself. Splines of order 1 jump at their knots, and the last bit of a knot decides on
/// which side a sample lies. The step is never 0, for which NumPy has a rule of its own.
KOKKOS_INLINE_FUNCTION double even_knot(std::int64_t i, std::int64_t intervals) {
  if (i == intervals) return knots_end;
  return static_cast<double>(i) * (knots_end / static_cast<double>(intervals));
}

/// The knot i of the clamped knots of BSpline and MSpline, `intervals` of them between 0 and 1.
KOKKOS_INLINE_FUNCTION double clamped_knot(std::int64_t i, std::int64_t order,
                                           std::int64_t intervals) {
  const std::int64_t inner = i - (order - 1);
  return even_knot(inner < 0 ? 0 : (inner > intervals ? intervals : inner), intervals);
}

/// The knot i of CyclicBSpline, the circle unrolled.
KOKKOS_INLINE_FUNCTION double circle_knot(std::int64_t i, std::int64_t order,
                                          std::int64_t intervals) {
  return even_knot(i - (order - 1), intervals);
}

/// The interval [knot(k + order - 1), knot(k + order)) in which u lies, k = 0, ..., intervals - 1.
template <class Knot>
KOKKOS_INLINE_FUNCTION std::int64_t interval_of(double u, std::int64_t order,
                                                std::int64_t intervals, const Knot& knot) {
  auto k = static_cast<std::int64_t>(u * static_cast<double>(intervals));
  k = k < 0 ? 0 : (k > intervals - 1 ? intervals - 1 : k);
  while (k > 0 && u < knot(k + order - 1)) --k;
  while (k < intervals - 1 && u >= knot(k + order)) ++k;
  return k;
}

/// The splines k, ..., k + order - 1, which are not zero in interval k, at u.
template <class Knot>
KOKKOS_INLINE_FUNCTION void local_splines(double u, std::int64_t order, std::int64_t k,
                                          const Knot& knot, double* values) {
  values[0] = 1.0;
  for (std::int64_t m = 1; m < order; ++m) {
    double carried = 0.0;
    for (std::int64_t i = 0; i < m; ++i) {
      const double right = knot(k + order + i);
      const double left = knot(k + order + i - m);
      const double part = values[i] / (right - left);
      values[i] = carried + (right - u) * part;
      carried = (u - left) * part;
    }
    values[m] = carried;
  }
}

/// Writes phi_b(u) for all b through write(b, value); 0 <= u <= 1 for splines. Values of MSpline
/// are divided by `range`, the length of the samples' range.
template <class Write>
KOKKOS_INLINE_FUNCTION void evaluate_functions(const Functions& f, double u, double range,
                                               const Write& write) {
  double values[most_order];
  switch (f.family) {
    case Family::identity:
      write(0, u);
      break;
    case Family::raised_cosine_linear:
    case Family::raised_cosine_log: {
      const double s = f.family == Family::raised_cosine_linear
                           ? u
                           : Kokkos::log1p(f.time_scaling * u) / f.stretch;
      for (std::int64_t b = 0; b < f.bases; ++b) {
        write(b, raised_cosine((s * f.spacings - static_cast<double>(b)) / f.width));
      }
      break;
    }
    case Family::bspline:
    case Family::mspline: {
      const std::int64_t intervals = f.bases - f.order + 1;
      const auto knot = [&](std::int64_t i) { return clamped_knot(i, f.order, intervals); };
      const std::int64_t k = interval_of(u, f.order, intervals, knot);
      local_splines(u, f.order, k, knot, values);
      for (std::int64_t b = 0; b < f.bases; ++b) {
        double value = b >= k && b < k + f.order ? values[b - k] : 0.0;
        if (f.family == Family::mspline) {
          // Below this span of knots NeMoS calls a spline 0 instead of dividing.
          const double span = knot(b + f.order) - knot(b);
          value = span < 1e-6 ? 0.0 : value * (static_cast<double>(f.order) / span) / range;
        }
        write(b, value);
      }
      break;
    }
    case Family::cyclic_bspline: {
      const auto knot = [&](std::int64_t i) { return circle_knot(i, f.order, f.bases); };
      const std::int64_t k = interval_of(u, f.order, f.bases, knot);
      local_splines(u, f.order, k, knot, values);
      for (std::int64_t b = 0; b < f.bases; ++b) {
        const std::int64_t i = b >= k ? b - k : b + f.bases - k;
        write(b, i < f.order ? values[i] : 0.0);
      }
      break;
    }
    case Family::orth_exponential:
    case Family::fourier:
      break;
  }
}

/// Writes the columns of a Fourier basis; `place` holds (x_d - lower_d) / (upper_d - lower_d) for
/// each dimension. Whole periods are taken off before the cosine, so that an angle is as exact
/// as the sample.
template <class Write>
KOKKOS_INLINE_FUNCTION void evaluate_fourier(const Functions& f, const double* place,
                                             const Write& write) {
  for (std::int64_t i = 0; i < f.cosines; ++i) {
    double periods = 0.0;
    for (int d = 0; d < f.dimensions; ++d) {
      const double frequency = f.table[i * f.dimensions + d];
      const double turns = frequency * place[d];
      periods += turns - Kokkos::floor(turns) + Kokkos::fma(frequency, place[d], -turns);
    }
    periods -= Kokkos::round(periods);
    const double angle = 2.0 * Kokkos::numbers::pi * periods;
    write(i, Kokkos::cos(angle));
    if (i >= f.sines_from) write(f.cosines + i - f.sines_from, Kokkos::sin(angle));
  }
}

/// Writes the orthonormal columns of exponentials at u by the map of a channel, rates x bases.
template <class Write>
KOKKOS_INLINE_FUNCTION void evaluate_exponentials(const Functions& f, const double* map, double u,
                                                  const Write& write) {
  for (std::int64_t b = 0; b < f.bases; ++b) {
    double sum = 0.0;
    for (std::int64_t i = 0; i < f.rates; ++i) {
      sum += Kokkos::exp(-f.table[i] * u) * map[i * f.bases + b];
    }
    write(b, sum);
  }
}

}  // namespace synelix::bases
