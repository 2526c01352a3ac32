// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tile/row_loss.hpp"

/// \file
/// `LossTable`: the losses of rows of one instruction set as functions.

namespace synelix::tile {

/// The loss of a family by inverse link; null where the family has no such link.
struct LossesByLink {
  RowLossFunction exp;
  RowLossFunction softplus;
  RowLossFunction logistic;
  RowLossFunction norm_cdf;
  RowLossFunction one_over_x;
  RowLossFunction identity;
};

struct LossTable {
  LossesByLink gaussian;
  LossesByLink poisson;
  LossesByLink bernoulli;
  LossesByLink gamma;
  LossesByLink negative_binomial;
  SoftmaxFunction softmax;
};

/// The table of a set, a constant. Defined in tile/fill_losses.hpp, compiled for each set of the
/// build.
template <class Set>
const LossTable& loss_table_for();

}  // namespace synelix::tile
