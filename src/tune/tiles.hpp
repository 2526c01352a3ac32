// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// \file
/// Tile shapes and cost-model constants: one table for each instruction set and backend. Numbers
/// only, each with where it comes from; perf/NOTES.md says how they were measured.

namespace synelix::tune {

/// Most bases that a direct tile holds in registers: 8 x 3 packs of accumulators leave 8 of 32
/// registers for samples and taps, 4 x 3 leave 4 of 16.
constexpr int bases_in_registers(int registers) { return registers >= 32 ? 8 : 4; }

/// Packs of neighbouring outputs that a direct tile of `bases` holds in registers: as many as keep
/// the fused multiply-adds ahead of the loads without spilling.
constexpr int packs_in_registers(int registers, int bases) {
  if (registers >= 32) {
    if (bases <= 2) return 8;
    if (bases <= 4) return 6;
    return bases == 5 ? 4 : 3;
  }
  return bases <= 2 ? 4 : 3;
}

/// Most packs of any direct tile: the size of its arrays.
inline constexpr int most_packs = 8;
/// Most bases of any direct tile.
inline constexpr int most_bases = 8;

/// The direct tile of a device's thread: packs of 4 floats, of at most so many bases. Not measured
/// yet.
inline constexpr int device_packs = 2;
inline constexpr int device_bases = 8;

/// Most channels whose events one virtual item adds up.
inline constexpr int most_event_channels = 8;

/// How a sweep is laid out on a backend.
struct Mapping {
  int team_size;       ///< threads of a team
  int pack_rows;       ///< rows that one virtual item packs
  int pack_lanes;      ///< lanes that one virtual item packs; 0: all
  int tile_packs;      ///< packs of outputs that one virtual item computes
  int event_channels;  ///< channels whose events one virtual item adds up
};

/// Host: a team of one thread, virtual items large enough to hide their bookkeeping.
inline constexpr Mapping host{1, 64, 0, 24, most_event_channels};
/// Device: a team of 256 threads, a virtual item is what one thread does.
inline constexpr Mapping device{256, 1, 1, 3, 1};

/// Bytes of packed samples that a work item of the direct method aims at: less than half of the
/// smallest second-level cache seen (512 KiB), so that samples stay there while every basis reads
/// them.
inline constexpr long direct_block_bytes = 192L * 1024;
/// Most lanes of a work item: eight full registers of float at 64 bytes.
inline constexpr int most_lanes = 128;
/// Fewest rows of a strip that the chooser goes down to by itself, and the most.
inline constexpr long fewest_rows = 32;
inline constexpr long most_rows = 4096;
/// Most channels of a work item of the event method: a few virtual items for each team. Not
/// measured.
inline constexpr long event_item_channels = 64;
/// Rows of a work item of the event method: 8 channels x 128 rows x 8 bases of float are 32 KiB.
inline constexpr long event_rows = 128;
/// Fewest rows of a strip of the event method that short epochs lead to.
inline constexpr long fewest_event_rows = 16;

/// Rows of a tile in eval mode: what a first pass notes of them are 4 KiB.
inline constexpr long eval_rows = 512;
/// Nanoseconds for one output in eval mode on one core: raised cosines (perf/features.cpp).
inline constexpr double eval_output = 6;
/// Bytes of factors of products that are resident at a time, for each team: half of a second-level
/// cache of 2 MiB, so that they are still there when they are multiplied.
inline constexpr long factor_bytes = 1024L * 1024;

/// Constants of the cost model, in nanoseconds on one core: between what an Ice Lake server
/// (0.009, 0.2, 0.13 with 64-byte registers) and a Zen 4 server (0.020, 0.5, 0.08) took.
struct Cost {
  double multiply_add;  ///< one tap of one output by the direct method, float
  double output;        ///< storing one output, float
  double event_tap;     ///< one tap of one basis of one event, float
};

/// By bytes of a register: 64, 32, 16. A double counts twice.
constexpr Cost cost_of(int register_bytes) {
  if (register_bytes >= 64) return {0.014, 0.4, 0.10};
  if (register_bytes >= 32) return {0.020, 0.4, 0.10};
  return {0.070, 0.4, 0.25};
}

/// Nanoseconds to pack one sample of one lane, float: about what a 2.0 GHz Zen 4 server took.
inline constexpr double packed_sample = 0.3;

}  // namespace synelix::tune
