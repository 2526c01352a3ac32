// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tile/event_table.hpp"

/// \file
/// Fills the table of event tiles of one instruction set: what tiles.cpp.in includes.

namespace synelix::tile {

template <class Scalar, class Set>
void scatter(const EventWindows<Scalar>& tile) {
  scatter_windows<Scalar, Set>(tile);
}

template <class Scalar, class Set>
void gather(const EventWindows<Scalar>& tile) {
  gather_windows<Scalar, Set>(tile);
}

template <class Scalar, class Set>
void pairs(const EventPairs<Scalar>& tile) {
  add_pairs<Scalar, Set>(tile);
}

template <class Scalar, class Set>
void lag_products(const LagProducts<Scalar>& tile) {
  multiply_lags<Scalar, Set>(tile);
}

template <class Scalar, class Set>
const EventTable<Scalar>& event_table_for() {
  static constexpr EventTable<Scalar> table = {lanes::Pack<Scalar, Set>::lanes,
                                               &scatter<Scalar, Set>, &gather<Scalar, Set>,
                                               &pairs<Scalar, Set>, &lag_products<Scalar, Set>};
  return table;
}

}  // namespace synelix::tile
