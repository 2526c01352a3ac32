// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "glm/rows/observed.hpp"
#include "glm/score/model_view.hpp"
#include "glm/score/rate_walk.hpp"

#include <synelix/types/glm_score.hpp>

#include <cstdint>
#include <span>
#include <vector>

/// \file
/// The sums for scores: of the null model, and of a model.

namespace synelix::glm {

/// Sums over the rows of a target that count.
struct ScoreSums {
  double weight = 0;
  double log_likelihood = 0;
  double null_log_likelihood = 0;
  double deviance = 0;
  double null_deviance = 0;

  void add(const ScoreSums& other) {
    weight += other.weight;
    log_likelihood += other.log_likelihood;
    null_log_likelihood += other.null_log_likelihood;
    deviance += other.deviance;
    null_deviance += other.null_deviance;
  }
  [[nodiscard]] Score means() const;
};

/// The rows of a score.
struct ScoredRows {
  const Observed& observed;
  std::span<const std::uint64_t> valid;  ///< as Pass::valid
  RowsOf::Fold folds = RowsOf::Fold::all;
  int fold = 0;

  /// The observations of a block of rows of a target; weights are 0 in rows that do not count.
  struct Block {
    double targets[rows_of_item];
    double weights[rows_of_item];
    double offsets[rows_of_item];
  };
  void read(std::int64_t target, Range rows, Block& block) const;
};

/// Means of each target over the rows that count: (targets), or for categorical the share of each
/// class, (targets, classes). NaN if no row counts.
std::vector<double> null_means(const ScoredRows& rows, const ModelView& model);

/// Sums of a block of rows of a target.
/// \param null_means  of this target, one for each class
/// \param residuals   the array for deviance residuals, or nothing
/// \param outside     checks the rows of this item that count
ScoreSums sums_of_block(const ModelView& model, const WalkedRows& part, std::int64_t target,
                        Range block, const ScoredRows::Block& known, const double* null_means,
                        const OutputRows& residuals, std::int64_t item, OutsideRows& outside);

}  // namespace synelix::glm
