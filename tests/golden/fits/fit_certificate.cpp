// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "golden/fits/fit_certificate.hpp"

#include "oracle/row_formulas.hpp"

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

namespace golden {
namespace {

/// A target's mean loss with its derivatives; parameters are (columns + 1, classes), row-major.
struct Derivatives {
  double rows = 0;
  double loss = 0;
  std::vector<double> gradient;
  std::vector<double> hessian;
  double scale = 0;  ///< largest mean |x r| over columns that the target uses, and classes
};

class TargetOfCase {
 public:
  TargetOfCase(const FitCase& fit, std::int64_t target) : m_fit(fit), m_target(target) {
    for (std::int64_t t = 0; t < fit.rows; ++t) {
      bool counts = true;
      for (std::int64_t j = 0; j < fit.columns; ++j) counts = counts && std::isfinite(fit.x(t, j));
      for (std::int64_t i = 0; i < fit.targets; ++i) {
        counts = counts && std::isfinite(fit.target(t, i));
      }
      if (counts) m_rows.push_back(t);
    }
  }

  [[nodiscard]] bool is_free(std::int64_t j) const {
    return m_fit.mask.empty() ||
           m_fit.mask[static_cast<std::size_t>(j * m_fit.targets + m_target)] != 0;
  }

  [[nodiscard]] Derivatives at(const std::vector<double>& parameters, bool wants_hessian) const {
    const auto classes = static_cast<std::size_t>(m_fit.classes);
    const std::size_t size = parameters.size();
    Derivatives sum;
    sum.gradient.assign(size, 0);
    if (wants_hessian) sum.hessian.assign(size * size, 0);
    std::vector<double> scales(size, 0);
    std::vector<double> x(size / classes, 1.0);
    std::vector<double> eta(classes);
    for (const std::int64_t t : m_rows) {
      for (std::int64_t j = 0; j < m_fit.columns; ++j)
        x[static_cast<std::size_t>(j)] = m_fit.x(t, j);
      std::fill(eta.begin(), eta.end(), 0.0);
      for (std::size_t a = 0; a < size; ++a) eta[a % classes] += x[a / classes] * parameters[a];
      const oracle::RowValue row =
          oracle::row_value(m_fit.loss, m_fit.loss.dispersion, m_fit.target(t, m_target), eta);
      sum.loss += row.loss;
      for (std::size_t a = 0; a < size; ++a) {
        const double product = x[a / classes] * row.residual[a % classes];
        sum.gradient[a] += product;
        scales[a] += std::abs(product);
        for (std::size_t b = 0; b < size && wants_hessian; ++b) {
          sum.hessian[a * size + b] += x[a / classes] * x[b / classes] *
                                       row.curvature[(a % classes) * classes + b % classes];
        }
      }
    }
    sum.rows = static_cast<double>(m_rows.size());
    sum.loss /= sum.rows;
    for (double& value : sum.gradient) value /= sum.rows;
    for (double& value : sum.hessian) value /= sum.rows;
    for (std::size_t a = 0; a < size - classes; ++a) {
      if (!is_free(static_cast<std::int64_t>(a / classes))) continue;
      sum.scale = std::max(sum.scale, scales[a] / sum.rows);
    }
    return sum;
  }

  /// Coefficients of 0, and the intercept whose mean is the targets'.
  [[nodiscard]] std::vector<double> null_model() const {
    std::vector<double> parameters(static_cast<std::size_t>((m_fit.columns + 1) * m_fit.classes),
                                   0);
    const auto classes = static_cast<std::size_t>(m_fit.classes);
    double mean = 0;
    std::vector<double> shares(classes, 0);
    for (const std::int64_t t : m_rows) {
      mean += m_fit.target(t, m_target) / static_cast<double>(m_rows.size());
      if (classes > 1) {
        shares[static_cast<std::size_t>(m_fit.target(t, m_target))] +=
            1 / static_cast<double>(m_rows.size());
      }
    }
    if (classes > 1) {
      for (std::size_t k = 0; k < classes; ++k) {
        parameters[parameters.size() - classes + k] = std::log(shares[k]);
      }
    } else {
      parameters.back() = intercept_of(mean);
    }
    return parameters;
  }

 private:
  /// Bisection: all links are monotone.
  [[nodiscard]] double intercept_of(double mean) const {
    if (m_fit.loss.inverse_link == synelix::InverseLink::one_over_x) return 1 / mean;
    double low = -1e3;
    double high = 1e3;
    for (int i = 0; i < 200; ++i) {
      const double middle = (low + high) / 2;
      (oracle::link_value(m_fit.loss.inverse_link, middle).mean < mean ? low : high) = middle;
    }
    return (low + high) / 2;
  }

  const FitCase& m_fit;
  std::int64_t m_target;
  std::vector<std::int64_t> m_rows;
};

/// The penalty, and the largest violation of the optimality conditions.
struct PenaltyAt {
  double value = 0;
  double violation = 0;
};

PenaltyAt groups_at(const FitCase& fit, const std::vector<double>& b,
                    const std::vector<double>& gradient) {
  PenaltyAt result;
  std::int64_t count = 0;
  for (const std::int64_t group : fit.groups) count = std::max(count, group + 1);
  for (std::int64_t g = 0; g < count; ++g) {
    double norm = 0;
    double slope = 0;
    double members = 0;
    for (std::size_t j = 0; j < b.size(); ++j) {
      if (fit.groups[j] != g) continue;
      norm += b[j] * b[j];
      slope += gradient[j] * gradient[j];
      members += 1;
    }
    norm = std::sqrt(norm);
    const double strength = fit.strength_of(g) * std::sqrt(members);
    result.value += strength * norm;
    double violation = std::max(0.0, std::sqrt(slope) - strength);
    if (norm > 0) {
      violation = 0;
      for (std::size_t j = 0; j < b.size(); ++j) {
        if (fit.groups[j] != g) continue;
        const double one = gradient[j] + strength * b[j] / norm;
        violation += one * one;
      }
      violation = std::sqrt(violation);
    }
    result.violation = std::max(result.violation, violation);
  }
  for (std::size_t j = 0; j < b.size(); ++j) {
    if (fit.groups[j] < 0) result.violation = std::max(result.violation, std::abs(gradient[j]));
  }
  return result;
}

double ridge_of(const FitCase& fit, std::int64_t j) {
  if (fit.penalty == "ridge") return fit.strength_of(j);
  return fit.penalty == "elasticnet" ? fit.strength_of(j) * (1 - fit.ratio) : 0;
}

double l1_of(const FitCase& fit, std::int64_t j) {
  if (fit.penalty == "lasso") return fit.strength_of(j);
  return fit.penalty == "elasticnet" ? fit.strength_of(j) * fit.ratio : 0;
}

PenaltyAt penalty_at(const FitCase& fit, const TargetOfCase& target, const std::vector<double>& b,
                     const std::vector<double>& gradient) {
  if (fit.penalty == "grouplasso") return groups_at(fit, b, gradient);
  PenaltyAt result;
  for (std::size_t a = 0; a < b.size(); ++a) {
    const auto j = static_cast<std::int64_t>(a) / fit.classes;
    if (!target.is_free(j)) continue;
    const double ridge = ridge_of(fit, j);
    const double l1 = l1_of(fit, j);
    result.value += ridge / 2 * b[a] * b[a] + l1 * std::abs(b[a]);
    const double slope = gradient[a] + ridge * b[a];
    const double violation =
        b[a] != 0 ? std::abs(slope + std::copysign(l1, b[a])) : std::max(0.0, std::abs(slope) - l1);
    result.violation = std::max(result.violation, violation);
  }
  return result;
}

/// g' H^+ g by elimination with complete pivoting; pivots below 1e-13 of the largest are 0.
double quadratic_form(std::vector<double> h, const std::vector<double>& g) {
  const std::size_t n = g.size();
  std::vector<double> rest = g;
  std::vector<bool> is_done(n, false);
  double largest = 0;
  double sum = 0;
  for (std::size_t step = 0; step < n; ++step) {
    std::size_t p = n;
    for (std::size_t i = 0; i < n; ++i) {
      if (!is_done[i] && (p == n || h[i * n + i] > h[p * n + p])) p = i;
    }
    const double pivot = h[p * n + p];
    largest = std::max(largest, pivot);
    is_done[p] = true;
    if (pivot <= 1e-13 * largest) continue;
    sum += rest[p] * rest[p] / pivot;
    for (std::size_t i = 0; i < n; ++i) {
      if (is_done[i]) continue;
      const double factor = h[i * n + p] / pivot;
      rest[i] -= factor * rest[p];
      for (std::size_t k = 0; k < n; ++k) h[i * n + k] -= factor * h[p * n + k];
    }
  }
  return sum;
}

}  // namespace

FitCertifier::FitCertifier(const FitCase& fit) : m_fit(fit) {
  for (std::int64_t i = 0; i < fit.targets; ++i) {
    const TargetOfCase target(fit, i);
    m_scales.push_back(target.at(target.null_model(), false).scale);
  }
}

FitCertificate FitCertifier::certify(std::int64_t target, const std::vector<double>& coefficients,
                                     const std::vector<double>& intercepts) const {
  const FitCase& fit = m_fit;
  const TargetOfCase of_case(fit, target);
  const auto classes = static_cast<std::size_t>(fit.classes);
  const auto targets = static_cast<std::size_t>(fit.targets);
  const auto i = static_cast<std::size_t>(target);
  std::vector<double> b;
  for (std::size_t j = 0; j < static_cast<std::size_t>(fit.columns); ++j) {
    for (std::size_t k = 0; k < classes; ++k) {
      b.push_back(coefficients[(j * targets + i) * classes + k]);
    }
  }
  std::vector<double> parameters = b;
  for (std::size_t k = 0; k < classes; ++k) parameters.push_back(intercepts[i * classes + k]);
  const Derivatives point = of_case.at(parameters, !fit.is_sparse());
  const PenaltyAt penalty = penalty_at(fit, of_case, b, point.gradient);
  double violation = penalty.violation;
  for (std::size_t k = b.size(); k < parameters.size(); ++k) {
    violation = std::max(violation, std::abs(point.gradient[k]));
  }
  FitCertificate result;
  result.mean_loss = point.loss;
  result.objective = point.loss + penalty.value;
  result.kkt_scale = violation / m_scales[i];
  if (fit.is_sparse()) return result;
  std::vector<std::size_t> free;
  for (std::size_t a = 0; a < parameters.size(); ++a) {
    const auto j = static_cast<std::int64_t>(a / classes);
    if (a >= b.size() || of_case.is_free(j)) free.push_back(a);
  }
  std::vector<double> g;
  std::vector<double> h;
  for (const std::size_t a : free) {
    const double ridge = a < b.size() ? ridge_of(fit, static_cast<std::int64_t>(a / classes)) : 0;
    g.push_back(point.gradient[a] + ridge * parameters[a]);
    for (const std::size_t c : free) {
      h.push_back(point.hessian[a * parameters.size() + c] + (a == c ? ridge : 0));
    }
  }
  result.decrement = std::sqrt(point.rows * quadratic_form(h, g));
  return result;
}

}  // namespace golden
