// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "glm/fit/fit_problem.hpp"
#include "glm/fit/lockstep.hpp"
#include "glm/solvers/hessian_models.hpp"
#include "glm/solvers/search.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

/// \file
/// `SideSearches`: from right-hand sides to searches, and from finished searches to answers.

namespace synelix::glm {

/// The result of a search for a right-hand side.
struct Answer {
  std::vector<double> parameters = {};  ///< (columns + 1, classes), row-major
  Stop stop = Stop::cancelled;
  double objective = 0;
  double optimality = 0;
  double standard_errors_away = 0;
  std::int64_t evaluations = 0;
  std::int64_t hessians = 0;
};

/// How searches run.
struct SearchPlan {
  Solver solver = Solver::newton;
  std::size_t most_open = 1;          ///< at a time, if their memory suffices
  std::int64_t bytes_of_sums = 0;     ///< of a walk for them
  std::int64_t most_evaluations = 0;  ///< of a search
  bool goes_on = false;               ///< whether evaluations of an earlier search count, too
};

class SideSearches;

/// Open and waiting searches.
class SearchRun {
 public:
  SearchRun(SideSearches& searches, const std::vector<std::vector<std::size_t>>& lists,
            WalkListener listener, std::vector<Answer>& answers);
  /// Runs until all searches are done. Returns false if it was cancelled.
  bool finish();

 private:
  void admit();
  /// Answers searches that wait for rows of their Hessian.
  void answer_rows();

  SideSearches& m_searches;
  const std::vector<std::vector<std::size_t>>& m_lists;
  std::vector<Answer>& m_answers;
  Lockstep m_lockstep;
  std::vector<std::size_t> m_open;  ///< lists, by the numbers of their jobs
  std::size_t m_next = 0;           ///< the first waiting list
};

/// The searches of a fit. There is one for each right-hand side, or one for all if groups of the
/// penalty span targets.
class SideSearches {
 public:
  SideSearches(const FitProblem& problem, Walks& walks, const SearchPlan& plan);

  /// The penalty of right-hand sides that are searched together.
  [[nodiscard]] BoundPenalty penalty_of(const std::vector<std::size_t>& sides) const;
  /// Lists of right-hand sides, one list for each search.
  [[nodiscard]] std::vector<std::vector<std::size_t>> together() const;
  /// Whether searches cover several targets.
  [[nodiscard]] bool is_shared() const { return m_is_shared; }

  /// Starts from `answers[i].parameters` for each side i of the lists, and overwrites the answers.
  /// At most as many searches are open at a time as the memory allows.
  /// \return false if it was cancelled
  bool search(const std::vector<std::vector<std::size_t>>& lists, WalkListener listener,
              std::vector<Answer>& answers);
  /// Frees the memory that searches share.
  void release() {
    m_gram = nullptr;
    m_factor = nullptr;
  }

 private:
  friend class SearchRun;

  [[nodiscard]] Job make_job(const std::vector<std::size_t>& sides,
                             const std::vector<Answer>& answers);
  void keep(const std::vector<std::size_t>& sides, const Search& search, bool is_cancelled,
            std::vector<Answer>& answers) const;
  /// The Gram matrix of the rows of a side, shared by searches on the same rows.
  std::shared_ptr<const GramModel> gram_of(const Side& side);
  /// The factor of the Gram matrix for a search of lbfgs; else null. Searches with the same free
  /// parameters and the same ratio of ridge to curvature share it.
  std::shared_ptr<const GramFactor> factor_of(const SearchProblem& search);
  [[nodiscard]] double curvature_of(const Side& side) const;
  [[nodiscard]] BlockCenters centers_of(const std::vector<std::size_t>& sides) const;
  /// The columns of each channel, for channels with few bases.
  [[nodiscard]] std::vector<Range> channels() const;

  const FitProblem& m_problem;
  Walks& m_walks;
  SearchPlan m_plan;
  bool m_is_shared;
  std::size_t m_gram_side = 0;              ///< the first side on the rows of m_gram
  std::shared_ptr<const GramModel> m_gram;  ///< of the last search
  /// Factors of m_gram that searches use, and the one of the last search, which is kept.
  std::vector<std::weak_ptr<const GramFactor>> m_factors;
  std::shared_ptr<const GramFactor> m_factor;
};

}  // namespace synelix::glm
