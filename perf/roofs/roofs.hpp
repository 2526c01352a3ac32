// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/choice.hpp>

#include <array>
#include <string>
#include <string_view>
#include <utility>

/// \file
/// The current speed of this machine: multiply-adds, reads and stores, with the widest instruction
/// set and all threads of the run, or with the entire device. On a shared machine it changes within
/// seconds, so every benchmark measures the roofs before and after itself. Shares of a roof can be
/// compared between days and machines; seconds cannot.

namespace synelix::perf {

/// A limit of the machine.
enum class Roof {
  multiply_adds_float,   ///< on registers, 2 operations each: operations a second
  multiply_adds_double,  ///< the same for double
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

/// Measures a roof for about `seconds`: the mean rate of that time, so that an adjacent benchmark
/// of the same length is affected equally by other load of the machine. Memory is 256 MiB of
/// touched large pages, which are kept for the next call.
double measure_roof(Roof roof, double seconds);

/// Limits of all threads of the run in total.
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

/// The default execution space: backend, devices and their settings, in the form of Kokkos.
std::string configuration();

}  // namespace synelix::perf
