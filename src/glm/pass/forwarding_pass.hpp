// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "glm/pass/pass.hpp"

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

/// \file
/// `ForwardingPass`: a pass in front of another one. It forwards every function; a derived class
/// overrides those that it changes.

namespace synelix::glm {

class ForwardingPass : public Pass {
 public:
  [[nodiscard]] std::int64_t rows() const override { return m_inner->rows(); }
  [[nodiscard]] std::int64_t columns() const override { return m_inner->columns(); }
  [[nodiscard]] const std::vector<Term>& terms() const override { return m_inner->terms(); }
  [[nodiscard]] const DesignMatrixChoice& choice() const override { return m_inner->choice(); }
  [[nodiscard]] PassCost cost() const override { return m_inner->cost(); }
  std::int64_t take_share(const RowLoss& loss, std::int64_t least, std::int64_t most) override {
    return m_inner->take_share(loss, least, most);
  }
  void return_share() override { m_inner->return_share(); }
  void set_watched(plan::Watched* watched) override { m_inner->set_watched(watched); }
  [[nodiscard]] std::int64_t held_bytes() const override { return m_inner->held_bytes(); }
  void release_memory() override { m_inner->release_memory(); }
  void set_rows(Range rows) override { m_inner->set_rows(rows); }
  [[nodiscard]] std::int64_t copies_of_sums() const override { return m_inner->copies_of_sums(); }
  [[nodiscard]] std::uint64_t way_of_products(Arithmetic arithmetic,
                                              std::int64_t predictors) const override {
    return m_inner->way_of_products(arithmetic, predictors);
  }
  [[nodiscard]] std::span<const std::uint64_t> valid() override { return m_inner->valid(); }
  void evaluate(const RowLoss& loss, const Observed& observed, std::span<const Request> requests,
                Arithmetic arithmetic, std::int64_t every, std::span<Sums> sums) override {
    walker().evaluate(loss, observed, requests, arithmetic, every, sums);
  }
  void gram(const Observed& observed, const RowsOf& rows, Arithmetic arithmetic,
            double* result) override {
    walker().gram(observed, rows, arithmetic, result);
  }
  void hessian_rows(const RowLoss& loss, const Observed& observed, const Request& request,
                    Range columns, double* result) override {
    walker().hessian_rows(loss, observed, request, columns, result);
  }
  void gram_rows(const Observed& observed, const RowsOf& rows, Range columns,
                 double* result) override {
    walker().gram_rows(observed, rows, columns, result);
  }
  void apply(const double* coefficients, std::int64_t n, Range rows, double* predictors) override {
    walker().apply(coefficients, n, rows, predictors);
  }
  void apply_adjoint(const Strided& residuals, double* sums) override {
    walker().apply_adjoint(residuals, sums);
  }
  [[nodiscard]] std::span<const Operand> inputs() const override { return m_inner->inputs(); }
  void set_inputs(std::vector<Operand> inputs) override { m_inner->set_inputs(std::move(inputs)); }

 protected:
  /// \param inner  must outlive it
  explicit ForwardingPass(Pass& inner) : m_inner(&inner) {}

  [[nodiscard]] Pass& inner() const { return *m_inner; }
  /// Called before each walk: the pass that makes it.
  virtual Pass& walker() { return *m_inner; }

 private:
  Pass* m_inner;
};

}  // namespace synelix::glm
