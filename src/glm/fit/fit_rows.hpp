// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "glm/fit/fit_problem.hpp"
#include "glm/fit/fit_share.hpp"
#include "glm/fit/side_searches.hpp"
#include "glm/pass/remembered_pass.hpp"
#include "glm/rows/observed_arrays.hpp"
#include "tile/select.hpp"

#include <synelix/types/glm.hpp>

#include <cstdint>
#include <vector>

/// \file
/// `fit` on a pass: the public function after its arguments are bound.

namespace synelix::glm {

/// Binds the arguments of a public function, and calls body(pass, observed, loss).
template <class Body>
auto with_bound(const DesignMatrix& design, const Observations& observations,
                const FitOptions& options, const Body& body) {
  return with_answers(design.pass(), options.answers, [&](Pass& pass) {
    const RowLoss loss = bind(options.loss, tile::select_set(pass.choice().instruction_set));
    const ObservedArrays observed(observations, pass.rows());
    return body(pass, observed, loss);
  });
}

FitResult fit_rows(Pass& pass, const Observed& observed, const RowLoss& loss,
                   const FitOptions& options);

/// An empty result of these sizes: parameters are 0, measured values are NaN, and every target
/// counts as cancelled.
FitResult empty_fit_result(std::int64_t columns, std::int64_t targets, const RowLoss& loss,
                           bool standard_errors);

/// The result of a fit that was cancelled before its first search: the starts.
FitResult unsearched(const Pass& pass, const Observed& observed, const RowLoss& loss,
                     const FitOptions& options);

/// How a fit would run, and its memory.
struct ChosenFit {
  FitChoice choice;
  FitNeeds needs;
};
ChosenFit choose_fit_rows(Pass& pass, const Observed& observed, const RowLoss& loss,
                          const FitOptions& options);

/// The public result of answers: certified by separate walks, unless the fit was cancelled.
FitResult certified_result(const FitProblem& problem, Walks& walks, const SideSearches& searches,
                           const std::vector<Answer>& answers, bool is_cancelled);

}  // namespace synelix::glm
