// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <vector>

/// \file
/// OrthExponential on samples: the left singular vectors of A(t, i) = exp(-rate_i u_t) are
/// A V / s, so that a sample's columns are a small matrix times its exponentials.

namespace synelix::bases {

/// Gathers samples and finds that matrix. Of A only the triangle of its orthogonal decomposition
/// is kept, updated block by block: memory does not grow with the samples.
class ExponentialFit {
 public:
  explicit ExponentialFit(std::vector<double> rates);

  /// One sample, mapped to [0, 1].
  void add(double u);
  /// Samples so far.
  [[nodiscard]] std::int64_t samples() const { return m_samples; }

  /// The map from exponentials to orthonormal columns.
  struct Map {
    std::int64_t rank = 0;
    std::vector<double> values;  ///< rates x rank, row-major
  };
  /// Of all samples, of which there are at least as many as rates. The signs are open.
  [[nodiscard]] Map map();

 private:
  void update();

  std::vector<double> m_rates;
  std::vector<double> m_triangle;  ///< rates x rates, column-major
  std::vector<double> m_block;     ///< samples that wait, each mapped to [0, 1]
  std::int64_t m_samples = 0;
};

}  // namespace synelix::bases
