// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/types/conv.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

/// \file
/// Convolution operators as obvious loops in double: one list of products (x value, weight, y
/// value), which each operator sums over the other indices.

namespace oracle {

/// A convolution with three dimensions of space. Arrays are (batch, channels, space), last index
/// fastest.
struct Convolution {
  using Sizes = std::array<std::int64_t, 3>;
  std::int64_t batch = 1;
  std::int64_t groups = 1;
  std::int64_t inputs = 1;
  std::int64_t outputs = 1;
  Sizes in{1, 1, 1};
  Sizes taps{1, 1, 1};
  Sizes stride{1, 1, 1};
  Sizes dilation{1, 1, 1};
  Sizes before{0, 0, 0};
  Sizes after{0, 0, 0};
  synelix::PaddingKind kind = synelix::PaddingKind::zero;

  [[nodiscard]] Sizes out() const {
    Sizes sizes{};
    for (std::size_t d = 0; d < 3; ++d) {
      const std::int64_t window = dilation[d] * (taps[d] - 1) + 1;
      sizes[d] = (before[d] + in[d] + after[d] - window) / stride[d] + 1;
    }
    return sizes;
  }

  /// The input position of a window's position; -1: a zero.
  [[nodiscard]] std::int64_t source(std::size_t d, std::int64_t position, std::int64_t tap) const {
    std::int64_t at = position * stride[d] + tap * dilation[d] - before[d];
    const std::int64_t last = in[d] - 1;
    while (at < 0 || at > last) {
      if (kind == synelix::PaddingKind::zero) return -1;
      if (kind == synelix::PaddingKind::circular) {
        at += at < 0 ? in[d] : -in[d];
      } else {
        at = at < 0 ? -at : last - (at - last);
      }
    }
    return at;
  }
};

std::int64_t volume(const Convolution::Sizes& sizes);

/// Sums, bounds for the magnitudes of one, and the number of terms.
struct Sums {
  std::vector<double> values;
  std::vector<double> magnitudes;
  std::vector<std::int64_t> counts;

  explicit Sums(std::int64_t size)
      : values(static_cast<std::size_t>(size), 0.0),
        magnitudes(values.size(), 0.0),
        counts(values.size(), 0) {}
  void add(std::int64_t i, double value) {
    const auto k = static_cast<std::size_t>(i);
    values[k] += value;
    magnitudes[k] += std::fabs(value);
    ++counts[k];
  }
  [[nodiscard]] double most() const {
    return magnitudes.empty() ? 0.0 : *std::max_element(magnitudes.begin(), magnitudes.end());
  }
  [[nodiscard]] std::int64_t terms() const {
    return counts.empty() ? 0 : *std::max_element(counts.begin(), counts.end());
  }
};

Sums convolved(const Convolution& conv, const std::vector<double>& x, const std::vector<double>& w,
               const std::vector<double>& bias);
Sums gradient_by_input(const Convolution& conv, const std::vector<double>& y,
                       const std::vector<double>& w);
Sums gradient_by_weights(const Convolution& conv, const std::vector<double>& x,
                         const std::vector<double>& y);

}  // namespace oracle
