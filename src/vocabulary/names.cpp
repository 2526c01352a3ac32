// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <synelix/choice.hpp>

namespace synelix {

const char* name_of(Method method) {
  switch (method) {
    case Method::automatic:
      return "automatic";
    case Method::direct:
      return "direct";
    case Method::events:
      return "events";
    case Method::fft:
      return "fft";
  }
  return "unknown";
}

const char* name_of(InstructionSet set) {
  switch (set) {
    case InstructionSet::automatic:
      return "automatic";
    case InstructionSet::plain:
      return "plain";
    case InstructionSet::avx2:
      return "avx2";
    case InstructionSet::avx512:
      return "avx512";
  }
  return "unknown";
}

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
