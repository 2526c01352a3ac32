// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "glm/fit/fit_problem.hpp"
#include "glm/fit/side_searches.hpp"
#include "glm/pass/pass.hpp"

#include <algorithm>
#include <cstdint>

/// \file
/// `FitShare`: the share of a fit in the budget of its pass, and its uses. Counts are upper bounds
/// of the bytes held at a time; they omit lists whose length is the number of right-hand sides.

namespace synelix::glm {

/// Bytes that a fit holds.
struct FitNeeds {
  std::int64_t fixed = 0;   ///< observations, answers, results, null models
  std::int64_t shared = 0;  ///< Gram matrix and its factor
  std::int64_t search = 0;  ///< an open search, with the memory for taking an answer
  std::int64_t sums = 0;    ///< sums of a walk for that search
  std::int64_t last = 0;    ///< most bytes of the steps before and after the searches
  std::int64_t searches = 0;

  [[nodiscard]] std::int64_t least() const {
    return fixed + shared + std::max(search + sums, last);
  }
  [[nodiscard]] std::int64_t most() const {
    return fixed + shared + std::max(searches * (search + sums), 4 * last);
  }
};

/// Counts a search by a solver, with the sums of a walk that it requests.
void count_search(const FitProblem& problem, Solver solver, std::int64_t blocks, FitNeeds& needs);

/// Whether newton takes over if lbfgs ends without an optimum: only if the caller did not name the
/// solver.
inline bool may_hand_over(const FitProblem& problem, Solver chosen) {
  return chosen == Solver::lbfgs && problem.options.solver == Solver::automatic;
}

/// The needs of a fit. \param is_shared whether one search covers all targets
FitNeeds needs_of_fit(const FitProblem& problem, Solver solver, bool is_shared);

/// The plan of a fit with the chosen solver. \param free  bytes for its searches
SearchPlan first_plan(const FitProblem& problem, Solver chosen, const FitNeeds& needs,
                      std::int64_t free);
/// The plan of searches that L-BFGS did not finish.
SearchPlan last_plan(const FitProblem& problem, bool is_shared, std::int64_t free);

/// Bytes of the numbers that each right-hand side holds, searched or not.
std::int64_t bytes_of_sides(const FitProblem& problem);

/// A part of the budget of a pass, until the end of a scope.
class FitShare {
 public:
  /// \throws Error as Pass::take_share
  FitShare(Pass& pass, const RowLoss& loss, std::int64_t least, std::int64_t most)
      : m_pass(pass), m_bytes(pass.take_share(loss, least, most)) {}
  ~FitShare() { m_pass.return_share(); }
  FitShare(const FitShare&) = delete;
  FitShare& operator=(const FitShare&) = delete;
  [[nodiscard]] std::int64_t bytes() const { return m_bytes; }

 private:
  Pass& m_pass;
  std::int64_t m_bytes;
};

}  // namespace synelix::glm
