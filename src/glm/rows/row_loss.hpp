// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "glm/rows/families.hpp"
#include "tile/row_loss.hpp"

#include <synelix/choice.hpp>

/// \file
/// `RowLoss`: a loss as functions of blocks of rows, for one instruction set.

namespace synelix::glm {

/// A loss bound to an instruction set.
struct RowLoss {
  Loss loss;  ///< resolved: no automatic link
  /// Loss, residual and curvature of a block of rows; null for categorical.
  tile::RowLossFunction of_rows = nullptr;
  /// The same for categorical; else null.
  tile::SoftmaxFunction of_labels = nullptr;

  /// Linear predictors of each row.
  [[nodiscard]] std::int64_t classes() const { return classes_of(loss); }
  /// A single row. It is infinite with derivatives of 0 if the family needs a mean above 0 and the
  /// predictor has none. Not for categorical.
  [[nodiscard]] tile::RowLosses<double> at(double target, double predictor,
                                           double dispersion) const {
    constexpr double one = 1;
    tile::RowLosses<double> found{};
    found.loss =
        of_rows({&predictor, &target, &one, 1, dispersion, &found.residual, &found.curvature});
    return found;
  }
};

/// Binds a loss to an instruction set that `tile::select_set` returned.
/// \throws Error as `resolved`
RowLoss bind(const Loss& loss, InstructionSet set);

}  // namespace synelix::glm
