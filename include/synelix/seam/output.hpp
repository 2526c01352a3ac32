// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/seam/spaces.hpp>
#include <synelix/seam/strided.hpp>
#include <synelix/strided.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

/// \file
/// Results of operators and products: the caller's or new ones. For the public headers, not for
/// users.

namespace synelix::seam {

/// Whether a type is a result of an operation, one sentence for each mistake. `least` and `most`
/// bound the rank of a View.
template <class ExecutionSpace, int least, int most, class Output>
constexpr bool takes_output() {
  static_assert(runs_on<ExecutionSpace>());
  if constexpr (!is_view<Output>) {
    static_assert(std::is_convertible_v<const Output&, StridedOutput>,
                  "a result must be a Kokkos View or a synelix StridedOutput: wrap other memory as "
                  "StridedOutput(pointer, {rows, columns})");
    return std::is_convertible_v<const Output&, StridedOutput>;
  } else if constexpr (std::is_const_v<typename Output::value_type>) {
    static_assert(!is_view<Output>,
                  "a result is written: give a View of values that are not const");
    return false;
  } else if constexpr (!std::is_same_v<typename Output::value_type, float> &&
                       !std::is_same_v<typename Output::value_type, double>) {
    static_assert(!is_view<Output>, "a result must be a View of float or double");
    return false;
  } else if constexpr (static_cast<int>(Output::rank()) < least ||
                       static_cast<int>(Output::rank()) > most) {
    static_assert(!is_view<Output>,
                  "a result must have the rank of its operation: N + 2 of convNd, 1 of a gradient "
                  "by bias, 1 or 2 of forms, 2 or more of products");
    return false;
  } else if constexpr (!Kokkos::SpaceAccessibility<ExecutionSpace,
                                                   typename Output::memory_space>::accessible) {
    static_assert(!is_view<Output>,
                  "a result must lie in memory that the execution space reaches: give a View "
                  "there");
    return false;
  } else {
    return true;
  }
}

/// The caller's result as a `StridedOutput`: from a View, or one already.
template <class ExecutionSpace, int least, int most, class Output>
StridedOutput output_on(const Output& output) {
  if constexpr (!takes_output<ExecutionSpace, least, most, Output>()) {
    return {};
  } else if constexpr (is_view<Output>) {
    return strided_of(output);
  } else {
    return output;
  }
}

/// Whether a type is a result that an operation can allocate.
template <class ExecutionSpace, int least, int most, class Result>
constexpr bool returns_output() {
  if constexpr (!is_view<Result>) {
    static_assert(is_view<Result>,
                  "name the Kokkos View that is returned, such as Kokkos::View<float**>, or give a "
                  "result behind the operands");
    return false;
  } else if constexpr (std::is_same_v<typename Result::array_layout, Kokkos::LayoutStride>) {
    static_assert(!is_view<Result>, "a View that is returned must have LayoutLeft or LayoutRight");
    return false;
  } else {
    return takes_output<ExecutionSpace, least, most, Result>();
  }
}

/// A new, uninitialized result of these extents, which are as many as its rank.
template <class Result, class ExecutionSpace>
Result new_output(const ExecutionSpace& exec, const std::string& label,
                  const std::vector<std::int64_t>& extents) {
  typename Result::array_layout layout;
  for (std::size_t i = 0; i < extents.size(); ++i) {
    layout.dimension[i] = static_cast<std::size_t>(extents[i]);
  }
  Result result(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, label), layout);
  if constexpr (std::is_same_v<typename Result::memory_space, Kokkos::HostSpace>) {
    prefer_large_pages(result.data(), result.span() * sizeof(typename Result::value_type));
  }
  return result;
}

}  // namespace synelix::seam
