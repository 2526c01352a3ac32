// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "index/segment.hpp"

#include <cstdint>

/// \file
/// The layout of a team's memory: offsets in bytes from its beginning, each at a cache line. A
/// choice counts bytes with these functions, and a sweep places its pointers with them, so the two
/// always agree.

namespace synelix::index {

/// Bytes of a cache line. A workspace is aligned to it, and has this many extra bytes for the
/// alignment.
inline constexpr std::int64_t workspace_alignment = 64;

/// Bytes rounded up to full cache lines.
constexpr std::int64_t whole_lines(std::int64_t bytes) {
  return round_up(bytes, workspace_alignment);
}

/// The strips of a work item, `sets` times, and one order of them.
struct StripMemory {
  std::int64_t order = 0;
  std::int64_t bytes = 0;
};

/// The sets of strips for a window in parts: the requested strips, input blocks, and output blocks.
inline constexpr std::int64_t parted_strip_sets = 3;

constexpr StripMemory strip_memory(std::int64_t strips, std::int64_t sets = 1) {
  StripMemory memory;
  memory.order = sets * strips * static_cast<std::int64_t>(sizeof(Strip));
  memory.bytes =
      whole_lines(memory.order + strips * static_cast<std::int64_t>(sizeof(std::int32_t)));
  return memory;
}

/// The sizes that determine the memory of the direct method.
struct DirectTeam {
  std::int64_t strips = 0;  ///< the most of a work item; the same for channels and bases
  std::int64_t channels = 0;
  std::int64_t staged_bases = 0;  ///< the most bases of a staged row
  std::int64_t staged_rows = 0;   ///< rows of a strip that are collected before they are stored
  std::int64_t packed_rows = 0;   ///< samples of a lane
  std::int64_t shared_rows = 0;   ///< rows of the shared filter of a lane; 0: none
  std::int64_t register_lanes = 0;
  std::int64_t scalar_bytes = 0;
  std::int64_t lane_bytes = 0;  ///< of the record of a lane
  std::int64_t pack_bytes = 0;  ///< of the record of a pack of lanes
};

/// Bytes of the parts, which are consecutive in this order.
///
/// Sizes instead of offsets: a sweep moves one pointer from part to part. With pointers that are
/// all offsets from the beginning, the compiler for gfx90a needs 258 registers instead of 215, and
/// a processor runs half as many teams.
struct DirectMemory {
  std::int64_t strips = 0;  ///< and their order
  std::int64_t lane_records = 0;
  std::int64_t pack_records = 0;
  std::int64_t stage = 0;
  std::int64_t samples = 0;
  std::int64_t shared = 0;
  std::int64_t stage_values = 0;  ///< number of values of the stage

  [[nodiscard]] constexpr std::int64_t bytes() const {
    return strips + lane_records + pack_records + stage + samples + shared;
  }
};

/// The memory for a work item of `lanes` lanes, a multiple of packs.
constexpr DirectMemory direct_memory(const DirectTeam& team, std::int64_t lanes) {
  DirectMemory memory;
  memory.strips = strip_memory(team.strips).bytes;
  memory.lane_records = whole_lines(lanes * team.lane_bytes);
  memory.pack_records = whole_lines(lanes / team.register_lanes * team.pack_bytes);
  memory.stage_values = team.strips * team.channels * team.staged_rows * team.staged_bases;
  memory.stage = whole_lines(memory.stage_values * team.scalar_bytes);
  memory.samples = whole_lines(team.packed_rows * lanes * team.scalar_bytes);
  memory.shared = whole_lines(team.shared_rows * lanes * team.scalar_bytes);
  return memory;
}

}  // namespace synelix::index
