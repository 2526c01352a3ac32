// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "glm/dense_loss.hpp"
#include "glm/penalty/bind.hpp"
#include "glm/solvers/make_search.hpp"

#include <synelix/error.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

// Searches on small problems in memory, whose optima are checked by their own conditions.

namespace {

namespace glm = synelix::glm;
using dense::Problem;

/// A design of correlated normal columns; `condition` stretches their scales.
Problem problem_of(const std::string& family, const std::string& link, std::int64_t rows,
                   std::int64_t columns, double condition, unsigned seed) {
  Problem problem;
  problem.columns = columns;
  problem.family = family;
  problem.inverse_link = link;
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  std::vector<double> truth(columns), row(columns), mix(columns * columns);
  for (double& value : mix) value = normal(random) / std::sqrt(static_cast<double>(columns));
  for (double& value : truth) value = normal(random) / std::sqrt(static_cast<double>(columns));
  for (std::int64_t t = 0; t < rows; ++t) {
    for (std::int64_t j = 0; j < columns; ++j) {
      const double place =
          columns > 1 ? static_cast<double>(j) / static_cast<double>(columns - 1) : 0;
      row[j] = normal(random) * std::pow(condition, -place / 2);
    }
    double eta = -0.5;
    for (std::int64_t i = 0; i < columns; ++i) {
      double value = 0.3 * row[i];
      for (std::int64_t j = 0; j < columns; ++j) value += mix[i * columns + j] * row[j];
      problem.features.push_back(value);
      eta += value * truth[i];
    }
    const double mean = dense::link(link, std::min(eta, 3.0)).value;
    double y = mean + normal(random);
    if (family == "poisson") y = static_cast<double>(std::poisson_distribution<int>(mean)(random));
    if (family == "bernoulli") y = std::bernoulli_distribution(mean)(random) ? 1 : 0;
    if (family == "gamma") y = std::gamma_distribution<double>(2, mean / 2)(random);
    problem.targets.push_back(y);
  }
  return problem;
}

glm::SearchProblem search_of(const Problem& problem, const synelix::Penalty& penalty) {
  glm::SearchProblem search;
  search.columns = problem.columns;
  search.classes = problem.classes;
  search.penalty = glm::bind(penalty, {problem.columns, 1, problem.classes, {}}, 0);
  search.start = dense::start_of(problem);
  search.gradient_scale = dense::gradient_scale(problem, search.start);
  search.rows = problem.rows();
  search.is_quadratic = problem.family == "gaussian" && problem.inverse_link == "identity";
  return search;
}

/// The violation at an answer, by an evaluation of its own.
double optimality_of(const Problem& problem, const glm::SearchProblem& search,
                     std::span<const double> parameters) {
  const auto e = dense::evaluate(problem, parameters.data(), false, true, 1);
  const std::size_t n = problem.columns * problem.classes;
  double worst = search.penalty.violation(parameters.first(n), std::span(e.gradient).first(n));
  for (std::size_t i = n; i < e.gradient.size(); ++i) {
    worst = std::max(worst, std::fabs(e.gradient[i]));
  }
  return worst / search.gradient_scale;
}

/// The numbers of a state, written and read.
class State final : public glm::SolverState {
 public:
  bool reads = false;
  std::vector<double> doubles;
  std::vector<std::int64_t> integers;
  std::size_t next_double = 0;
  std::size_t next_integer = 0;

  void number(double& value) override {
    if (reads) {
      value = doubles.at(next_double++);
    } else {
      doubles.push_back(value);
    }
  }
  void number(std::int64_t& value) override {
    if (reads) {
      value = integers.at(next_integer++);
    } else {
      integers.push_back(value);
    }
  }
  void numbers(std::vector<double>& values) override {
    auto size = static_cast<std::int64_t>(values.size());
    number(size);
    values.resize(size);
    for (double& value : values) number(value);
  }
};

struct Kind {
  const char* family;
  const char* link;
};
const Kind kinds[] = {{"poisson", "exp"},        {"poisson", "softplus"},
                      {"gaussian", "identity"},  {"bernoulli", "logistic"},
                      {"bernoulli", "norm_cdf"}, {"gamma", "exp"},
                      {"gamma", "softplus"},     {"negativebinomial", "exp"}};

TEST(Search, NewtonNeedsFewEvaluations) {
  for (const Kind& kind : kinds) {
    const Problem problem = problem_of(kind.family, kind.link, 600, 12, 1, 1);
    for (const bool has_ridge : {false, true}) {
      const auto penalty = has_ridge ? synelix::Penalty(synelix::Ridge{0.01}) : synelix::Penalty();
      const glm::SearchProblem given = search_of(problem, penalty);
      const auto search = glm::make_search(synelix::Solver::newton, given);
      dense::drive(*search, {&problem});
      SCOPED_TRACE(std::string(kind.family) + " " + kind.link + (has_ridge ? " ridge" : ""));
      EXPECT_EQ(search->stop(), synelix::Stop::converged);
      EXPECT_LE(optimality_of(problem, given, search->parameters()), 1e-6);
      EXPECT_LE(search->standard_errors_away(), 1e-3);
      EXPECT_LE(search->evaluations(), given.is_quadratic ? 2 : 12);
      EXPECT_LE(search->hessians(), given.is_quadratic ? 1 : 9);
      RecordProperty("evaluations", static_cast<int>(search->evaluations()));
    }
  }
}

}  // namespace
