// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "glm/pass/pass.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

/// \file
/// `RoutedPass`: a pass over lists of events, and a dense one for what events cannot do: losses of
/// several classes. The dense one is made when it is first needed, so that it costs nothing before.

namespace synelix::glm {

class RoutedPass final : public Pass {
 public:
  using Make = std::function<std::shared_ptr<Pass>()>;

  RoutedPass(std::shared_ptr<Pass> events, Make make_dense)
      : m_events(std::move(events)), m_make_dense(std::move(make_dense)) {}

  [[nodiscard]] std::int64_t rows() const override { return m_events->rows(); }
  [[nodiscard]] std::int64_t columns() const override { return m_events->columns(); }
  [[nodiscard]] const std::vector<Term>& terms() const override { return m_events->terms(); }
  [[nodiscard]] const DesignMatrixChoice& choice() const override { return m_events->choice(); }
  [[nodiscard]] PassCost cost() const override { return m_events->cost(); }
  [[nodiscard]] std::int64_t result_bytes() const override { return m_events->result_bytes(); }
  [[nodiscard]] std::span<const std::uint64_t> valid() override { return m_events->valid(); }

  void evaluate(const RowLoss& loss, const Observed& observed, std::span<const Request> requests,
                Arithmetic arithmetic, std::int64_t every, std::span<Sums> sums) override {
    pass_for(loss).evaluate(loss, observed, requests, arithmetic, every, sums);
  }
  void gram(const Observed& observed, const RowsOf& rows, Arithmetic arithmetic,
            double* result) override {
    m_events->gram(observed, rows, arithmetic, result);
  }
  void hessian_rows(const RowLoss& loss, const Observed& observed, const Request& request,
                    Range columns, double* result) override {
    pass_for(loss).hessian_rows(loss, observed, request, columns, result);
  }
  void gram_rows(const Observed& observed, const RowsOf& rows, Range columns,
                 double* result) override {
    m_events->gram_rows(observed, rows, columns, result);
  }
  void apply(const double* coefficients, std::int64_t n, Range rows, double* predictors) override {
    m_events->apply(coefficients, n, rows, predictors);
  }
  void apply_adjoint(const Strided& residuals, double* sums) override {
    m_events->apply_adjoint(residuals, sums);
  }

 private:
  Pass& pass_for(const RowLoss& loss) {
    if (loss.classes() == 1) return *m_events;
    if (!m_dense) m_dense = m_make_dense();
    return *m_dense;
  }

  std::shared_ptr<Pass> m_events;
  Make m_make_dense;
  std::shared_ptr<Pass> m_dense;
};

}  // namespace synelix::glm
