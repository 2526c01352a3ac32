// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/eval_basis.hpp>

#include <Kokkos_MathematicalConstants.hpp>
#include <Kokkos_MathematicalFunctions.hpp>

#include <cstdint>
#include <type_traits>

/// \file
/// The functions phi_b(u) of every family at one u, in double, for kernels. Formulas are those of
/// basis.hpp and eval_basis.hpp; splines use the triangle of the `order` functions that are not
/// zero at u (de Boor), and knots come from their formula instead of a table.

namespace synelix::bases {

/// Most inputs of a Fourier basis.
inline constexpr int most_dimensions = 4;
/// Highest order of a spline in eval mode: the size of an array on the stack of a thread.
inline constexpr int most_order = 32;
/// Right end of the knots: just above 1, so that u = 1 is inside the last half-open interval.
inline constexpr double knots_end = 1.0 + 2.220446049250313e-16;

/// The form of RaisedCosineLog for kernels, with values that the host computes once.
struct LogCosines {
  RaisedCosineLog basis;
  double spacings = 0;  ///< peaks are at b / spacings
  double stretch = 0;   ///< ln(1 + time_scaling)
};

/// The form of OrthExponential for kernels.
struct Exponentials {
  const double* rates = nullptr;
  std::int64_t count = 0;
};

/// The form of Fourier for kernels.
struct Waves {
  const double* frequencies = nullptr;  ///< (combination, dimension)
  int dimensions = 1;
  std::int64_t cosines = 0;     ///< combinations
  std::int64_t sines_from = 0;  ///< 1 if the first combination is all zero
};

/// The trivially copyable form of a family for kernels: the family itself, unless it has a special
/// form. `table` is `table_of` the family, in the memory of the kernel.
template <class Family>
Family kernel_form(const Family& family, const double*) {
  return family;
}
LogCosines kernel_form(const RaisedCosineLog& family, const double* table);
Exponentials kernel_form(const OrthExponential& family, const double* table);
Waves kernel_form(const Fourier& family, const double* table);

template <class Family>
using KernelForm = decltype(kernel_form(*static_cast<const Family*>(nullptr), nullptr));

/// Raised cosine of half-width 1 around 0; exactly 0 from |x| = 1 on.
KOKKOS_INLINE_FUNCTION double raised_cosine(double x) {
  if (x <= -1.0 || x >= 1.0) return 0.0;
  return 0.5 * (1.0 + Kokkos::cos(Kokkos::numbers::pi * x));
}

/// Knot `i` of `intervals` even intervals from 0 to knots_end; i may be negative.
///
/// Rounded like numpy.linspace(0, knots_end, intervals + 1): i times the rounded step, and the
/// exact end. Splines of order 1 jump at their knots, where the last bit of a knot decides on which
/// side a sample is. The step is never 0, for which NumPy has a special rule.
KOKKOS_INLINE_FUNCTION double even_knot(std::int64_t i, std::int64_t intervals) {
  if (i == intervals) return knots_end;
  return static_cast<double>(i) * (knots_end / static_cast<double>(intervals));
}

/// Knot i of the clamped knots of BSpline and MSpline, `intervals` of them between 0 and 1.
KOKKOS_INLINE_FUNCTION double clamped_knot(std::int64_t i, std::int64_t order,
                                           std::int64_t intervals) {
  const std::int64_t inner = i - (order - 1);
  return even_knot(inner < 0 ? 0 : (inner > intervals ? intervals : inner), intervals);
}

/// Knot i of CyclicBSpline, on the unrolled circle.
KOKKOS_INLINE_FUNCTION double circle_knot(std::int64_t i, std::int64_t order,
                                          std::int64_t intervals) {
  return even_knot(i - (order - 1), intervals);
}

/// The k of the interval [knot(k + order - 1), knot(k + order)) that contains u, k = 0, ...,
/// intervals - 1.
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

/// Calls write(b, raised cosine of basis b) with peaks at b / spacings.
template <class Write>
KOKKOS_INLINE_FUNCTION void evaluate_cosines(double s, double spacings, std::int64_t bases,
                                             double width, const Write& write) {
  for (std::int64_t b = 0; b < bases; ++b) {
    write(b, raised_cosine((s * spacings - static_cast<double>(b)) / width));
  }
}

/// Calls write(b, N_b(u), span of the knots of N_b) for the splines on clamped knots.
template <class Write>
KOKKOS_INLINE_FUNCTION void evaluate_clamped(double u, std::int64_t bases, std::int64_t order,
                                             const Write& write) {
  const std::int64_t intervals = bases - order + 1;
  const auto knot = [&](std::int64_t i) { return clamped_knot(i, order, intervals); };
  double values[most_order];
  const std::int64_t k = interval_of(u, order, intervals, knot);
  local_splines(u, order, k, knot, values);
  for (std::int64_t b = 0; b < bases; ++b) {
    write(b, b >= k && b < k + order ? values[b - k] : 0.0, knot(b + order) - knot(b));
  }
}

// evaluate(form, u, range, write) for each family of one input whose functions depend only on u. It
// calls write(b, phi_b(u)) for all b; 0 <= u <= 1 for splines. Values of MSpline are divided by
// `range`, the length of the samples' range.

template <class Write>
KOKKOS_INLINE_FUNCTION void evaluate(const RaisedCosineLinear& f, double u, double,
                                     const Write& write) {
  evaluate_cosines(u, static_cast<double>(f.bases - 1), f.bases, f.width, write);
}

template <class Write>
KOKKOS_INLINE_FUNCTION void evaluate(const LogCosines& f, double u, double, const Write& write) {
  const double s = Kokkos::log1p(f.basis.time_scaling * u) / f.stretch;
  evaluate_cosines(s, f.spacings, f.basis.bases, f.basis.width, write);
}

template <class Write>
KOKKOS_INLINE_FUNCTION void evaluate(const BSpline& f, double u, double, const Write& write) {
  evaluate_clamped(u, f.bases, f.order,
                   [&](std::int64_t b, double value, double) { write(b, value); });
}

template <class Write>
KOKKOS_INLINE_FUNCTION void evaluate(const MSpline& f, double u, double range, const Write& write) {
  evaluate_clamped(u, f.bases, f.order, [&](std::int64_t b, double value, double span) {
    // Below this span of knots NeMoS sets a spline to 0 instead of dividing.
    write(b, span < 1e-6 ? 0.0 : value * (static_cast<double>(f.order) / span) / range);
  });
}

template <class Write>
KOKKOS_INLINE_FUNCTION void evaluate(const CyclicBSpline& f, double u, double, const Write& write) {
  const auto knot = [&](std::int64_t i) { return circle_knot(i, f.order, f.bases); };
  double values[most_order];
  const std::int64_t k = interval_of(u, f.order, f.bases, knot);
  local_splines(u, f.order, k, knot, values);
  for (std::int64_t b = 0; b < f.bases; ++b) {
    const std::int64_t i = b >= k ? b - k : b + f.bases - k;
    write(b, i < f.order ? values[i] : 0.0);
  }
}

/// Writes the columns of a Fourier basis; `place` holds (x_d - lower_d) / (upper_d - lower_d) for
/// each dimension. Whole periods are subtracted before the cosine, so that an angle is as accurate
/// as the sample.
template <class Write>
KOKKOS_INLINE_FUNCTION void evaluate_waves(const Waves& f, const double* place,
                                           const Write& write) {
  for (std::int64_t i = 0; i < f.cosines; ++i) {
    double periods = 0.0;
    for (int d = 0; d < f.dimensions; ++d) {
      const double frequency = f.frequencies[i * f.dimensions + d];
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
KOKKOS_INLINE_FUNCTION void evaluate_exponentials(const Exponentials& f, std::int64_t bases,
                                                  const double* map, double u, const Write& write) {
  for (std::int64_t b = 0; b < bases; ++b) {
    double sum = 0.0;
    for (std::int64_t i = 0; i < f.count; ++i) {
      sum += Kokkos::exp(-f.rates[i] * u) * map[i * bases + b];
    }
    write(b, sum);
  }
}

/// Families that a sweep evaluates itself: those with several inputs, with a map for each channel,
/// or without u.
template <class Family>
inline constexpr bool is_special =
    std::is_same_v<Family, Identity> || std::is_same_v<Family, Zero> ||
    std::is_same_v<Family, Fourier> || std::is_same_v<Family, OrthExponential>;

/// The form of one family of EvalBasis, trivially copyable. The list of families is the variant's.
class Functions {
 public:
  /// Identity.
  Functions() = default;
  /// `table` is `table_of` the basis, in the memory of the kernel.
  Functions(const EvalBasis& basis, const double* table);

  template <class Family>
  [[nodiscard]] KOKKOS_INLINE_FUNCTION bool is() const {
    constexpr int index = index_of<Family>(static_cast<const EvalBasis*>(nullptr));
    return m_family == index;
  }
  /// The form as that of `Family`.
  template <class Family>
  [[nodiscard]] KOKKOS_INLINE_FUNCTION const KernelForm<Family>& as() const {
    return *reinterpret_cast<const KernelForm<Family>*>(m_form);
  }

  /// Writes phi_b(u) for all b by `evaluate` of the family; does nothing for a special family.
  template <class Write>
  KOKKOS_INLINE_FUNCTION void evaluate_at(double u, double range, const Write& write) const {
    evaluate_own(u, range, write, static_cast<const EvalBasis*>(nullptr));
  }

 private:
  template <class Family, template <class...> class List, class... Families>
  static constexpr int index_of(const List<Families...>*) {
    int index = 0;
    static_cast<void>(((std::is_same_v<Family, Families> || (++index, false)) || ...));
    return index;
  }
  template <class Family, class Write>
  KOKKOS_INLINE_FUNCTION bool is_evaluated(double u, double range, const Write& write) const {
    if (!is<Family>()) return false;
    if constexpr (!is_special<Family>) evaluate(as<Family>(), u, range, write);
    return true;
  }
  template <class Write, template <class...> class List, class... Families>
  KOKKOS_INLINE_FUNCTION void evaluate_own(double u, double range, const Write& write,
                                           const List<Families...>*) const {
    static_cast<void>((is_evaluated<Families>(u, range, write) || ...));
  }

  int m_family = index_of<Identity>(static_cast<const EvalBasis*>(nullptr));
  alignas(8) unsigned char m_form[64] = {};
};

}  // namespace synelix::bases
