// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "glm/solvers/free_parameters.hpp"

#include "glm/algebra/cholesky.hpp"

#include <cstddef>

namespace synelix::glm {

FreeParameters::FreeParameters(const ParameterShape& shape, bool has_intercept,
                               const BoundPenalty& penalty)
    : m_shape(shape) {
  const std::int64_t coefficients = shape.columns * shape.classes;
  m_penalty.group_strengths = penalty.group_strengths;
  const auto put = [](auto& to, const auto& from, std::int64_t i, auto none) {
    if (!from.empty()) to.push_back(i < 0 ? none : from[i]);
  };
  for (std::int64_t block = 0; block < shape.blocks; ++block) {
    for (std::int64_t i = 0; i < shape.of_block(); ++i) {
      const bool is_intercept = i >= coefficients;
      const std::int64_t j = is_intercept ? -1 : block * coefficients + i;
      if (is_intercept ? !has_intercept : !penalty.is_free.empty() && penalty.is_free[j] == 0) {
        continue;
      }
      m_index.push_back(block * shape.of_block() + i);
      put(m_penalty.ridge, penalty.ridge, j, 0.0);
      put(m_penalty.l1, penalty.l1, j, 0.0);
      put(m_penalty.groups, penalty.groups, j, std::int64_t(-1));
    }
    m_begin.push_back(size());
  }
}

std::int64_t FreeParameters::hessian_begin(std::int64_t block) const {
  std::int64_t begin = 0;
  for (std::int64_t b = 0; b < block; ++b) begin += size_of(b) * size_of(b);
  return begin;
}

std::int64_t FreeParameters::hessian_size() const { return hessian_begin(blocks()); }

void FreeParameters::gather(std::span<const double> all, std::vector<double>& free) const {
  free.resize(m_index.size());
  for (std::size_t i = 0; i < m_index.size(); ++i) free[i] = all[m_index[i]];
}

void FreeParameters::scatter(const std::vector<double>& free, std::vector<double>& all) const {
  for (std::size_t i = 0; i < m_index.size(); ++i) all[m_index[i]] = free[i];
}

void FreeParameters::gather_hessian(std::span<const double> all, std::vector<double>& free) const {
  const std::int64_t n = m_shape.of_block();
  free.resize(hessian_size());
  double* to = free.data();
  for (std::int64_t block = 0; block < blocks(); ++block) {
    const double* const from = all.data() + block * n * n;
    for (std::int64_t i = m_begin[block]; i < m_begin[block + 1]; ++i) {
      const double* const row = from + (m_index[i] - block * n) * n;
      for (std::int64_t j = m_begin[block]; j < m_begin[block + 1]; ++j) {
        *to++ = row[m_index[j] - block * n];
      }
    }
  }
}

void FreeParameters::gather_gram(std::span<const double> gram, double scale,
                                 std::vector<double>& free) const {
  const std::int64_t n = m_shape.of_block();
  const std::int64_t classes = m_shape.classes;
  free.resize(hessian_size());
  double* to = free.data();
  for (std::int64_t block = 0; block < blocks(); ++block) {
    for (std::int64_t i = m_begin[block]; i < m_begin[block + 1]; ++i) {
      const std::int64_t row = m_index[i] - block * n;
      for (std::int64_t j = m_begin[block]; j < m_begin[block + 1]; ++j) {
        const std::int64_t column = m_index[j] - block * n;
        *to++ = row % classes == column % classes
                    ? scale * gram[row / classes * (m_shape.columns + 1) + column / classes]
                    : 0.0;
      }
    }
  }
}

void multiply(const FreeParameters& free, std::span<const double> hessian,
              std::span<const double> values, std::vector<double>& result) {
  result.resize(values.size());
  const double* row = hessian.data();
  for (std::int64_t block = 0; block < free.blocks(); ++block) {
    const std::int64_t n = free.size_of(block);
    const double* const part = values.data() + free.begin(block);
    for (std::int64_t i = 0; i < n; ++i, row += n) {
      result[free.begin(block) + i] = dot(row, part, n);
    }
  }
}

}  // namespace synelix::glm
