// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/error.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

/// \file
/// Budgets that are too small, refused with the least that works, what others have room for, and
/// what is known of the space that spends them.

namespace synelix {

/// "12 bytes are not enough".
inline std::string not_enough(std::int64_t bytes) {
  return std::to_string(bytes) + (bytes == 1 ? " byte is not enough" : " bytes are not enough");
}

/// Refuses a budget of `found` bytes. `purpose` follows "Give at least N bytes".
[[noreturn]] inline void refuse_budget(std::string_view argument, std::int64_t found,
                                       std::int64_t least, const std::string& purpose = {}) {
  throw BudgetError(
      argument, not_enough(found),
      "Give at least " + std::to_string(least) + (least == 1 ? " byte" : " bytes") + purpose,
      least);
}

/// As many teams, of `most`, as a budget has room for beside `fixed` bytes.
/// \throws Error where it has no room for one
inline std::int64_t teams_within(std::int64_t budget, std::int64_t fixed, std::int64_t team_bytes,
                                 std::int64_t most) {
  if (budget < fixed + team_bytes) refuse_budget("budget", budget, fixed + team_bytes);
  return team_bytes > 0 ? std::min(most, (budget - fixed) / team_bytes) : most;
}

/// What the choice of an operator or a product knows of the space that runs it.
struct ExecutionResources {
  bool is_device = false;
  std::int64_t concurrency = 1;  ///< threads
  /// Bytes that a call may use that needs so many: what it was told, else what the machine has.
  std::function<std::int64_t(std::int64_t needed)> budget;
};

}  // namespace synelix
