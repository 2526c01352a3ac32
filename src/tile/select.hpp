// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tile/loss_table.hpp"
#include "tile/table.hpp"

#include <synelix/choice.hpp>

/// \file
/// Which table a host uses: the widest set that both the build and the processor have, unless the
/// caller asks for a narrower one.

namespace synelix::tile {

/// The set that `wanted` stands for here. \throws Error where the build or the processor lacks it
InstructionSet select_set(InstructionSet wanted);

/// The table of a set that `select_set` returned.
template <class Scalar>
const TileTable<Scalar>& table_of(InstructionSet set);

/// The losses of rows of a set that `select_set` returned.
const LossTable& loss_table_of(InstructionSet set);

/// Bytes of a register of the set.
int register_bytes(InstructionSet set);

}  // namespace synelix::tile
