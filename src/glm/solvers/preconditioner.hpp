// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "glm/solvers/free_parameters.hpp"
#include "glm/solvers/search.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

/// \file
/// `Preconditioner`: a model of the inverse Hessian of a target, from the Gram matrix that all
/// targets share.

namespace synelix::glm {

/// The inverse of curvature * (Gram + ridge); the identity if there is no factor. If the Gram
/// matrix is rank-deficient, it is the pseudoinverse.
///
/// A target's own rows of the Hessian differ most from that model, because its own history affects
/// it most. They are set to their exact values by a correction of rank 2 x rows (Woodbury), which
/// keeps the one factor for all targets.
class Preconditioner {
 public:
  Preconditioner() = default;
  explicit Preconditioner(const SearchProblem& problem);

  [[nodiscard]] bool is_identity() const { return m_factor == nullptr; }
  /// Sets rows of the model, and the corresponding columns, to those of a Hessian. Does not change
  /// the model if it would then not be positive definite.
  /// \param columns  those of the design whose rows are given
  /// \param hessian  (columns.size(), all columns + 1), of the mean loss without the penalty
  void correct(const SearchProblem& problem, const FreeParameters& free, Range columns,
               std::span<const double> hessian);
  /// Multiplies values by the inverse model, in place.
  void apply(std::vector<double>& values) const;

 private:
  void apply_gram(std::vector<double>& values) const;
  /// Inverts the capacity matrix. Returns false if the corrected model has a negative eigenvalue.
  bool invert_capacity(std::int64_t rank, const std::vector<double>& capacity);

  std::shared_ptr<const GramFactor> m_factor;
  double m_curvature = 1;

  std::int64_t m_rank = 0;
  std::vector<double> m_vectors;   ///< (rank, size)
  std::vector<double> m_solved;    ///< inverse model times vectors
  std::vector<double> m_capacity;  ///< (rank, rank), its inverse
};

}  // namespace synelix::glm
