// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// A warp: 32 threads with contiguous registers. Threads at the same instruction of the same frame
/// run it together, as one fragment of the warp.
#pragma once

#include "module.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace emulator {

struct Team;

constexpr int lanes_of_warp = 32;
constexpr std::uint32_t all_lanes = ~0U;

/// The registers and parameters of one call of a function, for the lanes that called together.
struct Frame {
  const Function* function = nullptr;
  std::uint64_t function_id = 0;  ///< also when its module is gone
  std::unique_ptr<unsigned char[]> memory;
  unsigned char* rows = nullptr;          ///< in memory, at the start of a cache line
  std::vector<unsigned char> parameters;  ///< of consecutive lanes
  std::size_t parameter_stride = 0;
  std::array<std::size_t, lanes_of_warp> local_begin{};  ///< in each lane's local memory
  Frame* caller = nullptr;
  const Instruction* next = nullptr;  ///< of the caller, after the call
  const Call* call = nullptr;
  std::uint32_t lanes = 0;  ///< that did not return yet
  int depth = 0;
};

enum class State : std::uint8_t { ready, at_barrier, at_warp };

struct Fragment {
  Frame* frame = nullptr;
  const Instruction* next = nullptr;
  std::uint32_t lanes = 0;
  State state = State::ready;
  const Instruction* waits = nullptr;
  std::uint32_t members = 0;             ///< at_warp: the lanes that it waits for
  int barrier = 0, barrier_threads = 0;  ///< 0 threads: all
};

struct Warp {
  // Of the fragment that runs:
  unsigned char* rows = nullptr;
  const Instruction* next = nullptr;
  const Instruction* stop = nullptr;  ///< where another fragment waits; nullptr: switch at once
  std::uint32_t active = 0;
  std::uint32_t unused = 0;        ///< lanes without a thread, or whose thread has ended
  bool rotates = false;            ///< the last fragment used up its slice
  std::uint64_t budget = 0;        ///< instructions until the next fragment takes its turn
  std::uint64_t instructions = 0;  ///< of all lanes
  Frame* frame = nullptr;
  Team* team = nullptr;

  int number = 0;
  std::uint32_t carry = 0;
  std::uint16_t sync = 0;  ///< number of times that lanes waited for each other
  std::vector<Fragment> fragments;
  std::vector<std::unique_ptr<Frame>> frames, spare_frames;
  std::array<std::vector<unsigned char>, lanes_of_warp> local;

  std::uint32_t thread(int lane) const {
    return static_cast<std::uint32_t>(number * lanes_of_warp + lane);
  }
};

/// Makes the warp's threads ready to run the kernel from its start.
void start(Warp& warp, const Function& kernel, std::uint32_t threads);
/// Runs until all fragments wait or have ended, or the slice is over. False: nothing could run.
bool run(Warp& warp);
/// Removes these lanes from the running fragment; the rest continues.
void leave(Warp& warp, std::uint32_t lanes);
/// Continues some of the running lanes at another instruction.
void branch(Warp& warp, std::uint32_t lanes, const Instruction* target);
Frame& enter_frame(Warp& warp, const Function& function, std::uint32_t lanes);
/// A row of 32 values.
template <class T>
T* row(unsigned char* rows, std::uint32_t offset) {
  return reinterpret_cast<T*>(rows + offset);
}

// Lanes that wait for each other (exchange.cpp).
bool release_members(Warp& warp);  ///< whether any fragment can continue

}  // namespace emulator
