// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/alignment.hpp>
#include <synelix/choice.hpp>

#include "golden/golden_file.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace golden {

/// One array, its kernel and the expected result of the convolution.
struct ConvolutionCase {
  Array x;
  Array kernel;
  Array out;
  std::optional<Array> valid;  ///< one flag for each sample
  synelix::Epochs epochs;
  int sample_axis = 0;
  synelix::ConvolveOptions options;  ///< without the batch
  std::optional<synelix::Batch> batch;
  double relative_tolerance = 1e-12;

  std::int64_t samples() const { return x.extents[static_cast<std::size_t>(sample_axis)]; }
  std::int64_t window() const { return kernel.extents[0]; }
  std::int64_t bases() const { return kernel.extents[1]; }

  /// Products of the extents before and after the sample axis: x is (before, samples, after).
  std::int64_t before() const;
  std::int64_t after() const;

  /// The largest finite |x| times the largest column sum of |kernel|, which no output exceeds.
  double scale() const;
};

/// The case with the array x`suffix`; the kernel, the attributes and, if an array has no epochs,
/// the epochs are the group's.
ConvolutionCase read_case(const Group& group, const std::string& suffix);

}  // namespace golden
