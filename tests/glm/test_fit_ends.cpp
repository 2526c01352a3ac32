// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// fit on the reference pass: when it may report convergence, and where it may begin.

#include "fit_case.hpp"
#include "oracle/refusals.hpp"

#include <synelix/glm.hpp>

#include <gmock/gmock.h>
#include <Kokkos_Core.hpp>

#include <atomic>
#include <cstdint>
#include <utility>

namespace fit_ends_tests {
namespace {

using fit_case::Case;
using fit_case::fit;
using fit_case::make_case;
using fit_case::parameters_of;
using synelix::Family;
using synelix::FitOptions;
using synelix::FitResult;
using synelix::Stop;
using testing::Contains;
using testing::HasSubstr;

/// A pass whose results have room for one search at a time.
class OneAtATime : public oracle::ReferencePass {
 public:
  using ReferencePass::ReferencePass;
  std::int64_t take_share(const synelix::glm::RowLoss& /*loss*/, std::int64_t least,
                          std::int64_t /*most*/) override {
    return least;
  }
};

/// Values that a target excludes do not affect its convergence, however large they are.
TEST(FitEnds, AMaskedColumnIsNoScaleOfOptimality) {
  Case made = make_case(Family::poisson, 200, 4);
  const FitOptions options{.penalty = synelix::Lasso{0.02}, .feature_mask = {1, 1, 0, 1}};
  const FitResult small = fit(made, options);
  for (std::int64_t t = 0; t < made.rows; ++t) made.x(t, 2) *= 1e12;
  const FitResult large = fit(made, options);
  EXPECT_EQ(large.optimality, small.optimality);
  EXPECT_EQ(parameters_of(large, 0), parameters_of(small, 0));
}

TEST(FitEnds, ACancelledFitHasNoDispersionThatIsNotFinal) {
  const Case made = make_case(Family::negative_binomial, 200, 2, 3);
  FitOptions options{.loss = {.family = Family::negative_binomial}, .estimate_dispersion = true};
  const oracle::ReferenceObserved observed = made.observed();
  const synelix::glm::RowLoss loss = fit_case::loss_of(options.loss);
  std::int64_t walks = 0;
  options.progress = [&](const synelix::FitProgress&) { ++walks; };
  OneAtATime pass(made.rows, made.columns, made.features);
  const FitResult whole = fit_rows(pass, observed, loss, options);
  for (const Stop stop : whole.stop) EXPECT_EQ(stop, Stop::converged);
  int cancelled = 0;
  for (std::int64_t last = 1; last < walks; ++last) {
    SCOPED_TRACE(last);
    std::atomic<bool> cancel{false};
    std::int64_t count = 0;
    options.cancel = &cancel;
    options.progress = [&](const synelix::FitProgress&) {
      if (++count == last) cancel = true;
    };
    const FitResult part = fit_rows(pass, observed, loss, options);
    for (std::size_t i = 0; i < 3; ++i) {
      if (part.stop[i] == Stop::cancelled) ++cancelled;
      if (part.stop[i] != Stop::converged) continue;
      EXPECT_EQ(part.dispersion[i], whole.dispersion[i]) << "target " << i;
      EXPECT_EQ(parameters_of(part, static_cast<std::int64_t>(i)),
                parameters_of(whole, static_cast<std::int64_t>(i)))
          << "target " << i;
    }
  }
  EXPECT_GT(cancelled, walks);
}

/// Targets that cancel the fit when some of them are read.
class CancellingTargets : public oracle::ReferenceObserved {
 public:
  mutable std::atomic<bool> cancel{false};
  mutable std::int64_t reads = 0;
  std::int64_t last = -1;  ///< the read that cancels
  bool counts = false;

  using ReferenceObserved::ReferenceObserved;
  void read_targets(std::int64_t target, synelix::Range rows, double* to) const override {
    ReferenceObserved::read_targets(target, rows, to);
    if (counts && reads++ == last) cancel = true;
  }
};

/// Between two alternations of searches, a dispersion takes separate passes. Each checks cancel.
TEST(FitEnds, TheSearchOfADispersionHeedsTheCancellation) {
  const Case made = make_case(Family::negative_binomial, 200, 2);
  FitOptions options{.loss = {.family = Family::negative_binomial}, .estimate_dispersion = true};
  const synelix::glm::RowLoss loss = fit_case::loss_of(options.loss);
  // Walks of the first search: the dispersion is at its start until it ends.
  FitOptions first = options;
  first.estimate_dispersion = false;
  std::int64_t walks_of_first = 0;
  first.progress = [&](const synelix::FitProgress&) { ++walks_of_first; };
  static_cast<void>(fit(made, first));
  const auto run = [&](std::int64_t last) {
    CancellingTargets observed(made.rows, 1, made.y);
    observed.last = last;
    std::int64_t walks = 0;
    options.cancel = &observed.cancel;
    options.progress = [&](const synelix::FitProgress&) {
      // Between this walk and the next one targets are read for the dispersion alone.
      observed.counts = ++walks == walks_of_first;
    };
    oracle::ReferencePass pass = made.pass();
    const FitResult result = fit_rows(pass, observed, loss, options);
    return std::pair(result, observed.reads);
  };
  const auto [whole, reads] = run(-1);
  ASSERT_EQ(whole.stop[0], Stop::converged);
  ASSERT_GT(reads, 3);  // of this dispersion: its steps, and the next walk of the search
  for (std::int64_t last = 0; last + 2 < reads; ++last) {
    SCOPED_TRACE(last);
    const auto [part, reads_of_part] = run(last);
    EXPECT_EQ(part.stop[0], Stop::cancelled);
    EXPECT_EQ(reads_of_part, last + 1) << "no walk follows";
    EXPECT_EQ(part.dispersion[0], options.loss.dispersion);
  }
}

TEST(FitEnds, ADispersionThatStillMovesIsNotConverged) {
  const Case made = make_case(Family::negative_binomial, 200, 2);
  FitOptions options{.loss = {.family = Family::negative_binomial}, .estimate_dispersion = true};
  const FitResult whole = fit(made, options);
  ASSERT_EQ(whole.stop[0], Stop::converged);
  int moving = 0;
  for (std::int64_t most = 1; most < whole.evaluations[0]; ++most) {
    SCOPED_TRACE(most);
    options.most_evaluations = most;
    const FitResult part = fit(made, options);
    if (part.dispersion == whole.dispersion) continue;
    ++moving;
    EXPECT_EQ(part.stop[0], Stop::iterations);
    EXPECT_THAT(part.warnings, Contains(HasSubstr("the dispersion still moved")));
    EXPECT_LT(part.evaluations[0], whole.evaluations[0]);
  }
  EXPECT_GT(moving, 1);
}

/// Of column 1, all rows with a value have a negative mean without features. They have no residual
/// there, and the column looks like zeros.
TEST(FitEnds, AStartThatMeansArePositiveAtIsTaken) {
  Case made = make_case(Family::poisson, 200, 2);
  made.offsets.assign(200, 0.0);
  for (std::int64_t t = 0; t < made.rows; ++t) {
    const bool is_low = t < 20;
    made.x(t, 0) = 0.1 * std::sin(static_cast<double>(t));
    made.x(t, 1) = is_low ? 1 : 0;
    made.target(t) = 2 + t % 3;
    if (is_low) made.offsets[static_cast<std::size_t>(t)] = -5;
  }
  const synelix::DesignMatrix design(Kokkos::DefaultHostExecutionSpace(),
                                     synelix::Strided(made.features.data(), {200, 2}));
  const synelix::Observations observations{.targets = synelix::Strided(made.y.data(), {200}),
                                           .offset = synelix::Strided(made.offsets.data(), {200})};
  FitOptions options{
      .loss = {.family = Family::poisson, .inverse_link = synelix::InverseLink::identity},
      .start_coefficients = {0, 6}};
  const FitResult result = synelix::fit(design, observations, options);
  EXPECT_EQ(result.stop[0], Stop::converged);
  EXPECT_NEAR(result.coefficients[1], 5, 0.2);
  EXPECT_EQ(result.warnings.size(), 0U);
  // Without it the fit begins with a larger intercept: inside, too.
  options.start_coefficients.clear();
  const FitResult other = synelix::fit(design, observations, options);
  EXPECT_EQ(other.stop[0], Stop::converged);
  EXPECT_NEAR(other.coefficients[1], result.coefficients[1], 1e-3);
  EXPECT_EQ(other.warnings.size(), 0U);
}

/// The Hessian of such features is infinite. No step exists, and the fit reports that it made none.
TEST(FitEnds, FeaturesWhoseSquaresOverflowEndWithoutAStep) {
  for (const Family family : {Family::poisson, Family::gaussian}) {
    for (const double size : {1e160, 1e300}) {
      Case made = make_case(family, 100, 2);
      for (double& value : made.features) value *= size;
      for (const synelix::Solver solver : {synelix::Solver::automatic, synelix::Solver::newton,
                                           synelix::Solver::proximal_newton}) {
        for (const double strength : {0.0, 1.0}) {
          FitOptions options{.loss = {.family = family}, .solver = solver, .standard_errors = true};
          if (strength > 0) options.penalty = synelix::Ridge{strength};
          const FitResult result = fit(made, options);
          EXPECT_EQ(result.stop[0], Stop::no_decrease);
          EXPECT_EQ(result.coefficients[0], 0);
          EXPECT_THAT(result.warnings, Contains(HasSubstr("no further decrease")));
        }
      }
    }
  }
}

}  // namespace
}  // namespace fit_ends_tests
