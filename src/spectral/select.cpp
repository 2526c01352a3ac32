// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "spectral/select.hpp"

#include <synelix/error.hpp>

#include <string>

namespace synelix::spectral {
namespace {

/// Of two tables the one of the scalar.
template <class Scalar>
const PassTable<Scalar>& of(const PassTable<float>* of_float, const PassTable<double>* of_double) {
  if constexpr (sizeof(Scalar) == sizeof(float)) {
    return *of_float;
  } else {
    return *of_double;
  }
}

}  // namespace

template <class Scalar>
const PassTable<Scalar>& passes_of(InstructionSet set) {
  switch (set) {
#ifdef SYNELIX_SET_AVX512
    case InstructionSet::avx512:
      return of<Scalar>(&float_passes_avx512, &double_passes_avx512);
#endif
#ifdef SYNELIX_SET_AVX2
    case InstructionSet::avx2:
      return of<Scalar>(&float_passes_avx2, &double_passes_avx2);
#endif
#ifdef SYNELIX_SET_PLAIN
    case InstructionSet::plain:
      return of<Scalar>(&float_passes_plain, &double_passes_plain);
#endif
    default:
      throw Error("machine.instruction_set", std::string(name_of(set)) + " is not in this build",
                  "Use a set of this build");
  }
}

template const PassTable<float>& passes_of<float>(InstructionSet);
template const PassTable<double>& passes_of<double>(InstructionSet);

}  // namespace synelix::spectral
