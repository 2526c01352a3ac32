// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/choice.hpp>

#include <span>

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

}  // namespace synelix::chooser
