// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "bases/orth_exponential.hpp"

#include <synelix/error.hpp>

#include "bases/checks.hpp"
#include "bases/singular.hpp"
#include "bases/window_grid.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

namespace synelix::bases {
namespace {

/// LAPACK leaves the sign of a singular vector open: the entry of largest magnitude, the first of
/// them where several are as large, becomes positive.
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

}  // namespace synelix::bases
