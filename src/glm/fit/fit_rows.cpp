// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "glm/fit/fit_rows.hpp"
#include "glm/fit/predictor_walk.hpp"

#include "glm/fit/fit_choice.hpp"
#include "glm/fit/fit_share.hpp"
#include "launch/region.hpp"
#include "types/missing.hpp"

#include <synelix/error.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <utility>

namespace synelix::glm {
namespace {

FitChoice choose_for(const FitProblem& problem) {
  FitSize size;
  size.rows = problem.pass.rows();
  size.columns = problem.columns;
  size.classes = problem.classes;
  size.sides = static_cast<std::int64_t>(problem.sides.size());
  size.is_quadratic = is_quadratic(problem.loss.loss);
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

/// A dispersion that changes by less has converged.
constexpr double still = 1e-9;
constexpr int most_alternations = 50;

/// Answers before any search: starts, and models that need no search.
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

/// The searches of a fit. If dispersions are estimated, searches and dispersions alternate until
/// both have converged or a target has used up its evaluations. They depend little on each other,
/// because their information matrix is block diagonal.
class FitRun {
 public:
  /// \param first, last  of the chosen solver, and of what it does not solve
  FitRun(FitProblem& problem, Walks& walks, const SearchPlan& first, const SearchPlan& last)
      : m_problem(problem),
        m_walks(walks),
        m_last_plan(last),
        m_first_warnings(problem.warnings.size()) {
    begin(first);
    if (searches().is_shared()) {
      for (Side& side : problem.sides) side.is_settled = false;
    }
    m_answers = first_answers(problem, searches().is_shared());
    m_lists = searches().together();
    std::erase_if(m_lists, [&](const std::vector<std::size_t>& list) {
      return problem.sides[list.front()].is_settled;
    });
  }

  /// Returns false if it was cancelled.
  bool finish();
  /// Hands right-hand sides without an optimum over to the last plan: `finish` then continues.
  /// \param stop  why each right-hand side ended, from its certificate
  /// \return whether any right-hand side continues
  bool hand_over(const std::vector<Stop>& stop);
  /// Number of right-hand sides that were handed over, for messages.
  [[nodiscard]] std::int64_t handed_over() const { return m_handed_over; }
  [[nodiscard]] SideSearches& searches() { return *m_searches; }
  [[nodiscard]] const std::vector<Answer>& answers() const { return m_answers; }
  /// Right-hand sides whose dispersion had not converged when their evaluations were used up: their
  /// answer is the optimum of an earlier dispersion.
  [[nodiscard]] const std::vector<std::size_t>& moving() const { return m_moving; }

 private:
  void begin(const SearchPlan& plan);
  [[nodiscard]] bool update_dispersions();
  void mark_cancelled();
  [[nodiscard]] bool is_spent(const std::vector<std::size_t>& list) const;
  void keep_moving(const std::vector<std::size_t>& list);
  void warn_of_least_dispersions();
  void warn_of_moving_dispersions();

  FitProblem& m_problem;
  Walks& m_walks;
  SearchPlan m_plan;  ///< in progress
  SearchPlan m_last_plan;
  std::unique_ptr<SideSearches> m_searches;
  std::vector<Answer> m_answers;
  std::vector<std::vector<std::size_t>> m_lists;  ///< of the current alternation
  std::vector<std::size_t> m_moving;
  std::int64_t m_alternation = 0;
  std::int64_t m_handed_over = 0;
  std::size_t m_first_warnings;  ///< the number of earlier warnings
};

bool FitRun::finish() {
  const FitOptions& options = m_problem.options;
  while (!m_lists.empty()) {
    if (!searches().search(m_lists, {&options.progress, options.cancel}, m_answers)) {
      if (options.estimate_dispersion) mark_cancelled();
      return false;
    }
    if (!options.estimate_dispersion) break;
    ++m_alternation;
    if (!update_dispersions()) {
      mark_cancelled();
      return false;
    }
  }
  warn_of_least_dispersions();
  warn_of_moving_dispersions();
  return true;
}

bool FitRun::is_spent(const std::vector<std::size_t>& list) const {
  return m_alternation >= most_alternations ||
         m_answers[list.front()].evaluations >= m_plan.most_evaluations;
}

void FitRun::begin(const SearchPlan& plan) {
  m_plan = plan;
  m_walks.set_share(plan.bytes_of_sums);
  m_searches.reset();  // free their memory before others allocate
  m_searches = std::make_unique<SideSearches>(m_problem, m_walks, m_plan);
}

bool FitRun::hand_over(const std::vector<Stop>& stop) {
  if (m_plan.goes_on) return false;
  m_lists = searches().together();
  std::erase_if(m_lists, [&](const std::vector<std::size_t>& list) {
    return std::none_of(list.begin(), list.end(), [&](std::size_t i) {
      const bool is_open = stop[i] == Stop::no_decrease || stop[i] == Stop::iterations;
      return is_open && !m_problem.sides[i].is_settled && !m_problem.sides[i].is_beyond_double &&
             std::isfinite(m_answers[i].objective) &&
             m_answers[i].evaluations < m_last_plan.most_evaluations;
    });
  });
  if (m_lists.empty()) return false;
  for (const std::vector<std::size_t>& list : m_lists) {
    m_handed_over += static_cast<std::int64_t>(list.size());
    for (const std::size_t i : list) std::erase(m_moving, i);
  }
  m_alternation = 0;
  m_problem.warnings.resize(m_first_warnings);
  begin(m_last_plan);
  return true;
}

void FitRun::keep_moving(const std::vector<std::size_t>& list) {
  for (const std::size_t i : list) {
    m_moving.push_back(i);
    if (m_answers[i].stop == Stop::converged) m_answers[i].stop = Stop::iterations;
  }
}

/// Marks all searches that are not finished as cancelled: their answers belong to a preliminary
/// dispersion.
void FitRun::mark_cancelled() {
  for (const std::vector<std::size_t>& list : m_lists) {
    for (const std::size_t i : list) m_answers[i].stop = Stop::cancelled;
  }
}

/// Keeps only the lists with a changed dispersion and evaluations left: they are searched again. If
/// the fit was cancelled, returns false and changes nothing.
bool FitRun::update_dispersions() {
  std::vector<std::size_t> sides;
  std::vector<const std::vector<double>*> parameters;
  for (const std::vector<std::size_t>& list : m_lists) {
    for (const std::size_t i : list) {
      sides.push_back(i);
      parameters.push_back(&m_answers[i].parameters);
    }
  }
  const std::vector<double> found = find_dispersions(m_problem, sides, parameters);
  if (found.size() != sides.size()) return false;
  std::size_t next = 0;
  std::erase_if(m_lists, [&](const std::vector<std::size_t>& list) {
    bool has_moved = false;
    for (const std::size_t i : list) {
      double& dispersion = m_problem.sides[i].dispersion;
      has_moved = has_moved || std::abs(std::log(found[next] / dispersion)) > still;
      dispersion = found[next++];
    }
    if (has_moved && is_spent(list)) keep_moving(list);
    return !has_moved || is_spent(list);
  });
  return true;
}

void FitRun::warn_of_least_dispersions() {
  if (!m_problem.options.estimate_dispersion) return;
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

void FitRun::warn_of_moving_dispersions() {
  if (m_moving.empty()) return;
  std::sort(m_moving.begin(), m_moving.end());
  std::vector<std::string> names;
  names.reserve(m_moving.size());
  for (const std::size_t i : m_moving) {
    names.push_back(std::to_string(m_problem.sides[i].rows.target));
  }
  m_problem.warnings.push_back(
      "the dispersion still moved when the fit ended, so that coefficients are those of an earlier "
      "dispersion; allow more with most_evaluations, or give the dispersion: targets " +
      listed(names));
}

}  // namespace

ChosenFit choose_fit_rows(Pass& pass, const Observed& observed, const RowLoss& loss,
                          const FitOptions& options) {
  const FitProblem problem =
      make_fit_problem(pass, observed, loss, options, sides_of_targets(observed));
  FitChoice choice = choose_for(problem);
  const FitNeeds needs = needs_of_fit(problem, choice.solver,
                                      reaches_across_targets(options.penalty, problem.shape()));
  return {std::move(choice), needs};
}

namespace {

FitResult fit_watched(Pass& pass, const Observed& observed, const RowLoss& loss,
                      const FitOptions& options) {
  FitProblem problem = make_fit_problem(pass, observed, loss, options, sides_of_targets(observed));
  Walks walks(pass, loss, observed);
  const FitChoice choice = choose_for(problem);
  const bool is_shared = reaches_across_targets(options.penalty, problem.shape());
  const FitNeeds needs = needs_of_fit(problem, choice.solver, is_shared);
  const FitShare share(pass, loss, needs.least(), needs.most());
  const std::int64_t free = share.bytes() - needs.fixed;
  walks.set_share(free / 2);
  read_null_models(problem, walks);
  move_starts_inside(problem, walks);
  walks.release();
  FitRun run(problem, walks, first_plan(problem, choice.solver, needs, free),
             last_plan(problem, is_shared, free));
  const auto finished = [&] {
    const bool is_whole = run.finish();
    // A certificate needs memory for a factor in addition to the sums of an answer.
    run.searches().release();
    walks.release();
    walks.set_share(free / 5);
    return certified_result(problem, walks, run.searches(), run.answers(), !is_whole);
  };
  FitResult result = finished();
  if (may_hand_over(problem, choice.solver) && run.hand_over(result.stop)) result = finished();
  // Their certificates only check the coefficients.
  for (const std::size_t i : run.moving()) {
    if (result.stop[i] == Stop::converged) result.stop[i] = Stop::iterations;
  }
  result.choice = choice;
  if (run.handed_over() > 0) {
    result.choice.reason += "; " + std::to_string(run.handed_over()) +
                            " that lbfgs left without an optimum went on with newton";
  }
  return result;
}

}  // namespace

FitResult empty_fit_result(std::int64_t columns, std::int64_t targets, const RowLoss& loss,
                           bool standard_errors) {
  FitResult result;
  result.columns = columns;
  result.targets = targets;
  result.classes = loss.classes();
  result.loss = loss.loss;
  const auto count = static_cast<std::size_t>(targets);
  result.intercepts.assign(count * static_cast<std::size_t>(result.classes), 0);
  result.start_intercepts = result.intercepts;
  result.coefficients.assign(result.intercepts.size() * static_cast<std::size_t>(columns), 0);
  if (standard_errors) {
    result.standard_errors.assign(result.coefficients.size() + result.intercepts.size(), missing);
  }
  for (auto* numbers :
       {&result.mean_loss, &result.objective, &result.optimality, &result.standard_errors_away,
        &result.rows_used, &result.residual_degrees_of_freedom}) {
    numbers->assign(count, missing);
  }
  result.scale.assign(count, 1.0);
  result.dispersion.assign(count, loss.loss.dispersion);
  result.stop.assign(count, Stop::cancelled);
  result.evaluations.assign(count, 0);
  result.hessians.assign(count, 0);
  return result;
}

FitResult unsearched(const Pass& pass, const Observed& observed, const RowLoss& loss,
                     const FitOptions& options) {
  FitResult result =
      empty_fit_result(pass.columns(), observed.targets(), loss, options.standard_errors);
  const auto start_at = [](const std::vector<double>& given, std::vector<double>& parameters) {
    if (given.size() == parameters.size()) parameters = given;
  };
  start_at(options.start_coefficients, result.coefficients);
  start_at(options.start_intercepts, result.intercepts);
  result.start_intercepts = result.intercepts;
  return result;
}

FitResult fit_rows(Pass& pass, const Observed& observed, const RowLoss& loss,
                   const FitOptions& options) {
  const WatchedWalks watched(pass, options);
  FitResult result;
  const bool is_whole =
      finishes(options.cancel, [&] { result = fit_watched(pass, observed, loss, options); });
  return is_whole ? result : unsearched(pass, observed, loss, options);
}

}  // namespace synelix::glm

namespace synelix {

FitResult fit(const DesignMatrix& design, const Observations& observations,
              const FitOptions& options) {
  const plan::Region region("synelix::fit");
  FitResult result = glm::with_bound(
      design, observations, options,
      [&](glm::Pass& pass, const glm::Observed& observed, const glm::RowLoss& loss) {
        return glm::fit_rows(pass, observed, loss, options);
      });
  for (const std::string& warning : result.warnings) warn(warning);
  return result;
}

FitChoice choose_fit(const DesignMatrix& design, const Observations& observations,
                     const FitOptions& options) {
  const plan::Region region("synelix::choose_fit");
  return glm::with_bound(
      design, observations, options,
      [&](glm::Pass& pass, const glm::Observed& observed, const glm::RowLoss& loss) {
        glm::ChosenFit chosen = glm::choose_fit_rows(pass, observed, loss, options);
        static_cast<void>(glm::FitShare(pass, loss, chosen.needs.least(), chosen.needs.most()));
        return std::move(chosen.choice);
      });
}

}  // namespace synelix
