// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "glm/pass/pass.hpp"
#include "glm/rows/observed_arrays.hpp"

#include <synelix/design_matrix.hpp>
#include <synelix/error.hpp>

#include <gmock/gmock.h>
#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

// Sums of the dense pass against loops in double that take one row after the other.

namespace dense_pass_tests {
namespace {

using namespace synelix;
using Space = Kokkos::DefaultHostExecutionSpace;

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

/// A design with invalid rows, and its observations.
template <class Feature>
struct Problem {
  std::int64_t n;
  std::int64_t p;
  std::int64_t targets;
  std::vector<Feature> x;
  std::vector<double> y;
  std::vector<double> offset;
  std::vector<double> weights;
  std::vector<std::uint8_t> folds;

  Problem(std::int64_t rows, std::int64_t columns, std::int64_t count)
      : n(rows), p(columns), targets(count) {
    std::mt19937_64 random(5);
    std::normal_distribution<double> normal;
    for (std::int64_t i = 0; i < n * p; ++i)
      x.push_back(static_cast<Feature>(0.3 * normal(random)));
    for (const std::int64_t t : {std::int64_t{3}, n / 2, n - 1}) {
      x[at(t * p + t % p)] = t == 3 ? std::numeric_limits<Feature>::infinity()
                                    : std::numeric_limits<Feature>::quiet_NaN();
    }
    for (std::int64_t i = 0; i < n * targets; ++i) y.push_back(static_cast<double>(random() % 3));
    y[at(7 * targets)] = std::numeric_limits<double>::quiet_NaN();  // of target 0
    for (std::int64_t i = 0; i < n; ++i) {
      offset.push_back(0.1 * normal(random));
      weights.push_back(static_cast<double>(random() % 4) / 2);
      folds.push_back(static_cast<std::uint8_t>(i * 3 / n));
    }
  }

  [[nodiscard]] DesignMatrix design(const DesignMatrixOptions& options = {}) const {
    return {Space(), Strided(x.data(), {n, p}), options};
  }
  [[nodiscard]] Observations observations(Observations::Rows rows) const {
    return {.targets = Strided(y.data(), {n, targets}),
            .offset = Strided(offset.data(), {n}),
            .row_weights = Strided(weights.data(), {n}),
            .rows = rows};
  }
  [[nodiscard]] double weight(std::int64_t t, const glm::RowsOf& rows, bool is_own) const {
    for (std::int64_t j = 0; j < p; ++j) {
      if (!std::isfinite(x[at(t * p + j)])) return 0;
    }
    for (std::int64_t k = 0; k < targets; ++k) {
      if ((!is_own || k == rows.target) && !std::isfinite(y[at(t * targets + k)])) return 0;
    }
    const bool is_fold = folds[at(t)] == rows.fold;
    if (rows.folds == glm::RowsOf::Fold::only && !is_fold) return 0;
    if (rows.folds == glm::RowsOf::Fold::without && is_fold) return 0;
    return weights[at(t)];
  }
};

/// Poisson with the exponential link, or softmax.
template <class Feature>
glm::Sums expected(const Problem<Feature>& problem, const glm::Request& request, bool is_own,
                   std::int64_t classes, std::int64_t every) {
  const std::int64_t p = problem.p;
  const auto n = at((p + 1) * classes);
  glm::Sums sums;
  sums.gradient.assign(n, 0.0);
  sums.scale.assign(n, 0.0);
  sums.hessian.assign(n * n, 0.0);
  for (std::int64_t t = 0; t < problem.n; ++t) {
    const double w = problem.weight(t, request.rows, is_own);
    if (w == 0 || t / 512 % every != 0) continue;
    std::vector<double> row;
    for (std::int64_t j = 0; j < p; ++j) {
      row.push_back(static_cast<double>(problem.x[at(t * p + j)]));
    }
    row.push_back(1.0);
    std::vector<double> eta(at(classes), problem.offset[at(t)]);
    for (std::int64_t j = 0; j <= p; ++j) {
      for (std::int64_t c = 0; c < classes; ++c) {
        eta[at(c)] += row[at(j)] * request.parameters[j * classes + c];
      }
    }
    const double y = problem.y[at(t * problem.targets + request.rows.target)];
    std::vector<double> mu(eta);
    double sum = 0;
    for (double& value : mu) sum += value = std::exp(value);
    if (classes > 1) {
      for (double& value : mu) value /= sum;
    }
    const auto label = static_cast<std::int64_t>(y);
    sums.loss += classes > 1 ? -w * std::log(mu[at(label)]) : w * (mu[0] - y * eta[0]);
    sums.weight += w;
    for (std::int64_t c = 0; c < classes; ++c) {
      const double target = classes > 1 ? (label == c ? 1.0 : 0.0) : y;
      const double residual = w * (mu[at(c)] - target);
      for (std::int64_t j = 0; j <= p; ++j) {
        sums.gradient[at(j * classes + c)] += residual * row[at(j)];
        sums.scale[at(j * classes + c)] += std::abs(residual * row[at(j)]);
      }
      for (std::int64_t d = 0; d < classes; ++d) {
        const double curvature =
            classes > 1 ? w * mu[at(c)] * ((c == d ? 1.0 : 0.0) - mu[at(d)]) : w * mu[0];
        for (std::int64_t i = 0; i <= p; ++i) {
          for (std::int64_t j = 0; j <= p; ++j) {
            sums.hessian[at(i * classes + c) * n + at(j * classes + d)] +=
                curvature * row[at(i)] * row[at(j)];
          }
        }
      }
    }
  }
  return sums;
}

void expect_near(const std::string& name, const std::vector<double>& found,
                 const std::vector<double>& wanted, double relative) {
  ASSERT_EQ(found.size(), wanted.size()) << name;
  double largest = 0;
  for (const double value : wanted) largest = std::max(largest, std::abs(value));
  for (std::size_t i = 0; i < found.size(); ++i) {
    ASSERT_NEAR(found[i], wanted[i], relative * largest) << name << " " << i;
  }
}

struct Setting {
  std::int64_t sides = 1;
  bool is_own = false;
  std::int64_t classes = 1;
  std::int64_t every = 1;
  glm::Arithmetic arithmetic = glm::Arithmetic::double_products;
  std::optional<std::int64_t> budget = {};
};

template <class Feature>
void check(const Problem<Feature>& problem, const Setting& setting) {
  SCOPED_TRACE(std::to_string(setting.sides) + " sides, " + std::to_string(setting.classes) +
               " classes, every " + std::to_string(setting.every));
  const DesignMatrix design = problem.design({.budget = setting.budget});
  const auto rows = setting.is_own ? Observations::Rows::own : Observations::Rows::common;
  const glm::ObservedArrays observed(problem.observations(rows), problem.n, problem.folds);
  Loss loss;
  if (setting.classes > 1) loss.family = Family::categorical;
  loss.classes = setting.classes;
  const glm::RowLoss bound = glm::bind(loss, design.choice().instruction_set);
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal;
  std::vector<std::vector<double>> parameters(at(setting.sides));
  std::vector<glm::Request> requests;
  for (std::int64_t s = 0; s < setting.sides; ++s) {
    for (std::int64_t j = 0; j < (problem.p + 1) * setting.classes; ++j) {
      parameters[at(s)].push_back(0.3 * normal(random));
    }
    glm::Request request;
    request.parameters = parameters[at(s)].data();
    request.rows.target = s % problem.targets;
    request.rows.folds = static_cast<glm::RowsOf::Fold>(s % 3);
    request.rows.fold = static_cast<int>(s / 3 % 3);
    request.wants_hessian = s % 4 < 2;
    request.wants_scale = s % 5 == 0;
    requests.push_back(request);
  }
  std::vector<glm::Sums> sums(requests.size());
  design.pass().evaluate(bound, observed, requests, setting.arithmetic, setting.every, sums);
  const bool is_float =
      setting.arithmetic == glm::Arithmetic::float_products && sizeof(Feature) == sizeof(float);
  const double tolerance = is_float ? 3e-6 : 1e-12;
  for (std::size_t s = 0; s < sums.size(); ++s) {
    SCOPED_TRACE("side " + std::to_string(s));
    const glm::Sums wanted =
        expected(problem, requests[s], setting.is_own, setting.classes, setting.every);
    ASSERT_GT(wanted.weight, 0);
    EXPECT_NEAR(sums[s].weight, wanted.weight, 1e-12 * wanted.weight);
    EXPECT_NEAR(sums[s].loss, wanted.loss, tolerance * std::abs(wanted.loss));
    // Residuals cancel in a gradient: its errors are those of its scale.
    double largest = 0;
    for (const double value : wanted.scale) largest = std::max(largest, value);
    ASSERT_EQ(sums[s].gradient.size(), wanted.gradient.size());
    for (std::size_t j = 0; j < wanted.gradient.size(); ++j) {
      ASSERT_NEAR(sums[s].gradient[j], wanted.gradient[j], tolerance * largest) << j;
    }
    if (requests[s].wants_scale) {
      expect_near("scale", sums[s].scale, wanted.scale, tolerance);
    } else {
      EXPECT_TRUE(sums[s].scale.empty());
    }
    if (requests[s].wants_hessian) {
      expect_near("hessian", sums[s].hessian, wanted.hessian, tolerance);
    } else {
      EXPECT_TRUE(sums[s].hessian.empty());
    }
  }
}

TEST(DensePass, EvaluatesManySides) {
  const Problem<double> doubles(9000, 5, 2);
  const Problem<float> floats(9000, 5, 2);
  for (const std::int64_t sides : {1, 3, 19}) {
    for (const bool is_own : {false, true}) {
      check(doubles, {.sides = sides, .is_own = is_own});
      check(floats, {.sides = sides, .is_own = is_own});
      check(floats,
            {.sides = sides, .is_own = is_own, .arithmetic = glm::Arithmetic::float_products});
    }
    check(doubles, {.sides = sides, .every = 3});
  }
}

TEST(DensePass, EvaluatesManyColumnsAndGroups) {
  const Problem<float> wide(700, 117, 3);
  check(wide, {.sides = 1});
  check(wide, {.sides = 2, .arithmetic = glm::Arithmetic::float_products});
  const Problem<double> groups(1100, 4, 3);
  check(groups, {.sides = 131, .is_own = true});
}

TEST(DensePass, EvaluatesClasses) {
  const Problem<double> doubles(1500, 4, 2);
  const Problem<float> floats(1500, 19, 2);
  for (const std::int64_t sides : {1, 12}) {
    check(doubles, {.sides = sides, .classes = 3});
    check(floats, {.sides = sides, .classes = 3});
  }
}

TEST(DensePass, GivesRowsOfHessians) {
  const Problem<double> problem(1200, 61, 1);
  const DesignMatrix design = problem.design();
  const glm::ObservedArrays observed(problem.observations(Observations::Rows::common), problem.n);
  const glm::RowLoss loss = glm::bind({}, design.choice().instruction_set);
  const std::vector<double> parameters(at(problem.p + 1), 0.05);
  glm::Request request;
  request.parameters = parameters.data();
  request.wants_hessian = true;
  glm::Sums sums;
  design.pass().evaluate(loss, observed, {&request, 1}, glm::Arithmetic::double_products, 1,
                         {&sums, 1});
  const std::int64_t size = problem.p + 1;
  std::vector<double> gram(at(size * size));
  design.pass().gram(observed, {}, glm::Arithmetic::float_products, gram.data());
  for (const Range rows : {Range{0, 1}, Range{17, 40}, Range{55, size}, Range{size - 1, size}}) {
    std::vector<double> some(at(rows.size() * size));
    design.pass().hessian_rows(loss, observed, request, rows, some.data());
    expect_near("hessian", some,
                {sums.hessian.begin() + rows.begin * size, sums.hessian.begin() + rows.end * size},
                1e-13);
    design.pass().gram_rows(observed, {}, rows, some.data());
    expect_near("gram", some, {gram.begin() + rows.begin * size, gram.begin() + rows.end * size},
                1e-13);
  }
}

/// Matrices of other types and layouts hold the same values.
TEST(DensePass, TakesStoredMatricesOfAnyLayout) {
  constexpr std::int64_t n = 900;
  constexpr std::int64_t p = 21;
  std::mt19937_64 random(2);
  std::vector<std::int16_t> integers;
  std::vector<double> by_rows;
  for (std::int64_t i = 0; i < n * p; ++i) {
    integers.push_back(static_cast<std::int16_t>(random() % 200));
    by_rows.push_back(integers.back() * 0.5 - 3.0);
  }
  std::vector<double> by_columns(by_rows.size());
  std::vector<double> backwards(by_rows.size());
  for (std::int64_t t = 0; t < n; ++t) {
    for (std::int64_t j = 0; j < p; ++j) {
      by_columns[at(j * n + t)] = by_rows[at(t * p + j)];
      backwards[at((n - 1 - t) * p + j)] = by_rows[at(t * p + j)];
    }
  }
  const Space exec;
  const DesignMatrix designs[] = {{exec, Strided(by_rows.data(), {n, p})},
                                  {exec, Strided(by_columns.data(), {n, p}, {1, n})},
                                  {exec, Strided(backwards.data() + (n - 1) * p, {n, p}, {-p, 1})},
                                  {exec, scaled(Strided(integers.data(), {n, p}), 0.5, -3.0)}};
  std::vector<double> residuals;
  for (std::int64_t t = 0; t < n; ++t) residuals.push_back(static_cast<double>(t % 7) - 3);
  std::vector<double> wanted(at(p), 0.0);
  for (std::int64_t t = 0; t < n; ++t) {
    for (std::int64_t j = 0; j < p; ++j) wanted[at(j)] += residuals[at(t)] * by_rows[at(t * p + j)];
  }
  for (const DesignMatrix& design : designs) {
    std::vector<float> found(at(p));
    design.apply_adjoint(Strided(residuals.data(), {n}), StridedOutput(found.data(), {p}));
    for (std::int64_t j = 0; j < p; ++j) {
      EXPECT_FLOAT_EQ(found[at(j)], static_cast<float>(wanted[at(j)]));
    }
    EXPECT_EQ(design.valid_rows(), (std::vector<Range>{{0, n}}));
    EXPECT_EQ(design.choice().source, RowSource::stored);
  }
}

TEST(DensePass, TakesCountsOfEvents) {
  const Problem<double> problem(600, 3, 1);
  const DesignMatrix design = problem.design();
  Events::Train train;
  std::vector<double> counts(600, 0.0);
  for (std::int64_t t = 2; t < 600; t += 11) {
    train.samples.push_back(t);
    train.counts.push_back(static_cast<float>(t % 3 + 1));
    counts[at(t)] = static_cast<double>(t % 3 + 1);
  }
  const Events events(600, {train}, {{0, 100}, {150, 600}});
  for (std::int64_t t = 100; t < 150; ++t) counts[at(t)] = std::numeric_limits<double>::quiet_NaN();
  const std::vector<RightHandSide> sides{{0, {0.1, -0.2, 0.3, -1.0}, true}};
  const auto of_events = design.evaluate({}, {.targets = events}, sides);
  const auto of_array = design.evaluate({}, {.targets = Strided(counts.data(), {600})}, sides);
  EXPECT_EQ(of_events[0].loss, of_array[0].loss);
  EXPECT_EQ(of_events[0].weight, of_array[0].weight);
  EXPECT_EQ(of_events[0].gradient, of_array[0].gradient);
  EXPECT_EQ(of_events[0].hessian, of_array[0].hessian);
}

}  // namespace
}  // namespace dense_pass_tests
