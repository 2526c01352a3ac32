// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "glm/dense_loss.hpp"
#include "glm/penalty/bound_penalty.hpp"
#include "glm/solvers/preconditioner.hpp"
#include "glm/solvers/search.hpp"
#include "tile/select.hpp"

#include <synelix/error.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

// Searches on small problems in memory, whose optima are checked by their own conditions.

namespace search_tests {
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

/// The violation at an answer, by a separate evaluation.
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

struct Kind {
  const char* family;
  const char* link;
};
const Kind kinds[] = {{"poisson", "exp"},        {"poisson", "softplus"},
                      {"gaussian", "identity"},  {"bernoulli", "logistic"},
                      {"bernoulli", "norm_cdf"}, {"gamma", "exp"},
                      {"gamma", "softplus"},     {"negativebinomial", "exp"}};

/// The effort of a search by Newton's method.
struct Taken {
  std::int64_t evaluations = 0;
  std::int64_t hessians = 0;
};

Taken taken_with(const Kind& kind, const synelix::Penalty& penalty, double hessian_cost) {
  const Problem problem = problem_of(kind.family, kind.link, 600, 12, 1, 1);
  glm::SearchProblem given = search_of(problem, penalty);
  given.hessian_cost = hessian_cost;
  const auto search = glm::make_search(synelix::Solver::newton, given);
  dense::drive(*search, {&problem});
  EXPECT_EQ(search->stop(), synelix::Stop::converged);
  EXPECT_LE(optimality_of(problem, given, search->parameters()), 1e-6);
  EXPECT_LE(search->standard_errors_away(), 1e-3);
  return {search->evaluations(), search->hessians()};
}

TEST(Search, NewtonNeedsFewEvaluations) {
  std::int64_t of_usual = 0;
  std::int64_t of_dear = 0;
  for (const Kind& kind : kinds) {
    for (const bool has_ridge : {false, true}) {
      SCOPED_TRACE(std::string(kind.family) + " " + kind.link + (has_ridge ? " ridge" : ""));
      const auto penalty = has_ridge ? synelix::Penalty(synelix::Ridge{0.01}) : synelix::Penalty();
      const bool is_quadratic = kind.family == std::string("gaussian");
      const Taken cheap = taken_with(kind, penalty, 0.3);
      const Taken usual = taken_with(kind, penalty, 4);
      const Taken dear = taken_with(kind, penalty, 50);
      for (const Taken& taken : {cheap, usual}) {
        EXPECT_LE(taken.evaluations, is_quadratic ? 2 : 12);
        EXPECT_LE(taken.hessians, is_quadratic ? 1 : 9);
      }
      // If a Hessian costs as much as 50 evaluations, steps use an older one instead.
      EXPECT_LE(dear.evaluations, is_quadratic ? 2 : 40);
      EXPECT_LE(dear.hessians, usual.hessians);
      EXPECT_LE(0.3 * static_cast<double>(cheap.hessians) + static_cast<double>(cheap.evaluations),
                0.3 * static_cast<double>(dear.hessians) + static_cast<double>(dear.evaluations));
      of_usual += usual.hessians;
      of_dear += dear.hessians;
    }
  }
  EXPECT_LT(of_dear, of_usual);
}

/// Loss, problem and a search with a Gram matrix of the design.
glm::SearchProblem with_gram(const Problem& problem, glm::SearchProblem search) {
  Problem ones = problem;
  ones.family = "gaussian";
  ones.inverse_link = "identity";
  std::vector<double> gram = dense::evaluate(ones, search.start.data(), true, true, 1).hessian;
  for (double& value : gram) value /= 2;
  const auto at_start = dense::evaluate(problem, search.start.data(), true, true, 1);
  search.curvature = at_start.hessian.back();
  const auto& tiles = synelix::tile::table_of<double>(
      synelix::tile::select_set(synelix::InstructionSet::automatic));
  search.gram = std::make_shared<glm::GramModel>(glm::GramModel{problem.columns + 1, gram});
  const glm::FreeParameters free({problem.columns, 1, 1}, true, search.penalty);
  search.gram_factor = glm::make_gram_factor(tiles, free, *search.gram,
                                             glm::ridge_beside_gram(free, search.curvature));
  return search;
}

TEST(Search, IllConditionedProblemsConverge) {
  for (const Kind& kind : kinds) {
    const Problem problem = problem_of(kind.family, kind.link, 1500, 20, 1e6, 2);
    for (const auto solver : {synelix::Solver::newton, synelix::Solver::lbfgs}) {
      glm::SearchProblem given = with_gram(problem, search_of(problem, synelix::Ridge{1e-6}));
      given.may_use_float = solver == synelix::Solver::newton;
      const auto search = glm::make_search(solver, given);
      dense::drive(*search, {&problem});
      SCOPED_TRACE(std::string(kind.family) + " " + kind.link + " " +
                   std::to_string(search->evaluations()) + " evaluations");
      EXPECT_EQ(search->stop(), synelix::Stop::converged) << static_cast<int>(search->stop());
      EXPECT_LE(optimality_of(problem, given, search->parameters()), 1e-6);
    }
  }
}

TEST(Search, SparsePenaltiesConvergeFromTheGramMatrix) {
  for (const Kind& kind : kinds) {
    const Problem problem = problem_of(kind.family, kind.link, 500, 24, 1e2, 3);
    std::vector<std::int64_t> groups(24);
    for (std::int64_t j = 0; j < 24; ++j) groups[j] = j / 4 - 1;  // the first four have none
    for (const synelix::Penalty& penalty :
         {synelix::Penalty(synelix::Lasso{0.02}), synelix::Penalty(synelix::ElasticNet{0.03, 0.5}),
          synelix::Penalty(synelix::GroupLasso{0.02, groups})}) {
      const glm::SearchProblem given = with_gram(problem, search_of(problem, penalty));
      const auto search = glm::make_search(synelix::Solver::proximal_newton, given);
      dense::drive(*search, {&problem});
      SCOPED_TRACE(std::string(kind.family) + " " + kind.link + " penalty " +
                   std::to_string(penalty.index()));
      EXPECT_EQ(search->stop(), synelix::Stop::converged) << static_cast<int>(search->stop());
      EXPECT_LE(optimality_of(problem, given, search->parameters()), 1e-6);
      EXPECT_LE(search->evaluations(), 30);
    }
  }
}

TEST(Search, GroupsAcrossTargets) {
  const Problem first = problem_of("poisson", "exp", 400, 6, 1, 4);
  Problem second = first;
  std::mt19937_64 random(5);
  for (double& y : second.targets) y = std::poisson_distribution<int>(0.7)(random);
  std::vector<std::int64_t> groups(12);
  for (std::int64_t j = 0; j < 6; ++j) groups[2 * j] = groups[2 * j + 1] = j / 2;
  const synelix::GroupLasso penalty{0.03, groups};
  glm::SearchProblem given = search_of(first, synelix::NoPenalty{});
  given.blocks = 2;
  given.penalty = glm::bind(penalty, {6, 2, 1, {}}, glm::all_targets);
  const std::vector<double> other = dense::start_of(second);
  given.start.insert(given.start.end(), other.begin(), other.end());
  const auto search = glm::make_search(synelix::Solver::proximal_newton, given);
  dense::drive(*search, {&first, &second});
  EXPECT_EQ(search->stop(), synelix::Stop::converged);
  std::vector<double> values, gradient;
  for (std::int64_t block = 0; block < 2; ++block) {
    const double* const part = search->parameters().data() + block * 7;
    const auto e = dense::evaluate(block == 0 ? first : second, part, false, true, 1);
    values.insert(values.end(), part, part + 6);
    gradient.insert(gradient.end(), e.gradient.begin(), e.gradient.begin() + 6);
  }
  EXPECT_LE(given.penalty.violation(values, gradient), 1e-6 * given.gradient_scale);
  for (std::int64_t g = 0; g < 3; ++g) {  // a group is zero for both targets, or for none
    EXPECT_EQ(values[2 * g] == 0, values[6 + 2 * g] == 0);
  }
}

/// Columns that sum to one: with the intercept they are rank deficient.
Problem indicators(const std::string& family, const std::string& link) {
  Problem problem;
  problem.columns = 5;
  problem.family = family;
  problem.inverse_link = link;
  std::mt19937_64 random(6);
  for (int t = 0; t < 800; ++t) {
    const int bin = static_cast<int>(random() % 5);
    for (int j = 0; j < 5; ++j) problem.features.push_back(j == bin ? 1 : 0);
    problem.targets.push_back(std::poisson_distribution<int>(0.3 + 0.4 * bin)(random));
  }
  return problem;
}

TEST(Search, RankDeficientProblemsEndNearestToTheStart) {
  const Problem problem = indicators("poisson", "exp");
  for (const bool may_use_float : {false, true}) {
    for (const double shift : {0.0, 1.0}) {
      glm::SearchProblem given = search_of(problem, synelix::NoPenalty{});
      given.may_use_float = may_use_float;
      for (double& value : given.start) value += shift;
      const auto search = glm::make_search(synelix::Solver::newton, given);
      dense::drive(*search, {&problem});
      EXPECT_EQ(search->stop(), synelix::Stop::converged);
      double null = 0;  // along which all predictors stay: +1 for each column, -1 for the intercept
      for (std::int64_t j = 0; j < 6; ++j) {
        null += (j < 5 ? 1 : -1) * (search->parameters()[j] - given.start[j]);
      }
      EXPECT_NEAR(null, 0, 1e-12);
    }
  }
}

TEST(Search, SeparatedProblemsAreNamed) {
  Problem problem = problem_of("bernoulli", "logistic", 300, 3, 1, 7);
  for (std::int64_t t = 0; t < problem.rows(); ++t) {
    problem.targets[t] = problem.features[3 * t] > 0.1 ? 1 : 0;
  }
  Problem silent = problem_of("poisson", "exp", 400, 3, 1, 8);
  for (std::int64_t t = 0; t < silent.rows(); ++t) {  // no event if the first column is not 0
    silent.features[3 * t] = t % 7 == 0 ? 1 : 0;
    if (t % 7 == 0) silent.targets[t] = 0;
  }
  for (const Problem* each : {&problem, &silent}) {
    for (const auto solver : {synelix::Solver::newton, synelix::Solver::lbfgs}) {
      for (const double hessian_cost : {0.3, 4.0, 50.0}) {
        glm::SearchProblem given = with_gram(*each, search_of(*each, synelix::NoPenalty{}));
        given.hessian_cost = hessian_cost;
        const auto search = glm::make_search(solver, given);
        dense::drive(*search, {each});
        EXPECT_EQ(search->stop(), synelix::Stop::separated)
            << static_cast<int>(search->stop()) << " after " << search->evaluations() << " at "
            << hessian_cost;
      }
    }
  }
}

TEST(Search, ManyRowsBeginOnAPartOfThem) {
  Problem problem = problem_of("poisson", "exp", 6000, 4, 1, 9);
  glm::SearchProblem given = search_of(problem, synelix::NoPenalty{});
  given.rows = 300000;  // as if: the blocks of the part are those of 512 rows
  const auto search = glm::make_search(synelix::Solver::newton, given);
  EXPECT_EQ(search->ask().every, 8);
  std::int64_t whole = 0;
  while (!search->is_done()) {
    if (search->ask().every == 1 && search->ask().wants_hessian) ++whole;
    dense::drive(*search, {&problem}, 1);
  }
  EXPECT_EQ(search->stop(), synelix::Stop::converged);
  EXPECT_LE(optimality_of(problem, given, search->parameters()), 1e-6);
  EXPECT_LE(whole, 2);
}

TEST(Search, OwnRowsOfThePreconditionerAreExact) {
  const Problem problem = problem_of("poisson", "exp", 800, 16, 1, 11);
  glm::SearchProblem given = with_gram(problem, search_of(problem, synelix::Ridge{0.3}));
  for (double& value : given.start) value += 0.05;
  const auto exact = dense::evaluate(problem, given.start.data(), true, true, 1).hessian;
  const std::vector<double> own(exact.begin() + 4 * 17, exact.begin() + 8 * 17);
  const glm::FreeParameters free({16, 1, 1}, true, given.penalty);
  glm::Preconditioner preconditioner(given);
  preconditioner.correct(given, free, {4, 8}, own);
  const auto is_own = [](std::int64_t i) { return i >= 4 && i < 8; };
  std::vector<double> x(17), image(17, 0.0);
  for (std::int64_t i = 0; i < 17; ++i) x[i] = std::sin(1.0 + static_cast<double>(i));
  for (std::int64_t i = 0; i < 17; ++i) {
    for (std::int64_t j = 0; j < 17; ++j) {
      double value = is_own(i) || is_own(j) ? exact[i * 17 + j]
                                            : given.curvature * given.gram->gram[i * 17 + j];
      // The ridge that is added to the Gram matrix is rounded to a power of four of its ratio.
      const double rounded = given.curvature * given.gram_factor->ridge[0];
      if (i == j && i < 16) value += is_own(i) ? 0.3 : rounded;
      image[i] += value * x[j];
    }
  }
  preconditioner.apply(image);
  for (std::int64_t i = 0; i < 17; ++i) EXPECT_NEAR(image[i], x[i], 1e-9);
  const auto search = glm::make_search(synelix::Solver::lbfgs, given);
  dense::drive(*search, {&problem});
  EXPECT_EQ(search->stop(), synelix::Stop::converged);
}

TEST(Search, RefusesPenaltiesThatAreNotSmooth) {
  const Problem problem = problem_of("poisson", "exp", 50, 2, 1, 12);
  EXPECT_THROW(glm::make_search(synelix::Solver::newton, search_of(problem, synelix::Lasso{0.1})),
               synelix::Error);
  EXPECT_THROW(glm::make_search(synelix::Solver::lbfgs, search_of(problem, synelix::Lasso{0.1})),
               synelix::Error);
}

}  // namespace
}  // namespace search_tests
