// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tile/row_loss.hpp"

#include <synelix/choice.hpp>
#include <synelix/loss.hpp>

/// \file
/// `RowLoss`: a loss as functions of blocks of rows, for one instruction set.

namespace synelix::glm {

/// A loss bound to an instruction set.
struct RowLoss {
  Loss loss;  ///< resolved: no automatic link
  /// Loss, residual and curvature of a block of rows; null for categorical.
  tile::RowLossFunction run = nullptr;
  /// The same for categorical; else null.
  tile::SoftmaxFunction run_softmax = nullptr;

  /// Linear predictors of each row: 1, or the number of classes.
  [[nodiscard]] std::int64_t classes() const {
    return loss.family == Family::categorical ? loss.classes : 1;
  }
};

/// Binds a loss to an instruction set that `tile::select_set` returned.
/// \throws Error as `resolved`
RowLoss bind(const Loss& loss, InstructionSet set);

}  // namespace synelix::glm
