// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tile/select.hpp"
#include "types/checks.hpp"

#include <synelix/error.hpp>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <vector>

/// \file
/// The instruction sets that there are, and those that this build and this processor have.

namespace oracle {

/// Every set of a host, the narrowest first.
inline const std::vector<synelix::InstructionSet>& host_sets() {
  static const std::vector<synelix::InstructionSet> sets = [] {
    std::vector<synelix::InstructionSet> found;
    for (std::size_t i = 1; i < std::size(synelix::value_names<synelix::InstructionSet>); ++i) {
      found.push_back(static_cast<synelix::InstructionSet>(i));  // 0 is automatic
    }
    return found;
  }();
  return sets;
}

inline const std::vector<synelix::InstructionSet>& sets_at_hand() {
  static const std::vector<synelix::InstructionSet> sets = [] {
    std::vector<synelix::InstructionSet> found;
    for (const auto set : host_sets()) {
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
