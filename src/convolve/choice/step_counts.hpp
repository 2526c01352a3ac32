// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "convolve/choice/choose.hpp"

#include <synelix/choice.hpp>

#include <cstdint>

/// \file
/// The cost model: what a run does is counted, step by step, and each step takes its time. Counts
/// follow from the problem and the shape of the work items; times are the machine's.

namespace synelix::chooser {

/// Strips of so many rows that all segments take together, for one channel.
double strips_of(const ProblemSize& problem, std::int64_t rows);

/// How often a run takes each step.
Steps count_steps(const ProblemSize& problem, const Resources& resources, const Choice& choice);

/// The sum over all steps of how often times how long.
double total_of(const Steps& counts, const Steps& nanoseconds);

}  // namespace synelix::chooser
