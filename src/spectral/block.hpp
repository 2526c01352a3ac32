// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "spectral/levels.hpp"
#include "spectral/lines.hpp"
#include "spectral/transform.hpp"

#include <cstdint>

/// \file
/// The sizes of a team's memory while it transforms a block of lanes. They are constexpr, so the
/// choice, the allocation and the use share one formula.

namespace synelix::spectral {

/// The sizes of a work item.
struct BlockSizes {
  std::int64_t scalar_bytes = 4;
  std::int64_t points = 0;          ///< complex points of a transform: half the length of a block
  int pack_lanes = 1;               ///< values of a pack
  std::int64_t lanes = 0;           ///< of the packed block
  std::int64_t bases = 0;           ///< of a work item
  std::int64_t resident_lines = 1;  ///< lines whose points are in memory together
  std::int64_t tile_columns = 1;    ///< columns of the last pass that are staged together
  std::int64_t stages = 1;          ///< virtual items that stage at the same time
  std::int64_t parts = 1;           ///< parts of the window; the spectra of this many blocks are
                                    ///< kept
  std::int64_t part_taps = 0;       ///< of all parts except the last; the window if there is one
  std::int64_t block_rows = 0;      ///< output rows of a block
  std::int64_t window_rows = 0;     ///< samples in the windows of a block's rows, if there are
                                    ///< parts

  [[nodiscard]] constexpr std::int64_t register_bytes() const { return pack_lanes * scalar_bytes; }
};

/// Where the parts of a team's memory begin, in bytes.
struct BlockMemory {
  std::int64_t packed = 0;
  std::int64_t points = 0;
  std::int64_t spectra = 0;
  std::int64_t probes = 0;
  std::int64_t energy = 0;    ///< (lane): sum of squares of the samples of a block
  std::int64_t levels = 0;    ///< (segment, lane): the same for segments (spectral/levels.hpp)
  std::int64_t least = 0;     ///< (lane): least energy of segments that are completely in a window
  std::int64_t smallest = 0;  ///< (lane): smallest nonzero square
  std::int64_t weak = 0;      ///< (lane): range of weak rows
  std::int64_t stages = 0;
  std::int64_t windows = 0;       ///< samples in the windows of one lane, if there are parts
  std::int64_t marks = 0;         ///< (block, lane): for the blocks in a window
  std::int64_t stage_values = 0;  ///< of one virtual item
  std::int64_t spectra_step = 0;  ///< values from the spectra of one block to those of the next
  std::int64_t bytes = 0;
};

/// The most blocks in the window of a row: one if a block contains the complete window.
constexpr std::int64_t seen_blocks(std::int64_t parts) { return parts > 1 ? parts + 1 : 1; }

/// Number of segments in the new samples of a block, if there are parts.
inline constexpr std::int64_t segments_of_part = 4;

/// Samples of a segment.
constexpr std::int64_t segment_samples(const BlockSizes& sizes) {
  if (sizes.parts == 1) return segment_of_window(sizes.part_taps);
  return (sizes.part_taps + segments_of_part - 1) / segments_of_part;
}
/// Values of the segments of a lane; with parts, those of each block after its total energy.
constexpr std::int64_t level_values(const BlockSizes& sizes) {
  if (sizes.parts > 1) return seen_blocks(sizes.parts) * (1 + segments_of_part);
  const std::int64_t segment = segment_samples(sizes);
  return (2 * sizes.points + segment - 1) / segment;
}

constexpr BlockMemory block_memory(const BlockSizes& sizes) {
  const auto shape = shape_of<float>(sizes.points, sizes.register_bytes());
  const auto lines = lines_of<float>(sizes.bases, sizes.pack_lanes, sizes.points, sizes.parts);
  BlockMemory memory;
  const auto take = [&](std::int64_t values) {
    const std::int64_t begin = memory.bytes;
    memory.bytes += (values * sizes.scalar_bytes + 63) / 64 * 64;
    return begin;
  };
  const std::int64_t whole = sizes.points * 2 * sizes.pack_lanes;
  const std::int64_t kept = spectra_values(lines, sizes.pack_lanes, sizes.points);
  memory.packed = take(2 * sizes.points * sizes.lanes);
  memory.points = take(sizes.resident_lines * shape.stored_points() * 2 * sizes.pack_lanes);
  memory.spectra_step = part_step(kept > whole ? kept : whole, sizes.pack_lanes, sizes.parts);
  memory.spectra = take(sizes.parts * memory.spectra_step);
  memory.probes = take(sizes.bases * sizes.pack_lanes);
  memory.energy = take(sizes.pack_lanes);
  memory.levels = take(level_values(sizes) * sizes.pack_lanes);
  memory.least = take(sizes.pack_lanes);
  memory.smallest = take(sizes.pack_lanes);
  memory.weak = take(sizes.pack_lanes * std::int64_t{sizeof(Range)} / sizes.scalar_bytes);
  memory.stage_values = std::int64_t{2} * shape.radix[0] * sizes.tile_columns *
                        sizes.resident_lines * sizes.pack_lanes;
  memory.stages = take(sizes.stages * memory.stage_values);
  if (sizes.parts > 1) memory.windows = take(sizes.window_rows);
  memory.marks = take(seen_blocks(sizes.parts) * sizes.pack_lanes);
  return memory;
}

/// Bytes of the tables of a bank: constants of the transform, lane numbers, kernels.
constexpr std::int64_t bank_bytes(const BlockSizes& sizes, std::int64_t bases) {
  const auto shape = shape_of<float>(sizes.points, sizes.register_bytes());
  const auto lines = lines_of<float>(sizes.bases, sizes.pack_lanes, sizes.points, sizes.parts);
  const std::int64_t groups = (bases + sizes.bases - 1) / sizes.bases;
  const std::int64_t of_part =
      part_step(kernel_values(lines, sizes.points), sizes.pack_lanes, sizes.parts);
  return (table_values(shape) + line_numbers(lines, sizes.pack_lanes) +
          groups * sizes.parts * of_part) *
         sizes.scalar_bytes;
}

}  // namespace synelix::spectral
