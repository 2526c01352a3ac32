// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "glm/algebra/eigen.hpp"

#include "glm/algebra/cholesky.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace synelix::glm {
namespace {

/// A tridiagonal matrix that is similar to a symmetric one.
struct Tridiagonal {
  std::vector<double> diagonal;
  std::vector<double> beside;   ///< beside[k] couples k and k + 1
  std::vector<double> vectors;  ///< (size, size): tridiagonal = vectors matrix vectors'
};

/// The reflection I - 2 v v' / v'v that takes x to a multiple of the first unit vector; v replaces
/// x. Returns 2 / v'v, or 0 where x is one already.
double make_reflection(std::vector<double>& x, double& image) {
  const auto size = static_cast<std::int64_t>(x.size());
  const double rest = dot(x.data() + 1, x.data() + 1, size - 1);
  image = x[0];
  if (rest == 0) return 0;
  const double norm = std::sqrt(x[0] * x[0] + rest);
  image = x[0] > 0 ? -norm : norm;
  x[0] -= image;
  return 2 / (x[0] * x[0] + rest);
}

Tridiagonal tridiagonal_of(std::int64_t n, std::vector<double>& a) {
  Tridiagonal result{std::vector<double>(n), std::vector<double>(n > 0 ? n - 1 : 0), {}};
  std::vector<std::vector<double>> reflections(n > 2 ? n - 2 : 0);
  std::vector<double> factors(reflections.size());
  for (std::int64_t k = 0; k + 2 < n; ++k) {
    const std::int64_t m = n - k - 1;
    std::vector<double> v(m);
    for (std::int64_t i = 0; i < m; ++i) v[i] = a[(k + 1 + i) * n + k];
    const double factor = factors[k] = make_reflection(v, result.beside[k]);
    if (factor != 0) {
      std::vector<double> w(m);
      for (std::int64_t i = 0; i < m; ++i) {
        w[i] = factor * dot(&a[(k + 1 + i) * n + k + 1], v.data(), m);
      }
      const double shift = factor / 2 * dot(w.data(), v.data(), m);
      for (std::int64_t i = 0; i < m; ++i) w[i] -= shift * v[i];
      for (std::int64_t i = 0; i < m; ++i) {
        double* const to = &a[(k + 1 + i) * n + k + 1];
        for (std::int64_t j = 0; j < m; ++j) to[j] -= v[i] * w[j] + w[i] * v[j];
      }
    }
    reflections[k] = std::move(v);
  }
  if (n > 1) result.beside[n - 2] = a[(n - 1) * n + n - 2];
  for (std::int64_t i = 0; i < n; ++i) result.diagonal[i] = a[i * n + i];

  // The product of the reflections, the last one first: each changes rows from its own on.
  std::vector<double> q(n * n, 0.0);
  for (std::int64_t i = 0; i < n; ++i) q[i * n + i] = 1;
  std::vector<double> sums(n);
  for (std::int64_t k = n - 3; k >= 0; --k) {
    const std::vector<double>& v = reflections[k];
    std::fill(sums.begin(), sums.end(), 0.0);
    for (std::size_t i = 0; i < v.size(); ++i) {
      const double* const from = &q[(k + 1 + static_cast<std::int64_t>(i)) * n];
      for (std::int64_t j = 0; j < n; ++j) sums[j] += v[i] * from[j];
    }
    for (std::size_t i = 0; i < v.size(); ++i) {
      double* const to = &q[(k + 1 + static_cast<std::int64_t>(i)) * n];
      for (std::int64_t j = 0; j < n; ++j) to[j] -= factors[k] * v[i] * sums[j];
    }
  }
  result.vectors.resize(n * n);
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t j = 0; j < n; ++j) result.vectors[i * n + j] = q[j * n + i];
  }
  return result;
}

/// An implicit QR step of rows [first, last] with Wilkinson's shift.
void step_of_qr(Tridiagonal& t, std::int64_t first, std::int64_t last) {
  const auto n = static_cast<std::int64_t>(t.diagonal.size());
  std::vector<double>& a = t.diagonal;
  std::vector<double>& b = t.beside;
  const double half = (a[last - 1] - a[last]) / 2;
  const double side = b[last - 1];
  const double root = std::hypot(half, side);
  const double shift = a[last] - side * (side / (half < 0 ? half - root : half + root));
  double x = a[first] - shift;
  double z = b[first];
  for (std::int64_t k = first; k < last; ++k) {
    const double r = std::hypot(x, z);
    const double c = r == 0 ? 1 : x / r;
    const double s = r == 0 ? 0 : z / r;
    if (k > first) b[k - 1] = r;
    const double upper = a[k];
    const double lower = a[k + 1];
    const double beside = b[k];
    a[k] = c * c * upper + 2 * c * s * beside + s * s * lower;
    a[k + 1] = s * s * upper - 2 * c * s * beside + c * c * lower;
    b[k] = c * s * (lower - upper) + (c * c - s * s) * beside;
    if (k + 1 < last) {
      x = b[k];
      z = s * b[k + 1];
      b[k + 1] *= c;
    }
    double* const own = &t.vectors[k * n];
    double* const next = own + n;
    for (std::int64_t j = 0; j < n; ++j) {
      const double value = own[j];
      own[j] = c * value + s * next[j];
      next[j] = c * next[j] - s * value;
    }
  }
}

}  // namespace

Eigen eigen_of(std::int64_t size, std::vector<double> matrix) {
  Tridiagonal t = tridiagonal_of(size, matrix);
  constexpr double epsilon = std::numeric_limits<double>::epsilon();
  double norm = 0;
  for (std::int64_t i = 0; i < size; ++i) {
    norm = std::max(norm, std::fabs(t.diagonal[i]));
    if (i + 1 < size) norm = std::max(norm, std::fabs(t.beside[i]));
  }
  const auto is_small = [&](std::int64_t k) {
    const double around = std::fabs(t.diagonal[k]) + std::fabs(t.diagonal[k + 1]);
    return std::fabs(t.beside[k]) <= epsilon * std::max(around, epsilon * norm);
  };
  std::int64_t last = size - 1;
  for (std::int64_t steps = 0; last > 0 && steps < 60 * size; ++steps) {
    if (is_small(last - 1)) {
      t.beside[last - 1] = 0;
      --last;
      continue;
    }
    std::int64_t first = last - 1;
    while (first > 0 && !is_small(first - 1)) --first;
    step_of_qr(t, first, last);
  }
  std::vector<std::int64_t> order(size);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::int64_t i, std::int64_t j) { return t.diagonal[i] < t.diagonal[j]; });
  Eigen result{std::vector<double>(size), std::vector<double>(size * size)};
  for (std::int64_t i = 0; i < size; ++i) {
    result.values[i] = t.diagonal[order[i]];
    std::copy_n(&t.vectors[order[i] * size], size, &result.vectors[i * size]);
  }
  return result;
}

}  // namespace synelix::glm
