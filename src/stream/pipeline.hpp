// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "stream/stream_plan.hpp"

#include <synelix/stream.hpp>

#include <cstdint>
#include <functional>

/// \file
/// The pipeline: a thread that reads, the caller that computes, a thread that writes.

namespace synelix::stream {

/// Stored samples of one piece of a block: (samples, channels), row-major.
struct Input {
  const void* values = nullptr;  ///< null for events
  Range samples;
};

/// Computes the block, whose rows count among all rows of the features, into `output`, and returns
/// when it is there.
using Compute = std::function<void(const Block& block, const Input& input, void* output)>;

/// Streams as prepared. `source` is null where the input lies in memory.
/// \throws what the source, the sink, `compute` and the progress callback throw, on the
/// caller's thread, after the sink has abandoned
StreamReport run_pipeline(const Prepared& prepared, Source* source, Sink& sink,
                          const FeaturesDescription& description, const Compute& compute,
                          const StreamOptions& options);

}  // namespace synelix::stream
