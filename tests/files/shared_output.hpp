// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "files/resumable.hpp"

#include <synelix/hdf5.hpp>

#include <cstdint>
#include <string>
#include <vector>

/// \file
/// Sinks that write parts of one output, in which each value encodes its place.

namespace shared_output {

namespace sx = synelix;
using made::at;
using resumable::Problem;
using sx::Block;
using sx::BlockShape;

inline sx::Hdf5SinkOptions part(std::int64_t number, std::int64_t of) {
  sx::Hdf5SinkOptions options;
  options.part = sx::OutputPart{.number = number, .of = of};
  return options;
}

inline const Problem dense{
    {.rows = 5000, .channels = 3, .bases = 4, .channel_extents = {3}}, {}, {}};

inline sx::Hdf5Sink begun(const std::string& file, std::int64_t number, std::int64_t of,
                          const BlockShape& block) {
  sx::Hdf5Sink sink(at(file, "/f"), part(number, of));
  sink.begin(resumable::described(dense, block));
  return sink;
}

inline std::vector<Block> left_of(const sx::Sink& sink, const BlockShape& block) {
  return resumable::blocks_of(resumable::left_of(sink, dense), block);
}

inline void write(sx::Sink& sink, const Block& block) { resumable::write(sink, dense, block); }

/// Writes the rest of a part.
inline void complete(const std::string& file, std::int64_t number, std::int64_t of,
                     const BlockShape& block) {
  sx::Hdf5Sink sink = begun(file, number, of, block);
  for (const Block& next : left_of(sink, block)) write(sink, next);
  sink.finish();
}

}  // namespace shared_output
