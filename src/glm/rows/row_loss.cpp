// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "glm/rows/row_loss.hpp"

#include "tile/select.hpp"

namespace synelix::glm {
namespace {

const tile::LossesByLink& losses_of(const tile::LossTable& table, Family family) {
  switch (family) {
    case Family::gaussian:
      return table.gaussian;
    case Family::bernoulli:
      return table.bernoulli;
    case Family::gamma:
      return table.gamma;
    case Family::negative_binomial:
      return table.negative_binomial;
    case Family::poisson:
    case Family::categorical:
      break;
  }
  return table.poisson;
}

tile::RowLossFunction loss_of(const tile::LossesByLink& losses, InverseLink link) {
  switch (link) {
    case InverseLink::exp:
      return losses.exp;
    case InverseLink::softplus:
      return losses.softplus;
    case InverseLink::logistic:
      return losses.logistic;
    case InverseLink::norm_cdf:
      return losses.norm_cdf;
    case InverseLink::one_over_x:
      return losses.one_over_x;
    case InverseLink::identity:
      return losses.identity;
    case InverseLink::automatic:
    case InverseLink::softmax:
      break;
  }
  return nullptr;
}

}  // namespace

RowLoss bind(const Loss& loss, InstructionSet set) {
  RowLoss bound;
  bound.loss = resolved(loss);
  const tile::LossTable& table = tile::loss_table_of(set);
  if (bound.loss.family == Family::categorical) {
    bound.run_softmax = table.softmax;
  } else {
    bound.run = loss_of(losses_of(table, bound.loss.family), bound.loss.inverse_link);
  }
  return bound;
}

}  // namespace synelix::glm
