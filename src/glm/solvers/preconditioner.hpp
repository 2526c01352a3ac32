// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "glm/solvers/free_parameters.hpp"
#include "glm/solvers/make_search.hpp"

#include <memory>
#include <vector>

/// \file
/// `Preconditioner`: a model of the inverse Hessian of a target, from the Gram matrix that all
/// targets share.

namespace synelix::glm {

/// The inverse of curvature * Gram + ridge; the identity where there is no Gram matrix.
///
/// A target's own rows of the Hessian differ most from that model, because its own history drives
/// it. They are set to their exact values by a correction of rank 2 x rows (Woodbury), which keeps
/// the one factor for all targets.
class Preconditioner {
 public:
  Preconditioner() = default;
  Preconditioner(const Tiles& tiles, const SearchProblem& problem, const FreeParameters& free);

  [[nodiscard]] bool is_identity() const { return m_gram == nullptr; }
  /// Overwrites values with the inverse model times them.
  void apply(std::vector<double>& values) const;

 private:
  void apply_gram(std::vector<double>& values) const;
  void make_correction(const SearchProblem& problem, const FreeParameters& free);

  std::shared_ptr<const GramModel> m_gram;
  std::int64_t m_classes = 1;
  std::int64_t m_blocks = 1;
  std::int64_t m_used = 0;  ///< leading rows of the factor: all but the intercept where it is fixed
  double m_curvature = 1;
  std::vector<double> m_own_factor;  ///< of free parameters, where a mask leaves some out
  std::vector<std::int64_t> m_own_sizes;

  std::int64_t m_rank = 0;
  std::vector<double> m_vectors;   ///< (rank, size)
  std::vector<double> m_solved;    ///< inverse model times vectors
  std::vector<double> m_capacity;  ///< (rank, rank), its inverse
};

}  // namespace synelix::glm
