// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/choice.hpp>

#include <array>
#include <string>
#include <string_view>
#include <utility>

/// \file
/// What this machine can do at this moment: multiply-adds, reads and stores, by the widest
/// instruction set and all threads of the run together, or by the whole device. On a shared machine
/// that changes within seconds, so every benchmark measures the roofs before and after itself.
/// Shares of a roof carry over to another day and machine; seconds do not.

namespace synelix::perf {

/// A limit of the machine.
enum class Roof {
  multiply_adds_float,   ///< on registers, 2 operations each: operations a second
  multiply_adds_double,  ///< likewise
  read,                  ///< bytes read a second
  store,                 ///< bytes written a second by regular stores
  stream                 ///< bytes written a second by non-temporal stores; on a device, copied
};

/// All of them, with their names.
inline constexpr std::array<std::pair<Roof, std::string_view>, 5> all_roofs{
    {{Roof::multiply_adds_float, "multiply_adds_float"},
     {Roof::multiply_adds_double, "multiply_adds_double"},
     {Roof::read, "read"},
     {Roof::store, "store"},
     {Roof::stream, "stream"}}};

/// Measures a roof for about so many seconds: the mean rate of that time, so that a benchmark of
/// the same length beside it met as much of what else the machine did. Memory is 256 MiB of touched
/// large pages, kept for the next call.
double measure_roof(Roof roof, double seconds);

/// Limits of all threads of the run together.
struct Roofs {
  InstructionSet set = InstructionSet::plain;
  double flops_float = 0;
  double flops_double = 0;
  double read_bytes = 0;
  double store_bytes = 0;
  double stream_bytes = 0;
};

/// Measures all roofs: a fifth of a second.
Roofs measure_roofs();

/// The default execution space: backend, devices and their settings, as Kokkos prints them.
std::string configuration();

}  // namespace synelix::perf
