// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "glm/design/arguments.hpp"

#include "launch/arrays.hpp"
#include "pack/value.hpp"
#include "types/number_text.hpp"

#include <synelix/error.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

namespace synelix::glm {

std::vector<double> host_values(const char* name, const Strided& array,
                                std::initializer_list<std::int64_t> extents) {
  plan::check_array(name, array);
  const std::span<const std::int64_t> expected(extents.begin(), extents.size());
  if (array.rank != static_cast<int>(expected.size()) ||
      !std::equal(expected.begin(), expected.end(), array.extents.begin())) {
    throw Error(name, plan::extents_text(array) + " does not match the other arguments",
                "Use " + extents_text(expected));
  }
  std::int64_t count = 1;
  for (const std::int64_t extent : expected) count *= extent;
  std::vector<double> values(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) {
    std::int64_t rest = i;
    std::int64_t place = 0;
    for (std::size_t k = expected.size(); k-- > 0;) {
      place += rest % expected[k] * array.strides[k];
      rest /= expected[k];
    }
    values[static_cast<std::size_t>(i)] = pack::stored_value(array.data, array.type, place);
  }
  return values;
}

void check_result_apart(const Pass& pass, const char* name, const StridedOutput& result,
                        plan::Arguments others) {
  plan::check_apart(others.writes(name, result));
  // Inputs are checked one by one, because Arguments has a fixed size and a design may have any
  // number of inputs.
  for (const Operand& input : pass.inputs()) {
    plan::check_apart(plan::Arguments().writes(name, result).reads("the design", input));
  }
}

}  // namespace synelix::glm
