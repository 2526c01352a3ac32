// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "glm/pass/event_pass.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

/// \file
/// `RoutedPass`: a pass over lists of events, and a dense one for losses of several classes, which
/// events do not support. The dense one is made when it is first needed. Both share one budget:
/// only one of them uses memory of walks at a time, and each uses only what the other leaves.

namespace synelix::glm {

class RoutedPass final : public Pass {
 public:
  /// Makes a dense pass that leaves this many bytes of the budget to others.
  using Make = std::function<std::shared_ptr<Pass>(std::int64_t held)>;

  RoutedPass(std::shared_ptr<EventPass> events, Make make_dense)
      : m_events(std::move(events)), m_make_dense(std::move(make_dense)) {}

  [[nodiscard]] std::int64_t rows() const override { return m_events->rows(); }
  [[nodiscard]] std::int64_t columns() const override { return m_events->columns(); }
  [[nodiscard]] const std::vector<Term>& terms() const override { return m_events->terms(); }
  [[nodiscard]] const DesignMatrixChoice& choice() const override { return m_events->choice(); }
  [[nodiscard]] PassCost cost() const override { return m_events->cost(); }
  std::int64_t take_share(const RowLoss& loss, std::int64_t least, std::int64_t most) override {
    if (EventPass::takes(loss)) return m_events->take_share(loss, least, most);
    const std::int64_t share = dense().take_share(loss, least, most);
    try {
      // Gram matrices are computed by the pass over events, with the same share.
      return m_events->take_share(loss, share, share);
    } catch (...) {
      dense().return_share();
      throw;
    }
  }
  void return_share() override {
    m_events->return_share();
    if (m_dense) m_dense->return_share();
  }
  [[nodiscard]] std::int64_t held_bytes() const override {
    return m_events->held_bytes() + (m_dense ? m_dense->held_bytes() : 0);
  }
  void set_watched(plan::Watched* watched) override {
    Pass::set_watched(watched);
    m_events->set_watched(watched);
    if (m_dense) m_dense->set_watched(watched);
  }
  void set_rows(Range wanted) override {
    Pass::set_rows(wanted);
    m_events->set_rows(wanted);
    if (m_dense) m_dense->set_rows(wanted);
  }
  void release_memory() override {
    m_events->release_memory();
    if (m_dense) m_dense->release_memory();
  }
  [[nodiscard]] std::uint64_t way_of_products(Arithmetic arithmetic,
                                              std::int64_t predictors) const override {
    return m_dense ? m_dense->way_of_products(arithmetic, predictors) : 0;
  }
  [[nodiscard]] std::span<const std::uint64_t> valid() override { return m_events->valid(); }

  void evaluate(const RowLoss& loss, const Observed& observed, std::span<const Request> requests,
                Arithmetic arithmetic, std::int64_t every, std::span<Sums> sums) override {
    pass_for(loss).evaluate(loss, observed, requests, arithmetic, every, sums);
  }
  void gram(const Observed& observed, const RowsOf& rows, Arithmetic arithmetic,
            double* result) override {
    events().gram(observed, rows, arithmetic, result);
  }
  void hessian_rows(const RowLoss& loss, const Observed& observed, const Request& request,
                    Range columns, double* result) override {
    pass_for(loss).hessian_rows(loss, observed, request, columns, result);
  }
  void gram_rows(const Observed& observed, const RowsOf& rows, Range columns,
                 double* result) override {
    events().gram_rows(observed, rows, columns, result);
  }
  void apply(const double* coefficients, std::int64_t n, Range rows, double* predictors) override {
    events().apply(coefficients, n, rows, predictors);
  }
  void apply_adjoint(const Strided& residuals, double* sums) override {
    events().apply_adjoint(residuals, sums);
  }

 private:
  Pass& pass_for(const RowLoss& loss) { return EventPass::takes(loss) ? events() : dense(); }
  Pass& events() {
    if (m_dense) m_dense->release_memory();
    return *m_events;
  }
  Pass& dense() {
    m_events->release_memory();
    if (!m_dense) {
      static_cast<void>(m_events->valid());
      m_dense = m_make_dense(m_events->most_held_bytes());
      m_events->set_others(m_dense->held_bytes());
      m_dense->set_watched(watched());
      m_dense->set_rows(walked());
    }
    return *m_dense;
  }

  std::shared_ptr<EventPass> m_events;
  Make m_make_dense;
  std::shared_ptr<Pass> m_dense;
};

}  // namespace synelix::glm
