// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/strided.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <type_traits>

/// \file
/// Test data for the lines of a page: the same numbers as in pages.py, and arrays as text.

namespace docs {

/// Extents and strides as kernels read them.
struct Places {
  int rank = 0;
  std::int64_t size = 1;  ///< values
  std::int64_t extents[synelix::max_rank] = {};
  std::int64_t strides[synelix::max_rank] = {};

  /// The offset of the i-th value, last index fastest, in elements.
  [[nodiscard]] KOKKOS_INLINE_FUNCTION std::int64_t operator()(std::int64_t i) const {
    std::int64_t place = 0;
    for (int d = rank - 1; d >= 0; --d) {
      place += i % extents[d] * strides[d];
      i /= extents[d];
    }
    return place;
  }
};

template <class View>
Places places_of(const View& view) {
  Places places;
  places.rank = static_cast<int>(View::rank());
  for (int d = 0; d < places.rank; ++d) {
    places.extents[d] = static_cast<std::int64_t>(view.extent(static_cast<std::size_t>(d)));
    places.strides[d] = static_cast<std::int64_t>(view.stride(static_cast<std::size_t>(d)));
    places.size *= places.extents[d];
  }
  return places;
}

/// Integers in integer types, quarters in float: sums of a few of their products are exact.
template <class View>
void fill(const View& view, int order) {
  using Value = typename View::non_const_value_type;
  using Policy =
      Kokkos::RangePolicy<typename View::execution_space, Kokkos::IndexType<std::int64_t>>;
  const Places places = places_of(view);
  Value* const values = view.data();
  Kokkos::parallel_for(
      "docs::fill", Policy(0, places.size), KOKKOS_LAMBDA(const std::int64_t i) {
        const auto mixed =
            (static_cast<std::uint32_t>(i) + 1U + 1000003U * static_cast<std::uint32_t>(order)) *
            2654435761U;
        const auto whole = static_cast<int>((mixed >> 16U) % 23U);
        Value& value = values[places(i)];  // nvcc wants it captured outside of `if constexpr`
        if constexpr (std::is_unsigned_v<Value>) {
          value = static_cast<Value>(whole);
        } else if constexpr (std::is_integral_v<Value>) {
          value = static_cast<Value>(whole - 11);
        } else {
          value = static_cast<Value>(whole - 11) / 4;
        }
      });
  Kokkos::fence("docs::fill");
}

/// Prints name and extents, then all values.
template <class View>
void show(const char* name, const View& view) {
  using Policy =
      Kokkos::RangePolicy<typename View::execution_space, Kokkos::IndexType<std::int64_t>>;
  const Places places = places_of(view);
  const auto* const values = view.data();
  const Kokkos::View<double*, typename View::execution_space> shown(
      "docs::shown", static_cast<std::size_t>(places.size));
  Kokkos::parallel_for(
      "docs::show", Policy(0, places.size),
      KOKKOS_LAMBDA(const std::int64_t i) { shown(i) = static_cast<double>(values[places(i)]); });
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), shown);
  std::printf("%s", name);
  for (int d = 0; d < places.rank; ++d) {
    std::printf(" %lld", static_cast<long long>(places.extents[d]));
  }
  std::printf("\n");
  for (std::size_t i = 0; i < host.extent(0); ++i) std::printf("%.9g ", host(i));
  std::printf("\n");
}

}  // namespace docs
