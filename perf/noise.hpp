// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

/// \file
/// Samples for benchmarks.

namespace synelix::perf {

/// Numbers from a generator that is the same everywhere.
class Noise {
 public:
  /// Uniform in [0, 1).
  double uniform() {
    m_state = m_state * 6364136223846793005U + 1442695040888963407U;
    return static_cast<double>(m_state >> 11) * 0x1p-53;
  }
  /// Uniform in [-1, 1).
  float sample() { return static_cast<float>(2.0 * uniform() - 1.0); }

  /// Integer in [0, count).
  std::int64_t below(std::int64_t count) {
    return static_cast<std::int64_t>(uniform() * static_cast<double>(count));
  }

 private:
  std::uint64_t m_state = 42;
};

}  // namespace synelix::perf
