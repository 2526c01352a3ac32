// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/strided.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

/// \file
/// Conversion of Views to `Strided` in the public functions. For the public headers, not for users.

namespace synelix::seam {

/// Asks the system for large pages for host memory that nothing was written to yet. With small
/// pages, the first touch of many megabytes costs more than computing their values. Does nothing if
/// the system has no large pages, or the memory is smaller than one.
void prefer_large_pages(void* data, std::size_t bytes) noexcept;

/// The name of Kokkos::HostSpace (src/machine/host_memory.cpp compares them).
inline constexpr const char* host_memory_name = "Host";

/// Whether a type is a Kokkos::View, by its members: this header needs no Kokkos. False for other
/// containers of Kokkos, which have more than one rank or first index.
template <class T>
inline constexpr bool is_view = requires(const T& view) {
  typename T::memory_space;
  typename T::memory_traits;
  typename T::array_layout;
  typename T::value_type;
  typename T::non_const_value_type;
  T::memory_space::name();
  T::rank();
  view.data();
  view.extent(0);
  view.stride(0);
  view.span_is_contiguous();
} && !requires(const T& view) { view.begins(); };

/// The rank of a View; 0 for other types.
template <class>
inline constexpr int rank_of_view = 0;
template <class T>
  requires is_view<T>
inline constexpr int rank_of_view<T> = static_cast<int>(T::rank());

/// Whether a type owns or refers to values, and is no View: a `std::vector`.
template <class T>
concept is_container = !is_view<T> && requires(const T& values) {
  values.data();
  values.size();
};

/// The same array, to be read.
template <class Void>
Strided read_only(const BasicStrided<Void>& array) {
  Strided result;
  result.data = array.data;
  result.type = array.type;
  result.rank = array.rank;
  result.extents = array.extents;
  result.strides = array.strides;
  return result;
}

/// The stored type, extents and strides of a View; refuses Views that no kernel supports.
template <class View>
auto strided_of(const View& view) {
  static_assert(is_view<View>, "synelix takes Kokkos Views, or synelix::Strided");
  using Value = typename View::value_type;
  static_assert(!View::memory_traits::is_atomic,
                "synelix does not take Views with the Atomic memory trait");
  static_assert(Stored<Value>,
                "synelix reads float, double, int8_t, uint8_t, int16_t and uint16_t");
  static_assert(View::rank() >= 1 && View::rank() <= 8, "synelix takes Views of rank 1 to 8");
  using Void = std::conditional_t<std::is_const_v<Value>, const void, void>;
  BasicStrided<Void> result;
  result.data = view.data();
  result.type = stored_type<Value>;
  result.rank = static_cast<int>(View::rank());
  for (std::size_t i = 0; i < View::rank(); ++i) {
    result.extents[i] = static_cast<std::int64_t>(view.extent(i));
    result.strides[i] = static_cast<std::int64_t>(view.stride(i));
  }
  return result;
}

}  // namespace synelix::seam
