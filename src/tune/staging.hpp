// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

/// \file
/// The division of work into blocks that go through a device. Estimates for a bus of 50 GB/s each
/// way (PCIe 5 x16), to be measured on such a machine: perf/NOTES.md, Through a device.

namespace synelix::tune {

/// Blocks in flight: one is gathered or scattered by the host while another is copied in or
/// computed and a third is copied out. With two, copies wait for each other.
inline constexpr std::int64_t staging_slots = 3;
/// The relative time of a block with a number of slots: with one slot, its copies, its kernel and
/// the work of the host are sequential; with two, half of that.
constexpr double price_of_slots(std::int64_t slots) {
  return slots == 1 ? 3.0 : (slots == 2 ? 1.5 : 1.0);
}
/// Enough bytes of a block's samples and features: 0.3 ms of the bus, compared with 20 us for the
/// launches and copies of a block, and 10 ms to pin the buffers of all slots.
inline constexpr std::int64_t staged_block_bytes = std::int64_t{16} << 20;
/// If the window is long, a block should have this many times the samples of one row: then the halo
/// is a quarter of the copied data.
inline constexpr std::int64_t staged_windows = 4;
/// The cost of a block besides its bytes, in bytes of the bus: 20 us.
inline constexpr double staged_block_overhead = 1 << 20;
/// A block shape is good enough if its bytes for each row are at most this factor times those
/// without halo and overhead. Otherwise others are tried: fewer slots, a smaller workspace.
inline constexpr double staging_good_enough = 1.5;
/// The workspaces of all slots get this part of the budget, and all events at once at most the
/// other one.
inline constexpr std::int64_t staging_workspace_part = 4;
inline constexpr std::int64_t staging_events_part = 4;
/// Room for the events of a block, relative to the average.
inline constexpr std::int64_t staged_events_margin = 2;

}  // namespace synelix::tune
