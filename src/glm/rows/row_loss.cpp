// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "glm/rows/row_loss.hpp"

#include "tile/select.hpp"

namespace synelix::glm {

RowLoss bind(const Loss& loss, InstructionSet set) {
  const tile::LossTable& table = tile::loss_table_of(set);
  RowLoss bound{resolved(loss)};
  if (family_row(bound.loss.family).has_classes()) {
    bound.of_labels = table.softmax;
  } else {
    bound.of_rows = table.of(bound.loss.family, bound.loss.inverse_link);
  }
  return bound;
}

}  // namespace synelix::glm
