// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tile/event_table.hpp"

#include <synelix/choice.hpp>

/// \file
/// Which table of event tiles a host uses.

namespace synelix::tile {

/// The table of a set that `select_set` returned. \throws Error where this build lacks it
template <class Scalar>
const EventTable<Scalar>& event_table_of(InstructionSet set);

}  // namespace synelix::tile
