// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "glm/fit/column_centers.hpp"

#include <cstddef>

namespace synelix::glm {
namespace {

/// From this ratio of mean to spread on, sums of squares have no correct digit of the spread.
constexpr double offset_without_curvature = 1e7;

/// Adds factor times the mean of each column times its coefficients to the intercepts.
void move_intercepts(const ColumnCenters& centers, std::span<double> parameters,
                     std::int64_t classes, double factor) {
  const auto each = static_cast<std::size_t>(classes);
  const std::span<double> intercepts = parameters.last(each);
  for (std::size_t k = 0; k < each; ++k) {
    double sum = 0;
    for (const ColumnCenters::Column& one : centers.columns) {
      sum += one.mean * parameters[static_cast<std::size_t>(one.column) * each + k];
    }
    intercepts[k] += factor * sum;
  }
}

void move_blocks(const BlockCenters& centers, std::span<double> parameters, std::int64_t classes,
                 double factor) {
  const std::size_t size = centers.empty() ? 0 : parameters.size() / centers.size();
  for (std::size_t block = 0; block < centers.size(); ++block) {
    if (centers[block] == nullptr) continue;
    move_intercepts(*centers[block], parameters.subspan(block * size, size), classes, factor);
  }
}

/// Replaces the rows of a column whose sums have no correct digit of its spread. Its curvature is
/// set to that of the intercepts times its variance, and it is treated as uncorrelated with all
/// others.
void replace_curvature(const ColumnCenters::Column& one, std::span<double> matrix,
                       std::int64_t size, std::int64_t classes) {
  const auto at = [&](std::int64_t i, std::int64_t j) -> double& {
    return matrix[static_cast<std::size_t>(i * size + j)];
  };
  const double deviation = one.spread * one.mean;
  const std::int64_t own = one.column * classes;
  for (std::int64_t k = 0; k < classes; ++k) {
    for (std::int64_t i = 0; i < size; ++i) at(own + k, i) = at(i, own + k) = 0;
  }
  for (std::int64_t k = 0; k < classes; ++k) {
    for (std::int64_t c = 0; c < classes; ++c) {
      at(own + k, own + c) = deviation * deviation * at(size - classes + k, size - classes + c);
    }
  }
}

}  // namespace

void to_centered(const BlockCenters& centers, std::span<double> parameters, std::int64_t classes) {
  move_blocks(centers, parameters, classes, 1.0);
}

void to_given(const BlockCenters& centers, std::span<double> parameters, std::int64_t classes) {
  move_blocks(centers, parameters, classes, -1.0);
}

void center(const SharedCenters& centers, Sums& sums, std::int64_t classes) {
  if (centers != nullptr) centers->center(sums, classes);
}

void ColumnCenters::center(Sums& sums, std::int64_t classes) const {
  const auto each = static_cast<std::size_t>(classes);
  const std::size_t size = sums.gradient.size();
  for (const Column& one : columns) {
    double* const own = &sums.gradient[static_cast<std::size_t>(one.column) * each];
    for (std::size_t k = 0; k < each; ++k) own[k] -= one.mean * sums.gradient[size - each + k];
  }
  if (!sums.hessian.empty()) {
    center_matrix(sums.hessian, static_cast<std::int64_t>(size), classes);
  }
}

void ColumnCenters::center_matrix(std::span<double> matrix, std::int64_t size,
                                  std::int64_t classes) const {
  const std::int64_t first_intercept = size - classes;
  const auto at = [&](std::int64_t i, std::int64_t j) -> double& {
    return matrix[static_cast<std::size_t>(i * size + j)];
  };
  for (const Column& one : columns) {
    for (std::int64_t k = 0; k < classes; ++k) {
      const std::int64_t own = one.column * classes + k;
      for (std::int64_t j = 0; j < size; ++j) at(own, j) -= one.mean * at(first_intercept + k, j);
    }
  }
  for (std::int64_t i = 0; i < size; ++i) {
    for (const Column& one : columns) {
      for (std::int64_t k = 0; k < classes; ++k) {
        at(i, one.column * classes + k) -= one.mean * at(i, first_intercept + k);
      }
    }
  }
  for (const Column& one : columns) {
    if (one.spread * offset_without_curvature < 1) replace_curvature(one, matrix, size, classes);
  }
  // Rounding errors differ between the triangles.
  for (std::int64_t i = 0; i < size; ++i) {
    for (std::int64_t j = 0; j < i; ++j) at(j, i) = at(i, j);
  }
}

}  // namespace synelix::glm
