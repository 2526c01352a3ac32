// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tile/family.hpp"
#include "tile/row_loss.hpp"
#include "tile/row_walk.hpp"

/// \file
/// Fills the table of losses of one instruction set; losses.cpp.in includes this.

namespace synelix::tile {

/// Visits the class of a family and link: the loss of blocks of rows.
template <class Set>
struct BlockLoss {
  template <class Rows>
  constexpr RowLossFunction operator()() const {
    return &row_loss<Rows, Set>;
  }
};

template <class Set>
constexpr LossTable make_loss_table() {
  LossTable table{};
  for (int family = 0; family < LossTable::families; ++family) {
    for (int link = 0; link < LossTable::links; ++link) {
      table.rows[family][link] = visit_rows<lanes::Pack<double, Set>>(
          static_cast<Family>(family), static_cast<InverseLink>(link), BlockLoss<Set>{});
    }
  }
  table.softmax = [](const SoftmaxTile& tile) { return softmax_tile<Set>(tile); };
  return table;
}

template <class Set>
const LossTable& loss_table_for() {
  static constexpr LossTable table = make_loss_table<Set>();
  return table;
}

}  // namespace synelix::tile
