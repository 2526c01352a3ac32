// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "glm/algebra/semidefinite.hpp"

#include "glm/algebra/cholesky.hpp"
#include "types/missing.hpp"

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
/// x. Returns 2 / v'v, or 0 if x is such a multiple already.
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

  // The product of the reflections, starting with the last: each changes rows from its own index
  // on.
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

namespace {

/// Exchanges rows and columns i < j of a symmetric matrix stored as its lower triangle.
void exchange(std::int64_t size, std::vector<double>& a, std::int64_t i, std::int64_t j) {
  const auto at = [&](std::int64_t r, std::int64_t c) -> double& { return a[r * size + c]; };
  std::swap_ranges(&at(i, 0), &at(i, 0) + i, &at(j, 0));
  std::swap(at(i, i), at(j, j));
  for (std::int64_t k = i + 1; k < j; ++k) std::swap(at(k, i), at(j, k));
  for (std::int64_t k = j + 1; k < size; ++k) std::swap(at(k, i), at(k, j));
}

/// Rounding of a scaled semidefinite matrix: smaller entries count as 0, and a negative eigenvalue
/// of smaller magnitude counts as a null direction.
constexpr double negligible = 1e-9;

}  // namespace

Definite SemidefiniteFactor::factor(const Tiles& tiles, std::int64_t size,
                                    std::span<const double> matrix, double tolerance) {
  m_size = m_rank = size;
  m_is_solvable = false;
  m_order.clear();
  m_null.clear();
  m_scale.assign(size, 1.0);
  bool has_zero = false;
  for (std::int64_t i = 0; i < size; ++i) {
    const double pivot = matrix[i * size + i];
    if (!std::isfinite(pivot) || pivot < 0) return Definite::indefinite;
    if (pivot > 0) m_scale[i] = 1 / std::sqrt(pivot);
    has_zero = has_zero || pivot == 0;
  }
  if (!scale_into(matrix, m_factor)) return Definite::indefinite;
  if (!has_zero) {
    double least = factor_cholesky(tiles, size, m_factor.data(), size) < 0 ? 1.0 : 0.0;
    for (std::int64_t i = 0; i < size && least > 0; ++i) {
      least = std::min(least, m_factor[i * size + i] * m_factor[i * size + i]);
    }
    m_is_solvable = least > tolerance;
    if (m_is_solvable) return Definite::positive;
    scale_into(matrix, m_factor);
  }
  return factor_pivoted(std::move(m_factor), tolerance);
}

bool SemidefiniteFactor::scale_into(std::span<const double> matrix,
                                    std::vector<double>& scaled) const {
  scaled.resize(m_size * m_size);
  for (std::int64_t i = 0; i < m_size; ++i) {
    for (std::int64_t j = 0; j <= i; ++j) {
      const double value = matrix[i * m_size + j] * m_scale[i] * m_scale[j];
      if (!std::isfinite(value)) return false;
      scaled[i * m_size + j] = value;
    }
  }
  return true;
}

Definite SemidefiniteFactor::factor_pivoted(std::vector<double> scaled, double tolerance) {
  const std::int64_t n = m_size;
  m_order.resize(n);
  std::iota(m_order.begin(), m_order.end(), 0);
  std::int64_t k = 0;
  for (; k < n; ++k) {
    std::int64_t best = k;
    for (std::int64_t i = k + 1; i < n; ++i) {
      if (scaled[i * n + i] > scaled[best * n + best]) best = i;
    }
    if (!(scaled[best * n + best] > tolerance)) break;
    if (best != k) {
      exchange(n, scaled, k, best);
      std::swap(m_order[k], m_order[best]);
    }
    const double pivot = std::sqrt(scaled[k * n + k]);
    scaled[k * n + k] = pivot;
    for (std::int64_t i = k + 1; i < n; ++i) scaled[i * n + k] /= pivot;
    std::vector<double> column(n - k - 1);
    for (std::int64_t i = k + 1; i < n; ++i) column[i - k - 1] = scaled[i * n + k];
    for (std::int64_t i = k + 1; i < n; ++i) {
      const double value = column[i - k - 1];
      double* const to = &scaled[i * n + k + 1];
      for (std::int64_t j = 0; j < i - k; ++j) to[j] -= value * column[j];
    }
  }
  m_rank = k;
  const double most = std::max(negligible, 100 * tolerance);
  for (std::int64_t i = k; i < n; ++i) {
    for (std::int64_t j = k; j <= i; ++j) {
      if (!(std::fabs(scaled[i * n + j]) <= most)) return Definite::indefinite;
    }
  }
  m_factor = std::move(scaled);
  m_is_solvable = true;
  make_null_space();
  return m_rank == n ? Definite::positive : Definite::deficient;
}

void SemidefiniteFactor::make_null_space() {
  const std::int64_t n = m_size;
  const std::int64_t count = n - m_rank;
  m_null.assign(count * n, 0.0);
  std::vector<double> part(m_rank);
  for (std::int64_t r = 0; r < count; ++r) {
    double* const own = &m_null[r * n];
    const double* const dependent = &m_factor[(m_rank + r) * n];
    for (std::int64_t j = 0; j < m_rank; ++j) part[j] = -dependent[j];
    solve_lower_transposed(m_rank, m_factor.data(), n, part.data());
    for (std::int64_t j = 0; j < m_rank; ++j) own[m_order[j]] = part[j] * m_scale[m_order[j]];
    own[m_order[m_rank + r]] = m_scale[m_order[m_rank + r]];
    for (int pass = 0; pass < 2; ++pass) {  // twice is enough: Kahan, in Parlett (1980)
      for (std::int64_t s = 0; s < r; ++s) {
        const double* const other = &m_null[s * n];
        const double value = dot(own, other, n);
        for (std::int64_t j = 0; j < n; ++j) own[j] -= value * other[j];
      }
      const double norm = std::sqrt(dot(own, own, n));
      for (std::int64_t j = 0; j < n; ++j) own[j] /= norm;
    }
  }
}

void SemidefiniteFactor::solve(double* values) const {
  const std::int64_t n = m_size;
  if (!m_is_solvable) return std::fill(values, values + n, missing);
  for (std::int64_t i = 0; i < n; ++i) values[i] *= m_scale[i];
  if (m_order.empty()) {
    solve_cholesky(n, m_factor.data(), n, values);
    for (std::int64_t i = 0; i < n; ++i) values[i] *= m_scale[i];
    return;
  }
  std::vector<double> part(m_rank);
  for (std::int64_t i = 0; i < m_rank; ++i) part[i] = values[m_order[i]];
  solve_cholesky(m_rank, m_factor.data(), n, part.data());
  std::fill(values, values + n, 0.0);
  for (std::int64_t i = 0; i < m_rank; ++i) {
    values[m_order[i]] = part[i] * m_scale[m_order[i]];
  }
  remove_null(values);
}

void SemidefiniteFactor::remove_null(double* values) const {
  const std::int64_t n = m_size;
  for (std::int64_t r = 0; r < n - m_rank; ++r) {
    const double* const own = &m_null[r * n];
    const double value = dot(own, values, n);
    for (std::int64_t j = 0; j < n; ++j) values[j] -= value * own[j];
  }
}

std::int64_t rank_of(const Tiles& tiles, std::int64_t size, std::span<const double> gram) {
  SemidefiniteFactor factor;
  factor.factor(tiles, size, gram, numeric_rank_tolerance(size));
  // A Gram matrix has no negative eigenvalue: an apparent one is rounding, and does not count in
  // the rank.
  return factor.rank();
}

double numeric_rank_tolerance(std::int64_t size) {
  return std::max(1e-12, 8 * static_cast<double>(size) * std::numeric_limits<double>::epsilon());
}

}  // namespace synelix::glm
