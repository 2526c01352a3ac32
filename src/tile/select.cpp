// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tile/select.hpp"

#include "lanes/instruction_set.hpp"

#include <synelix/error.hpp>

#include <string>
#include <type_traits>

namespace synelix::tile {
namespace {

/// Whether the build has the set's tiles and the processor its instructions.
bool has(InstructionSet set) {
  switch (set) {
#ifdef SYNELIX_SET_PLAIN
    case InstructionSet::plain:
      return true;
#endif
#ifdef SYNELIX_SET_AVX2
    case InstructionSet::avx2:
      return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#endif
#ifdef SYNELIX_SET_AVX512
    case InstructionSet::avx512:
      return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
             __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("fma");
#endif
    default:
      return false;
  }
}

constexpr InstructionSet widest_first[] = {InstructionSet::avx512, InstructionSet::avx2,
                                           InstructionSet::plain};

}  // namespace

InstructionSet select_set(InstructionSet wanted) {
  std::string usable;
  for (const InstructionSet set : widest_first) {
    if (!has(set)) continue;
    if (wanted == InstructionSet::automatic || wanted == set) return set;
    usable += usable.empty() ? name_of(set) : std::string(", ") + name_of(set);
  }
  throw Error("machine.instruction_set",
              std::string(name_of(wanted)) +
                  (usable.empty() ? " cannot serve: this build has no tiles for this processor"
                                  : " is not in this build or not on this processor"),
              usable.empty() ? std::string("Build for this processor")
                             : "Use automatic, or one of " + usable);
}

template <class Scalar>
const TileTable<Scalar>& table_of(InstructionSet set) {
  constexpr bool is_float = std::is_same_v<Scalar, float>;
  switch (set) {
#ifdef SYNELIX_SET_AVX512
    case InstructionSet::avx512:
      if constexpr (is_float) {
        return float_tiles_avx512;
      } else {
        return double_tiles_avx512;
      }
#endif
#ifdef SYNELIX_SET_AVX2
    case InstructionSet::avx2:
      if constexpr (is_float) {
        return float_tiles_avx2;
      } else {
        return double_tiles_avx2;
      }
#endif
#ifdef SYNELIX_SET_PLAIN
    case InstructionSet::plain:
      if constexpr (is_float) {
        return float_tiles_plain;
      } else {
        return double_tiles_plain;
      }
#endif
    default:
      throw Error("machine.instruction_set", std::string(name_of(set)) + " is not in this build",
                  "Use a set of this build");
  }
}

template const TileTable<float>& table_of<float>(InstructionSet);
template const TileTable<double>& table_of<double>(InstructionSet);

int register_bytes(InstructionSet set) {
  switch (set) {
    case InstructionSet::avx512:
      return lanes::Avx512::bytes;
    case InstructionSet::avx2:
      return lanes::Avx2::bytes;
    default:
      return lanes::Plain::bytes;
  }
}

}  // namespace synelix::tile
