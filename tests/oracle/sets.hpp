// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tile/select.hpp"

#include <synelix/error.hpp>

#include <cstdint>
#include <vector>

/// \file
/// The instruction sets that this build and this processor have.

namespace oracle {

inline const std::vector<synelix::InstructionSet>& sets_at_hand() {
  static const std::vector<synelix::InstructionSet> sets = [] {
    std::vector<synelix::InstructionSet> found;
    for (const auto set : {synelix::InstructionSet::plain, synelix::InstructionSet::avx2,
                           synelix::InstructionSet::avx512}) {
      try {
        if (synelix::tile::select_set(set) == set) found.push_back(set);
      } catch (const synelix::Error&) {  // NOLINT(bugprone-empty-catch): neither here nor there
      }
    }
    return found;
  }();
  return sets;
}

/// Each of them in turn.
inline synelix::InstructionSet set_of_turn(std::uint64_t turn) {
  return sets_at_hand()[turn % sets_at_hand().size()];
}

}  // namespace oracle
