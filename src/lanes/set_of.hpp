// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "lanes/instruction_set.hpp"

#include <synelix/choice.hpp>

/// \file
/// Finds what was compiled for the tag of an InstructionSet. A file that includes this is compiled
/// with SYNELIX_BUILT_SETS, the tags of the sets of this build.

namespace synelix::lanes {

using BuiltSets = SetList<SYNELIX_BUILT_SETS>;

/// Whether a tag belongs to the set.
template <class Set>
bool is_set(Set, InstructionSet set) {
  return __builtin_strcmp(Set::name, name_of(set)) == 0;
}

/// The set of a tag; automatic if no set has its name.
template <class Set>
InstructionSet set_of(Set) {
  for (int i = 1; i < 256; ++i) {
    const auto set = static_cast<InstructionSet>(i);
    if (is_set(Set{}, set)) return set;
  }
  return InstructionSet::automatic;
}

/// Calls visit(tag) for the set, if the list has it.
template <class Visit, class... Sets>
void visit_set(SetList<Sets...>, InstructionSet set, const Visit& visit) {
  static_cast<void>(((is_set(Sets{}, set) && (visit(Sets{}), true)) || ...));
}

/// The table that table_of(tag) returns for a set; null if this build lacks the set.
template <class Table, class TableOf>
const Table* built_table(InstructionSet set, const TableOf& table_of) {
  const Table* found = nullptr;
  visit_set(BuiltSets{}, set, [&](auto tag) { found = &table_of(tag); });
  return found;
}

}  // namespace synelix::lanes
