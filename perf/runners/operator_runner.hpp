// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "exec_array.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
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
  /// The value at a place of the result, after a run.
  [[nodiscard]] virtual double value(const std::vector<std::int64_t>& point) const = 0;
  /// The chosen method.
  [[nodiscard]] virtual std::string detail() const = 0;
};

/// Values that all runners can generate: value i is (i * factor % divisor) / divisor - 1/2.
template <class Scalar>
ExecArray<Scalar> made_values(std::int64_t count, std::int64_t factor, std::int64_t divisor) {
  LargeArray<Scalar> values(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) {
    values[static_cast<std::size_t>(i)] = static_cast<Scalar>(
        static_cast<double>(i * factor % divisor) / static_cast<double>(divisor) - 0.5);
  }
  return ExecArray<Scalar>(std::move(values));
}

}  // namespace synelix::perf
