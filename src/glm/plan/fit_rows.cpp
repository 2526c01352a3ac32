// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "glm/plan/fit_rows.hpp"

#include "glm/plan/dispersion.hpp"
#include "glm/plan/fit_choice.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace synelix::glm {
namespace {

FitChoice choose_for(const FitProblem& problem) {
  FitSize size;
  size.rows = problem.pass.rows();
  size.columns = problem.columns;
  size.classes = problem.classes;
  size.sides = static_cast<std::int64_t>(problem.sides.size());
  const PenaltyShape shape = problem.shape();
  if (reaches_across_targets(problem.options.penalty, shape)) {
    size.is_smooth = glm::bind(problem.options.penalty, shape, all_targets).is_smooth();
  } else {
    for (const Side& side : problem.sides) {
      size.is_smooth =
          size.is_smooth && glm::bind(problem.options.penalty, shape, side.rows.target).is_smooth();
    }
  }
  return choose_solver(size, problem.pass.cost(), problem.options.solver);
}

/// The dispersions of sides are still.
constexpr double still = 1e-9;
constexpr int most_alternations = 50;

/// Fits, then finds dispersions, until both are still: the two depend on each other little, because
/// their information is orthogonal.
class DispersionAlternation {
 public:
  DispersionAlternation(FitProblem& problem, SideSearches& searches, std::vector<Answer>& answers)
      : m_problem(problem), m_searches(searches), m_answers(answers) {}

  /// Returns false where it was cancelled.
  bool run(std::vector<std::vector<std::size_t>> lists, const WalkListener& listener) {
    for (int i = 0; i < most_alternations && !lists.empty(); ++i) {
      std::vector<std::vector<std::size_t>> moved;
      update_dispersions(lists, moved);
      if (!moved.empty() && !m_searches.run(moved, listener, m_answers)) return false;
      lists = std::move(moved);
    }
    warn_of_ends();
    return true;
  }

 private:
  /// Lists of which a dispersion moved are searched again.
  void update_dispersions(const std::vector<std::vector<std::size_t>>& lists,
                          std::vector<std::vector<std::size_t>>& moved) {
    std::vector<std::size_t> sides;
    std::vector<const std::vector<double>*> parameters;
    for (const auto& list : lists) {
      for (const std::size_t i : list) {
        sides.push_back(i);
        parameters.push_back(&m_answers[i].parameters);
      }
    }
    const std::vector<double> found = find_dispersions(m_problem, sides, parameters);
    std::size_t next = 0;
    for (const auto& list : lists) {
      bool has_moved = false;
      for (const std::size_t i : list) {
        double& dispersion = m_problem.sides[i].dispersion;
        has_moved = has_moved || std::abs(std::log(found[next] / dispersion)) > still;
        dispersion = found[next++];
      }
      if (has_moved) moved.push_back(list);
    }
  }

  void warn_of_ends() {
    std::vector<std::string> names;
    for (const Side& side : m_problem.sides) {
      if (side.is_settled || side.dispersion > least_dispersion * 1.001) continue;
      names.push_back(std::to_string(side.rows.target));
    }
    if (names.empty()) return;
    m_problem.warnings.push_back(
        "counts vary no more than those of poisson, so that the dispersion is at its least, 1e-6: "
        "targets " +
        listed(names));
  }

  FitProblem& m_problem;
  SideSearches& m_searches;
  std::vector<Answer>& m_answers;
};

/// Answers before any search: starts, and models that need none.
std::vector<Answer> first_answers(const FitProblem& problem, bool is_shared) {
  std::vector<Answer> answers(problem.sides.size());
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const Side& side = problem.sides[i];
    answers[i].parameters = problem.start_of(side);
    if (!side.is_settled || is_shared) continue;
    answers[i].stop = side.settled;
    std::fill(answers[i].parameters.begin(), answers[i].parameters.end(), 0.0);
    std::copy(side.null_intercepts.begin(), side.null_intercepts.end(),
              answers[i].parameters.end() - problem.classes);
  }
  return answers;
}

}  // namespace

FitChoice choose_fit_rows(Pass& pass, const Observed& observed, const RowLoss& loss,
                          const FitOptions& options) {
  return choose_for(make_fit_problem(pass, observed, loss, options, sides_of_targets(observed)));
}

FitResult fit_rows(Pass& pass, const Observed& observed, const RowLoss& loss,
                   const FitOptions& options) {
  FitProblem problem = make_fit_problem(pass, observed, loss, options, sides_of_targets(observed));
  Walks walks(pass, loss, observed);
  const WalkListener listener{&options.progress, options.cancel};
  const FitChoice choice = choose_for(problem);
  read_null_models(problem, walks);
  SideSearches searches(problem, walks, choice.solver);
  if (searches.is_shared()) {
    for (Side& side : problem.sides) side.is_settled = false;
  }
  std::vector<Answer> answers = first_answers(problem, searches.is_shared());
  std::vector<std::vector<std::size_t>> lists = searches.together();
  std::erase_if(lists, [&](const std::vector<std::size_t>& list) {
    return problem.sides[list.front()].is_settled;
  });
  bool is_whole = searches.run(lists, listener, answers);
  if (is_whole && options.estimate_dispersion) {
    is_whole = DispersionAlternation(problem, searches, answers).run(lists, listener);
  }
  FitResult result = certified_result(problem, walks, searches, answers, !is_whole);
  result.choice = choice;
  return result;
}

}  // namespace synelix::glm
