// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "glm/algebra/cholesky.hpp"
#include "glm/algebra/semidefinite.hpp"
#include "tile/select.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

namespace algebra_tests {
namespace {

namespace glm = synelix::glm;

const glm::Tiles& tiles() {
  return synelix::tile::table_of<double>(
      synelix::tile::select_set(synelix::InstructionSet::automatic));
}

std::vector<double> normals(std::int64_t count, unsigned seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  std::vector<double> values(count);
  for (double& value : values) value = normal(random);
  return values;
}

/// X'X of a (rows, n) matrix.
std::vector<double> gram_of(const std::vector<double>& x, std::int64_t rows, std::int64_t n) {
  std::vector<double> gram(n * n, 0.0);
  for (std::int64_t t = 0; t < rows; ++t) {
    for (std::int64_t i = 0; i < n; ++i) {
      for (std::int64_t j = 0; j < n; ++j) gram[i * n + j] += x[t * n + i] * x[t * n + j];
    }
  }
  return gram;
}

TEST(Algebra, CholeskyMultipliesBack) {
  for (const std::int64_t n : {1, 2, 15, 16, 17, 48, 49, 130, 261}) {
    const std::int64_t row = n + 3;
    const std::vector<double> gram = gram_of(normals((n + 5) * n, 1), n + 5, n);
    std::vector<double> factor(n * row, 7.0);
    for (std::int64_t i = 0; i < n; ++i) std::copy_n(&gram[i * n], n, &factor[i * row]);
    ASSERT_EQ(glm::factor_cholesky(tiles(), n, factor.data(), row), -1);
    double worst = 0;
    for (std::int64_t i = 0; i < n; ++i) {
      for (std::int64_t j = 0; j <= i; ++j) {
        double sum = 0;
        for (std::int64_t k = 0; k <= j; ++k) sum += factor[i * row + k] * factor[j * row + k];
        worst = std::max(worst, std::fabs(sum - gram[i * n + j]));
      }
      EXPECT_EQ(factor[i * row + n], 7.0);
    }
    EXPECT_LE(worst, 1e-14 * static_cast<double>(n * n + 20));

    const std::int64_t columns = 5;
    const std::vector<double> x = normals(n * columns, 2);
    std::vector<double> b(n * columns, 0.0);
    for (std::int64_t i = 0; i < n; ++i) {
      for (std::int64_t k = 0; k < n; ++k) {
        for (std::int64_t c = 0; c < columns; ++c) {
          b[i * columns + c] += gram[i * n + k] * x[k * columns + c];
        }
      }
    }
    std::vector<double> one(n);
    for (std::int64_t i = 0; i < n; ++i) one[i] = b[i * columns];
    glm::solve_cholesky(n, factor.data(), row, one.data());
    glm::solve_cholesky(tiles(), n, factor.data(), row, b.data(), columns);
    for (std::int64_t i = 0; i < n; ++i) {
      EXPECT_NEAR(one[i], x[i * columns], 1e-7);
      for (std::int64_t c = 0; c < columns; ++c) {
        EXPECT_NEAR(b[i * columns + c], x[i * columns + c], 1e-7);
      }
    }
  }
}

TEST(Algebra, CholeskyNamesThePivotThatFails) {
  const std::int64_t n = 70;
  for (const std::int64_t bad : {0, 15, 16, 40, 69}) {
    std::vector<double> matrix(n * n, 0.0);
    for (std::int64_t i = 0; i < n; ++i) matrix[i * n + i] = i == bad ? -1 : 2;
    EXPECT_EQ(glm::factor_cholesky(tiles(), n, matrix.data(), n), bad);
  }
  double nan = std::nan("");
  EXPECT_EQ(glm::factor_cholesky(tiles(), 1, &nan, 1), 0);
}

TEST(Algebra, EigenvectorsMakeTheMatrixDiagonal) {
  for (const std::int64_t n : {1, 2, 3, 8, 40, 120}) {
    std::vector<double> matrix = gram_of(normals(n / 2 * n + n, 3), n / 2 + 1, n);
    matrix[0] -= 3;  // some values are 0, one may be negative
    const glm::Eigen eigen = glm::eigen_of(n, matrix);
    EXPECT_TRUE(std::is_sorted(eigen.values.begin(), eigen.values.end()));
    double worst = 0;
    for (std::int64_t i = 0; i < n; ++i) {
      for (std::int64_t j = 0; j < n; ++j) {
        double sum = 0;
        double unit = 0;
        for (std::int64_t k = 0; k < n; ++k) {
          sum += eigen.values[k] * eigen.vectors[k * n + i] * eigen.vectors[k * n + j];
          unit += eigen.vectors[i * n + k] * eigen.vectors[j * n + k];
        }
        worst = std::max(worst, std::fabs(sum - matrix[i * n + j]));
        worst = std::max(worst, std::fabs(unit - (i == j ? 1 : 0)));
      }
    }
    EXPECT_LE(worst, 1e-13 * static_cast<double>(n + 10) * (1 + std::fabs(eigen.values.back())));
  }
}

TEST(Algebra, DeficientMatricesGiveTheSolutionOfMinimumNorm) {
  const std::int64_t n = 40;
  const std::int64_t rank = 31;
  const std::vector<double> x = normals(rank * n, 4);
  std::vector<double> gram = gram_of(x, rank, n);
  for (const double scale : {1.0, 1e5}) {  // units of columns do not change the rank
    std::vector<double> scaled = gram;
    for (std::int64_t i = 0; i < n; ++i) {
      for (std::int64_t j = 0; j < n; ++j) {
        scaled[i * n + j] *= (i % 2 == 0 ? scale : 1.0) * (j % 2 == 0 ? scale : 1.0);
      }
    }
    glm::SemidefiniteFactor factor;
    ASSERT_EQ(factor.factor(tiles(), n, scaled, glm::numeric_rank_tolerance(n)),
              glm::Definite::deficient);
    EXPECT_EQ(factor.rank(), rank);
    EXPECT_EQ(glm::rank_of(tiles(), n, scaled), rank);
    const std::vector<double> any = normals(n, 5);
    std::vector<double> b(n, 0.0);
    for (std::int64_t i = 0; i < n; ++i) {
      for (std::int64_t j = 0; j < n; ++j) b[i] += scaled[i * n + j] * any[j];
    }
    std::vector<double> found = b;
    factor.solve(found.data());
    std::vector<double> expected = any;  // less its null component: the minimum norm
    factor.remove_null(expected.data());
    for (std::int64_t i = 0; i < n; ++i) EXPECT_NEAR(found[i], expected[i], 1e-7);
    double image = 0;  // the removed part is null: X scaled times it is 0
    for (std::int64_t t = 0; t < rank; ++t) {
      double sum = 0;
      for (std::int64_t j = 0; j < n; ++j) {
        sum += x[t * n + j] * (j % 2 == 0 ? scale : 1.0) * (any[j] - expected[j]);
      }
      image = std::max(image, std::fabs(sum));
    }
    EXPECT_LE(image, 1e-8 * scale);
  }
}

TEST(Algebra, IndefiniteMatricesAreNamed) {
  glm::SemidefiniteFactor factor;
  const double tolerance = glm::numeric_rank_tolerance(2);
  EXPECT_EQ(factor.factor(tiles(), 2, std::vector<double>{1, 2, 2, 1}, tolerance),
            glm::Definite::indefinite);
  EXPECT_EQ(factor.factor(tiles(), 2, std::vector<double>{0, 1, 1, 0}, tolerance),
            glm::Definite::indefinite);
  EXPECT_EQ(factor.factor(tiles(), 2, std::vector<double>{1, 0, 0, -1}, tolerance),
            glm::Definite::indefinite);
  EXPECT_EQ(factor.factor(tiles(), 2, std::vector<double>{1, 0, 0, 0}, tolerance),
            glm::Definite::deficient);
  EXPECT_EQ(factor.factor(tiles(), 2, std::vector<double>{2, 1, 1, 2}, tolerance),
            glm::Definite::positive);
}

TEST(Algebra, WhatHasNoFactorHasNoSolution) {
  const double infinite = std::numeric_limits<double>::infinity();
  for (const std::vector<double>& matrix :
       {std::vector<double>{infinite, 0, 0, 1}, std::vector<double>{1e300, 0, infinite, 1e300},
        std::vector<double>{1, 2, 2, 1}}) {
    glm::SemidefiniteFactor factor;
    std::vector<double> values = {1, 1};
    ASSERT_EQ(factor.factor(tiles(), 2, matrix, glm::numeric_rank_tolerance(2)),
              glm::Definite::indefinite);
    factor.solve(values.data());
    EXPECT_TRUE(std::isnan(values[0]) && std::isnan(values[1]));
  }
}

}  // namespace
}  // namespace algebra_tests
