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
/// Errors for budgets that are too small, with the smallest sufficient budget; the number of teams
/// that a budget allows; and the facts about the space that uses it.

namespace synelix {

/// "12 bytes are not enough".
inline std::string not_enough(std::int64_t bytes) {
  return std::to_string(bytes) + (bytes == 1 ? " byte is not enough" : " bytes are not enough");
}

/// Throws for a budget of `found` bytes. `purpose` follows "Give at least N bytes".
[[noreturn]] inline void refuse_budget(std::string_view argument, std::int64_t found,
                                       std::int64_t least, const std::string& purpose = {}) {
  throw BudgetError(
      argument, not_enough(found),
      "Give at least " + std::to_string(least) + (least == 1 ? " byte" : " bytes") + purpose,
      least);
}

/// The number of teams, at most `most`, that fit in a budget besides `fixed` bytes.
/// \throws Error if not even one fits
inline std::int64_t teams_within(std::int64_t budget, std::int64_t fixed, std::int64_t team_bytes,
                                 std::int64_t most) {
  if (budget < fixed + team_bytes) refuse_budget("budget", budget, fixed + team_bytes);
  return team_bytes > 0 ? std::min(most, (budget - fixed) / team_bytes) : most;
}

/// Facts about the execution space for the choice of an operator or a product.
struct ExecutionResources {
  bool is_device = false;
  std::int64_t concurrency = 1;  ///< threads
  /// Returns the bytes that a call which needs `needed` bytes may use: its given budget, or
  /// otherwise the default of the machine.
  std::function<std::int64_t(std::int64_t needed)> budget;
};

}  // namespace synelix
