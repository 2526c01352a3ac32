// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "launch/host_space.hpp"
#include "vocabulary/device_memory.hpp"
#include "vocabulary/host_memory.hpp"

#include <synelix/error.hpp>
#include <synelix/types/features.hpp>
#include <synelix/types/scaled.hpp>
#include <synelix/types/series.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstring>
#include <string>

/// \file
/// Whether an array lies where an execution space reaches it, as far as is known when a plan runs.
/// A View was asked when the call was compiled; a device is asked about all else.

namespace synelix::plan {

/// Whether kernels on a space use memory of this name where it lies.
template <class ExecutionSpace>
bool is_reached(const ExecutionSpace& exec, const char* memory_space) {
  const auto is = [&](const char* name) { return std::strcmp(memory_space, name) == 0; };
  if (is(ExecutionSpace::memory_space::name()) || is(Kokkos::SharedHostPinnedSpace::name())) {
    return true;
  }
#ifdef KOKKOS_HAS_SHARED_SPACE
  if (is(Kokkos::SharedSpace::name())) return true;
#endif
  return is(Kokkos::HostSpace::name()) && shares_host_memory(exec);
}

/// The values of an array; null where it has none, since they may then lie anywhere.
template <class Array>
const void* values_of(const Array& array) {
  for (int i = 0; i < array.rank; ++i) {
    if (array.extents[static_cast<std::size_t>(i)] == 0) return nullptr;
  }
  return array.data;
}

/// Refuses an array that nobody has described, where a device says that it lies in memory of the
/// host. Of an array for a host, the caller promises that it is reached.
/// \param data  null: of no values
template <class ExecutionSpace, class Name>
void check_reached(const ExecutionSpace& exec, const void* data, const Name& argument) {
  if constexpr (!is_host_space<ExecutionSpace>) {
    if (data == nullptr || memory_at(exec, data) != FoundMemory::host) return;
    if (reads_pageable_memory(exec)) return;
    throw Error(std::string(argument),
                "it lies in host memory, which the execution space does not reach",
                "Copy it to memory that the execution space reaches");
  }
}

template <class ExecutionSpace, class Array, class Name>
  requires(std::is_same_v<Array, Strided> || std::is_same_v<Array, StridedOutput>)
void check_reached(const ExecutionSpace& exec, const Array& array, const Name& argument) {
  check_reached(exec, values_of(array), argument);
}

/// Refuses an array in a memory space that the execution space does not reach. Where the name of
/// the memory space is unknown, `data` decides.
template <class ExecutionSpace>
void check_reached(const ExecutionSpace& exec, const char* memory_space, const void* data,
                   const std::string& argument) {
  if (*memory_space == '\0') return check_reached(exec, data, argument);
  if (is_reached(exec, memory_space)) return;
  throw Error(
      argument,
      std::string("it lies in ") + memory_space + ", which the execution space does not reach",
      "Use memory that the execution space reaches");
}

/// Refuses events that the space does not reach.
template <class ExecutionSpace>
void check_reached(const ExecutionSpace& exec, const Events& events, const std::string& argument) {
  if (is_reached(exec, events.memory_space())) return;
  throw Error(argument,
              std::string("the lists of the events lie in ") + events.memory_space() +
                  ", which the execution space does not reach",
              "Bring them to its memory by synelix::copy_events");
}

/// Refuses an operand whose values, scales or offsets are in a memory space that the execution
/// space does not reach.
template <class ExecutionSpace>
void check_reached(const ExecutionSpace& exec, const Operand& operand,
                   const std::string& argument) {
  check_reached(exec, operand.memory_space(), values_of(operand.array()), argument);
  check_reached(exec, operand.scale().memory_space(), operand.scale().each(),
                argument + "'s scales");
  check_reached(exec, operand.offset().memory_space(), operand.offset().each(),
                argument + "'s offsets");
}

/// Refuses samples that the space does not reach. Their scales and offsets are in the plan.
template <class ExecutionSpace>
void check_reached(const ExecutionSpace& exec, const AnySeries& input, std::size_t i) {
  const std::string argument = "inputs[" + std::to_string(i) + "]";
  if (input.events() != nullptr) return check_reached(exec, *input.events(), argument);
  const char* const space = input.samples().memory_space();
  if constexpr (!is_host_space<ExecutionSpace>) {
    return check_reached(exec, space, values_of(input.samples().array()), argument);
  }
  if (is_reached_by_host(space)) return;
  throw Error(argument,
              std::string("it lies in ") + space + ", which the execution space does not reach",
              "Use memory that the execution space reaches");
}

}  // namespace synelix::plan
