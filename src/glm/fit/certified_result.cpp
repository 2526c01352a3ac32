// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "glm/algebra/semidefinite.hpp"
#include "glm/fit/certificate.hpp"
#include "glm/fit/fit_rows.hpp"
#include "glm/fit/predictor_walk.hpp"
#include "glm/rows/families.hpp"
#include "glm/sweep/host_items.hpp"
#include "tile/select.hpp"
#include "types/missing.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace synelix::glm {
namespace {

/// The result of a fit, filled step by step.
class ResultBuilder {
 public:
  ResultBuilder(const FitProblem& problem, Walks& walks, const SideSearches& searches,
                const std::vector<Answer>& answers)
      : m_problem(problem),
        m_walks(walks),
        m_searches(searches),
        m_answers(answers),
        m_tiles(tile::table_of<double>(tile::select_set(problem.pass.choice().instruction_set))),
        m_result(empty_fit_result(problem.columns, problem.targets, problem.loss,
                                  problem.options.standard_errors)) {
    m_result.warnings = problem.warnings;
    copy_answers();
  }

  void certify_all();
  void add_degrees_of_freedom();
  void add_scales();
  void finish_standard_errors();
  void add_border_warnings();
  void add_warnings();
  void leave_uncertified();
  FitResult take() { return std::move(m_result); }

 private:
  struct Ranks {
    std::int64_t of_columns = 0;
    std::int64_t of_all = 0;  ///< with the intercept
    std::int64_t parameters = 0;
  };

  [[nodiscard]] std::size_t targets() const { return m_answers.size(); }
  /// Whether a target has an objective. Without one its other values are not known.
  [[nodiscard]] bool has_objective(std::size_t i) const {
    return std::isfinite(m_result.objective[i]);
  }
  void copy_answers();
  [[nodiscard]] bool wants_hessian(std::size_t i, const BoundPenalty& penalty) const;
  void certify_apart();
  void certify_one(std::size_t i, Sums& sums);
  void certify_shared();
  void keep_certificate(std::size_t i, const Certificate& certificate, double penalty_value,
                        bool is_smooth);
  void judge(std::size_t i, bool is_smooth);
  [[nodiscard]] std::int64_t nonzeros(std::size_t i) const;
  [[nodiscard]] Ranks ranks_of(std::size_t i);
  [[nodiscard]] std::int64_t rank_of_columns(const std::vector<std::size_t>& columns) const;

  const FitProblem& m_problem;
  Walks& m_walks;
  const SideSearches& m_searches;
  const std::vector<Answer>& m_answers;
  const Tiles& m_tiles;
  FitResult m_result;
  std::size_t m_gram_side = std::numeric_limits<std::size_t>::max();  ///< the side of m_gram
  std::vector<double> m_gram;  ///< in centered coordinates, if there are any
  Ranks m_ranks;
};

void ResultBuilder::copy_answers() {
  const auto classes = static_cast<std::size_t>(m_problem.classes);
  const auto columns = static_cast<std::size_t>(m_problem.columns);
  for (std::size_t i = 0; i < targets(); ++i) {
    const Answer& answer = m_answers[i];
    const Side& side = m_problem.sides[i];
    const std::vector<double> start = m_problem.start_of(side);
    for (std::size_t k = 0; k < classes; ++k) {
      for (std::size_t j = 0; j < columns; ++j) {
        m_result.coefficients[(j * targets() + i) * classes + k] =
            answer.parameters[j * classes + k];
      }
      m_result.intercepts[i * classes + k] = answer.parameters[columns * classes + k];
      m_result.start_intercepts[i * classes + k] = start[columns * classes + k];
    }
    m_result.stop[i] = answer.stop;
    m_result.evaluations[i] = answer.evaluations;
    m_result.hessians[i] = answer.hessians;
    m_result.rows_used[i] = side.facts.weight;
    m_result.dispersion[i] = side.dispersion;
  }
}

// ---- optimality

/// The Hessian of one right-hand side can cost as much as its entire search. It is computed if
/// standard errors are requested. A search that used Hessians and converged knows its distance to
/// the optimum from the last one; if it did not converge, a new Hessian is computed. After a search
/// without Hessians, one is computed if it costs no more than the search did.
bool ResultBuilder::wants_hessian(std::size_t i, const BoundPenalty& penalty) const {
  if (!penalty.is_smooth()) return false;
  if (m_problem.options.standard_errors) return true;
  if (m_answers[i].hessians > 0) {
    return m_answers[i].stop != Stop::converged ||
           !std::isfinite(m_answers[i].standard_errors_away);
  }
  return m_problem.pass.cost().hessian_in_gradients <=
         static_cast<double>(m_answers[i].evaluations);
}

void ResultBuilder::keep_certificate(std::size_t i, const Certificate& certificate,
                                     double penalty_value, bool is_smooth) {
  m_result.mean_loss[i] = certificate.mean_loss;
  m_result.objective[i] = certificate.mean_loss + penalty_value;
  const Side& side = m_problem.sides[i];
  if (!has_objective(i)) {
    m_result.optimality[i] = m_result.standard_errors_away[i] = missing;
    if (m_result.stop[i] != Stop::iterations) m_result.stop[i] = Stop::no_decrease;
    return;
  }
  if (side.is_settled) {
    // For constant targets the model without features is the optimum. Its gradient is rounding, and
    // so is the scale that it would be compared with.
    m_result.optimality[i] = side.settled == Stop::converged ? 0 : missing;
    m_result.standard_errors_away[i] = is_smooth ? m_result.optimality[i] : missing;
    return;
  }
  m_result.optimality[i] = certificate.optimality;
  m_result.standard_errors_away[i] = std::isnan(certificate.standard_errors_away) && is_smooth
                                         ? m_answers[i].standard_errors_away
                                         : certificate.standard_errors_away;
  judge(i, is_smooth);
}

/// Whether `converged` holds. Loss, optimality and the distance in standard errors come from the
/// certificate. If that has no Hessian, the distance comes from the search: see wants_hessian.
void ResultBuilder::judge(std::size_t i, bool is_smooth) {
  const FitOptions& options = m_problem.options;
  const bool is_optimal =
      !m_problem.sides[i].is_beyond_double &&
      m_result.optimality[i] <= options.optimality_tolerance &&
      (!is_smooth || m_result.standard_errors_away[i] <= options.standard_errors_tolerance);
  Stop& stop = m_result.stop[i];
  if (stop == Stop::converged && !is_optimal) stop = Stop::no_decrease;
  if ((stop == Stop::iterations || stop == Stop::no_decrease) && is_optimal) stop = Stop::converged;
}

void ResultBuilder::certify_apart() {
  std::vector<Request> requests;
  for (std::size_t i = 0; i < targets(); ++i) {
    Request request;
    request.parameters = m_answers[i].parameters.data();
    request.rows = m_problem.sides[i].rows;
    request.dispersion = m_problem.sides[i].dispersion;
    request.wants_hessian = wants_hessian(i, m_searches.penalty_of({i}));
    requests.push_back(request);
  }
  m_walks.batches(requests, {}, [&](std::size_t first, std::span<Sums> sums) {
    sweep::run_host_loop("synelix::fit::certify", static_cast<std::int64_t>(sums.size()),
                         [&](std::int64_t item) {
                           const auto i = static_cast<std::size_t>(item);
                           certify_one(first + i, sums[i]);
                         });
  });
}

void ResultBuilder::certify_one(std::size_t i, Sums& sums) {
  divide_by_weight(sums);
  const SharedCenters& centers = m_problem.sides[i].centers;
  center(centers, sums, m_problem.classes);
  const auto classes = static_cast<std::size_t>(m_problem.classes);
  const BoundPenalty penalty = m_searches.penalty_of({i});
  CertificateInput input;
  input.columns = m_problem.columns;
  input.classes = m_problem.classes;
  input.has_intercept = m_problem.options.fit_intercept;
  input.penalty = &penalty;
  input.parameters = m_answers[i].parameters;
  input.gradient_scale = m_problem.sides[i].gradient_scale;
  input.centers = centers.get();
  input.wants_standard_errors = m_problem.options.standard_errors;
  const Certificate certificate = certify(m_tiles, input, sums);
  const auto coefficients = static_cast<std::size_t>(m_problem.columns) * classes;
  keep_certificate(i, certificate, penalty.value(input.parameters.first(coefficients)),
                   penalty.is_smooth());
  for (std::size_t k = 0; k < certificate.standard_errors.size() && has_objective(i); ++k) {
    m_result.standard_errors[((k / classes) * targets() + i) * classes + k % classes] =
        certificate.standard_errors[k];
  }
}

/// For groups that span targets: the violation is one number for all targets.
void ResultBuilder::certify_shared() {
  const auto coefficients = static_cast<std::size_t>(m_problem.columns * m_problem.classes);
  std::vector<Request> requests;
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < targets(); ++i) {
    all.push_back(i);
    requests.push_back({.parameters = m_answers[i].parameters.data(),
                        .rows = m_problem.sides[i].rows,
                        .dispersion = m_problem.sides[i].dispersion});
  }
  const BoundPenalty penalty = m_searches.penalty_of(all);
  std::vector<double> values;
  std::vector<double> gradient;
  std::vector<double> losses;
  double violation = 0;
  double scale = 0;
  m_walks.all(requests, {}, [&](std::size_t i, Sums& sums) {
    divide_by_weight(sums);
    center(m_problem.sides[i].centers, sums, m_problem.classes);
    const std::vector<double>& parameters = m_answers[i].parameters;
    values.insert(values.end(), parameters.begin(),
                  parameters.begin() + static_cast<std::ptrdiff_t>(coefficients));
    for (std::size_t k = 0; k < sums.gradient.size(); ++k) {
      if (k < coefficients) {
        gradient.push_back(sums.gradient[k]);
      } else if (m_problem.options.fit_intercept) {
        violation = std::max(violation, std::abs(sums.gradient[k]));
      }
    }
    losses.push_back(sums.loss);
    scale = std::max(scale, m_problem.sides[i].gradient_scale);
  });
  violation = std::max(violation, penalty.violation(values, gradient));
  for (std::size_t i = 0; i < targets(); ++i) {
    keep_certificate(i, {losses[i], violation / scale, missing, {}}, penalty.value(values), false);
  }
}

void ResultBuilder::certify_all() {
  if (m_searches.is_shared()) {
    certify_shared();
  } else {
    certify_apart();
  }
}

void ResultBuilder::leave_uncertified() {
  for (std::size_t i = 0; i < targets(); ++i) {
    if (m_answers[i].evaluations == 0) continue;
    m_result.objective[i] = m_answers[i].objective;
    m_result.optimality[i] = m_answers[i].optimality;
    m_result.standard_errors_away[i] = m_answers[i].standard_errors_away;
  }
}

// ---- degrees of freedom

std::int64_t ResultBuilder::nonzeros(std::size_t i) const {
  const std::vector<double>& parameters = m_answers[i].parameters;
  const auto end = parameters.end() - m_problem.classes;
  return std::count_if(parameters.begin(), end, [](double value) { return value != 0; });
}

std::int64_t ResultBuilder::rank_of_columns(const std::vector<std::size_t>& columns) const {
  std::vector<double> gram;
  const auto size = static_cast<std::size_t>(m_problem.columns + 1);
  for (const std::size_t j : columns) {
    for (const std::size_t k : columns) gram.push_back(m_gram[j * size + k]);
  }
  return rank_of(m_tiles, static_cast<std::int64_t>(columns.size()), gram);
}

/// Ranks of the columns that a target uses, without and with the intercept.
ResultBuilder::Ranks ResultBuilder::ranks_of(std::size_t i) {
  const Side& side = m_problem.sides[i];
  if (m_gram_side == side.same_rows && m_problem.options.feature_mask.empty()) return m_ranks;
  if (m_gram_side != side.same_rows) {
    m_gram_side = side.same_rows;
    m_gram.resize(static_cast<std::size_t>((m_problem.columns + 1) * (m_problem.columns + 1)));
    m_problem.pass.gram(m_problem.observed, side.rows, Arithmetic::double_products, m_gram.data());
    if (side.centers != nullptr) {
      side.centers->center_matrix(m_gram, m_problem.columns + 1, 1);
    }
  }
  std::vector<std::size_t> free;
  for (std::int64_t j = 0; j < m_problem.columns; ++j) {
    if (!m_problem.uses(j, side.rows.target) || side.is_zero[static_cast<std::size_t>(j)]) continue;
    free.push_back(static_cast<std::size_t>(j));
  }
  m_ranks.of_columns = rank_of_columns(free);
  if (m_problem.options.fit_intercept) free.push_back(static_cast<std::size_t>(m_problem.columns));
  m_ranks.parameters = static_cast<std::int64_t>(free.size());
  m_ranks.of_all = rank_of_columns(free);
  return m_ranks;
}

void ResultBuilder::add_degrees_of_freedom() {
  // For categorical, the last class follows from the others.
  const double classes = m_problem.classes > 1 ? static_cast<double>(m_problem.classes - 1) : 1;
  const double intercepts = m_problem.options.fit_intercept ? classes : 0;
  std::vector<std::string> deficient;
  for (std::size_t i = 0; i < targets(); ++i) {
    const BoundPenalty penalty = m_searches.is_shared()
                                     ? BoundPenalty{.groups = {0}, .group_strengths = {1}}
                                     : m_searches.penalty_of({i});
    double used = 0;
    if (!penalty.is_smooth()) {
      used = static_cast<double>(nonzeros(i));
    } else if (!penalty.ridge.empty()) {
      used = static_cast<double>(m_problem.columns) * classes;
    } else {
      const Ranks ranks = ranks_of(i);
      used = static_cast<double>(ranks.of_columns) * classes;
      if (ranks.of_all < ranks.parameters) {
        deficient.push_back(std::to_string(m_problem.sides[i].rows.target) + " (" +
                            std::to_string(ranks.of_all) + " of " +
                            std::to_string(ranks.parameters) + ")");
      }
    }
    m_result.residual_degrees_of_freedom[i] = m_result.rows_used[i] - used - intercepts;
  }
  if (deficient.empty()) return;
  m_result.warnings.push_back(
      "columns depend on each other or on the intercept, and of all optima the answer is the one "
      "nearest to the start: targets (rank of parameters) " +
      listed(deficient));
}

// ---- scales and errors

void ResultBuilder::add_scales() {
  const ScaleKind kind = family_row(m_problem.loss.loss.family).scale;
  if (kind == ScaleKind::mean_square) {
    for (std::size_t i = 0; i < targets(); ++i) {
      m_result.scale[i] =
          m_result.mean_loss[i] * m_result.rows_used[i] / m_result.residual_degrees_of_freedom[i];
      if (!has_objective(i)) m_result.scale[i] = missing;
    }
  }
  if (kind != ScaleKind::pearson) return;
  std::vector<std::size_t> sides;
  std::vector<const std::vector<double>*> parameters;
  for (std::size_t i = 0; i < targets(); ++i) {
    sides.push_back(i);
    parameters.push_back(&m_answers[i].parameters);
  }
  const std::vector<double> sums = sum_pearson_gamma(m_problem, sides, parameters);
  for (std::size_t i = 0; i < targets(); ++i) {
    m_result.scale[i] =
        has_objective(i) ? sums[i] / m_result.residual_degrees_of_freedom[i] : missing;
  }
}

void ResultBuilder::finish_standard_errors() {
  // The gaussian loss has no factor 1/2, so its Hessian is twice that of the negative
  // log-likelihood times phi.
  const double per_likelihood = 2 / family_row(m_problem.loss.loss.family).deviance_of_loss;
  const auto classes = static_cast<std::size_t>(m_problem.classes);
  for (std::size_t k = 0; k < m_result.standard_errors.size(); ++k) {
    const std::size_t i = (k / classes) % targets();
    const double phi = m_result.scale[i] * per_likelihood;
    const bool has_none = m_problem.sides[i].is_settled && m_result.stop[i] == Stop::no_events;
    m_result.standard_errors[k] = has_none ? missing : m_result.standard_errors[k] * std::sqrt(phi);
  }
}

/// Names the rows because of which a target without an optimum is at the border of its family.
void ResultBuilder::add_border_warnings() {
  if (!has_border(m_problem.loss.loss)) return;
  std::vector<std::size_t> sides;
  std::vector<const std::vector<double>*> parameters;
  for (std::size_t i = 0; i < targets(); ++i) {
    const bool is_done = m_result.stop[i] == Stop::converged || m_result.stop[i] == Stop::no_events;
    if (is_done) continue;
    sides.push_back(i);
    parameters.push_back(&m_answers[i].parameters);
  }
  for (std::string& text : border_warnings(m_problem, sides, parameters)) {
    m_result.warnings.push_back(std::move(text));
  }
}

void ResultBuilder::add_warnings() {
  std::vector<std::string> without;
  for (std::size_t i = 0; i < targets(); ++i) {
    if (!has_objective(i)) without.push_back(std::to_string(m_problem.sides[i].rows.target));
  }
  if (!without.empty()) {
    m_result.warnings.push_back(
        "the objective is not finite where the search ended, so that the answer is no optimum; "
        "give other start values, or scale features, offsets and targets down: targets " +
        listed(without));
  }
  const auto warn_of = [&](Stop stop, const std::string& text) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < targets(); ++i) {
      if (m_result.stop[i] == stop && has_objective(i)) {
        names.push_back(std::to_string(m_problem.sides[i].rows.target));
      }
    }
    if (!names.empty()) m_result.warnings.push_back(text + ": targets " + listed(names));
  };
  warn_of(Stop::separated,
          "columns separate the targets, so that no optimum exists, and coefficients grow without "
          "bound; add a penalty such as Ridge");
  warn_of(Stop::no_events,
          "targets have only one value, at the border of their family, or a class that never "
          "occurs; their coefficients are 0, and their intercept stands for a mean 2e-16 from it");
  warn_of(Stop::iterations, "most_evaluations were made before both tolerances were reached");
  warn_of(Stop::no_decrease, "rounding allows no further decrease, and a tolerance is not reached");
}

}  // namespace

FitResult certified_result(const FitProblem& problem, Walks& walks, const SideSearches& searches,
                           const std::vector<Answer>& answers, bool is_cancelled) {
  const auto uncertified = [&] {
    ResultBuilder builder(problem, walks, searches, answers);
    builder.leave_uncertified();
    return builder.take();
  };
  if (is_cancelled) return uncertified();
  ResultBuilder builder(problem, walks, searches, answers);
  const bool is_whole = finishes(problem.options.cancel, [&] {
    builder.certify_all();
    builder.add_degrees_of_freedom();
    builder.add_scales();
    builder.finish_standard_errors();
    builder.add_warnings();
    builder.add_border_warnings();
  });
  if (is_whole) return builder.take();
  FitResult result = uncertified();
  std::replace(result.stop.begin(), result.stop.end(), Stop::converged, Stop::cancelled);
  return result;
}

}  // namespace synelix::glm
