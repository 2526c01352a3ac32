// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "glm/design/row_weights.hpp"
#include "glm/device_bench.hpp"

#include <gmock/gmock.h>
#include <Kokkos_Core.hpp>

#include <set>

// Products of a design on a device with vectors and weights, against those of the host.

namespace device_products_tests {
namespace {

using namespace device_bench;

std::vector<double> random_values(std::int64_t count) {
  std::mt19937_64 random(11);
  std::normal_distribution<double> normal;
  std::vector<double> values;
  for (std::int64_t i = 0; i < count; ++i) values.push_back(normal(random));
  return values;
}

TEST(DeviceProducts, AppliesToVectors) {
  const Problem<float> problem(1300, 67, 1);
  const DesignMatrix host(Space(), problem.matrix());
  for (const std::int64_t n : {1, 3, 66}) {
    const std::vector<double> vectors = random_values(problem.p * n);
    for (const Range rows : {Range{0, problem.n}, Range{600, 1000}, Range{1299, 1300}}) {
      Runs runs;
      const auto pass = pass_over(problem.matrix(), runs);
      std::vector<double> found(at(rows.size() * n), 1e9);
      std::vector<double> wanted(found);
      pass->apply(vectors.data(), n, rows, found.data());
      host.pass().apply(vectors.data(), n, rows, wanted.data());
      for (std::size_t i = 0; i < found.size(); ++i) {
        ASSERT_EQ(std::isnan(found[i]), std::isnan(wanted[i])) << i;
        if (std::isnan(wanted[i])) continue;
        ASSERT_NEAR(found[i], wanted[i], 1e-13 * 67) << i;
      }
    }
  }
}

/// Residuals of invalid rows are not read.
TEST(DeviceProducts, AppliesTransposed) {
  const Problem<double> problem(1300, 67, 1);
  const DesignMatrix host(Space(), problem.matrix());
  for (const std::int64_t n : {1, 5}) {
    std::vector<double> residuals = random_values(problem.n * n);
    residuals[at(3 * n)] = std::numeric_limits<double>::quiet_NaN();
    std::vector<double> found(at(problem.p * n), 1e9);
    std::vector<double> wanted(found);
    host.pass().apply_adjoint(Strided(residuals.data(), {problem.n, n}), wanted.data());
    Runs runs;
    pass_over(problem.matrix(), runs)
        ->apply_adjoint(Strided(residuals.data(), {problem.n, n}), found.data());
    EXPECT_TRUE(are_near(found, wanted, 40.0, 1e-13));
  }
}

TEST(DeviceProducts, GivesGramMatricesAndRowsOfThem) {
  const Problem<double> problem(1200, 70, 1);
  const DesignMatrix host(Space(), problem.matrix());
  const std::int64_t size = problem.p + 1;
  const glm::RowWeights ones(problem.n);
  const glm::RowWeights weights(problem.n, Strided(problem.weights.data(), {problem.n}));
  for (const glm::RowWeights* const observed : {&ones, &weights}) {
    Runs runs;
    const auto pass = pass_over(problem.matrix(), runs);
    std::vector<double> found(at(size * size), 1e9);
    std::vector<double> wanted(found);
    pass->gram(*observed, {.target = -1}, glm::Arithmetic::float_products, found.data());
    host.pass().gram(*observed, {.target = -1}, glm::Arithmetic::float_products, wanted.data());
    EXPECT_TRUE(are_near(found, wanted, largest_of(wanted), 1e-13));
    for (const Range rows : {Range{0, 1}, Range{17, 40}, Range{60, size}, Range{70, 71}}) {
      std::vector<double> some(at(rows.size() * size), 1e9);
      pass->gram_rows(*observed, {.target = -1}, rows, some.data());
      EXPECT_TRUE(are_near(some,
                           {wanted.begin() + rows.begin * size, wanted.begin() + rows.end * size},
                           largest_of(wanted), 1e-13));
    }
  }
}

/// Columns that are contiguous, as is natural on a device, and numbers after the last one.
TEST(DeviceProducts, ReadsNothingBehindTheLastColumn) {
  for (const std::int64_t p : {10, 20, 64}) {
    SCOPED_TRACE(p);
    const Problem<float> problem(1200, p, 1);
    std::vector<float> columns(at(problem.n * (p + 2)), 999.0F);
    for (std::int64_t t = 0; t < problem.n; ++t) {
      for (std::int64_t j = 0; j < p; ++j)
        columns[at(j * problem.n + t)] = problem.x[at(t * p + j)];
    }
    const DesignMatrix host(Space(), problem.matrix());
    const glm::RowWeights ones(problem.n);
    std::vector<double> found(at((p + 1) * (p + 1)), 1e9);
    std::vector<double> wanted(found);
    Runs runs;
    pass_over(Strided(columns.data(), {problem.n, p}, {1, problem.n}), runs)
        ->gram_rows(ones, {.target = -1}, {0, p + 1}, found.data());
    host.pass().gram_rows(ones, {.target = -1}, {0, p + 1}, wanted.data());
    EXPECT_TRUE(are_near(found, wanted, largest_of(wanted), 1e-13));
  }
}

/// Each sum of a symmetric product has a separate place.
TEST(DeviceProducts, HasOnePlaceForEachSum) {
  for (const std::int64_t size : {1, 7, 63, 64, 65, 128, 129, 200, 330}) {
    SCOPED_TRACE(size);
    const auto triangle = sweep::DeviceTriangle::of(size);
    std::set<std::int64_t> places;
    for (std::int64_t i = 0; i <= size; ++i) {
      for (std::int64_t j = i; j <= size; ++j) places.insert(triangle.place(i, j));
    }
    EXPECT_EQ(std::ssize(places), (size + 1) * (size + 2) / 2);
    EXPECT_GE(*places.begin(), 0);
    EXPECT_LT(*places.rbegin(), triangle.values());
    for (std::int64_t part = 0; part < triangle.parts(); ++part) {
      const sweep::DeviceTriangle::Part found = triangle.part_of(part);
      EXPECT_EQ(triangle.place(found.row * 64 + 1, found.column * 64),
                triangle.place_of_part(part) + 64)
          << part;
    }
  }
}

TEST(DeviceProducts, GivesRowsOfHessians) {
  const Problem<double> problem(1100, 7, 1);
  const glm::ObservedArrays observed = problem.observed(Observations::Rows::common);
  const DesignMatrix host(Space(), problem.matrix());
  const Loss loss{Family::gaussian, InverseLink::softplus};
  const glm::RowLoss bound = glm::bind(loss, host.choice().instruction_set);
  const Sides sides(1, problem.p, 1, loss);
  Runs runs;
  const auto pass = pass_over(problem.matrix(), runs);
  for (const Range rows : {Range{0, 8}, Range{3, 5}, Range{7, 8}}) {
    std::vector<double> found(at(rows.size() * 8), 1e9);
    std::vector<double> wanted(found);
    pass->hessian_rows(bound, observed, sides.requests[0], rows, found.data());
    host.pass().hessian_rows(bound, observed, sides.requests[0], rows, wanted.data());
    EXPECT_TRUE(are_near(found, wanted, largest_of(wanted), 1e-13));
  }
}

/// Matrices of other types and layouts are read in place.
TEST(DeviceProducts, TakesStoredMatricesOfAnyLayout) {
  constexpr std::int64_t n = 700;
  constexpr std::int64_t p = 21;
  std::mt19937_64 random(2);
  std::vector<std::int16_t> integers;
  std::vector<double> by_rows;
  for (std::int64_t i = 0; i < n * p; ++i) {
    integers.push_back(static_cast<std::int16_t>(random() % 200));
    by_rows.push_back(integers.back() * 0.5 - 3.0);
  }
  std::vector<double> by_columns(by_rows.size());
  for (std::int64_t t = 0; t < n; ++t) {
    for (std::int64_t j = 0; j < p; ++j) by_columns[at(j * n + t)] = by_rows[at(t * p + j)];
  }
  const std::vector<double> residuals = random_values(n);
  std::vector<double> first;
  std::vector<double> first_gram;
  for (const Operand& matrix : {Operand(Strided(by_rows.data(), {n, p})),
                                Operand(Strided(by_columns.data(), {n, p}, {1, n})),
                                Operand(scaled(Strided(integers.data(), {n, p}), 0.5, -3.0))}) {
    Runs runs;
    const auto pass = pass_over(matrix, runs);
    std::vector<double> found(at(p));
    pass->apply_adjoint(Strided(residuals.data(), {n}), found.data());
    if (first.empty()) {
      const DesignMatrix host(Space(), matrix);
      std::vector<double> wanted(at(p));
      host.pass().apply_adjoint(Strided(residuals.data(), {n}), wanted.data());
      EXPECT_TRUE(are_near(found, wanted, largest_of(wanted), 1e-12));
      first = found;
    }
    EXPECT_THAT(found, testing::ContainerEq(first));
    std::vector<double> gram(at((p + 1) * (p + 1)));
    pass->gram(glm::RowWeights(n), {.target = -1}, glm::Arithmetic::double_products, gram.data());
    if (first_gram.empty()) {
      std::vector<double> wanted(gram.size());
      DesignMatrix(Space(), matrix)
          .pass()
          .gram(glm::RowWeights(n), {.target = -1}, glm::Arithmetic::double_products,
                wanted.data());
      EXPECT_TRUE(are_near(gram, wanted, largest_of(wanted), 1e-12));
      first_gram = gram;
    }
    EXPECT_THAT(gram, testing::ContainerEq(first_gram));
  }
}

TEST(DeviceProducts, FindsValidRows) {
  const Problem<float> problem(9000, 4, 1);
  Runs runs;
  const DesignMatrix device(pass_over(problem.matrix(), runs));
  const DesignMatrix host(Space(), problem.matrix());
  EXPECT_THAT(device.valid_rows(), testing::ContainerEq(host.valid_rows()));
  EXPECT_EQ(device.choice().source, RowSource::stored);
}

}  // namespace
}  // namespace device_products_tests
