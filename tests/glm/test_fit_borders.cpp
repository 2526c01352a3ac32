// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Fits at the border of a family, where the mean of a row is 0 or infinite: where they begin and
// end, and the warnings for rows beyond it.

#include "fit_case.hpp"
#include "glm/path/cross_validation.hpp"
#include "glm/path/path_problem.hpp"
#include "glm/solvers/search.hpp"
#include "oracle/refusals.hpp"

#include <synelix/glm.hpp>
#include <synelix/glm_score.hpp>

#include <gmock/gmock.h>
#include <Kokkos_Core.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace fit_borders_tests {
namespace {

namespace sx = synelix;
using fit_case::Case;
using fit_case::fit;
using sx::Family;
using sx::FitOptions;
using sx::FitResult;
using sx::InverseLink;
using sx::Solver;
using sx::Stop;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr double infinity = std::numeric_limits<double>::infinity();

Case case_of(std::vector<double> x, std::vector<double> y) {
  const auto rows = static_cast<std::int64_t>(y.size());
  const auto columns = static_cast<std::int64_t>(x.size()) / rows;
  return {.rows = rows, .columns = columns, .features = std::move(x), .y = std::move(y)};
}

/// The first full step leads to means below 0.
TEST(FitBorders, GammaWithItsDefaultLinkFindsTheOptimum) {
  const Case made = case_of({0.2, -0.5, -0.4, -2.4, 1.8, 1.1}, {0.9, 0.8, 1.3, 0.2, 5.0, 3.1});
  for (const Solver solver :
       {Solver::automatic, Solver::newton, Solver::lbfgs, Solver::proximal_newton}) {
    SCOPED_TRACE(name_of(solver));
    const FitOptions options{
        .loss = {.family = Family::gamma}, .solver = solver, .standard_errors_tolerance = 1e-6};
    const FitResult result = fit(made, options);
    EXPECT_EQ(result.stop[0], Stop::converged);
    EXPECT_NEAR(result.coefficients[0], -0.44643, 1e-5);
    EXPECT_NEAR(result.intercepts[0], 0.97306, 1e-5);
    EXPECT_THAT(result.warnings, IsEmpty());
  }
}

/// The optimum would need a mean below 0 in row 0, which has no event.
TEST(FitBorders, RowsAtTheBorderAreNamed) {
  const Case made = case_of({0, 1, 2, 3, 4, 5}, {0, 0, 1, 4, 6, 9});
  const FitOptions options{
      .loss = {.family = Family::poisson, .inverse_link = InverseLink::identity}};
  const FitResult result = fit(made, options);
  EXPECT_NE(result.stop[0], Stop::converged);
  EXPECT_TRUE(std::isfinite(result.objective[0]));
  EXPECT_GT(result.intercepts[0], 0);
  EXPECT_THAT(result.warnings,
              Contains(testing::AllOf(HasSubstr("at the border of poisson"), HasSubstr("in 1 row"),
                                      HasSubstr("rows 0;"))));
}

TEST(FitBorders, AStartBeyondTheBorderIsReplaced) {
  const Case made = case_of({0.2, 0.5, 0.4, 2.4, 1.8, 1.1}, {1, 1, 2, 5, 3, 3});
  FitOptions options{.loss = {.family = Family::poisson, .inverse_link = InverseLink::identity}};
  const FitResult wanted = fit(made, options);
  ASSERT_EQ(wanted.stop[0], Stop::converged);
  options.start_coefficients = {-1};
  options.start_intercepts = {1};
  const FitResult found = fit(made, options);
  EXPECT_EQ(found.stop[0], Stop::converged);
  EXPECT_EQ(found.coefficients, wanted.coefficients);
  EXPECT_EQ(found.start_intercepts, wanted.start_intercepts);
  EXPECT_THAT(found.warnings,
              ElementsAre(HasSubstr("the fit begins at the model without features: targets 0")));
  options.start_coefficients = {0.5};
  EXPECT_THAT(fit(made, options).warnings, IsEmpty());
}

/// Without an intercept a predictor of 0 has no mean.
TEST(FitBorders, WithoutAnInterceptTheFitBeginsInside) {
  Case made =
      case_of({1, -0.5, 1, -0.4, 1, 0.2, 1, 0.5, 1, 1.5, 1, -1.1}, {1.2, 1.3, 0.9, 0.8, 0.3, 2.6});
  Case alone = made;
  for (std::int64_t t = 0; t < 6; ++t) alone.features[static_cast<std::size_t>(t)] = made.x(t, 1);
  alone.features.resize(6);
  alone.columns = 1;
  for (const InverseLink link : {InverseLink::one_over_x, InverseLink::identity}) {
    for (const Solver solver : {Solver::newton, Solver::lbfgs, Solver::proximal_newton}) {
      SCOPED_TRACE(name_of(solver));
      FitOptions options{.loss = {.family = Family::gamma, .inverse_link = link},
                         .solver = solver,
                         .standard_errors_tolerance = 1e-6};
      const FitResult wanted = fit(alone, options);
      ASSERT_EQ(wanted.stop[0], Stop::converged);
      options.fit_intercept = false;
      const FitResult found = fit(made, options);
      EXPECT_EQ(found.stop[0], Stop::converged);
      EXPECT_NEAR(found.coefficients[0], wanted.intercepts[0], 1e-4);
      EXPECT_NEAR(found.coefficients[1], wanted.coefficients[0], 1e-4);
      EXPECT_THAT(found.warnings, IsEmpty());
    }
  }
}

TEST(FitBorders, WithoutAnInterceptThereMayBeNoStart) {
  const Case made = case_of({1, -1, 2}, {1, 2, 3});
  FitOptions options{.loss = {.family = Family::gamma}, .fit_intercept = false};
  oracle::expect_refused([&] { fit(made, options); }, "fit_intercept",
                         "give each row of target 0 a mean that gamma", "Fit an intercept");
  options.penalty = sx::Ridge{};
  oracle::ReferencePass pass = made.pass();
  const oracle::ReferenceObserved observed = made.observed();
  oracle::expect_refused(
      [&] {
        sx::glm::fit_path_rows(pass, observed, fit_case::loss_of(options.loss), options,
                               {.strengths = {1.0}});
      },
      "fit_intercept", "a path begins at the model without features", "Fit an intercept");
}

/// Counts that are all 0: the nearest mean above 0.
TEST(FitBorders, ATargetWithoutEventsHasAMean) {
  const Case made = case_of({1, 2, 3, 4}, {0, 0, 0, 0});
  const FitResult result =
      fit(made, {.loss = {.family = Family::poisson, .inverse_link = InverseLink::identity}});
  EXPECT_EQ(result.stop[0], Stop::no_events);
  EXPECT_GT(result.intercepts[0], 0);
  EXPECT_NEAR(result.objective[0], 0, 1e-15);
}

/// A pass whose losses are infinite, except those of the model without features.
class InfiniteLosses : public oracle::ReferencePass {
 public:
  using ReferencePass::ReferencePass;
  void evaluate(const sx::glm::RowLoss& loss, const sx::glm::Observed& observed,
                std::span<const sx::glm::Request> requests, sx::glm::Arithmetic arithmetic,
                std::int64_t every, std::span<sx::glm::Sums> sums) override {
    ReferencePass::evaluate(loss, observed, requests, arithmetic, every, sums);
    for (std::size_t i = 0; i < requests.size(); ++i) {
      if (!requests[i].wants_scale) sums[i].loss = infinity;
    }
  }
};

TEST(FitBorders, NothingInfiniteIsCertified) {
  const Case made = fit_case::make_case(Family::gamma, 50, 2);
  for (const Family family : {Family::gaussian, Family::gamma}) {
    for (const Solver solver : {Solver::newton, Solver::lbfgs, Solver::proximal_newton}) {
      InfiniteLosses pass(made.rows, made.columns, made.features);
      const oracle::ReferenceObserved observed = made.observed();
      const FitOptions options{.loss = {.family = family, .inverse_link = InverseLink::exp},
                               .solver = solver,
                               .standard_errors = true};
      const FitResult result =
          sx::glm::fit_rows(pass, observed, fit_case::loss_of(options.loss), options);
      EXPECT_EQ(result.stop[0], Stop::no_decrease);
      EXPECT_TRUE(std::isnan(result.optimality[0]));
      EXPECT_TRUE(std::isnan(result.standard_errors_away[0]));
      EXPECT_TRUE(std::isnan(result.scale[0]));
      for (const double error : result.standard_errors) EXPECT_TRUE(std::isnan(error));
      EXPECT_THAT(result.warnings, ElementsAre(HasSubstr("the objective is not finite")));
    }
  }
}

// ---- searches

/// (b - 3)^2 of the only coefficient.
void answer_parabola(sx::glm::Search& search, bool is_finite) {
  const double b = search.ask().parameters[0];
  const std::vector<double> gradient{2 * (b - 3), 0};
  const std::vector<double> hessian{2, 0, 0, 0};
  sx::glm::Point point{is_finite ? (b - 3) * (b - 3) : infinity, 100, gradient, {}};
  if (search.ask().wants_hessian) point.hessian = hessian;
  search.tell(point);
}

/// Products in float, or a part of the rows, find a point where double and all rows have no finite
/// objective. The start has one.
TEST(FitBorders, ASearchThatWasLedOutsideBeginsAnew) {
  for (const Solver solver : {Solver::newton, Solver::lbfgs, Solver::proximal_newton}) {
    for (const std::int64_t rows : {std::int64_t{1000}, std::int64_t{1'000'000}}) {
      SCOPED_TRACE(std::string(name_of(solver)) + ", " + std::to_string(rows) + " rows");
      sx::glm::SearchProblem problem{.columns = 1, .has_intercept = false, .start = {1.0, 0.0}};
      problem.may_use_float = true;
      problem.rows = rows;
      const auto search = sx::glm::make_search(solver, problem);
      const auto is_first_stage = [&] {
        return !search->ask().wants_double || search->ask().every > 1;
      };
      ASSERT_TRUE(is_first_stage());
      int answers = 0;
      for (; is_first_stage(); ++answers) answer_parabola(*search, true);
      ASSERT_GT(answers, 0);
      for (answers = 0; search->ask().parameters[0] != 1 && answers < 10; ++answers) {
        ASSERT_FALSE(search->is_done());
        answer_parabola(*search, false);
      }
      ASSERT_FALSE(search->is_done());
      EXPECT_EQ(search->ask().parameters[0], 1);
      EXPECT_TRUE(search->ask().wants_double);
      EXPECT_EQ(search->ask().every, 1);
      while (!search->is_done()) answer_parabola(*search, true);
      EXPECT_EQ(search->stop(), Stop::converged);
      EXPECT_NEAR(search->parameters()[0], 3, 1e-6);
    }
  }
}

TEST(FitBorders, ASearchWithoutAFiniteStartEnds) {
  for (const Solver solver : {Solver::newton, Solver::lbfgs, Solver::proximal_newton}) {
    sx::glm::SearchProblem problem{.columns = 1, .has_intercept = false, .start = {1.0, 0.0}};
    problem.may_use_float = true;
    const auto search = sx::glm::make_search(solver, problem);
    int answers = 0;
    for (; !search->is_done() && answers < 10; ++answers) answer_parabola(*search, false);
    EXPECT_LE(answers, 2);
    EXPECT_EQ(search->stop(), Stop::no_decrease);
    EXPECT_EQ(search->parameters()[0], 1);
    EXPECT_FALSE(std::isfinite(search->objective()));
  }
}

// ---- warnings for rows beyond the border

/// The mean of rows 1 and 3 is below 0.
struct Beyond {
  std::vector<double> x{1, -1, 2, -2, 3};
  std::vector<double> y{1, 0, 2, 1, 3};
  FitResult model;

  Beyond() {
    model.columns = 1;
    model.targets = 1;
    model.loss = {.family = Family::poisson, .inverse_link = InverseLink::identity};
    model.coefficients = {1};
    model.intercepts = {0.5};
  }
  [[nodiscard]] sx::DesignMatrix design() const {
    return {Kokkos::DefaultHostExecutionSpace(), sx::Strided(x.data(), {5, 1})};
  }
};

constexpr const char* said =
    "the model gives means that the family poisson cannot have, with the inverse link identity: in "
    "2 rows of target 0 (the first is row 1)";

TEST(FitBorders, PredictAndSimulateSayHowManyRowsAreBeyond) {
  const Beyond beyond;
  const sx::DesignMatrix design = beyond.design();
  std::vector<double> values(5);
  const sx::StridedOutput output(values.data(), {5});
  {
    const oracle::Warnings warnings;
    sx::predict(design, beyond.model, output);
    EXPECT_THAT(warnings.texts(), ElementsAre(said));
    EXPECT_EQ(values[1], -0.5);
  }
  {
    const oracle::Warnings warnings;
    sx::predict_rows(design, beyond.model, [](sx::Range, std::span<const double>) {});
    EXPECT_THAT(warnings.texts(), ElementsAre(said));
  }
  {
    const oracle::Warnings warnings;
    sx::predict_rows(
        design, beyond.model, [](sx::Range, std::span<const double>) {}, sx::Range{2, 3});
    EXPECT_THAT(warnings.texts(), IsEmpty());
  }
  {
    const oracle::Warnings warnings;
    sx::simulate(design, beyond.model, 1, output);
    sx::simulate_events(design, beyond.model, 1);
    EXPECT_THAT(warnings.texts(), ElementsAre(said, said));
    EXPECT_TRUE(std::isnan(values[1]));
  }
}

TEST(FitBorders, ScoresSayHowManyRowsAreBeyond) {
  const Beyond beyond;
  const sx::DesignMatrix design = beyond.design();
  const sx::Observations observations{.targets = sx::Strided(beyond.y.data(), {5})};
  const oracle::Warnings warnings;
  const sx::ScoreResult scores = sx::score(design, observations, beyond.model);
  EXPECT_THAT(scores.warnings, ElementsAre(said));
  EXPECT_THAT(warnings.texts(), ElementsAre(said));
  EXPECT_EQ(scores.all.deviance, infinity);
  EXPECT_EQ(scores.all.log_likelihood, -infinity);
  EXPECT_TRUE(std::isfinite(scores.all.null_deviance));
}

TEST(FitBorders, AnInfiniteScoreIsNotChosen) {
  sx::CrossValidationResult result;
  result.folds = 2;
  result.path.count = 4;
  result.path.targets = 1;
  result.scores = {infinity, 3, infinity, 2, 1, 3, 1, infinity};
  const std::vector<std::uint8_t> counts{1, 1};
  for (const sx::Choose choose : {sx::Choose::best, sx::Choose::one_standard_error}) {
    result.chosen.clear();
    sx::glm::choose_strengths({.choose = choose}, counts, result);
    EXPECT_EQ(result.chosen[0], 1);
  }
  for (double& score : result.scores) score = -score;
  result.chosen.clear();
  sx::glm::choose_strengths({.score = sx::ScoreKind::log_likelihood}, counts, result);
  EXPECT_EQ(result.chosen[0], 1);
}

}  // namespace
}  // namespace fit_borders_tests
