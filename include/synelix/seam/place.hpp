// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/series.hpp>
#include <synelix/strided.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <type_traits>

/// \file
/// The memory of the arguments of a call, as seen from the execution space. One-shot calls decide
/// by it whether samples and features are copied through the device in blocks. For the public
/// headers, not for users.

namespace synelix::seam {

/// The memory of an argument, as given by its type.
enum class Place : std::uint8_t {
  near,          ///< in memory of the execution space
  across_a_bus,  ///< in host memory that a device reaches
  out_of_reach,  ///< in host memory that a device does not reach
  unknown        ///< an array without a View: known only to the device
};

template <class ExecutionSpace>
inline constexpr bool is_on_host =
    std::is_same_v<typename ExecutionSpace::memory_space, Kokkos::HostSpace>;

template <class ExecutionSpace, class MemorySpace>
constexpr Place place_in() {
  constexpr bool on_host = std::is_same_v<MemorySpace, Kokkos::HostSpace> ||
                           std::is_same_v<MemorySpace, Kokkos::SharedHostPinnedSpace>;
  if (!Kokkos::SpaceAccessibility<ExecutionSpace, MemorySpace>::accessible) {
    return Place::out_of_reach;
  }
  return on_host && !is_on_host<ExecutionSpace> ? Place::across_a_bus : Place::near;
}

/// The place of a series, events on the host, features, or a View.
template <class ExecutionSpace, class Array>
constexpr Place place_of() {
  if constexpr (requires { typename Array::memory_space; }) {
    using MemorySpace = typename Array::memory_space;
    static_assert(Kokkos::SpaceAccessibility<ExecutionSpace, MemorySpace>::accessible ||
                      Kokkos::SpaceAccessibility<Kokkos::HostSpace, MemorySpace>::accessible,
                  "arguments must lie in memory that the execution space or the host reaches");
    return place_in<ExecutionSpace, MemorySpace>();
  } else if constexpr (std::is_same_v<Array, Events>) {
    return place_in<ExecutionSpace, Kokkos::HostSpace>();
  } else {
    return is_on_host<ExecutionSpace> ? Place::near : Place::unknown;
  }
}

/// Whether kernels on a space reach an input. For an array without a View the caller promises it.
/// The place of events is known at run time only.
template <class ExecutionSpace, class Input>
constexpr bool reaches() {
  return std::is_same_v<Input, Events> || place_of<ExecutionSpace, Input>() != Place::out_of_reach;
}

/// The place of an argument of a one-shot call.
struct Argument {
  Place place = Place::near;
  const void* data = nullptr;  ///< if the place is unknown
};
template <class ExecutionSpace>
Argument argument_of(const Events& events) {
  return {events.is_on_host() ? place_of<ExecutionSpace, Events>() : Place::near, nullptr};
}
template <class ExecutionSpace, class Input>
  requires requires(const Input& input) { input.data().data; }
Argument argument_of(const Input& input) {
  return {place_of<ExecutionSpace, Input>(), input.data().data};
}
template <class ExecutionSpace, class View>
  requires Kokkos::is_view_v<View>
Argument argument_of(const View& view) {
  return {place_of<ExecutionSpace, View>(), view.data()};
}
template <class ExecutionSpace>
Argument argument_of(const StridedOutput& features) {
  return {place_of<ExecutionSpace, StridedOutput>(), features.data};
}

}  // namespace synelix::seam
