// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/strided.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

/// \file
/// A row-major matrix of doubles that lives in a test.

namespace oracle {

struct HostMatrix {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::vector<double> values;

  HostMatrix() = default;
  HostMatrix(std::int64_t r, std::int64_t c, double value = 0)
      : rows(r), columns(c), values(static_cast<std::size_t>(r * c), value) {}

  double& operator()(std::int64_t r, std::int64_t c) {
    return values[static_cast<std::size_t>(r * columns + c)];
  }
  double operator()(std::int64_t r, std::int64_t c) const {
    return values[static_cast<std::size_t>(r * columns + c)];
  }
  [[nodiscard]] synelix::Strided in() const {
    return synelix::Strided(values.data(), {rows, columns});
  }
  [[nodiscard]] synelix::StridedOutput out() {
    return synelix::StridedOutput(values.data(), {rows, columns});
  }
};

}  // namespace oracle
