// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The memory of kernels: the place of an address, whether it may be accessed, and which threads
/// have accessed it.
#pragma once

#include "memory.hpp"
#include "module.hpp"
#include "warp.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace emulator {

/// The kind of an instruction's memory access.
struct Purpose {
  bool writes = false, is_atomic = false;
  bool returns = false;  ///< atomics: the value before
};

/// The addresses of an instruction's lanes, and their places on the host.
struct Access {
  std::uint32_t lanes = 0;  ///< those that may touch it
  Space space = Space::generic;
  bool is_broadcast = false;   ///< all lanes have one address
  bool is_contiguous = false;  ///< all 32 lanes, consecutively
  std::array<std::uint64_t, lanes_of_warp> address;
  std::array<unsigned char*, lanes_of_warp> place;
};

/// Checks a number of bytes at the address of each lane, and reports faults.
void reach(Warp& warp, const Instruction& instruction, std::uint32_t lanes, std::size_t bytes,
           Purpose purpose, Access& access);

/// Reports races and unknown values of the lanes of an access, and records the access.
void check_order(Warp& warp, const Instruction& instruction, const Access& access,
                 std::size_t bytes, Purpose purpose);

}  // namespace emulator
