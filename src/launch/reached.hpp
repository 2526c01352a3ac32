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
/// Whether an input lies where an execution space reaches it, as far as is known when a plan runs.

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

/// Refuses an array in a memory space that the execution space does not reach. Without a name of
/// the memory space, the caller promises that it is reached.
template <class ExecutionSpace>
void check_reached(const ExecutionSpace& exec, const char* memory_space,
                   const std::string& argument) {
  if (*memory_space == '\0' || is_reached(exec, memory_space)) return;
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
  check_reached(exec, operand.memory_space(), argument);
  check_reached(exec, operand.scale().memory_space(), argument + "'s scales");
  check_reached(exec, operand.offset().memory_space(), argument + "'s offsets");
}

/// Refuses samples that the space does not reach. Their scales and offsets are in the plan.
template <class ExecutionSpace>
void check_reached(const ExecutionSpace& exec, const AnySeries& input, std::size_t i) {
  const std::string argument = "inputs[" + std::to_string(i) + "]";
  if (input.events() != nullptr) return check_reached(exec, *input.events(), argument);
  const char* const space = input.samples().memory_space();
  if (!is_host_space<ExecutionSpace>) return check_reached(exec, space, argument);
  if (is_reached_by_host(space)) return;
  throw Error(argument,
              std::string("it lies in ") + space + ", which the execution space does not reach",
              "Use memory that the execution space reaches");
}

}  // namespace synelix::plan
