// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/alignment.hpp>
#include <synelix/eval_basis.hpp>

#include <cstdint>
#include <vector>

/// \file
/// Designs by obvious loops in double: filters over windows, samples through functions, sums and
/// products channel by channel. Formulas are those of the public headers, with other methods than
/// the library's: splines by the complete Cox - de Boor recursion.

namespace oracle {

/// Values (sample, channel, column), NaN for missing ones.
struct Table {
  std::int64_t channels = 1;
  std::int64_t columns = 0;
  std::vector<double> values;

  [[nodiscard]] double at(std::int64_t t, std::int64_t c, std::int64_t b) const {
    return values[static_cast<std::size_t>((t * channels + c) * columns + b)];
  }
};

/// Time, and the values at borders.
struct Timeline {
  std::int64_t samples = 0;
  synelix::Epochs epochs;  ///< at least one
  synelix::Border border = synelix::Border::nan;

  /// The epoch of a sample; empty if it is in a gap.
  [[nodiscard]] synelix::Epoch epoch_of(std::int64_t t) const {
    for (const auto& epoch : epochs) {
      if (t >= epoch.begin && t < epoch.end) return epoch;
    }
    return {};
  }
};

/// A filter bank over windows. x is (sample, channel), taps (w, b).
Table convolved(const Timeline& time, const std::vector<double>& x, std::int64_t channels,
                const std::vector<double>& taps, std::int64_t window, synelix::Causality causality,
                synelix::Shift shift);

/// A basis of one input in eval mode.
Table evaluated(const Timeline& time, const std::vector<double>& x, std::int64_t channels,
                const synelix::EvalBasis& basis, const std::vector<synelix::Bounds>& bounds,
                double fill, synelix::Outside outside);

/// Fourier, of inputs that have one shape; combinations are (combination, dimension).
Table fourier(const Timeline& time, const std::vector<std::vector<double>>& x,
              std::int64_t channels, const std::vector<std::int64_t>& combinations,
              const std::vector<synelix::Bounds>& bounds);

/// Concatenates columns, channel by channel.
Table beside(const Timeline& time, const Table& a, const Table& b);

/// Every column of a times every column of b, channel by channel.
Table times(const Timeline& time, const Table& a, const Table& b);

}  // namespace oracle
