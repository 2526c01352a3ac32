// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "blocks/buffer.hpp"
#include "streams/stream_plan.hpp"

#include <synelix/types/stream.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

/// \file
/// The pipeline: a thread that reads, the caller that computes, a thread that writes.

namespace synelix::stream {

/// Stored samples of one piece of a block, of one source: (samples, channels), row-major.
struct Input {
  const blocks::Buffer& buffer;
  Range samples;
  std::int64_t channels = 0;
  StoredType type = StoredType::float32;
};

/// Computes blocks, as many at a time as the plan has slots.
struct Compute {
  /// Starts a block in a free slot. Its rows are counted among all rows of the features.
  std::function<void(std::size_t slot, const Block& block, std::span<const Input> inputs,
                     const blocks::Buffer& output)>
      start;
  /// Returns when the block of a slot is complete and its inputs are no longer used.
  std::function<void(std::size_t slot)> wait;
};

/// A buffer of a stream: pinned if blocks go through a device.
inline blocks::Buffer buffer_for(const StagedBlocks& staged, std::int64_t bytes) {
  if (!staged.is_staged()) return blocks::Buffer(bytes);
  return {"synelix::stream::pinned", blocks::buffer_bytes(bytes)};
}

/// Runs a prepared stream from the sources of its feeds; none if all inputs are in memory.
/// \throws what the source, the sink, `compute` and the progress callback throw, on the
/// caller's thread, after the sink has abandoned
StreamReport run_pipeline(const Prepared& prepared, std::span<Source* const> sources, Sink& sink,
                          const FeaturesDescription& description, const Compute& compute,
                          const StreamOptions& options);

}  // namespace synelix::stream
