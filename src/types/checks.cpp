// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "types/checks.hpp"

#include "types/number_text.hpp"

#include <synelix/choice.hpp>
#include <synelix/error.hpp>

#include <cstddef>
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

template <class Void>
void require_addressable(std::string_view name, const BasicStrided<Void>& array) {
  constexpr std::int64_t most_bytes = std::int64_t{1} << 56;
  std::int64_t left = most_bytes / size_of(array.type);
  for (int i = 0; i < array.rank; ++i) {
    const auto k = static_cast<std::size_t>(i);
    const std::int64_t steps = array.extents[k] - 1;
    const std::int64_t stride = array.strides[k];
    if (steps < 1 || stride == 0) continue;
    const bool is_far =
        stride <= -left || stride >= left || steps > left / (stride < 0 ? -stride : stride);
    if (is_far) {
      const auto rank = static_cast<std::size_t>(array.rank);
      throw Error(name,
                  "the extents " + extents_text({array.extents.data(), rank}) + " with strides " +
                      extents_text({array.strides.data(), rank}) + " reach too far",
                  "Keep at most 2^56 bytes from the first value to the last");
    }
    left -= steps * (stride < 0 ? -stride : stride);
  }
}

template void require_addressable(std::string_view, const Strided&);
template void require_addressable(std::string_view, const StridedOutput&);

}  // namespace synelix
