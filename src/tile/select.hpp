// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tile/row_loss.hpp"
#include "tile/table.hpp"

#include <synelix/choice.hpp>

/// \file
/// Selects the tables of a host: the widest set that both the build and the processor have, unless
/// the caller requests a narrower one. Tables that few callers use are only declared: these callers
/// include event_products.hpp, column_table.hpp or row_products.hpp.

namespace synelix::tile {

template <class Scalar>
struct ColumnTable;
template <class Scalar>
struct EventTable;
template <class Feature, class Scalar>
struct RowTable;

/// The set that `wanted` selects here. \throws Error if the build or the processor lacks it
InstructionSet select_set(InstructionSet wanted);

/// The table of a set that `select_set` returned.
template <class Scalar>
const TileTable<Scalar>& table_of(InstructionSet set);

/// The tiles of products with events of a set that `select_set` returned. Like the next two,
/// \throws Error if this build lacks the set
template <class Scalar>
const EventTable<Scalar>& event_table_of(InstructionSet set);

/// The column tiles of a set.
template <class Scalar>
const ColumnTable<Scalar>& column_table_of(InstructionSet set);

/// The products of rows of a set: features and arithmetic in float, both in double, and features in
/// float with arithmetic in double.
template <class Feature, class Scalar>
const RowTable<Feature, Scalar>& row_table_of(InstructionSet set);

/// The losses of rows of a set that `select_set` returned.
const LossTable& loss_table_of(InstructionSet set);

/// Bytes of a register of the set.
int register_bytes(InstructionSet set);

}  // namespace synelix::tile
