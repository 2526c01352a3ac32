// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "launch/host_space.hpp"
#include "machine/device_memory.hpp"
#include "machine/host_memory.hpp"

#include <synelix/error.hpp>
#include <synelix/types/features.hpp>
#include <synelix/types/scaled.hpp>
#include <synelix/types/series.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstring>
#include <string>

/// \file
/// Whether an execution space can access an array, as far as it is known when a plan runs. Views
/// were checked at compile time; for all other arrays the device is queried.

namespace synelix::plan {

/// Whether kernels on a space can use memory with this name in place.
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

/// The values of an array; null if it has none, since their address may then be anything.
template <class Array>
const void* values_of(const Array& array) {
  for (int i = 0; i < array.rank; ++i) {
    if (array.extents[static_cast<std::size_t>(i)] == 0) return nullptr;
  }
  return array.data;
}

/// Throws if an array has no memory space name, and a device reports that it is in host memory. For
/// a host, the caller guarantees that an array can be accessed.
/// \param data  null: no values
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

/// Throws if an array is in a memory space that the execution space cannot access. If the name of
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

/// Throws if the space cannot access the events.
template <class ExecutionSpace>
void check_reached(const ExecutionSpace& exec, const Events& events, const std::string& argument) {
  if (is_reached(exec, events.memory_space())) return;
  throw Error(argument,
              std::string("the lists of the events lie in ") + events.memory_space() +
                  ", which the execution space does not reach",
              "Bring them to its memory by synelix::copy_events");
}

/// Throws if the values, scales or offsets of an operand are in a memory space that the execution
/// space cannot access.
template <class ExecutionSpace>
void check_reached(const ExecutionSpace& exec, const Operand& operand,
                   const std::string& argument) {
  check_reached(exec, operand.memory_space(), values_of(operand.array()), argument);
  check_reached(exec, operand.scale().memory_space(), operand.scale().each(),
                argument + "'s scales");
  check_reached(exec, operand.offset().memory_space(), operand.offset().each(),
                argument + "'s offsets");
}

/// Throws if the space cannot access the samples. Their scales and offsets are in the plan.
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
