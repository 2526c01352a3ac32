// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <string>
#include <vector>

/// \file
/// `OperatorRunner`: one way to compute an operator, prepared once and run many times. The library
/// is one, and so are the peers that are called from C++.

namespace synelix::perf {

class OperatorRunner {
 public:
  OperatorRunner() = default;
  OperatorRunner(const OperatorRunner&) = delete;
  OperatorRunner& operator=(const OperatorRunner&) = delete;
  virtual ~OperatorRunner() = default;

  virtual void run() = 0;
  /// The value of the result at a place, after a run.
  [[nodiscard]] virtual double value(const std::vector<std::int64_t>& point) const = 0;
  /// What was chosen.
  [[nodiscard]] virtual std::string detail() const = 0;
};

}  // namespace synelix::perf
