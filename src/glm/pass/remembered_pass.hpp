// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "glm/pass/pass.hpp"

#include <synelix/types/glm.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

/// \file
/// `RememberedPass`: a pass whose answers are kept in a store. An evaluation in the store needs no
/// walk.
///
/// Solvers and drivers are deterministic. So a restarted fit asks the same questions, and the store
/// answers them up to the point where the previous run ended. No state of a solver must be stored.
/// A walk is skipped if all of its requests have answers.

namespace synelix::glm {

class RememberedPass final : public Pass {
 public:
  /// Both must outlive it, and all walks must be over the same observations.
  RememberedPass(Pass& pass, AnswerStore& answers) : m_pass(pass), m_answers(answers) {}

  [[nodiscard]] std::int64_t rows() const override { return m_pass.rows(); }
  [[nodiscard]] std::int64_t columns() const override { return m_pass.columns(); }
  [[nodiscard]] const std::vector<Term>& terms() const override { return m_pass.terms(); }
  [[nodiscard]] const DesignMatrixChoice& choice() const override { return m_pass.choice(); }
  [[nodiscard]] PassCost cost() const override { return m_pass.cost(); }
  std::int64_t take_share(const RowLoss& loss, std::int64_t least, std::int64_t most) override {
    return m_pass.take_share(loss, least, most);
  }
  void return_share() override { m_pass.return_share(); }
  [[nodiscard]] std::int64_t held_bytes() const override { return m_pass.held_bytes(); }
  void set_watched(plan::Watched* watched) override { m_pass.set_watched(watched); }
  void release_memory() override { m_pass.release_memory(); }
  [[nodiscard]] std::int64_t copies_of_sums() const override { return m_pass.copies_of_sums(); }
  [[nodiscard]] std::uint64_t way_of_products(Arithmetic arithmetic,
                                              std::int64_t predictors) const override {
    return m_pass.way_of_products(arithmetic, predictors);
  }
  [[nodiscard]] std::span<const std::uint64_t> valid() override { return m_pass.valid(); }

  void evaluate(const RowLoss& loss, const Observed& observed, std::span<const Request> requests,
                Arithmetic arithmetic, std::int64_t every, std::span<Sums> sums) override;
  void gram(const Observed& observed, const RowsOf& rows, Arithmetic arithmetic,
            double* result) override;
  void hessian_rows(const RowLoss& loss, const Observed& observed, const Request& request,
                    Range columns, double* result) override;
  void gram_rows(const Observed& observed, const RowsOf& rows, Range columns,
                 double* result) override;
  void apply(const double* coefficients, std::int64_t n, Range rows, double* predictors) override {
    m_pass.apply(coefficients, n, rows, predictors);
  }
  void apply_adjoint(const Strided& residuals, double* sums) override {
    m_pass.apply_adjoint(residuals, sums);
  }

 private:
  /// Finds numbers in the store, or computes them by a walk and keeps them.
  void remember(const AnswerStore::Question& question, std::span<double> numbers,
                const std::function<void()>& walk);
  /// Answers requests by one walk, and keeps the answers.
  void walk_for(const RowLoss& loss, const Observed& observed, std::span<const Request> requests,
                Arithmetic arithmetic, std::int64_t every, std::span<Sums> sums,
                std::span<const AnswerStore::Question> questions);

  Pass& m_pass;
  AnswerStore& m_answers;
};

/// A pass that keeps its answers if options have a store; else the pass itself.
class PassOf {
 public:
  PassOf(Pass& pass, const FitOptions& options) : m_pass(&pass) {
    if (options.answers == nullptr) return;
    m_remembered.emplace(pass, *options.answers);
    m_pass = &*m_remembered;
  }
  PassOf(const PassOf&) = delete;
  PassOf& operator=(const PassOf&) = delete;
  [[nodiscard]] Pass& pass() const { return *m_pass; }

 private:
  std::optional<RememberedPass> m_remembered;
  Pass* m_pass;
};

}  // namespace synelix::glm
