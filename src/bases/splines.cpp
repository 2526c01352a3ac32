// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "bases/families.hpp"
#include "bases/functions.hpp"

#include <Kokkos_MathematicalFunctions.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace synelix::bases {
namespace {

void check_order(const std::string& name, std::int64_t bases, std::int64_t order,
                 std::int64_t least_order) {
  require_at_least(name + ".bases", bases, 1);
  require_at_least(name + ".order", order, least_order);
  if (order > bases) {
    refuse(name + ".order", order,
           "is more than the number of bases, which is " + std::to_string(bases),
           "Use at most " + std::to_string(bases));
  }
}

/// `order` zeros, bases - order evenly spaced interior knots, and `order` times the end.
std::vector<double> clamped_knots(std::int64_t bases, std::int64_t order) {
  std::vector<double> knots(static_cast<std::size_t>(bases + order));
  std::int64_t i = 0;
  for (double& knot : knots) knot = clamped_knot(i++, order, bases - order + 1);
  return knots;
}

/// bases + order evenly spaced knots of a circle of circumference knots_end, the first before 0.
std::vector<double> circle_knots(std::int64_t bases, std::int64_t order) {
  std::vector<double> knots(static_cast<std::size_t>(bases + order));
  std::int64_t i = 0;
  for (double& knot : knots) knot = circle_knot(i++, order, bases);
  return knots;
}

/// All splines of one order at one point, by the Cox - de Boor recursion with 0/0 := 0:
///
///     N_{i,1}(u) = 1 where t_i <= u < t_{i+1}, else 0
///     N_{i,m}(u) = (u - t_i) / (t_{i+m-1} - t_i) N_{i,m-1}(u)
///                + (t_{i+m} - u) / (t_{i+m} - t_{i+1}) N_{i+1,m-1}(u)
///
/// The first knots.size() - order entries of `n`, which has knots.size() - 1, are the result.
void cox_de_boor(double u, const std::vector<double>& t, std::int64_t order,
                 std::vector<double>& n) {
  const std::size_t intervals = t.size() - 1;
  n.resize(intervals);
  for (std::size_t i = 0; i < intervals; ++i) n[i] = t[i] <= u && u < t[i + 1] ? 1.0 : 0.0;
  for (std::size_t m = 2; m <= static_cast<std::size_t>(order); ++m) {
    for (std::size_t i = 0; i + m <= intervals; ++i) {
      const double rise = t[i + m - 1] - t[i];
      const double fall = t[i + m] - t[i + 1];
      double sum = 0.0;
      if (rise > 0.0) sum += (u - t[i]) / rise * n[i];
      if (fall > 0.0) sum += (t[i + m] - u) / fall * n[i + 1];
      n[i] = sum;
    }
  }
}

}  // namespace

void check(const BSpline& basis) { check_order("BSpline", basis.bases, basis.order, 1); }

void check(const CyclicBSpline& basis) {
  check_order("CyclicBSpline", basis.bases, basis.order, 2);
}

void check(const MSpline& basis) { check_order("MSpline", basis.bases, basis.order, 1); }

void fill(const BSpline& basis, std::int64_t window, std::span<double> values) {
  const std::vector<double> knots = clamped_knots(basis.bases, basis.order);
  std::vector<double> splines;
  auto value = values.begin();
  for (std::int64_t w = 0; w < window; ++w) {
    cox_de_boor(window_grid(w, window), knots, basis.order, splines);
    value = std::copy_n(splines.begin(), basis.bases, value);
  }
}

void fill(const CyclicBSpline& basis, std::int64_t window, std::span<double> values) {
  const std::vector<double> knots = circle_knots(basis.bases, basis.order);
  const auto bases = static_cast<std::size_t>(basis.bases);
  std::vector<double> splines;
  for (std::int64_t w = 0; w < window; ++w) {
    const std::span<double> row = values.subspan(static_cast<std::size_t>(w) * bases, bases);
    for (const double turn : {0.0, -knots_end, knots_end}) {
      cox_de_boor(window_grid(w, window) + turn, knots, basis.order, splines);
      for (std::size_t b = 0; b < bases; ++b) row[b] += splines[b];
    }
  }
}

void fill(const MSpline& basis, std::int64_t window, std::span<double> values) {
  // Below this span of knots NeMoS sets a spline to 0 instead of dividing.
  constexpr double least_span = 1e-6;
  fill(BSpline{.bases = basis.bases, .order = basis.order}, window, values);
  const std::vector<double> knots = clamped_knots(basis.bases, basis.order);
  const auto bases = static_cast<std::size_t>(basis.bases);
  for (std::size_t b = 0; b < bases; ++b) {
    const double span = knots[b + static_cast<std::size_t>(basis.order)] - knots[b];
    const double height = span < least_span ? 0.0 : static_cast<double>(basis.order) / span;
    for (std::size_t i = b; i < values.size(); i += bases) values[i] *= height;
  }
}

}  // namespace synelix::bases
