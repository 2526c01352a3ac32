// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tile/column_table.hpp"

#include <synelix/choice.hpp>

/// \file
/// The table of column tiles of an instruction set.

namespace synelix::tile {

/// \throws Error where this build does not have the set
template <class Scalar>
const ColumnTable<Scalar>& column_table_of(InstructionSet set);

}  // namespace synelix::tile
