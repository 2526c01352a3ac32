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

}  // namespace synelix
