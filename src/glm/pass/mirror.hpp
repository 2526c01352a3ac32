// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

namespace synelix::glm {

/// The lower triangle of (columns + 1) classes squared from the upper one, and of pairs of classes
/// from those whose first is not behind the second.
inline void mirror(double* result, std::int64_t size, std::int64_t classes) {
  const std::int64_t n = size * classes;
  for (std::int64_t i = 0; i < size; ++i) {
    for (std::int64_t j = i; j < size; ++j) {
      for (std::int64_t c = 0; c < classes; ++c) {
        for (std::int64_t d = c; d < classes; ++d) {
          const double value = result[(i * classes + c) * n + j * classes + d];
          result[(i * classes + d) * n + j * classes + c] = value;
          result[(j * classes + c) * n + i * classes + d] = value;
          result[(j * classes + d) * n + i * classes + c] = value;
        }
      }
    }
  }
}

}  // namespace synelix::glm
