// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tile/row_products.hpp"

#include <cstdint>

/// \file
/// Fills the table of products of rows of one instruction set: what tiles.cpp.in includes.

namespace synelix::tile {

template <class Feature, class Scalar, class Set>
void run_row_dots(const RowDots<Feature, Scalar>& tile) {
  row_dots<Feature, Scalar, Set>(tile);
}
template <class Feature, class Scalar, class Set>
void run_row_sums(const RowSums<Feature, Scalar>& tile) {
  row_sums<Feature, Scalar, Set>(tile);
}
template <class Feature, class Scalar, class Set>
void run_scaled_rows(const ScaledRows<Feature, Scalar>& tile) {
  scaled_rows<Feature, Scalar, Set>(tile);
}

/// Sums of fewer digits to those of more.
template <class Scalar, class Set>
void add_sums(const Scalar* from, double* to, std::int64_t count) {
  constexpr int lanes = lanes::Pack<double, Set>::lanes;
  std::int64_t i = 0;
  SYNELIX_UNROLL(4)
  for (; i + lanes <= count; i += lanes) {
    const auto sum =
        lanes::load_unaligned<double, Set>(to + i) + lanes::load_as<double, Set>(from + i);
    lanes::store_unaligned(sum, to + i);
  }
  for (; i < count; ++i) to[i] += static_cast<double>(from[i]);
}

template <class Feature, class Scalar, class Set>
const RowTable<Feature, Scalar>& row_table_for() {
  static constexpr RowTable<Feature, Scalar> table{
      &run_row_dots<Feature, Scalar, Set>, &run_row_sums<Feature, Scalar, Set>,
      &run_scaled_rows<Feature, Scalar, Set>, &add_sums<Scalar, Set>};
  return table;
}

}  // namespace synelix::tile
