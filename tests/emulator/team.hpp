// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// A team of threads (a block of the grid), and launches of grids of them.
#pragma once

#include "counts.hpp"
#include "memory.hpp"
#include "module.hpp"
#include "warp.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace emulator {

/// Generic addresses of memory other than global.
constexpr std::uint64_t shared_window = 0x0100000000000000, local_window = 0x0200000000000000,
                        param_window = 0x0400000000000000, window_mask = 0xff00000000000000;
/// The part of a team's shared memory that sm_90 reserves.
constexpr std::uint64_t shared_begin = 1024;

struct Size3 {
  unsigned x = 1, y = 1, z = 1;
  std::uint64_t count() const { return std::uint64_t{x} * y * z; }
};

/// The result of a barrier for the predicates of all threads: the mode of its instruction.
enum class AtBarrier : std::uint8_t { nothing, count, conjunction, disjunction };

struct Team {
  Function* kernel = nullptr;
  Size3 grid, block;
  std::uint64_t number = 0;
  const std::vector<unsigned char>* parameters = nullptr;
  std::vector<Warp> warps;
  std::vector<unsigned char> shared;
  std::vector<Shadow> shared_shadow;
  std::uint64_t shared_end = 0, dynamic_bytes = 0;
  std::uint32_t epoch = 0;           ///< counts the barriers of all teams
  std::uint32_t first_epoch = 0;     ///< of this team
  std::uint32_t launch_epoch = 0;    ///< the first one of the launch
  bool wrote_atomically = false;     ///< global memory: other teams may be ordered by it
  const Allocation* last = nullptr;  ///< that was accessed
  Counts* counts = nullptr;          ///< nullptr: nothing is counted
};

/// The text "thread 3 of team 7".
std::string thread_name(const Warp& warp, int lane);
/// The number of the team that had this epoch in the present launch.
std::uint64_t team_of_epoch(std::uint32_t epoch);

/// Places a kernel's variables in shared memory.
void lay_out(Function& kernel);
std::uint64_t shared_address(const Function& kernel, const std::string& name);

/// Runs all teams. Returns the number of instructions of all threads.
std::uint64_t launch(Function& kernel, Size3 grid, Size3 block, std::size_t dynamic_shared,
                     const std::vector<unsigned char>& parameters);

}  // namespace emulator
