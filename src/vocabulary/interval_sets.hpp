// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/time_bins.hpp>

#include <cstdint>
#include <string>
#include <vector>

/// \file
/// Intervals of time in order, and what several lists of them have in common.

namespace synelix {

/// Intervals in the order of time. Those of no length are left out; where one reaches less than
/// 1e-9 s into the next, it ends there.
/// \param name  what they are, for messages
/// \param rows  the number of each in what it was read from; empty: 0, 1, 2, ...
/// \throws Error, and FileError where rows are given, where one is not finite, ends before it
/// starts, or two overlap
std::vector<Interval> ordered_intervals(const std::string& name,
                                        const std::vector<Interval>& intervals,
                                        const std::vector<std::int64_t>& rows = {});

/// Intervals in the order of time, those that overlap or touch made one.
std::vector<Interval> united(std::vector<Interval> intervals);

/// The times that are in both of two lists in the order of time.
std::vector<Interval> intersection(const std::vector<Interval>& a, const std::vector<Interval>& b);

}  // namespace synelix
