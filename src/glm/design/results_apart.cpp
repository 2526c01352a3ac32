// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "glm/design/results_apart.hpp"

namespace synelix::glm {

void check_result_apart(const Pass& pass, const char* name, const StridedOutput& result,
                        plan::Arguments others) {
  plan::check_apart(others.writes(name, result));
  // One by one: the list of arguments has a fixed size, and a design has any number of inputs.
  for (const Operand& input : pass.inputs()) {
    plan::check_apart(plan::Arguments().writes(name, result).reads("the design", input));
  }
}

}  // namespace synelix::glm
