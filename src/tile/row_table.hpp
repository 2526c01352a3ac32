// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tile/row_products.hpp"

#include <synelix/choice.hpp>

namespace synelix::tile {

/// The products of rows of a set that `select_set` returned. Of features and arithmetic in float,
/// both in double, and features in float with arithmetic in double.
template <class Feature, class Scalar>
const RowTable<Feature, Scalar>& row_table_of(InstructionSet set);

}  // namespace synelix::tile
