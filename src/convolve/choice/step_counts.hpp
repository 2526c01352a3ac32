// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "convolve/choice/choose.hpp"

#include <synelix/choice.hpp>

#include <cstdint>

/// \file
/// The cost model: the steps of a run are counted, and each step has a time. Counts follow from the
/// problem and the shape of the work items; times depend on the machine.

namespace synelix::chooser {

/// Strips of `rows` rows that cover all segments, for one channel.
double strips_of(const ProblemSize& problem, std::int64_t rows);

/// The count of each step in a run.
Steps count_steps(const ProblemSize& problem, const Resources& resources, const Choice& choice);

/// The sum of count times nanoseconds over all steps.
double total_of(const Steps& counts, const Steps& nanoseconds);

}  // namespace synelix::chooser
