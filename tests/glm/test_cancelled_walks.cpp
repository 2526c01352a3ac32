// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Passes over the rows that are interrupted: fits report that they were cancelled, no number of an
// unfinished pass is used, and breaks of passes change no bit.

#include "glm/fit_case.hpp"
#include "glm/path/cross_validation.hpp"
#include "glm/path_case.hpp"
#include "launch/watched.hpp"
#include "tile/select.hpp"

#include <synelix/synelix.hpp>

#include <gmock/gmock.h>
#include <Kokkos_Core.hpp>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

namespace cancelled_walks_tests {
namespace {

namespace glm = synelix::glm;
using fit_case::Case;
using fit_case::make_case;
using synelix::Cancelled;
using synelix::Family;
using synelix::FitOptions;
using synelix::FitResult;
using synelix::Stop;
using testing::Each;

/// A pass on which one of the walks is cancelled when its results are half there.
class CancelledWalk : public oracle::ReferencePass {
 public:
  using ReferencePass::ReferencePass;
  mutable std::atomic<bool> cancel{false};
  std::int64_t last = -1;  ///< the number of this walk
  std::int64_t count = 0;

  void evaluate(const glm::RowLoss& loss, const glm::Observed& observed,
                std::span<const glm::Request> requests, glm::Arithmetic arithmetic,
                std::int64_t every, std::span<glm::Sums> sums) override {
    ReferencePass::evaluate(loss, observed, requests, arithmetic, every, sums);
    end([&] {
      for (glm::Sums& one : sums) {
        one.loss = wrong;
        std::fill(one.gradient.begin(), one.gradient.end(), wrong);
        std::fill(one.hessian.begin(), one.hessian.end(), wrong);
      }
    });
  }
  void gram(const glm::Observed& observed, const glm::RowsOf& rows, glm::Arithmetic arithmetic,
            double* result) override {
    ReferencePass::gram(observed, rows, arithmetic, result);
    end([&] { std::fill_n(result, columns(), wrong); });
  }
  void hessian_rows(const glm::RowLoss& loss, const glm::Observed& observed,
                    const glm::Request& request, synelix::Range columns_wanted,
                    double* result) override {
    ReferencePass::hessian_rows(loss, observed, request, columns_wanted, result);
    end([&] { std::fill_n(result, columns(), wrong); });
  }
  void apply(const double* coefficients, std::int64_t n, synelix::Range rows,
             double* predictors) override {
    ReferencePass::apply(coefficients, n, rows, predictors);
    end([&] { std::fill_n(predictors, n, wrong); });
  }

 private:
  static constexpr double wrong = 1e100;

  template <class Spoil>
  void end(const Spoil& spoil) {
    if (count++ != last) return;
    spoil();
    cancel = true;
    throw Cancelled("fit: cancelled in a walk");
  }
};

/// Coefficients are those of a point that was reached, not of a walk that was not finished.
void expect_tame(const std::vector<double>& numbers) {
  for (const double number : numbers) {
    EXPECT_FALSE(std::isfinite(number) && std::fabs(number) >= 1e3) << number;
  }
}

/// Fits that end in each of their passes. run(pass, options) returns what stopped each model. The
/// last passes may come after all models are found.
template <class Run>
void cancel_each_walk(const Case& made, FitOptions options, const Run& run) {
  CancelledWalk whole(made.rows, made.columns, made.features);
  const std::vector<Stop> found = run(whole, options);
  EXPECT_THAT(found, testing::Not(testing::Contains(Stop::cancelled)));
  ASSERT_GT(whole.count, 3);
  std::int64_t cancelled = 0;
  for (std::int64_t last = 0; last < whole.count; ++last) {
    SCOPED_TRACE(last);
    CancelledWalk pass(made.rows, made.columns, made.features);
    pass.last = last;
    options.cancel = &pass.cancel;
    const std::vector<Stop> stops = run(pass, options);
    EXPECT_TRUE(pass.cancel);
    if (stops == found) continue;
    EXPECT_THAT(stops, testing::Contains(Stop::cancelled));
    ++cancelled;
  }
  EXPECT_GT(2 * cancelled, whole.count);
}

TEST(CancelledWalks, FitsSayThatTheyWereCancelled) {
  for (const synelix::Solver solver : {synelix::Solver::newton, synelix::Solver::lbfgs}) {
    SCOPED_TRACE(name_of(solver));
    const Case made = make_case(Family::poisson, 300, 4, 3);
    FitOptions options{
        .loss = {.family = Family::poisson}, .solver = solver, .standard_errors = true};
    const oracle::ReferenceObserved observed = made.observed();
    const glm::RowLoss loss = fit_case::loss_of(options.loss);
    cancel_each_walk(made, options, [&](glm::Pass& pass, const FitOptions& used) {
      const FitResult result = fit_rows(pass, observed, loss, used);
      EXPECT_EQ(result.coefficients.size(), 12U);
      EXPECT_EQ(result.standard_errors.size(), 15U);
      EXPECT_EQ(result.mean_loss.size(), 3U);
      expect_tame(result.coefficients);
      expect_tame(result.mean_loss);
      return result.stop;
    });
  }
}

TEST(CancelledWalks, FitsWithDispersionsSayThatTheyWereCancelled) {
  const Case made = make_case(Family::negative_binomial, 200, 2, 2);
  FitOptions options{.loss = {.family = Family::negative_binomial}, .estimate_dispersion = true};
  const oracle::ReferenceObserved observed = made.observed();
  const glm::RowLoss loss = fit_case::loss_of(options.loss);
  cancel_each_walk(made, options, [&](glm::Pass& pass, const FitOptions& used) {
    const FitResult result = fit_rows(pass, observed, loss, used);
    expect_tame(result.coefficients);
    return result.stop;
  });
}

TEST(CancelledWalks, PathsSayThatTheyWereCancelled) {
  for (const Family family : {Family::poisson, Family::gaussian}) {
    for (const bool across : {false, true}) {
      SCOPED_TRACE(across);
      const Case made = make_case(family, 200, 3, 2);
      if (across && family == Family::gaussian) continue;
      FitOptions options = path_case::options_of(family, synelix::Lasso{});
      // Groups of each column of all targets.
      if (across) options.penalty = synelix::GroupLasso{1.0, {0, 0, 1, 1, 2, 2}};
      const oracle::ReferenceObserved observed = made.observed();
      const glm::RowLoss loss = fit_case::loss_of(options.loss);
      const synelix::PathOptions strengths{.count = 12, .ratio = 0.01};
      const auto run = [&](glm::Pass& pass, const FitOptions& used) {
        const synelix::PathResult path = fit_path_rows(pass, observed, loss, used, strengths);
        EXPECT_EQ(path.count, 12);
        EXPECT_EQ(path.coefficients.size(), 72U);
        expect_tame(path.coefficients);
        expect_tame(path.mean_loss);
        return path.stop;
      };
      if (family == Family::poisson) {
        cancel_each_walk(made, options, run);
      } else {  // the Gram matrix alone is walked for
        CancelledWalk pass(made.rows, made.columns, made.features);
        options.cancel = &pass.cancel;
        pass.last = 1;
        EXPECT_THAT(run(pass, options), Each(Stop::cancelled));
      }
    }
  }
}

TEST(CancelledWalks, CrossValidationSaysThatItWasCancelled) {
  const Case made = make_case(Family::poisson, 200, 3, 2);
  const FitOptions options = path_case::options_of(Family::poisson, synelix::Ridge{});
  const oracle::ReferenceObserved observed = made.observed();
  const glm::RowLoss loss = fit_case::loss_of(options.loss);
  synelix::CrossValidationOptions validation;
  validation.folds = 3;
  validation.path = {.count = 4, .ratio = 0.01};
  cancel_each_walk(made, options, [&](glm::Pass& pass, const FitOptions& used) {
    const synelix::CrossValidationResult found =
        cross_validate_rows(pass, observed, loss, used, validation);
    EXPECT_EQ(found.scores.size(), 24U);
    EXPECT_EQ(found.chosen.size(), 2U);
    expect_tame(found.model.coefficients);
    expect_tame(found.scores);
    return found.model.stop;
  });
}

constexpr std::int64_t no_time = 0;  // a break after each item

/// The results of a pass: loss, gradient and Hessian of two right-hand sides, and a Gram matrix.
std::vector<double> found_by(glm::Pass& pass, const glm::Observed& observed, glm::Arithmetic how) {
  const glm::RowLoss loss = glm::bind(synelix::Loss{.family = Family::poisson},
                                      synelix::tile::select_set(pass.choice().instruction_set));
  const auto size = static_cast<std::size_t>(pass.columns() + 1);
  const std::vector<double> point(size, 0.01);
  std::vector<glm::Request> requests(2);
  for (glm::Request& request : requests) request.parameters = point.data();
  requests[1].wants_hessian = true;
  std::vector<glm::Sums> sums(2);
  pass.evaluate(loss, observed, requests, how, 1, sums);
  std::vector<double> found;
  for (const glm::Sums& one : sums) {
    found.push_back(one.loss);
    found.insert(found.end(), one.gradient.begin(), one.gradient.end());
    found.insert(found.end(), one.hessian.begin(), one.hessian.end());
  }
  std::vector<double> gram(size * size);
  pass.gram(observed, {.target = -1}, how, gram.data());
  found.insert(found.end(), gram.begin(), gram.end());
  return found;
}

void expect_breaks_change_nothing(glm::Pass& pass) {
  std::vector<double> y(static_cast<std::size_t>(pass.rows()));
  for (std::size_t t = 0; t < y.size(); ++t) y[t] = static_cast<double>(t % 3);
  const oracle::ReferenceObserved observed(pass.rows(), 1, y);
  for (const glm::Arithmetic how :
       {glm::Arithmetic::float_products, glm::Arithmetic::double_products}) {
    const std::vector<double> whole = found_by(pass, observed, how);
    const auto expect_whole = [&] {
      const std::vector<double> found = found_by(pass, observed, how);
      ASSERT_EQ(found.size(), whole.size());
      EXPECT_EQ(std::memcmp(found.data(), whole.data(), whole.size() * sizeof(double)), 0);
    };
    std::int64_t questions = 0;
    const auto count = [&](const synelix::CallProgress&) { ++questions; };
    synelix::plan::Watched watched("fit", {.progress = count}, 0, no_time);
    pass.set_watched(&watched);
    expect_whole();
    ASSERT_GT(questions, 6) << "there are no breaks";
    for (const std::int64_t last : {std::int64_t{1}, questions / 2, questions - 2}) {
      SCOPED_TRACE(last);
      std::atomic<bool> cancel = false;
      std::int64_t asked = 0;
      const auto end = [&](const synelix::CallProgress&) {
        if (++asked == last) cancel = true;
      };
      synelix::plan::Watched ended("fit", {.progress = end, .cancel = &cancel}, 0, no_time);
      pass.set_watched(&ended);
      EXPECT_THROW((void)found_by(pass, observed, how), Cancelled);
      EXPECT_EQ(asked, last);
      pass.set_watched(nullptr);
      expect_whole();
    }
  }
}

TEST(WatchedWalks, BreaksOfDenseWalksChangeNothing) {
  const Kokkos::DefaultHostExecutionSpace exec;
  std::vector<float> x(20'000 * 30);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::sin(static_cast<float>(i) * 0.37F);
  const synelix::DesignMatrix design(exec, synelix::Strided(x.data(), {20'000, 30}));
  expect_breaks_change_nothing(design.pass());
}

TEST(WatchedWalks, BreaksOfWalksOverEventsChangeNothing) {
  const Kokkos::DefaultHostExecutionSpace exec;
  std::vector<synelix::Events::Train> trains(40);
  for (std::size_t c = 0; c < trains.size(); ++c) {
    for (std::int64_t t = 3; t < 200'000; t += 61 + static_cast<std::int64_t>(c)) {
      trains[c].samples.push_back(t);
    }
  }
  const synelix::Events events(200'000, trains);
  const synelix::DesignMatrix design(
      exec, synelix::conv(synelix::RaisedCosineLog{.bases = 5}, {.window = 60}), {events},
      {.method = synelix::Method::events});
  expect_breaks_change_nothing(design.pass());
}

/// The caller's functions are called on its own thread, and their exceptions end the fit.
TEST(WatchedWalks, WhatTheCallerThrowsEndsAFit) {
  struct Thrown {};
  const Case made = make_case(Family::poisson, 300, 4);
  class Asking : public oracle::ReferencePass {
   public:
    using ReferencePass::ReferencePass;
    void evaluate(const glm::RowLoss& loss, const glm::Observed& observed,
                  std::span<const glm::Request> requests, glm::Arithmetic arithmetic,
                  std::int64_t every, std::span<glm::Sums> sums) override {
      ASSERT_NE(watched(), nullptr);
      watched()->tell();
      ReferencePass::evaluate(loss, observed, requests, arithmetic, every, sums);
    }
    [[nodiscard]] bool is_watched() const { return watched() != nullptr; }
  };
  Asking pass(made.rows, made.columns, made.features);
  FitOptions options{.loss = {.family = Family::poisson}};
  options.during_walk = [] { throw Thrown(); };
  const oracle::ReferenceObserved observed = made.observed();
  EXPECT_THROW((void)fit_rows(pass, observed, fit_case::loss_of(options.loss), options), Thrown);
  EXPECT_FALSE(pass.is_watched()) << "the pass outlives the fit";
}

}  // namespace
}  // namespace cancelled_walks_tests
