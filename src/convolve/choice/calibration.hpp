// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/choice.hpp>

#include <cstddef>
#include <span>
#include <vector>

/// \file
/// From runs whose steps were counted and whose time was measured to the time of each step.

namespace synelix::chooser {

/// A run: how often it took each step, and what it took on one core.
struct Measurement {
  Steps counts;
  double nanoseconds = 0.0;
};

/// The times of the steps that explain the runs best, none below 0: least squares of what is
/// predicted over what was measured, where runs that are far off count less. Steps that the runs
/// say little of stay near `expected`, whose times are above 0.
Steps fit_steps(std::span<const Measurement> runs, const Steps& expected);

// What follows from times that were measured with several sizes of work items. A size takes the
// place of the library's own only where it won clearly: noise changes nothing then.

/// Times of one problem: (size, run). Run k of all sizes came one after the other.
using RunTimes = std::vector<std::vector<double>>;

/// What a size must take at most, over the library's own, on the mean of all problems; and on each
/// one.
inline constexpr double clear_gain = 0.97;
inline constexpr double most_loss = 1.02;

/// The median of times over those of the same runs.
double ratio_of(const std::vector<double>& times, const std::vector<double>& others);

/// The size that takes least on the mean of some problems; 0, the library's own, where none wins
/// clearly.
std::size_t best_of(std::span<const RunTimes> problems);

}  // namespace synelix::chooser
