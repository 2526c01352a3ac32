// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The effect of a store of answers on a fit: the number of its passes, and no bit.
#include "glm/pass/remembered_pass.hpp"
#include "glm/rows/observed_arrays.hpp"
#include "oracle/answer_store.hpp"
#include "tile/select.hpp"

#include <synelix/synelix.hpp>

#include <gmock/gmock.h>
#include <Kokkos_Core.hpp>

#include <cmath>
#include <map>
#include <random>
#include <set>
#include <vector>

namespace remembered_pass_tests {
namespace {

namespace sx = synelix;
namespace glm = synelix::glm;

/// Answers in memory, only some of which may be kept.
class MemoryStore final : public oracle::MemoryStore {
 public:
  [[nodiscard]] bool is_worth(double /*seconds*/, std::int64_t /*bytes*/) const override {
    return asked++ % every == 0;
  }

  int every = 1;
  mutable int asked = 0;
};

struct Problem {
  static constexpr std::int64_t rows = 4000;
  static constexpr std::int64_t columns = 6;
  Kokkos::View<float**, Kokkos::LayoutRight, Kokkos::HostSpace> features{"features", rows, columns};
  Kokkos::View<double**, Kokkos::LayoutRight, Kokkos::HostSpace> targets{"targets", rows, 3};

  Problem() {
    std::mt19937 random(4);
    std::normal_distribution<float> normal;
    for (std::int64_t t = 0; t < rows; ++t) {
      double predictor = -1;
      for (std::int64_t j = 0; j < columns; ++j) {
        features(t, j) = normal(random);
        predictor += 0.2 * features(t, j);
      }
      for (std::int64_t i = 0; i < 3; ++i) {
        std::poisson_distribution<int> counts(std::exp(predictor));
        targets(t, i) = counts(random);
      }
    }
  }
  [[nodiscard]] sx::DesignMatrix design() const {
    return {Kokkos::DefaultHostExecutionSpace(), features};
  }
};

void expect_same_bits(const sx::FitResult& one, const sx::FitResult& other) {
  EXPECT_EQ(one.coefficients, other.coefficients);
  EXPECT_EQ(one.intercepts, other.intercepts);
  EXPECT_EQ(one.mean_loss, other.mean_loss);
  EXPECT_EQ(one.optimality, other.optimality);
  EXPECT_EQ(one.standard_errors, other.standard_errors);
  EXPECT_EQ(one.evaluations, other.evaluations);
}

TEST(RememberedPass, AFitWithAllOrSomeAnswersHasTheSameBits) {
  const Problem problem;
  const sx::DesignMatrix design = problem.design();
  sx::FitOptions options{.penalty = sx::Ridge{1e-3}, .standard_errors = true};
  const sx::FitResult plain = sx::fit(design, {.targets = problem.targets}, options);
  MemoryStore store;
  options.answers = &store;
  expect_same_bits(sx::fit(design, {.targets = problem.targets}, options), plain);
  EXPECT_GT(store.kept, 0);
  EXPECT_EQ(store.found, 0);
  const int kept = store.kept;
  expect_same_bits(sx::fit(design, {.targets = problem.targets}, options), plain);
  EXPECT_EQ(store.kept, kept) << "every question had an answer";
  EXPECT_EQ(store.found, kept);
  for (const int every : {2, 3}) {
    MemoryStore some;
    some.every = every;
    options.answers = &some;
    expect_same_bits(sx::fit(design, {.targets = problem.targets}, options), plain);
    expect_same_bits(sx::fit(design, {.targets = problem.targets}, options), plain);
    EXPECT_GT(some.found, 0);
  }
}

TEST(RememberedPass, PathsAndFoldsTakeTheirAnswersToo) {
  const Problem problem;
  const sx::DesignMatrix design = problem.design();
  sx::FitOptions options{.penalty = sx::Ridge{}};
  const sx::CrossValidationOptions folds{.folds = 3, .path = {.count = 4}};
  const sx::CrossValidationResult plain =
      sx::cross_validate(design, {.targets = problem.targets}, options, folds);
  MemoryStore store;
  options.answers = &store;
  for (int run = 0; run < 2; ++run) {
    const sx::CrossValidationResult found =
        sx::cross_validate(design, {.targets = problem.targets}, options, folds);
    EXPECT_EQ(found.path.coefficients, plain.path.coefficients);
    EXPECT_EQ(found.scores, plain.scores);
    EXPECT_EQ(found.model.coefficients, plain.model.coefficients);
  }
  EXPECT_GT(store.found, 0);
}

/// A pass whose answers contain the number of their request.
class LabelledPass final : public glm::WalkingPass {
 public:
  [[nodiscard]] std::int64_t rows() const override { return 100; }
  [[nodiscard]] std::int64_t columns() const override { return 1; }
  [[nodiscard]] const std::vector<sx::Term>& terms() const override { return m_terms; }
  [[nodiscard]] const sx::DesignMatrixChoice& choice() const override { return m_choice; }
  [[nodiscard]] glm::PassCost cost() const override { return {}; }
  [[nodiscard]] std::span<const std::uint64_t> valid() override { return {}; }
  void evaluate(const glm::RowLoss& /*loss*/, const glm::Observed& /*observed*/,
                std::span<const glm::Request> requests, glm::Arithmetic /*arithmetic*/,
                std::int64_t /*every*/, std::span<glm::Sums> sums) override {
    for (std::size_t i = 0; i < requests.size(); ++i) {
      sums[i].loss = 100 * static_cast<double>(requests[i].rows.target) + requests[i].parameters[0];
      sums[i].weight = 1;
      sums[i].gradient = {requests[i].parameters[0], requests[i].parameters[1]};
    }
    evaluated.push_back(requests.size());
  }
  void gram(const glm::Observed& /*observed*/, const glm::RowsOf& rows,
            glm::Arithmetic /*arithmetic*/, double* result) override {
    for (int i = 0; i < 4; ++i) result[i] = static_cast<double>(rows.target) + i;
    ++grams;
  }
  void hessian_rows(const glm::RowLoss& /*loss*/, const glm::Observed& /*observed*/,
                    const glm::Request& /*request*/, sx::Range columns, double* result) override {
    for (std::int64_t i = 0; i < columns.size() * 2; ++i) result[i] = 7;
  }
  void gram_rows(const glm::Observed& /*observed*/, const glm::RowsOf& /*rows*/, sx::Range columns,
                 double* result) override {
    for (std::int64_t i = 0; i < columns.size() * 2; ++i) result[i] = 8;
  }
  void apply(const double* /*coefficients*/, std::int64_t /*n*/, sx::Range /*rows*/,
             double* /*predictors*/) override {}
  void apply_adjoint(const sx::Strided& /*residuals*/, double* /*sums*/) override {}

  /// A single predictor is multiplied by a separate form.
  [[nodiscard]] std::uint64_t way_of_products(glm::Arithmetic /*arithmetic*/,
                                              std::int64_t predictors) const override {
    return predictors == 1 ? 1 : 0;
  }

  std::vector<std::size_t> evaluated;
  int grams = 0;

 private:
  std::vector<sx::Term> m_terms;
  sx::DesignMatrixChoice m_choice;
};

class NothingObserved final : public glm::Observed {
 public:
  [[nodiscard]] std::int64_t rows() const override { return 100; }
  [[nodiscard]] std::int64_t targets() const override { return 2; }
  [[nodiscard]] bool has_offset() const override { return false; }
  void read_targets(std::int64_t, sx::Range, double*) const override {}
  void read_weights(const glm::RowsOf&, sx::Range, double*) const override {}
  void read_offsets(std::int64_t, sx::Range, double*) const override {}
};

TEST(RememberedPass, EveryPartOfAQuestionCounts) {
  LabelledPass pass;
  MemoryStore store;
  glm::RememberedPass remembered(pass, store);
  const NothingObserved observed;
  glm::RowLoss loss;
  const auto ask = [&](const glm::Request& request, glm::Arithmetic arithmetic,
                       std::int64_t every) {
    glm::Sums sums;
    remembered.evaluate(loss, observed, {&request, 1}, arithmetic, every, {&sums, 1});
    return sums;
  };
  const double point[] = {1, 2};
  const double other_point[] = {2, 1};
  const glm::Request plain{.parameters = point};
  std::vector<glm::Request> requests(8, plain);
  requests[1].parameters = other_point;
  requests[2].rows.target = 1;
  requests[3].rows.folds = glm::RowsOf::Fold::without;
  requests[4].rows.folds = glm::RowsOf::Fold::only;
  requests[5].rows = {.target = 0, .folds = glm::RowsOf::Fold::without, .fold = 1};
  requests[6].dispersion = 2;
  requests[7].wants_hessian = true;
  for (const glm::Request& request : requests) {
    ask(request, glm::Arithmetic::double_products, 1);
  }
  ask(plain, glm::Arithmetic::float_products, 1);
  ask(plain, glm::Arithmetic::double_products, 8);
  loss.loss.family = sx::Family::bernoulli;
  ask(plain, glm::Arithmetic::double_products, 1);
  EXPECT_EQ(store.answers.size(), 11U);
  EXPECT_EQ(store.found, 0);
  EXPECT_EQ(ask(plain, glm::Arithmetic::double_products, 1).gradient, std::vector<double>({1, 2}));
  EXPECT_EQ(store.found, 1);
}

// Passes with one request and with several requests round differently, so their results differ,
// although the point is the same.
TEST(RememberedPass, AnswersOfOtherProductsAreNotTaken) {
  LabelledPass pass;
  MemoryStore store;
  glm::RememberedPass remembered(pass, store);
  const NothingObserved observed;
  const glm::RowLoss loss;
  const double point[] = {1, 2};
  const auto ask = [&](std::size_t count, std::int64_t together) {
    const std::vector<glm::Request> requests(
        count, glm::Request{.parameters = point, .together = together});
    std::vector<glm::Sums> sums(count);
    remembered.evaluate(loss, observed, requests, glm::Arithmetic::double_products, 1, sums);
  };
  ask(1, 0);
  ask(1, 5);
  EXPECT_EQ(store.answers.size(), 2U);
  ask(2, 0);
  ask(1, 7);
  ask(2, 1);
  EXPECT_EQ(store.answers.size(), 2U) << "how many there are counts where it decides";
  EXPECT_EQ(pass.evaluated, (std::vector<std::size_t>{1, 1}));
}

/// A dense pass reports which of its passes round in the same way: a store with the answer of a
/// single point must not return it if the point is evaluated with others.
TEST(RememberedPass, OfADensePassHasTheBitsOfEachWay) {
  const Problem problem;
  const sx::DesignMatrix design = problem.design();
  const sx::Observations observations{.targets = problem.targets};
  const glm::ObservedArrays observed(observations, Problem::rows);
  const glm::RowLoss loss =
      glm::bind({}, synelix::tile::select_set(design.pass().choice().instruction_set));
  std::vector<double> point;
  for (std::int64_t j = 0; j <= Problem::columns; ++j) {
    point.push_back(0.1 + 0.037 * static_cast<double>(j));
  }
  for (const auto arithmetic :
       {glm::Arithmetic::float_products, glm::Arithmetic::double_products}) {
    const auto gradient = [&](glm::Pass& pass, std::int64_t together) {
      const glm::Request request{.parameters = point.data(), .together = together};
      glm::Sums sums;
      pass.evaluate(loss, observed, {&request, 1}, arithmetic, 1, {&sums, 1});
      return sums.gradient;
    };
    const std::vector<double> alone = gradient(design.pass(), 1);
    const std::vector<double> beside = gradient(design.pass(), 64);
    ASSERT_NE(alone, beside) << "the two ways round differently";
    MemoryStore store;
    glm::RememberedPass remembered(design.pass(), store);
    EXPECT_EQ(gradient(remembered, 1), alone);
    EXPECT_EQ(gradient(remembered, 64), beside);
    EXPECT_EQ(gradient(remembered, 1), alone);
    EXPECT_EQ(store.found, 1);
  }
}

TEST(RememberedPass, WalksOfKnownRequestsAreLeftOut) {
  LabelledPass pass;
  MemoryStore store;
  glm::RememberedPass remembered(pass, store);
  const NothingObserved observed;
  const glm::RowLoss loss;
  std::vector<std::vector<double>> points;
  for (double i = 0; i < 6; ++i) points.push_back({i, -i});
  const auto walk = [&](const std::vector<std::size_t>& wanted) {
    std::vector<glm::Request> requests;
    for (const std::size_t i : wanted) requests.push_back({.parameters = points[i].data()});
    std::vector<glm::Sums> sums(wanted.size());
    remembered.evaluate(loss, observed, requests, glm::Arithmetic::double_products, 1, sums);
    for (std::size_t k = 0; k < wanted.size(); ++k) EXPECT_EQ(sums[k].gradient, points[wanted[k]]);
  };
  walk({0, 2, 4});
  walk({0, 1, 2, 3, 4, 5});
  walk({5, 1});
  EXPECT_EQ(pass.evaluated, (std::vector<std::size_t>{3, 6})) << "a walk is made whole, or not";
  store.answers.begin()->second.resize(20);  // values that cannot be sums need a pass
  walk({0, 1, 2, 3, 4, 5});
  EXPECT_EQ(pass.evaluated, (std::vector<std::size_t>{3, 6, 6}));
  double gram[4] = {};
  double again[4] = {};
  remembered.gram(observed, {}, glm::Arithmetic::double_products, gram);
  remembered.gram(observed, {}, glm::Arithmetic::double_products, again);
  EXPECT_THAT(again, testing::ElementsAreArray(gram));
  EXPECT_EQ(pass.grams, 1);
  remembered.gram(observed, {}, glm::Arithmetic::float_products, again);
  EXPECT_EQ(pass.grams, 2) << "an answer in float is another one";
  double rows[2] = {};
  remembered.gram_rows(observed, {}, {0, 1}, rows);
  EXPECT_EQ(rows[0], 8);
}

}  // namespace
}  // namespace remembered_pass_tests
