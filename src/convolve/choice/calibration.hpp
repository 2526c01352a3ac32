// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/choice.hpp>

#include <cstddef>
#include <span>
#include <vector>

/// \file
/// Fits the time of each step to runs with counted steps and measured times.

namespace synelix::chooser {

/// A run: the count of each step, and the time on one core.
struct Measurement {
  Steps counts;
  double nanoseconds = 0.0;
};

/// The nonnegative step times that explain the runs best: least squares of predicted over measured
/// times, with less weight for outliers. Steps that the runs hardly determine stay near `expected`,
/// whose times are above 0.
Steps fit_steps(std::span<const Measurement> runs, const Steps& expected);

// Evaluates times that were measured with several sizes of work items. A size replaces the
// library's own only if it is clearly faster, so noise changes nothing.

/// Times of one problem: (size, run). Run k of all sizes was measured consecutively.
using RunTimes = std::vector<std::vector<double>>;

/// The largest accepted time relative to the library's own size: on the mean of all problems, and
/// on each problem.
inline constexpr double clear_gain = 0.97;
inline constexpr double most_loss = 1.02;

/// The median of the ratios of times of the same runs.
double ratio_of(const std::vector<double>& times, const std::vector<double>& others);

/// The size with the least mean time over some problems; 0, the library's own, if no size is
/// clearly faster.
std::size_t best_of(std::span<const RunTimes> problems);

}  // namespace synelix::chooser
