// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "glm/penalty/bound_penalty.hpp"

#include <cstdint>
#include <span>
#include <vector>

/// \file
/// `FreeParameters`: the parameters that a search may change, packed: those that no mask holds at
/// 0, and the intercepts if there are any. Solvers only see these, so a mask costs nothing and
/// needs no code in solvers.

namespace synelix::glm {

/// Shape of the parameters of a search: `blocks` blocks of (columns + 1, classes).
struct ParameterShape {
  std::int64_t columns = 0;
  std::int64_t classes = 1;
  std::int64_t blocks = 1;

  [[nodiscard]] std::int64_t of_block() const { return (columns + 1) * classes; }
  [[nodiscard]] std::int64_t size() const { return blocks * of_block(); }
};

/// The free parameters of a search.
class FreeParameters {
 public:
  FreeParameters() = default;
  FreeParameters(const ParameterShape& shape, bool has_intercept, const BoundPenalty& penalty);

  [[nodiscard]] std::int64_t size() const { return static_cast<std::int64_t>(m_index.size()); }
  [[nodiscard]] std::int64_t blocks() const {
    return static_cast<std::int64_t>(m_begin.size()) - 1;
  }
  /// The free parameters of a block are [begin(block), begin(block + 1)).
  [[nodiscard]] std::int64_t begin(std::int64_t block) const { return m_begin[block]; }
  [[nodiscard]] std::int64_t size_of(std::int64_t block) const {
    return m_begin[block + 1] - m_begin[block];
  }
  /// The count of numbers in their Hessian: one square matrix for each block, one after the other.
  [[nodiscard]] std::int64_t hessian_size() const;
  /// The beginning of the matrix of a block.
  [[nodiscard]] std::int64_t hessian_begin(std::int64_t block) const;
  /// The penalty of the free parameters, with an entry for each; intercepts have none.
  [[nodiscard]] const BoundPenalty& penalty() const { return m_penalty; }
  /// The index of each free parameter among all parameters.
  [[nodiscard]] const std::vector<std::int64_t>& index() const { return m_index; }

  /// Extracts the free parameters from all parameters.
  void gather(std::span<const double> all, std::vector<double>& free) const;
  void scatter(const std::vector<double>& free, std::vector<double>& all) const;
  /// Extracts the Hessian of the free parameters from that of all parameters.
  void gather_hessian(std::span<const double> all, std::vector<double>& free) const;
  /// Makes such a Hessian from a Gram matrix, (columns + 1) squared, times a number: the same for
  /// each class.
  void gather_gram(std::span<const double> gram, double scale, std::vector<double>& free) const;

 private:
  ParameterShape m_shape;
  std::vector<std::int64_t> m_index;
  std::vector<std::int64_t> m_begin = {0};
  BoundPenalty m_penalty;
};

/// result = H values, with H the blocks of the free parameters.
void multiply(const FreeParameters& free, std::span<const double> hessian,
              std::span<const double> values, std::vector<double>& result);

}  // namespace synelix::glm
