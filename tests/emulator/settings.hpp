// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The settings from the environment variables EMULATE_...; the README lists them.
#pragma once

#include <cstdint>
#include <string>

namespace emulator {

enum class Order : std::uint8_t { forward, reverse, random };

struct Settings {
  bool races = true;
  bool unknown = true;          ///< reads of global memory that nothing wrote
  bool unknown_shared = false;  ///< of shared memory, too
  Order order = Order::forward;
  bool apart = false;               ///< threads of a warp run in turn
  std::uint64_t slice = 1U << 16U;  ///< instructions of a warp before the next one takes its turn
  unsigned seed = 1;
  std::uint64_t limit = 20'000'000'000;  ///< instructions of a launch
  std::string ordered_sources =
      "desul/";        ///< two accesses from files whose paths have a part of this list
  int path_parts = 3;  ///< of a file's path in messages
  bool counts = false;
  int profile = 0;  ///< printed places of each kernel that run most instructions
  bool trace = false;
  bool quiet = false;  ///< prints neither faults nor totals
  bool stop = false;   ///< aborts at the first fault
  int most = 60;       ///< printed faults
  std::string log;     ///< a file; empty: stderr
  std::string dump;    ///< a folder for the PTX of the program
  int multiprocessors = 132;
  bool late = false;  ///< streams work only when something waits for them
};

/// Read from the environment at the first use; tests change it.
Settings& settings();
Settings settings_of_environment();

}  // namespace emulator
