// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "glm/rows/observed.hpp"

#include <synelix/loss.hpp>

#include <cstdint>
#include <span>
#include <vector>

/// \file
/// What a fit must know about its targets before the first walk: whether they fit the family, and
/// their means.

namespace synelix::glm {

/// Facts of the rows of a right-hand side that count: valid, observed, with a weight above 0.
struct TargetFacts {
  std::int64_t rows = 0;
  double weight = 0;  ///< sum of row weights
  double mean = 0;    ///< weighted
  double smallest = 0;
  double largest = 0;
  std::vector<double> shares = {};  ///< share of each class in the weight; categorical
  double offset = 0;                ///< weighted mean of the offset
  double log_exposure = 0;          ///< ln of the weighted mean of e^offset
  double least_offset = 0;          ///< smallest offset
  std::uint64_t rows_hash = 0;      ///< of the weights of all rows

  /// Whether the same rows count, with the same weights.
  [[nodiscard]] bool has_rows_of(const TargetFacts& other) const {
    return rows == other.rows && weight == other.weight && rows_hash == other.rows_hash;
  }

  [[nodiscard]] bool is_constant() const { return smallest == largest; }
};

/// Reads the targets of some right-hand sides once.
/// \param valid  one bit for each row, as Pass::valid
/// \throws Error naming the first target and row whose value the family cannot have, a row weight
///         or an offset that is negative or not finite, and a target without a row
std::vector<TargetFacts> read_facts(const Loss& loss, const Observed& observed,
                                    std::span<const std::uint64_t> valid,
                                    std::span<const RowsOf> sides);

/// The linear predictors (one, or one for each class) whose mean is that of the target: NeMoS'
/// start, which is f^-1(mean). An offset is taken into account: f^-1(mean) - mean offset, or
/// ln(mean) - ln(mean e^offset) with the link exp. Always finite: a mean that the link cannot have
/// is replaced by the nearest one. If the loss has a border, the predictors are larger if an offset
/// requires it, so that each row has a mean above 0.
std::vector<double> null_intercepts(const Loss& loss, const TargetFacts& facts);

/// Whether the model without features is an optimum: the targets are constant, and the link can
/// have their value. `has_offset`: offsets differ between rows.
bool null_is_optimum(const Loss& loss, const TargetFacts& facts, bool has_offset);

/// Whether the mean is at the border of the family, where no finite predictor has this mean.
bool has_no_events(const Loss& loss, const TargetFacts& facts);

}  // namespace synelix::glm
