// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "glm/fit/side_searches.hpp"

#include "glm/rows/families.hpp"
#include "glm/sweep/host_items.hpp"
#include "tile/select.hpp"

#include <algorithm>
#include <utility>

namespace synelix::glm {
namespace {

/// With more rows of a channel, updating the model of a target is not cheaper than a Hessian.
constexpr std::int64_t most_own_rows = 16;

}  // namespace

SideSearches::SideSearches(const FitProblem& problem, Walks& walks, const SearchPlan& plan)
    : m_problem(problem),
      m_walks(walks),
      m_plan(plan),
      m_is_shared(reaches_across_targets(problem.options.penalty, problem.shape())) {}

std::vector<std::vector<std::size_t>> SideSearches::together() const {
  std::vector<std::vector<std::size_t>> lists;
  for (std::size_t i = 0; i < m_problem.sides.size(); ++i) {
    if (lists.empty() || !m_is_shared) lists.emplace_back();
    lists.back().push_back(i);
  }
  // Sides on the same rows are adjacent, and share a Gram matrix.
  std::stable_sort(lists.begin(), lists.end(), [this](const auto& a, const auto& b) {
    return m_problem.sides[a.front()].same_rows < m_problem.sides[b.front()].same_rows;
  });
  return lists;
}

BoundPenalty SideSearches::penalty_of(const std::vector<std::size_t>& sides) const {
  const std::int64_t target =
      m_is_shared ? all_targets : m_problem.sides[sides.front()].rows.target;
  BoundPenalty penalty = glm::bind(m_problem.options.penalty, m_problem.shape(), target);
  const std::int64_t coefficients = m_problem.columns * m_problem.classes;
  for (std::size_t block = 0; block < sides.size(); ++block) {
    const std::vector<std::uint8_t>& is_zero = m_problem.sides[sides[block]].is_zero;
    if (std::count(is_zero.begin(), is_zero.end(), 1) == 0) continue;
    if (penalty.is_free.empty()) {
      penalty.is_free.assign(sides.size() * static_cast<std::size_t>(coefficients), 1);
    }
    for (std::int64_t i = 0; i < coefficients; ++i) {
      if (!is_zero[static_cast<std::size_t>(i / m_problem.classes)]) continue;
      penalty
          .is_free[block * static_cast<std::size_t>(coefficients) + static_cast<std::size_t>(i)] =
          0;
    }
  }
  return penalty;
}

double SideSearches::curvature_of(const Side& side) const {
  if (m_problem.classes > 1) return 0;
  // The curvature of every loss is affine in y, so that of the mean target is the mean curvature.
  const double predictor = null_point(m_problem, side).back() + side.facts.offset;
  const double curvature = m_walks.loss().at(side.facts.mean, predictor, side.dispersion).curvature;
  return curvature > 0 ? curvature : 0;
}

std::shared_ptr<const GramModel> SideSearches::gram_of(const Side& side) {
  // Newton's method uses exact Hessians, also if other targets could share a Gram matrix: otherwise
  // an answer would depend on the other targets.
  if (m_plan.solver == Solver::newton || m_problem.classes > 1 || m_is_shared) return nullptr;
  if (m_gram != nullptr && m_gram_side == side.same_rows) return m_gram;
  auto model = std::make_shared<GramModel>();
  model->size = m_problem.columns + 1;
  model->gram.resize(static_cast<std::size_t>(model->size * model->size));
  // The preconditioner of lbfgs must distinguish directions of little curvature from null
  // directions.
  const bool needs_double = m_plan.solver == Solver::lbfgs || side.centers != nullptr;
  const Arithmetic arithmetic =
      needs_double ? Arithmetic::double_products : Arithmetic::float_products;
  m_problem.pass.gram(m_problem.observed, side.rows, arithmetic, model->gram.data());
  for (double& value : model->gram) value /= side.facts.weight;
  if (side.centers != nullptr) side.centers->center_matrix(model->gram, model->size, 1);
  m_gram_side = side.same_rows;
  m_gram = std::move(model);
  m_factors.clear();
  return m_gram;
}

std::shared_ptr<const GramFactor> SideSearches::factor_of(const SearchProblem& search) {
  if (m_plan.solver != Solver::lbfgs || search.gram == nullptr || !(search.curvature > 0)) {
    return nullptr;
  }
  const FreeParameters free({search.columns, search.classes, search.blocks}, search.has_intercept,
                            search.penalty);
  std::vector<double> ridge = ridge_beside_gram(free, search.curvature);
  for (const std::weak_ptr<const GramFactor>& kept : m_factors) {
    std::shared_ptr<const GramFactor> factor = kept.lock();
    if (factor != nullptr && factor->index == free.index() && factor->ridge == ridge) {
      return m_factor = factor;
    }
  }
  std::erase_if(m_factors, [](const auto& kept) { return kept.expired(); });
  m_factor = nullptr;
  const Tiles& tiles = tile::table_of<double>(tile::select_set(search.instruction_set));
  m_factor = make_gram_factor(tiles, free, *search.gram, std::move(ridge));
  if (m_factor != nullptr) m_factors.emplace_back(m_factor);
  return m_factor;
}

BlockCenters SideSearches::centers_of(const std::vector<std::size_t>& sides) const {
  BlockCenters centers;
  bool has_any = false;
  for (const std::size_t i : sides) {
    centers.push_back(m_problem.sides[i].centers);
    has_any = has_any || centers.back() != nullptr;
  }
  if (!has_any) centers.clear();
  return centers;
}

std::vector<Range> SideSearches::channels() const {
  std::vector<Range> channels;
  for (const Term& term : m_problem.pass.terms()) {
    if (term.channels < 2 || term.bases > most_own_rows) continue;
    for (std::int64_t c = 0; c < term.channels; ++c) {
      const std::int64_t first = term.columns.begin + c * term.bases;
      channels.push_back({first, first + term.bases});
    }
  }
  return channels;
}

Job SideSearches::make_job(const std::vector<std::size_t>& sides,
                           const std::vector<Answer>& answers) {
  const FitOptions& options = m_problem.options;
  SearchProblem search;
  search.columns = m_problem.columns;
  search.classes = m_problem.classes;
  search.blocks = static_cast<std::int64_t>(sides.size());
  search.has_intercept = options.fit_intercept;
  search.penalty = penalty_of(sides);
  search.gradient_scale = 0;
  search.optimality_tolerance = options.optimality_tolerance;
  search.standard_errors_tolerance = options.standard_errors_tolerance;
  search.most_evaluations = m_plan.most_evaluations;
  if (m_plan.goes_on) {
    const std::int64_t made = answers[sides.front()].evaluations;
    search.most_evaluations = std::max<std::int64_t>(1, search.most_evaluations - made);
  }
  search.rows = m_problem.pass.rows();
  search.may_use_float = search.rows * search.columns >= features_for_float;
  search.gram = gram_of(m_problem.sides[sides.front()]);
  search.is_quadratic = is_quadratic(m_walks.loss().loss);
  search.instruction_set = m_problem.pass.choice().instruction_set;
  search.hessian_cost = m_problem.pass.cost().hessian_in_evaluations;
  Job job;
  job.centers = centers_of(sides);
  // Products in float have no correct digit of a spread that is far below the mean.
  if (!job.centers.empty()) search.may_use_float = false;
  for (const std::size_t i : sides) {
    const Side& side = m_problem.sides[i];
    job.rows.push_back(side.rows);
    job.dispersion.push_back(side.dispersion);
    const std::vector<double>& start = answers[i].parameters;
    search.start.insert(search.start.end(), start.begin(), start.end());
    search.gradient_scale = std::max(search.gradient_scale, side.gradient_scale);
    search.rows = std::min(search.rows, side.facts.rows);
    search.weight =
        job.rows.size() == 1 ? side.facts.weight : std::min(search.weight, side.facts.weight);
    if (search.gram != nullptr) search.curvature = curvature_of(side);
  }
  to_centered(job.centers, search.start, m_problem.classes);
  search.gram_factor = factor_of(search);
  // Rows of a Hessian can be centered only together with the row of the intercept.
  if (search.gram_factor != nullptr && job.centers.empty()) search.channels = channels();
  job.search = make_search(m_plan.solver, std::move(search));
  return job;
}

void SideSearches::keep(const std::vector<std::size_t>& sides, const Search& search,
                        bool is_cancelled, std::vector<Answer>& answers) const {
  const std::int64_t size = m_problem.parameters();
  const std::span<const double> parameters = search.parameters();
  for (std::size_t block = 0; block < sides.size(); ++block) {
    Answer& answer = answers[sides[block]];
    const auto first = parameters.begin() + static_cast<std::int64_t>(block) * size;
    answer.parameters.assign(first, first + size);
    to_given({m_problem.sides[sides[block]].centers}, answer.parameters, m_problem.classes);
    answer.stop = is_cancelled && !search.is_done() ? Stop::cancelled : search.stop();
    answer.objective = search.objective();
    answer.optimality = search.optimality();
    answer.standard_errors_away = search.standard_errors_away();
    answer.evaluations += search.evaluations();
    answer.hessians += search.hessians();
  }
}

bool SideSearches::search(const std::vector<std::vector<std::size_t>>& lists, WalkListener listener,
                          std::vector<Answer>& answers) {
  return SearchRun(*this, lists, listener, answers).finish();
}

// ---- a run

SearchRun::SearchRun(SideSearches& searches, const std::vector<std::vector<std::size_t>>& lists,
                     WalkListener listener, std::vector<Answer>& answers)
    : m_searches(searches),
      m_lists(lists),
      m_answers(answers),
      m_lockstep(searches.m_walks, static_cast<std::int64_t>(searches.m_problem.sides.size()),
                 listener) {
  std::size_t in_lists = 0;
  for (const auto& sides : lists) in_lists += sides.size();
  m_lockstep.count_done(static_cast<std::int64_t>(answers.size() - in_lists));
}

void SearchRun::admit() {
  const std::size_t most = m_searches.m_plan.most_open;
  for (; m_next < m_lists.size() && m_open.size() < most; ++m_next) {
    m_open.push_back(m_lockstep.add(m_searches.make_job(m_lists[m_next], m_answers)));
  }
}

void SearchRun::answer_rows() {
  const FitProblem& problem = m_searches.m_problem;
  std::vector<std::size_t> waiting;
  std::vector<std::vector<double>> rows;
  for (const std::size_t number : m_open) {
    const Job& job = m_lockstep.job(number);
    const Range columns = job.search->wants_rows();
    if (columns.size() == 0) continue;
    Request request;
    request.parameters = job.search->parameters().data();
    request.rows = job.rows.front();
    request.dispersion = job.dispersion.front();
    std::vector<double> hessian(static_cast<std::size_t>(columns.size() * (problem.columns + 1)));
    problem.pass.hessian_rows(m_searches.m_walks.loss(), problem.observed, request, columns,
                              hessian.data());
    const double weight = problem.sides[m_lists[number].front()].facts.weight;
    for (double& value : hessian) value /= weight;
    waiting.push_back(number);
    rows.push_back(std::move(hessian));
  }
  sweep::run_host_loop("synelix::fit::correct", static_cast<std::int64_t>(waiting.size()),
                       [&](std::int64_t item) {
                         const auto i = static_cast<std::size_t>(item);
                         m_lockstep.job(waiting[i]).search->take_rows(rows[i]);
                       });
}

bool SearchRun::finish() {
  bool goes_on = !m_lists.empty();
  while (goes_on) {
    m_lockstep.walk_beside([this] {
      admit();
      answer_rows();
    });
    if (m_lockstep.is_cancelled()) break;
    goes_on = m_lockstep.round() || m_next < m_lists.size();
    if (m_lockstep.is_cancelled()) break;
    std::erase_if(m_open, [&](std::size_t number) {
      if (!m_lockstep.is_done(number)) return false;
      m_searches.keep(m_lists[number], *m_lockstep.take(number), false, m_answers);
      return true;
    });
  }
  for (const std::size_t number : m_open) {
    m_searches.keep(m_lists[number], *m_lockstep.take(number), true, m_answers);
  }
  return !m_lockstep.is_cancelled();
}

}  // namespace synelix::glm
