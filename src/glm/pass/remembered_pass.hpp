// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "glm/pass/forwarding_pass.hpp"

#include <synelix/types/glm.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
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

class RememberedPass final : public ForwardingPass {
 public:
  /// Both must outlive it, and all walks must be over the same observations.
  RememberedPass(Pass& pass, AnswerStore& answers) : ForwardingPass(pass), m_answers(answers) {}

  void evaluate(const RowLoss& loss, const Observed& observed, std::span<const Request> requests,
                Arithmetic arithmetic, std::int64_t every, std::span<Sums> sums) override;
  void gram(const Observed& observed, const RowsOf& rows, Arithmetic arithmetic,
            double* result) override;
  void hessian_rows(const RowLoss& loss, const Observed& observed, const Request& request,
                    Range columns, double* result) override;
  void gram_rows(const Observed& observed, const RowsOf& rows, Range columns,
                 double* result) override;

 private:
  /// Finds numbers in the store, or computes them by a walk and keeps them.
  void remember(const AnswerStore::Question& question, std::span<double> numbers,
                const std::function<void()>& walk);
  /// Answers requests by one walk, and keeps the answers.
  void walk_for(const RowLoss& loss, const Observed& observed, std::span<const Request> requests,
                Arithmetic arithmetic, std::int64_t every, std::span<Sums> sums,
                std::span<const AnswerStore::Question> questions);

  AnswerStore& m_answers;
};

/// Calls body(pass) with a pass that keeps its answers if there is a store; else with the pass
/// itself.
template <class Body>
auto with_answers(Pass& pass, AnswerStore* answers, const Body& body) {
  if (answers == nullptr) return body(pass);
  RememberedPass remembered(pass, *answers);
  return body(remembered);
}

}  // namespace synelix::glm
