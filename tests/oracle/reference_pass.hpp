// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "glm/pass/pass.hpp"
#include "oracle/row_formulas.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

/// \file
/// `glm::Pass` as the obvious loops over a dense matrix in double, with scalar formulas of the
/// losses: the reference for passes over tiles, events and streams, and the pass for tests of
/// solvers. Sums are plain sums over rows in order.

namespace oracle {

/// A pass over a matrix (rows, columns), row-major.
class ReferencePass : public synelix::glm::WalkingPass {
 public:
  ReferencePass(std::int64_t rows, std::int64_t columns, std::vector<double> features);

  [[nodiscard]] std::int64_t rows() const override { return m_rows; }
  [[nodiscard]] std::int64_t columns() const override { return m_columns; }
  [[nodiscard]] const std::vector<synelix::Term>& terms() const override { return m_terms; }
  [[nodiscard]] const synelix::DesignMatrixChoice& choice() const override { return m_choice; }
  [[nodiscard]] synelix::glm::PassCost cost() const override;
  [[nodiscard]] std::span<const std::uint64_t> valid() override { return m_valid; }

  /// Number of calls of `evaluate`.
  [[nodiscard]] std::int64_t walks() const { return m_walks; }

  void evaluate(const synelix::glm::RowLoss& loss, const synelix::glm::Observed& observed,
                std::span<const synelix::glm::Request> requests, synelix::glm::Arithmetic,
                std::int64_t every, std::span<synelix::glm::Sums> sums) override;
  void gram(const synelix::glm::Observed& observed, const synelix::glm::RowsOf& rows,
            synelix::glm::Arithmetic, double* result) override;
  void gram_rows(const synelix::glm::Observed& observed, const synelix::glm::RowsOf& rows,
                 synelix::Range columns, double* result) override;
  void hessian_rows(const synelix::glm::RowLoss& loss, const synelix::glm::Observed& observed,
                    const synelix::glm::Request& request, synelix::Range columns,
                    double* result) override;
  void apply(const double* coefficients, std::int64_t n, synelix::Range rows,
             double* predictors) override;
  /// Residuals of double only.
  void apply_adjoint(const synelix::Strided& residuals, double* sums) override;

 private:
  [[nodiscard]] double x(std::int64_t t, std::int64_t j) const {
    return m_features[static_cast<std::size_t>(t * m_columns + j)];
  }
  [[nodiscard]] double x1(std::int64_t t, std::int64_t j) const {
    return j < m_columns ? x(t, j) : 1.0;
  }
  [[nodiscard]] bool is_valid(std::int64_t t) const {
    return (m_valid[static_cast<std::size_t>(t / 64)] >> (t % 64)) & 1U;
  }

  [[nodiscard]] std::vector<double> weights_of(const synelix::glm::Observed& observed,
                                               const synelix::glm::RowsOf& rows) const;
  [[nodiscard]] synelix::glm::Sums evaluate_one(const synelix::glm::RowLoss& loss,
                                                const synelix::glm::Observed& observed,
                                                const synelix::glm::Request& request,
                                                std::int64_t every) const;
  void add_row(std::int64_t t, double weight, const RowValue& value, std::int64_t classes,
               synelix::glm::Sums& sums) const;

  std::int64_t m_rows;
  std::int64_t m_columns;
  std::vector<double> m_features;
  std::vector<std::uint64_t> m_valid = {};
  std::vector<synelix::Term> m_terms = {};
  synelix::DesignMatrixChoice m_choice = {};
  std::int64_t m_walks = 0;
};

}  // namespace oracle
