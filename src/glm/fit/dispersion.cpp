// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "glm/fit/predictor_walk.hpp"
#include "glm/rows/families.hpp"

#include <cmath>
#include <utility>

namespace synelix::glm {
namespace {

/// First and second derivative.
struct Slopes {
  double first = 0;
  double second = 0;
};

/// digamma and trigamma: recurrence up to 10, then the asymptotic series.
/// Source: Abramowitz and Stegun, 6.3.5, 6.3.18, 6.4.6 and 6.4.12.
Slopes polygamma(double x) {
  Slopes result;
  while (x < 10) {
    result.first -= 1 / x;
    result.second += 1 / (x * x);
    x += 1;
  }
  const double y = 1 / (x * x);
  result.first += std::log(x) - 0.5 / x -
                  y * (1.0 / 12 - y * (1.0 / 120 - y * (1.0 / 252 - y * (1.0 / 240 - y / 132))));
  result.second += (1 + 0.5 / x +
                    y * (1.0 / 6 - y * (1.0 / 30 - y * (1.0 / 42 - y * (1.0 / 30 - y * 5 / 66))))) /
                   x;
  return result;
}

/// digamma(y + r) - digamma(r), and the same for trigamma. For small counts this is a short sum,
/// which is accurate if r is large and the two terms are almost equal.
Slopes polygamma_difference(double y, double r) {
  constexpr double longest_sum = 256;
  if (y <= longest_sum && y == std::floor(y)) {
    Slopes sum;
    const auto count = static_cast<int>(y);
    for (int k = 0; k < count; ++k) {
      const double term = 1 / (r + k);
      sum.first += term;
      sum.second -= term * term;
    }
    return sum;
  }
  const Slopes high = polygamma(y + r);
  const Slopes low = polygamma(r);
  return {high.first - low.first, high.second - low.second};
}

/// Adds the derivatives with respect to r = 1 / a of the log-likelihood of a row: ln Gamma(y + r) -
/// ln Gamma(r) + r ln r - (r + y) ln(r + mu) + y ln mu.
void add_row(double y, double mu, double weight, double r, Slopes& sums) {
  const Slopes difference = polygamma_difference(y, r);
  const double sum = r + mu;
  sums.first += weight * (difference.first - std::log1p(mu / r) + (mu - y) / sum);
  sums.second += weight * (difference.second + mu / (r * sum) - (mu - y) / (sum * sum));
}

/// Newton's method for u = ln r in a bracket.
class DispersionSearch {
 public:
  explicit DispersionSearch(double dispersion)
      : m_u(-std::log(std::min(std::max(dispersion, least_dispersion), most_dispersion))) {}

  [[nodiscard]] double r() const { return std::exp(m_u); }
  [[nodiscard]] double dispersion() const { return std::exp(-m_u); }
  [[nodiscard]] bool is_done() const { return m_is_done; }

  void take(const Slopes& by_r) {
    const double slope = r() * by_r.first;
    const double curvature = r() * r() * by_r.second + slope;
    (slope > 0 ? m_low : m_high) = m_u;
    double next = curvature < 0 ? m_u - slope / curvature : m_u + (slope > 0 ? 1 : -1);
    next = std::min(std::max(next, m_u - 3), m_u + 3);
    const bool is_outside = next <= m_low || next >= m_high;
    if (is_outside) next = (m_low + m_high) / 2;
    m_is_done = slope == 0 || std::abs(next - m_u) < 1e-12 * std::max(1.0, std::abs(m_u)) ||
                m_high - m_low < 1e-12 || ++m_steps == 100;
    m_u = next;
  }

 private:
  double m_u;
  double m_low = -std::log(most_dispersion);
  double m_high = -std::log(least_dispersion);
  int m_steps = 0;
  bool m_is_done = false;
};

}  // namespace

std::vector<double> find_dispersions(const FitProblem& problem,
                                     const std::vector<std::size_t>& sides,
                                     const std::vector<const std::vector<double>*>& parameters) {
  std::vector<DispersionSearch> searches;
  searches.reserve(sides.size());
  for (const std::size_t i : sides) searches.emplace_back(problem.sides[i].dispersion);
  const InverseLink link = problem.loss.loss.inverse_link;
  for (;;) {
    std::vector<std::size_t> places;  // of unfinished sides
    std::vector<std::size_t> left;
    std::vector<const std::vector<double>*> left_parameters;
    for (std::size_t k = 0; k < sides.size(); ++k) {
      if (searches[k].is_done()) continue;
      places.push_back(k);
      left.push_back(sides[k]);
      left_parameters.push_back(parameters[k]);
    }
    if (left.empty()) break;
    if (is_cancelled(problem.options)) return {};
    std::vector<Slopes> sums(left.size());
    const auto add = [&](const PredictedRows& rows) {
      const double r = searches[places[rows.side]].r();
      for (std::int64_t i = 0; i < rows.count; ++i) {
        if (rows.weights[i] == 0) continue;
        add_row(rows.targets[i], mean_of(link, rows.predictors[i]), rows.weights[i], r,
                sums[rows.side]);
      }
    };
    if (!finishes(problem.options.cancel,
                  [&] { walk_predictors(problem, left, left_parameters, add); })) {
      return {};
    }
    for (std::size_t k = 0; k < left.size(); ++k) searches[places[k]].take(sums[k]);
  }
  std::vector<double> dispersions;
  dispersions.reserve(searches.size());
  for (const DispersionSearch& search : searches) dispersions.push_back(search.dispersion());
  return dispersions;
}

std::vector<double> sum_pearson_gamma(const FitProblem& problem,
                                      const std::vector<std::size_t>& sides,
                                      const std::vector<const std::vector<double>*>& parameters) {
  std::vector<double> sums(sides.size(), 0);
  const InverseLink link = problem.loss.loss.inverse_link;
  walk_predictors(problem, sides, parameters, [&](const PredictedRows& rows) {
    for (std::int64_t i = 0; i < rows.count; ++i) {
      if (rows.weights[i] == 0) continue;
      const double relative = rows.targets[i] / mean_of(link, rows.predictors[i]) - 1;
      sums[rows.side] += rows.weights[i] * relative * relative;
    }
  });
  return sums;
}

}  // namespace synelix::glm
