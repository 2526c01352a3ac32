// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Faults of a program: each is recorded once for a place, and printed.
#pragma once

#include "module.hpp"

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

namespace emulator {

struct Fault {
  std::string kind{};         ///< race in shared memory, memory out of bounds, ...
  std::string text{};         ///< the fault, the thread, the place in memory
  std::string kernel{};       ///< its readable name; empty: the host
  std::string place{};        ///< Module::where
  std::string instruction{};  ///< its text
  std::uint32_t line = 0;     ///< of the PTX
  std::uint64_t times = 1;
};

/// A fault of an instruction. The detail tells faults at one place apart.
void report(const std::string& kind, const Warp& warp, const Instruction& instruction,
            const std::string& text, const std::string& detail = "");
/// A fault of a call of the host.
void report_host(const std::string& kind, const std::string& text);

const std::vector<Fault>& faults();
void clear_faults();
void print_faults();  ///< number of each kind

/// Where messages go: the file of EMULATE_LOG, or stderr.
std::FILE* log_file();
/// The name in the program's sources, at most 240 characters.
std::string readable(const std::string& kernel);

}  // namespace emulator
