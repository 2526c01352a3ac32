// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vocabulary/known.hpp"

#include <synelix/choice.hpp>
#include <synelix/error.hpp>

#include <string>

namespace synelix {

const char* name_of(Method method) { return known_name(method); }
const char* name_of(InstructionSet set) { return known_name(set); }
const char* name_of(StagingReason reason) { return known_name(reason); }

namespace seam {

void refuse_unknown(std::string_view argument, std::int64_t value,
                    std::span<const std::string_view> names) {
  std::string known;
  for (std::size_t i = 0; i < names.size(); ++i) {
    known.append(i == 0 ? "" : ", ").append(std::to_string(i)).append(" (");
    known.append(names[i]).append(")");
  }
  throw Error(argument, "the value " + std::to_string(value) + " is unknown", "Use " + known);
}

}  // namespace seam
}  // namespace synelix
