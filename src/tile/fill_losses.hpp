// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tile/family.hpp"
#include "tile/mean.hpp"
#include "tile/row_loss.hpp"
#include "tile/row_walk.hpp"

/// \file
/// Fills the table of losses of one instruction set; losses.cpp.in includes this.

namespace synelix::tile {

template <template <template <class> class, class> class Family, template <class> class Mean,
          class Set>
double row_loss(const RowLossTile& tile) {
  return walk_rows<Family<Mean, lanes::Pack<double, Set>>, Set>(tile);
}

template <class Set>
double softmax(const SoftmaxTile& tile) {
  return softmax_tile<Set>(tile);
}

/// The links of every family with real targets.
template <template <template <class> class, class> class Family, class Set>
constexpr LossesByLink losses_of_reals() {
  LossesByLink losses{};
  losses.exp = &row_loss<Family, ExpMean, Set>;
  losses.softplus = &row_loss<Family, SoftplusMean, Set>;
  losses.one_over_x = &row_loss<Family, InverseMean, Set>;
  losses.identity = &row_loss<Family, IdentityMean, Set>;
  return losses;
}

template <class Set>
constexpr LossTable make_loss_table() {
  LossTable table{};
  table.gaussian = losses_of_reals<GaussianRows, Set>();
  table.gaussian.logistic = &row_loss<GaussianRows, LogisticMean, Set>;
  table.gaussian.norm_cdf = &row_loss<GaussianRows, NormalMean, Set>;
  table.poisson = losses_of_reals<PoissonRows, Set>();
  table.gamma = losses_of_reals<GammaRows, Set>();
  table.negative_binomial = losses_of_reals<NegativeBinomialRows, Set>();
  table.bernoulli.logistic = &row_loss<BernoulliRows, LogisticMean, Set>;
  table.bernoulli.norm_cdf = &row_loss<BernoulliRows, NormalMean, Set>;
  table.softmax = &softmax<Set>;
  return table;
}

template <class Set>
const LossTable& loss_table_for() {
  static constexpr LossTable table = make_loss_table<Set>();
  return table;
}

}  // namespace synelix::tile
