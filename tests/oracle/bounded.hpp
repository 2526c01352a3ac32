// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <cstdlib>

/// \file
/// Tests that are shorter if the variable SYNELIX_DRAWN_CASES limits the cases of random tests
/// (`drawn_cases`), as on an emulator of devices.

namespace oracle {

inline bool is_bounded() { return std::getenv("SYNELIX_DRAWN_CASES") != nullptr; }

/// For a test over combinations: runs each as usual, and one in a number of them if limited.
class OneIn {
 public:
  explicit OneIn(std::uint64_t turns) : m_turns(is_bounded() ? turns : 1) {}
  [[nodiscard]] bool is_next() { return m_next++ % m_turns == 0; }

 private:
  std::uint64_t m_turns;
  std::uint64_t m_next = 0;
};

/// A size as usual, or a smaller one there.
inline std::int64_t usual_or(std::int64_t usual, std::int64_t smaller) {
  return is_bounded() ? smaller : usual;
}

}  // namespace oracle
