// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <synelix/choice.hpp>

#include "vocabulary/known.hpp"

namespace synelix {

const char* name_of(Method method) { return known_name(method); }

const char* name_of(InstructionSet set) { return known_name(set); }

const char* name_of(StagingReason reason) {
  switch (reason) {
    case StagingReason::near:
      return "near";
    case StagingReason::shared_memory:
      return "shared memory";
    case StagingReason::not_wanted:
      return "not wanted";
    case StagingReason::out_of_reach:
      return "out of reach";
    case StagingReason::across_a_bus:
      return "across a bus";
    case StagingReason::asked_for:
      return "asked for";
  }
  return "unknown";
}

}  // namespace synelix
