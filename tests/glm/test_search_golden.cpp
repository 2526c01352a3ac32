// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "glm/dense_loss.hpp"
#include "glm/penalty/bound_penalty.hpp"
#include "glm/solvers/search.hpp"
#include "golden/golden_file.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

// Searches against the answers of NeMoS in tests/golden/fits.h5, polished and certified outside.

namespace search_golden_tests {
namespace {

namespace glm = synelix::glm;

/// A fit of the file.
struct Case {
  std::string name;
  std::string penalty;
  std::int64_t columns = 0;
  std::int64_t targets = 1;
  std::int64_t classes = 1;
  std::vector<dense::Problem> problems;  ///< of each target
  synelix::Penalty bound;
  std::vector<std::uint8_t> mask;
  golden::Array coefficients;
  golden::Array intercepts;
  std::vector<double> objectives;
};

synelix::Penalty penalty_of(const golden::Group& fit, const std::string& name) {
  if (name == "none") return synelix::NoPenalty{};
  const golden::Array given = fit.array("strength");
  synelix::Strength strength(given.values.at(0));
  if (given.values.size() > 1) {
    strength = {given.values, name == "grouplasso" ? synelix::Strength::Per::group
                                                   : synelix::Strength::Per::coefficient};
  }
  if (name == "ridge") return synelix::Ridge{strength};
  if (name == "lasso") return synelix::Lasso{strength};
  if (name == "elasticnet") return synelix::ElasticNet{strength, fit.number("ratio").value()};
  std::vector<std::int64_t> groups;
  for (const double g : fit.array("groups").values) groups.push_back(static_cast<std::int64_t>(g));
  return synelix::GroupLasso{strength, groups};
}

Case read_case(const golden::Group& root, const std::string& name) {
  const golden::Group fit = root.group("fits").group(name);
  const golden::Array design =
      root.group("designs").group(fit.text("design").value()).array("features");
  Case result;
  result.name = name;
  result.penalty = fit.text("penalty").value_or("none");
  result.columns = design.extents.at(1);
  const golden::Array y = fit.array("y");
  result.targets = y.rank() == 2 ? y.extents.at(1) : 1;
  result.classes = fit.integer("classes").value_or(1);
  for (std::int64_t i = 0; i < result.targets; ++i) {
    dense::Problem problem;
    problem.columns = result.columns;
    problem.family = fit.text("family").value();
    problem.inverse_link = fit.text("inverse_link").value();
    problem.dispersion = fit.number("alpha").value_or(1.0);
    problem.classes = result.classes;
    for (std::int64_t t = 0; t < design.extents.at(0); ++t) {
      const double* const row = &design.values[t * result.columns];
      if (!std::all_of(row, row + result.columns, [](double x) { return std::isfinite(x); }))
        continue;
      problem.features.insert(problem.features.end(), row, row + result.columns);
      problem.targets.push_back(y.values[t * result.targets + i]);
    }
    result.problems.push_back(problem);
  }
  result.bound = penalty_of(fit, result.penalty);
  if (fit.has("feature_mask")) {
    for (const double m : fit.array("feature_mask").values) {
      result.mask.push_back(static_cast<std::uint8_t>(m));
    }
  }
  result.coefficients = fit.array("coef");
  result.intercepts = fit.array("intercept");
  if (fit.has("objective")) result.objectives = fit.array("objective").values;
  return result;
}

/// The largest difference to the file's answer of a target.
void compare(const Case& expected, std::int64_t target, const glm::Search& search) {
  const std::int64_t k = expected.classes;
  const std::span<const double> found = search.parameters();
  double most = 1;
  for (const double value : expected.coefficients.values) most = std::max(most, std::fabs(value));
  double worst = 0;
  for (std::int64_t j = 0; j < expected.columns; ++j) {
    for (std::int64_t c = 0; c < k; ++c) {
      const double value = expected.coefficients.values[(j * expected.targets + target) * k + c];
      worst = std::max(worst, std::fabs(found[j * k + c] - value));
      const bool is_sparse = expected.penalty == "lasso" || expected.penalty == "elasticnet" ||
                             expected.penalty == "grouplasso";
      if (is_sparse && k == 1) {
        EXPECT_EQ(found[j * k + c] == 0, value == 0) << "column " << j << ": " << found[j * k + c];
      }
    }
  }
  for (std::int64_t c = 0; c < k; ++c) {
    // Intercepts of classes have no penalty: equal shifts of all change nothing.
    const double value = expected.intercepts.values[target * k + c];
    const double shift = k == 1 || expected.penalty == "none"
                             ? 0.0
                             : found[expected.columns * k] - expected.intercepts.values[target * k];
    worst = std::max(worst, std::fabs(found[expected.columns * k + c] - shift - value));
  }
  EXPECT_LE(worst, 1e-6 * most);
  if (!expected.objectives.empty()) {
    EXPECT_NEAR(search.objective(), expected.objectives[target],
                1e-11 * std::max(1.0, std::fabs(expected.objectives[target])));
  }
}

class GoldenSearch : public testing::TestWithParam<synelix::Solver> {};

TEST_P(GoldenSearch, FindsTheAnswersOfTheFile) {
  const golden::File file(FITS_FILE);
  std::int64_t most = 0;
  std::int64_t compared = 0;
  for (const std::string& name : file.group("fits").groups()) {
    const Case expected = read_case(file, name);
    const bool is_sparse = expected.penalty == "lasso" || expected.penalty == "elasticnet" ||
                           expected.penalty == "grouplasso";
    if (is_sparse && GetParam() != synelix::Solver::proximal_newton) continue;
    for (std::int64_t target = 0; target < expected.targets; ++target) {
      const dense::Problem& problem = expected.problems[target];
      glm::SearchProblem search;
      search.columns = expected.columns;
      search.classes = expected.classes;
      search.penalty =
          glm::bind(expected.bound,
                    {expected.columns, expected.targets, expected.classes, expected.mask}, target);
      search.start = dense::start_of(problem);
      search.gradient_scale = dense::gradient_scale(problem, search.start);
      search.optimality_tolerance = 1e-10;
      search.standard_errors_tolerance = 1e-6;
      const auto found = glm::make_search(GetParam(), search);
      dense::drive(*found, {&problem});
      SCOPED_TRACE(name + " target " + std::to_string(target) + ", " +
                   std::to_string(found->evaluations()) + " evaluations, " +
                   std::to_string(found->hessians()) + " Hessians, optimality " +
                   std::to_string(std::log10(found->optimality())));
      EXPECT_EQ(found->stop(), synelix::Stop::converged) << static_cast<int>(found->stop());
      compare(expected, target, *found);
      most = std::max(most, found->evaluations());
      ++compared;
    }
  }
  EXPECT_GE(compared, GetParam() == synelix::Solver::proximal_newton ? 60 : 30);
  EXPECT_LE(most, GetParam() == synelix::Solver::lbfgs ? 400 : 30);
}

INSTANTIATE_TEST_SUITE_P(Solvers, GoldenSearch,
                         testing::Values(synelix::Solver::newton, synelix::Solver::lbfgs,
                                         synelix::Solver::proximal_newton));

}  // namespace
}  // namespace search_golden_tests
