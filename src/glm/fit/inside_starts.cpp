// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "glm/fit/fit_problem.hpp"
#include "glm/fit/predictor_walk.hpp"
#include "glm/rows/families.hpp"
#include "glm/solvers/search.hpp"
#include "tile/select.hpp"

#include <synelix/error.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

/// \file
/// Starts inside the domain of a loss for which not every predictor has a mean.
///
/// Without an intercept, coefficients whose predictors are above 0 in all rows separate these rows
/// from 0. So a logistic model of targets that are all 1 finds them: its loss falls towards 0 if
/// and only if they exist.

namespace synelix::glm {
namespace {

/// This dispersion distinguishes these walks from those of a fit in a store of answers. The loss
/// does not read it.
constexpr double mark_of_ones = 0.25;
constexpr std::int64_t most_steps = 200;
/// Multiples of the coefficients that are tried if an offset prevents scaling them exactly.
constexpr std::array<double, 4> multiples{1, 4, 16, 64};

/// Rows, weights and offsets with targets that are all 1.
class RowsOfOnes final : public Observed {
 public:
  explicit RowsOfOnes(const Observed& observed) : m_observed(observed) {}
  [[nodiscard]] std::int64_t rows() const override { return m_observed.rows(); }
  [[nodiscard]] std::int64_t targets() const override { return m_observed.targets(); }
  [[nodiscard]] bool has_offset() const override { return m_observed.has_offset(); }
  [[nodiscard]] bool weights_follow_targets() const override {
    return m_observed.weights_follow_targets();
  }
  void begin(Range rows) const override { m_observed.begin(rows); }
  void read_targets(std::int64_t, Range rows, double* values) const override {
    std::fill_n(values, rows.size(), 1.0);
  }
  void read_weights(const RowsOf& choice, Range rows, double* weights) const override {
    m_observed.read_weights(choice, rows, weights);
  }
  void read_offsets(std::int64_t target, Range rows, double* offsets) const override {
    m_observed.read_offsets(target, rows, offsets);
  }

 private:
  const Observed& m_observed;
};

/// A point of a side.
struct SidePoint {
  std::size_t side = 0;
  std::vector<double> parameters = {};
  double loss = 0;   ///< mean
  double scale = 0;  ///< largest mean |x r| of its columns
};

/// Losses at points, by one walk or more.
void evaluate_points(const FitProblem& problem, Walks& walks, double dispersion_mark,
                     std::vector<SidePoint>& points) {
  std::vector<Request> requests;
  for (const SidePoint& point : points) {
    const Side& side = problem.sides[point.side];
    Request request;
    request.parameters = point.parameters.data();
    request.rows = side.rows;
    request.dispersion = dispersion_mark > 0 ? dispersion_mark : side.dispersion;
    request.wants_scale = dispersion_mark > 0;
    requests.push_back(request);
  }
  walks.all(requests, {}, [&](std::size_t i, Sums& sums) {
    divide_by_weight(sums);
    points[i].loss = sums.loss;
    for (std::size_t j = 0; j + 1 < sums.scale.size(); ++j) {
      points[i].scale = std::max(points[i].scale, sums.scale[j]);
    }
  });
}

/// Searches for coefficients that separate the rows of sides from 0.
class SeparatingSearch {
 public:
  SeparatingSearch(const FitProblem& problem, Walks& walks)
      : m_problem(problem),
        m_rows(problem.observed),
        m_loss(glm::bind({.family = Family::bernoulli, .inverse_link = InverseLink::logistic},
                         tile::select_set(problem.pass.choice().instruction_set))),
        m_walks(problem.pass, m_loss, m_rows) {
    m_walks.set_share(walks.share());
  }

  /// From starts without coefficients to the last points. \return false if it was cancelled
  bool search(std::vector<SidePoint>& points) {
    evaluate_points(m_problem, m_walks, mark_of_ones, points);
    Lockstep lockstep(m_walks, static_cast<std::int64_t>(points.size()),
                      {nullptr, m_problem.options.cancel});
    for (const SidePoint& point : points) {
      lockstep.add({make_search(Solver::lbfgs, search_from(point)),
                    {m_problem.sides[point.side].rows},
                    {mark_of_ones}});
    }
    while (lockstep.round()) {
    }
    for (std::size_t i = 0; i < points.size(); ++i) {
      const std::span<const double> found = lockstep.job(i).search->parameters();
      points[i].parameters.assign(found.begin(), found.end());
    }
    return !lockstep.is_cancelled();
  }

 private:
  [[nodiscard]] SearchProblem search_from(const SidePoint& point) const {
    const Side& side = m_problem.sides[point.side];
    SearchProblem search;
    search.columns = m_problem.columns;
    search.has_intercept = false;
    for (std::int64_t j = 0; j < m_problem.columns; ++j) {
      search.penalty.is_free.push_back(m_problem.uses(j, side.rows.target) ? 1 : 0);
    }
    search.start = point.parameters;
    search.gradient_scale = point.scale > 0 ? point.scale : 1;
    // A row whose loss is below ln 2 has a predictor above 0.
    search.optimality_tolerance = 1e-3 / side.facts.weight;
    search.most_evaluations = most_steps;
    search.rows = m_problem.pass.rows();
    search.instruction_set = m_problem.pass.choice().instruction_set;
    return search;
  }

  const FitProblem& m_problem;
  RowsOfOnes m_rows;
  RowLoss m_loss;
  Walks m_walks;
};

/// Mean predictors of points, offsets included.
std::vector<double> mean_predictors(const FitProblem& problem,
                                    const std::vector<SidePoint>& points) {
  std::vector<std::size_t> sides;
  std::vector<const std::vector<double>*> parameters;
  for (const SidePoint& point : points) {
    sides.push_back(point.side);
    parameters.push_back(&point.parameters);
  }
  std::vector<double> means(points.size(), 0);
  walk_predictors(problem, sides, parameters, [&](const PredictedRows& rows) {
    const double weight = problem.sides[sides[rows.side]].facts.weight;
    for (std::int64_t i = 0; i < rows.count; ++i) {
      if (rows.weights[i] != 0) {
        means[rows.side] += rows.weights[i] / weight * rows.predictors[i];
      }
    }
  });
  return means;
}

/// Multiples of the coefficients of a point that may be inside. If predictors are proportional to
/// the coefficients, the multiple with the mean predictor of the model without features.
std::vector<SidePoint> multiples_of(const FitProblem& problem, const SidePoint& point,
                                    double mean_predictor) {
  const double fixed = point.parameters.back();
  std::vector<double> factors(multiples.begin(), multiples.end());
  if (fixed == 0 && !problem.observed.has_offset() && mean_predictor != 0) {
    factors = {null_point(problem, problem.sides[point.side]).back() / mean_predictor};
  }
  std::vector<SidePoint> found;
  for (const double factor : factors) {
    found.push_back({.side = point.side, .parameters = point.parameters});
    for (double& value : found.back().parameters) value *= factor;
    found.back().parameters.back() = fixed;
  }
  return found;
}

/// Replaces starts by coefficients that give each row a mean above 0.
void find_starts(FitProblem& problem, Walks& walks, std::vector<SidePoint> outside) {
  for (SidePoint& point : outside) {
    const double fixed = point.parameters.back();
    std::fill(point.parameters.begin(), point.parameters.end(), 0.0);
    point.parameters.back() = fixed;
  }
  if (!SeparatingSearch(problem, walks).search(outside)) return;
  const std::vector<double> means = mean_predictors(problem, outside);
  std::vector<SidePoint> candidates;
  for (std::size_t i = 0; i < outside.size(); ++i) {
    for (SidePoint& one : multiples_of(problem, outside[i], means[i])) {
      candidates.push_back(std::move(one));
    }
  }
  evaluate_points(problem, walks, 0, candidates);
  for (const SidePoint& point : outside) {
    const SidePoint* best = nullptr;
    for (const SidePoint& one : candidates) {
      if (one.side != point.side || !std::isfinite(one.loss)) continue;
      if (best == nullptr || one.loss < best->loss) best = &one;
    }
    Side& side = problem.sides[point.side];
    if (best != nullptr) {
      side.start = best->parameters;
      continue;
    }
    const Loss& loss = problem.loss.loss;
    throw Error("fit_intercept",
                "no coefficients were found that give each row of target " +
                    std::to_string(side.rows.target) + " a mean that " + name_of(loss.family) +
                    " with the inverse link " + name_of(loss.inverse_link) + " can have",
                "Fit an intercept, or use the inverse link exp");
  }
}

}  // namespace

void move_starts_inside(FitProblem& problem, Walks& walks) {
  const FitOptions& options = problem.options;
  const bool is_given = !options.start_coefficients.empty() || !options.start_intercepts.empty();
  if (has_mean_at_0(problem.loss.loss) || (options.fit_intercept && !is_given)) return;
  std::vector<SidePoint> points;
  points.reserve(problem.sides.size());
  for (std::size_t i = 0; i < problem.sides.size(); ++i) {
    points.push_back({.side = i, .parameters = problem.start_of(problem.sides[i])});
  }
  evaluate_points(problem, walks, 0, points);
  std::erase_if(points, [](const SidePoint& point) { return std::isfinite(point.loss); });
  if (points.empty()) return;
  if (is_given) {
    std::vector<std::string> names;
    names.reserve(points.size());
    for (const SidePoint& point : points) {
      names.push_back(std::to_string(problem.sides[point.side].rows.target));
    }
    problem.warnings.push_back(
        std::string("the given start gives rows no mean of the family, and the fit begins ") +
        (options.fit_intercept ? "at the model without features" : "at other coefficients") +
        ": targets " + listed(names));
  }
  if (!options.fit_intercept) return find_starts(problem, walks, std::move(points));
  for (const SidePoint& point : points) {
    Side& side = problem.sides[point.side];
    side.start = null_point(problem, side);
  }
}

}  // namespace synelix::glm
