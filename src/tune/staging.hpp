// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

/// \file
/// How blocks that go through a device are cut. Estimates for a bus of 50 GB/s each way (PCIe 5
/// x16), to be measured where there is one: perf/NOTES.md, Through a device.

namespace synelix::tune {

/// Blocks in flight: one is gathered or scattered by the host while another is copied in or
/// computed and a third is copied out. With two, copies wait for each other.
inline constexpr std::int64_t staging_slots = 3;
/// How much longer a block takes with so many slots: alone, its copies, its kernel and what the
/// host does follow each other; with two, half of that.
constexpr double price_of_slots(std::int64_t slots) {
  return slots == 1 ? 3.0 : (slots == 2 ? 1.5 : 1.0);
}
/// Bytes of a block's samples and features together that are enough: 0.3 ms of the bus, against 20
/// us for the launches and copies of a block, and 10 ms to pin the buffers of all slots.
inline constexpr std::int64_t staged_block_bytes = std::int64_t{16} << 20;
/// Where the window is long, a block is worth so many times the samples of one row: then the halo
/// is a quarter of what is copied.
inline constexpr std::int64_t staged_windows = 4;
/// What a block costs beside its bytes, in bytes of the bus: 20 us.
inline constexpr double staged_block_overhead = 1 << 20;
/// A block shape is good enough where its bytes for each row are at most so many times those
/// without halo and overhead. Otherwise others are looked at: fewer slots, a smaller workspace.
inline constexpr double staging_good_enough = 1.5;
/// The workspaces of all slots get this part of the budget, and all events at once at most that
/// part.
inline constexpr std::int64_t staging_workspace_part = 4;
inline constexpr std::int64_t staging_events_part = 4;
/// Room for the events of a block, beside those that it has on the average.
inline constexpr std::int64_t staged_events_margin = 2;

}  // namespace synelix::tune
