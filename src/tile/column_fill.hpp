// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tile/column.hpp"
#include "tile/column_table.hpp"
#include "tune/column.hpp"

/// \file
/// Fills the table of column tiles of one instruction set: what columns.cpp.in includes.

namespace synelix::tile {

template <class Scalar, class Set, int bases, int step>
void column(const ColumnTile<Scalar>& tile) {
  column_tile<Scalar, Set, bases, step>(tile);
}

template <class Scalar, class Set, int bases = 1, int step = 1>
constexpr void fill_columns(ColumnTable<Scalar>& table) {
  constexpr int lanes = Set::bytes / static_cast<int>(sizeof(Scalar));
  if constexpr (Set::bytes == tune::column_register_bytes && bases <= lanes) {
    table.column[power_of(bases)][power_of(step)] = &column<Scalar, Set, bases, step>;
    if constexpr (bases * step < lanes && step < tune::most_column_step(bases)) {
      fill_columns<Scalar, Set, bases, 2 * step>(table);
    } else {
      fill_columns<Scalar, Set, 2 * bases>(table);
    }
  }
}

/// The table of a set: a constant.
template <class Scalar, class Set>
constexpr ColumnTable<Scalar> make_column_table() {
  ColumnTable<Scalar> table{};
  fill_columns<Scalar, Set>(table);
  return table;
}

template <class Scalar, class Set>
const ColumnTable<Scalar>& column_table_for() {
  static constexpr ColumnTable<Scalar> table = make_column_table<Scalar, Set>();
  return table;
}

}  // namespace synelix::tile
