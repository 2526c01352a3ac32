// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "oracle/reference_pass.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace oracle {

ReferencePass::ReferencePass(std::int64_t rows, std::int64_t columns, std::vector<double> features)
    : m_rows(rows), m_columns(columns), m_features(std::move(features)) {
  synelix::Term term;
  term.label = "features";
  term.columns = {0, columns};
  term.channel_extents = {1};
  term.channels = 1;
  term.bases = columns;
  m_terms.push_back(std::move(term));
  m_choice.rows_of_block = 32768;
  m_valid.resize(static_cast<std::size_t>((rows + 63) / 64));
  for (std::int64_t t = 0; t < rows; ++t) {
    bool is_valid = true;
    for (std::int64_t j = 0; j < columns; ++j) is_valid = is_valid && std::isfinite(x(t, j));
    if (is_valid) m_valid[static_cast<std::size_t>(t / 64)] |= std::uint64_t{1} << (t % 64);
  }
}

synelix::glm::PassCost ReferencePass::cost() const {
  const double cells = static_cast<double>(m_rows * m_columns);
  const double hessian = cells * static_cast<double>(m_columns) * 1e-10;
  synelix::glm::PassCost cost{cells * 1e-9, cells * 1e-9, hessian, hessian};
  cost.set_ratios();
  return cost;
}

void ReferencePass::evaluate(const synelix::glm::RowLoss& loss,
                             const synelix::glm::Observed& observed,
                             std::span<const synelix::glm::Request> requests,
                             synelix::glm::Arithmetic, std::int64_t every,
                             std::span<synelix::glm::Sums> sums) {
  ++m_walks;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    sums[i] = evaluate_one(loss, observed, requests[i], every);
  }
}

void ReferencePass::gram(const synelix::glm::Observed& observed, const synelix::glm::RowsOf& rows,
                         synelix::glm::Arithmetic, double* result) {
  gram_rows(observed, rows, {0, m_columns + 1}, result);
}

void ReferencePass::gram_rows(const synelix::glm::Observed& observed,
                              const synelix::glm::RowsOf& rows, synelix::Range columns,
                              double* result) {
  const std::int64_t size = m_columns + 1;
  std::fill_n(result, (columns.end - columns.begin) * size, 0.0);
  const std::vector<double> weights = weights_of(observed, rows);
  for (std::int64_t t = 0; t < m_rows; ++t) {
    const double w = weights[static_cast<std::size_t>(t)];
    if (w == 0) continue;
    for (std::int64_t j = columns.begin; j < columns.end; ++j) {
      for (std::int64_t k = 0; k < size; ++k) {
        result[(j - columns.begin) * size + k] += w * x1(t, j) * x1(t, k);
      }
    }
  }
}

void ReferencePass::hessian_rows(const synelix::glm::RowLoss& loss,
                                 const synelix::glm::Observed& observed,
                                 const synelix::glm::Request& request, synelix::Range columns,
                                 double* result) {
  synelix::glm::Request whole = request;
  whole.wants_hessian = true;
  const std::vector<double> hessian = evaluate_one(loss, observed, whole, 1).hessian;
  const std::int64_t size = m_columns + 1;
  std::copy(hessian.begin() + columns.begin * size, hessian.begin() + columns.end * size, result);
}

void ReferencePass::apply(const double* coefficients, std::int64_t n, synelix::Range rows,
                          double* predictors) {
  for (std::int64_t t = rows.begin; t < rows.end; ++t) {
    for (std::int64_t r = 0; r < n; ++r) {
      double sum = is_valid(t) ? 0 : std::numeric_limits<double>::quiet_NaN();
      for (std::int64_t j = 0; is_valid(t) && j < m_columns; ++j) {
        sum += x(t, j) * coefficients[j * n + r];
      }
      predictors[(t - rows.begin) * n + r] = sum;
    }
  }
}

void ReferencePass::apply_adjoint(const synelix::Strided& residuals, double* sums) {
  const std::int64_t n = residuals.rank > 1 ? residuals.extents[1] : 1;
  std::fill_n(sums, m_columns * n, 0.0);
  const auto* values = static_cast<const double*>(residuals.data);
  for (std::int64_t t = 0; t < m_rows; ++t) {
    if (!is_valid(t)) continue;
    for (std::int64_t r = 0; r < n; ++r) {
      const double value = values[t * residuals.strides[0] + r * residuals.strides[1]];
      for (std::int64_t j = 0; j < m_columns; ++j) sums[j * n + r] += x(t, j) * value;
    }
  }
}

std::vector<double> ReferencePass::weights_of(const synelix::glm::Observed& observed,
                                              const synelix::glm::RowsOf& rows) const {
  std::vector<double> weights(static_cast<std::size_t>(m_rows));
  observed.read_weights(rows, {0, m_rows}, weights.data());
  for (std::int64_t t = 0; t < m_rows; ++t) {
    if (!is_valid(t)) weights[static_cast<std::size_t>(t)] = 0;
  }
  return weights;
}

synelix::glm::Sums ReferencePass::evaluate_one(const synelix::glm::RowLoss& loss,
                                               const synelix::glm::Observed& observed,
                                               const synelix::glm::Request& request,
                                               std::int64_t every) const {
  const std::int64_t classes = loss.classes();
  const std::int64_t columns = m_columns + 1;
  const std::int64_t size = columns * classes;
  synelix::glm::Sums sums;
  sums.gradient.assign(static_cast<std::size_t>(size), 0);
  if (request.wants_hessian) sums.hessian.assign(static_cast<std::size_t>(size * size), 0);
  if (request.wants_scale) sums.scale.assign(static_cast<std::size_t>(size), 0);
  const std::vector<double> weights = weights_of(observed, request.rows);
  std::vector<double> targets(weights.size());
  observed.read_targets(request.rows.target, {0, m_rows}, targets.data());
  std::vector<double> offsets(weights.size(), 0.0);
  if (observed.has_offset()) {
    observed.read_offsets(request.rows.target, {0, m_rows}, offsets.data());
  }
  for (std::int64_t t = 0; t < m_rows; ++t) {
    const auto row = static_cast<std::size_t>(t);
    if (weights[row] == 0 || (t / 512) % every != 0) continue;
    std::vector<double> eta(static_cast<std::size_t>(classes), offsets[row]);
    for (std::int64_t j = 0; j < columns; ++j) {
      for (std::int64_t k = 0; k < classes; ++k) {
        eta[static_cast<std::size_t>(k)] += x1(t, j) * request.parameters[j * classes + k];
      }
    }
    const RowValue value = row_value(loss.loss, request.dispersion, targets[row], eta);
    add_row(t, weights[row], value, classes, sums);
  }
  return sums;
}

void ReferencePass::add_row(std::int64_t t, double weight, const RowValue& value,
                            std::int64_t classes, synelix::glm::Sums& sums) const {
  const std::int64_t columns = m_columns + 1;
  const std::int64_t size = columns * classes;
  sums.loss += weight * value.loss;
  sums.weight += weight;
  for (std::int64_t a = 0; a < size; ++a) {
    const double xa = weight * x1(t, a / classes);
    const double residual = value.residual[static_cast<std::size_t>(a % classes)];
    sums.gradient[static_cast<std::size_t>(a)] += xa * residual;
    if (!sums.scale.empty()) {
      sums.scale[static_cast<std::size_t>(a)] += std::abs(xa) * std::abs(residual);
    }
    for (std::int64_t b = 0; !sums.hessian.empty() && b < size; ++b) {
      const std::size_t cell = static_cast<std::size_t>((a % classes) * classes + b % classes);
      sums.hessian[static_cast<std::size_t>(a * size + b)] +=
          xa * x1(t, b / classes) * value.curvature[cell];
    }
  }
}

}  // namespace oracle
