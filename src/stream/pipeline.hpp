// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "stream/stream_plan.hpp"

#include <synelix/stream.hpp>

#include <cstdint>
#include <functional>
#include <span>

/// \file
/// The pipeline: a thread that reads, the caller that computes, a thread that writes.

namespace synelix::stream {

/// Stored samples of one piece of a block, of one source: (samples, channels), row-major.
struct Input {
  const void* values = nullptr;
  Range samples;
  std::int64_t channels = 0;
};

/// Computes the block, whose rows count among all rows of the features, into `output`, and returns
/// when it is there.
using Compute =
    std::function<void(const Block& block, std::span<const Input> inputs, void* output)>;

/// Streams as prepared, from the sources of its feeds; none where all inputs lie in memory.
/// \throws what the source, the sink, `compute` and the progress callback throw, on the
/// caller's thread, after the sink has abandoned
StreamReport run_pipeline(const Prepared& prepared, std::span<Source* const> sources, Sink& sink,
                          const FeaturesDescription& description, const Compute& compute,
                          const StreamOptions& options);

}  // namespace synelix::stream
