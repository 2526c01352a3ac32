// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/error.hpp>

#include <cstdint>
#include <regex>
#include <string>

/// \file
/// The least budget that an error names.

namespace oracle {

/// The least budget in an error of a call; 0 if there is no error. \throws BudgetError if it
/// contains none
template <class Call>
std::int64_t least_budget_of(const Call& call) {
  try {
    call();
  } catch (const synelix::BudgetError& error) {
    const std::string text = error.what();
    std::smatch found;
    if (!std::regex_search(text, found, std::regex("at least (\\d+) byte"))) throw;
    return std::stoll(found[1]);
  }
  return 0;
}

}  // namespace oracle
