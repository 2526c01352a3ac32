// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "stream/row_map.hpp"

#include <synelix/stream.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

/// \file
/// From a problem and a budget to blocks: pure functions, which run nothing.

namespace synelix::stream {

/// What is to be streamed.
struct Problem {
  const SeriesShape& shape;
  std::vector<std::int64_t> channel_extents;
  std::int64_t window = 0;
  std::int64_t bases = 0;
  StoredType type = StoredType::float32;  ///< of the features
  const ConvolveOptions& options;
  std::optional<Range> samples;    ///< StreamOptions::samples
  const Source* source = nullptr;  ///< null for events, which lie in memory
  const Sink& sink;
  /// What a ConvolvePlan with these options would choose.
  std::function<Choice(const ConvolveOptions&)> choose;
};

/// A plan, and what it takes to follow it.
struct Prepared {
  StreamPlan plan;
  ConvolveOptions options;  ///< for the ConvolvePlan: the budget is its share
  RowMap rows;
};

/// \throws Error where an option is out of its range, or the budget too small
Prepared prepare(const Problem& problem);

}  // namespace synelix::stream
