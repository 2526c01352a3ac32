// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/loss.hpp>

#include <cstdint>

/// \file
/// The loss of a block of rows with its derivatives by the linear predictor: its arguments, and
/// `LossTable`, the losses of one instruction set as functions.

namespace synelix::tile {

/// Magnitudes of predictors are limited to this, unless the loss is a square. Then squares stay
/// finite, and a product with 0 is never NaN.
inline constexpr double largest_predictor = 1e150;
/// If mu must be positive, a predictor below this counts as not positive. Then cubes of its inverse
/// stay finite.
inline constexpr double least_positive = 1e-90;

/// Loss, residual dl/deta and curvature d2l/deta2 of the rows of a pack, or of one row (double).
template <class Pack>
struct RowLosses {
  Pack loss;
  Pack residual;
  Pack curvature;
};

/// Arguments of a row loss: arrays of `rows` values, at any address. `residual` may be `predictor`.
/// Rows of weight 0 give residual 0, curvature 0 and no loss, for any predictor and target. If a
/// predictor has no mean in the family, the loss is infinite and its derivatives are 0.
struct RowLossTile {
  const double* predictor;  ///< eta
  const double* target;     ///< y
  const double* weight;     ///< w >= 0
  std::int64_t rows;
  double dispersion;  ///< of negative_binomial
  double* residual;   ///< w dl/deta
  double* curvature;  ///< w d2l/deta2; null: not needed
};

/// Returns the sum of w l: lane l takes rows l, l + lanes, ..., then lanes are added in order.
using RowLossFunction = double (*)(const RowLossTile&);

/// Arguments of the loss of categorical targets.
struct SoftmaxTile {
  const double* predictor;  ///< (rows, classes)
  const double* target;     ///< class of each row, 0 ... classes - 1
  const double* weight;     ///< w >= 0
  std::int64_t rows;
  std::int64_t classes;
  double* residual;     ///< (rows, classes): w (p_k - [y = k]); may be `predictor`
  double* probability;  ///< (rows, classes): p_k, 0 if w is 0; null: not needed
};

using SoftmaxFunction = double (*)(const SoftmaxTile&);

/// The losses of one instruction set.
struct LossTable {
  static constexpr int families = static_cast<int>(Family::categorical) + 1;
  static constexpr int links = static_cast<int>(InverseLink::softmax) + 1;

  RowLossFunction rows[families][links];  ///< null if the family has no such link
  SoftmaxFunction softmax;

  [[nodiscard]] constexpr RowLossFunction of(Family family, InverseLink link) const {
    return rows[static_cast<int>(family)][static_cast<int>(link)];
  }
};

/// The table of a set, a constant. Defined in tile/fill_losses.hpp, compiled for each set of the
/// build.
template <class Set>
const LossTable& loss_table_for();

}  // namespace synelix::tile
