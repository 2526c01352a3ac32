// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "spectral/select.hpp"

#include "lanes/set_of.hpp"

#include <synelix/error.hpp>

#include <string>

namespace synelix::spectral {

template <class Scalar>
const PassTable<Scalar>& passes_of(InstructionSet set) {
  const auto* table = lanes::built_table<PassTable<Scalar>>(
      set, [](auto tag) -> const auto& { return table_for<Scalar, decltype(tag)>(); });
  if (table != nullptr) return *table;
  throw Error("machine.instruction_set", std::string(name_of(set)) + " is not in this build",
              "Use a set of this build");
}

template const PassTable<float>& passes_of<float>(InstructionSet);
template const PassTable<double>& passes_of<double>(InstructionSet);

}  // namespace synelix::spectral
