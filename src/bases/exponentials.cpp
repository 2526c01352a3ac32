// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bases/exponentials.hpp"

#include "bases/families.hpp"

#include <synelix/error.hpp>
#include <synelix/linear_algebra.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace synelix::bases {
namespace {

void require_solved(const char* routine, int info, const char* decomposition) {
  if (info == 0) return;
  throw Error(
      "OrthExponential.decay_rates",
      std::string("LAPACK's ") + routine + " returned " + std::to_string(info) + " for these rates",
      std::string("Use rates whose exponentials have ") + decomposition);
}

/// The function, if it is set. \throws StateError if it is null
template <class Function>
Function* found(Function* function, const char* routine) {
  if (function != nullptr) return function;
  throw StateError("OrthExponential", std::string("there is no ") + routine + " of LAPACK",
                   "Give one by set_linear_algebra, or build with SYNELIX_ENABLE_LAPACK=ON");
}

}  // namespace

Singular decompose(std::vector<double> a, int m, int n) {
  const auto columns = static_cast<std::size_t>(n);
  Singular result{std::vector<double>(columns), std::vector<double>(a.size()),
                  std::vector<double>(columns * columns)};
  std::vector<int> iwork(8 * columns);
  auto* const dgesdd = found(linear_algebra().dgesdd, "dgesdd");
  const auto solve = [&](double* work, int lwork) {
    int info = 0;
    dgesdd("S", &m, &n, a.data(), &m, result.s.data(), result.u.data(), &m, result.vt.data(), &n,
           work, &lwork, iwork.data(), &info, 1);
    require_solved("dgesdd", info, "a singular value decomposition");
  };
  double optimal = 0.0;
  solve(&optimal, -1);  // queries the size of the workspace
  std::vector<double> work(static_cast<std::size_t>(optimal));
  solve(work.data(), static_cast<int>(work.size()));
  return result;
}

std::vector<double> upper_triangle(std::vector<double> a, int m, int n) {
  const auto columns = static_cast<std::size_t>(n);
  std::vector<double> tau(columns);
  auto* const dgeqrf = found(linear_algebra().dgeqrf, "dgeqrf");
  const auto solve = [&](double* work, int lwork) {
    int info = 0;
    dgeqrf(&m, &n, a.data(), &m, tau.data(), work, &lwork, &info);
    require_solved("dgeqrf", info, "an orthogonal decomposition");
  };
  double optimal = 0.0;
  solve(&optimal, -1);  // queries the size of the workspace
  std::vector<double> work(static_cast<std::size_t>(optimal));
  solve(work.data(), static_cast<int>(work.size()));
  std::vector<double> r(columns * columns, 0.0);
  for (std::size_t j = 0; j < columns; ++j) {
    for (std::size_t i = 0; i <= j; ++i) {
      r[j * columns + i] = a[j * static_cast<std::size_t>(m) + i];
    }
  }
  return r;
}

namespace {

/// LAPACK does not define the sign of a singular vector. This makes the entry of largest magnitude
/// positive, or the first of several such entries.
void fix_sign(double* column, std::size_t size) {
  const double* largest = std::max_element(
      column, column + size, [](double a, double b) { return std::abs(a) < std::abs(b); });
  if (*largest < 0.0) {
    std::transform(column, column + size, column, [](double v) { return -v; });
  }
}

}  // namespace

void check(const OrthExponential& basis, std::int64_t window) {
  const std::string name = "OrthExponential.decay_rates";
  const auto& rates = basis.decay_rates;
  const auto count = static_cast<std::int64_t>(rates.size());
  if (rates.empty()) throw Error(name, "none was given", "Give at least one rate");
  for (std::size_t i = 0; i < rates.size(); ++i) {
    const std::string entry = name + "[" + std::to_string(i) + "]";
    require_finite(entry, rates[i]);
    if (!std::isfinite(std::exp(-rates[i]))) {
      refuse(entry, rates[i], "has no finite exp(-rate)", "Use rates with a finite exp(-rate)");
    }
    const auto same =
        std::find(rates.begin(), rates.begin() + static_cast<std::ptrdiff_t>(i), rates[i]);
    if (same != rates.begin() + static_cast<std::ptrdiff_t>(i)) {
      refuse(entry, rates[i], "is the same as entry " + std::to_string(same - rates.begin()),
             "Use rates that all differ");
    }
  }
  if (window < count) {
    refuse("window", window,
           "is less than the number of decay rates of OrthExponential, which is " +
               std::to_string(count),
           "Use at least " + std::to_string(count));
  }
  if (window > std::numeric_limits<int>::max() / count) {
    refuse("window", window, "makes more values than LAPACK counts",
           "Keep window x rates below 2^31");
  }
}

OrthonormalColumns orthonormal_exponentials(const OrthExponential& basis, std::int64_t window) {
  const auto rows = static_cast<std::size_t>(window);
  const std::size_t columns = basis.decay_rates.size();
  std::vector<double> a(rows * columns);
  for (std::size_t b = 0; b < columns; ++b) {
    for (std::size_t w = 0; w < rows; ++w) {
      a[b * rows + w] =
          std::exp(-basis.decay_rates[b] * window_grid(static_cast<std::int64_t>(w), window));
    }
  }
  Singular svd = decompose(std::move(a), static_cast<int>(window), static_cast<int>(columns));

  const double least =
      svd.s[0] * static_cast<double>(window) * std::numeric_limits<double>::epsilon();
  const auto rank = static_cast<std::size_t>(
      std::count_if(svd.s.begin(), svd.s.end(), [least](double s) { return s > least; }));
  OrthonormalColumns result{static_cast<std::int64_t>(rank), std::vector<double>(rows * rank)};
  for (std::size_t b = 0; b < rank; ++b) {
    fix_sign(&svd.u[b * rows], rows);
    for (std::size_t w = 0; w < rows; ++w) result.values[w * rank + b] = svd.u[b * rows + w];
  }
  return result;
}

namespace {

constexpr std::size_t block_samples = 4096;

}  // namespace

ExponentialFit::ExponentialFit(std::vector<double> rates)
    : m_rates(std::move(rates)), m_triangle(m_rates.size() * m_rates.size(), 0.0) {
  m_block.reserve(block_samples);
}

void ExponentialFit::add(double u) {
  m_block.push_back(u);
  ++m_samples;
  if (m_block.size() == block_samples) update();
}

void ExponentialFit::update() {
  const std::size_t columns = m_rates.size();
  const std::size_t rows = columns + m_block.size();
  std::vector<double> stacked(rows * columns);
  for (std::size_t j = 0; j < columns; ++j) {
    double* const column = &stacked[j * rows];
    std::copy_n(&m_triangle[j * columns], columns, column);
    for (std::size_t i = 0; i < m_block.size(); ++i) {
      column[columns + i] = std::exp(-m_rates[j] * m_block[i]);
    }
  }
  m_triangle =
      upper_triangle(std::move(stacked), static_cast<int>(rows), static_cast<int>(columns));
  m_block.clear();
}

ExponentialFit::Map ExponentialFit::map() {
  if (!m_block.empty()) update();
  const std::size_t columns = m_rates.size();
  const Singular found =
      decompose(m_triangle, static_cast<int>(columns), static_cast<int>(columns));
  const double least =
      found.s[0] *
      static_cast<double>(std::max<std::int64_t>(m_samples, static_cast<std::int64_t>(columns))) *
      std::numeric_limits<double>::epsilon();
  const auto rank = static_cast<std::size_t>(std::count_if(
      found.s.begin(), found.s.end(), [least](double value) { return value > least; }));
  Map result{static_cast<std::int64_t>(rank), std::vector<double>(columns * rank)};
  for (std::size_t i = 0; i < columns; ++i) {
    for (std::size_t b = 0; b < rank; ++b) {
      result.values[i * rank + b] = found.vt[i * columns + b] / found.s[b];
    }
  }
  return result;
}

}  // namespace synelix::bases
