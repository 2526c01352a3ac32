// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Limits of an H100: registers, threads and shared memory.
#pragma once

#include "../module.hpp"
#include "../team.hpp"

#include <algorithm>
#include <cstddef>

namespace emulator {

constexpr int registers_of_core = 65536, threads_of_core = 2048, shared_of_core = 233472;
constexpr int shared_of_team = 232448, shared_without_asking = 48 * 1024;
constexpr std::size_t device_bytes = std::size_t{80} << 30;

/// The registers of a thread. If the PTX was not compiled: the number for 1024 threads.
inline int registers_of_thread(const Function& f) { return f.registers != 0 ? f.registers : 64; }

inline int registers_of_team(const Function& f, unsigned threads) {
  const int warps = static_cast<int>((threads + 31) / 32);
  const int each = std::max(registers_of_thread(f), 16);
  const int of_warp = (each * 32 + 255) / 256 * 256;  // handed out in pieces of 256
  return of_warp * ((warps + 3) / 4 * 4);
}

inline int most_threads(const Function& f) {
  int most = 1024;
  while (most > 32 && registers_of_team(f, static_cast<unsigned>(most)) > registers_of_core) {
    most -= 32;
  }
  return f.max_threads != 0 ? std::min(most, f.max_threads) : most;
}

}  // namespace emulator
