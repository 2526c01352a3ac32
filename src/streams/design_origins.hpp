// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "index/rows.hpp"
#include "streams/stream_plan.hpp"

#include <synelix/types/features.hpp>
#include <synelix/types/stream_features.hpp>

#include <cstddef>
#include <span>
#include <vector>

/// \file
/// The inputs of a design for a stream: the sources and spike trains, and the samples of each that
/// rows depend on.

namespace synelix::stream {

/// The inputs of an expression; each source and each list of spike trains once.
struct Origins {
  /// \throws Error if there is no input
  explicit Origins(std::span<const StreamInput> inputs);

  std::vector<InputShape> shapes;     ///< of each input
  std::vector<const Events*> events;  ///< of each input; null for a source
  std::vector<std::size_t> number;    ///< for each input: its number among sources or trains
  std::vector<Source*> sources;
  std::vector<const Events*> trains;
};

/// The feed of each source, and the reach that determines which rows have complete windows.
struct Reaches {
  Reaches(const Origins& origins, const FeaturesChoice& choice);

  std::vector<Feed> feeds;
  index::Reach rows;
};

/// \throws Error if a basis needs all samples of its input at once
void require_no_samples(const Expression& expression);

}  // namespace synelix::stream
