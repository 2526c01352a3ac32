// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Counts of kernels: instructions, sectors of global memory, conflicts of banks.
#pragma once

#include "module.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <unordered_set>
#include <vector>

namespace emulator {

struct Access;

struct Counts {
  std::uint64_t launches = 0, teams = 0, instructions = 0, barriers = 0;
  unsigned threads = 0;          ///< of a team, at most
  std::size_t shared_bytes = 0;  ///< of a team, at most
  int registers = 0;
  double seconds = 0;
  // Counted where EMULATE_COUNTS is set:
  std::uint64_t issued = 0;  ///< instructions of warps, of whatever lanes
  std::uint64_t multiply_adds = 0;
  std::uint64_t sectors_read = 0, sectors_written = 0;  ///< 32 bytes of global memory
  std::unordered_set<std::uint64_t> different_read, different_written;  ///< of these, each once
  std::uint64_t shared_accesses = 0;  ///< wavefronts that the bytes need at least
  std::uint64_t bank_conflicts = 0;   ///< further ones
  std::uint64_t local_bytes = 0;      ///< of all threads, read and written
};

/// The counts of all kernels that ran, by name.
std::map<std::string, Counts>& all_counts();
void print_counts();

/// From now on, counts how often each instruction of a function runs.
void profile(const Function& function);

/// Adds one instruction's access of a number of bytes of each lane.
void count_access(Counts& counts, const Access& access, std::size_t bytes, bool writes);

}  // namespace emulator
