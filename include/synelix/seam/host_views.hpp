// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/seam/host_arrays.hpp>
#include <synelix/seam/output.hpp>
#include <synelix/seam/strided.hpp>
#include <synelix/strided.hpp>

#include <Kokkos_Core.hpp>

/// \file
/// The functions of host_arrays.hpp, which need the memory space of Views. For the public headers,
/// not for users.

namespace synelix::seam {

template <int least, int most, class Output>
StridedOutput host_output(const Output& output) {
  return output_on<Kokkos::DefaultHostExecutionSpace, least, most>(output);
}

template <class Array>
Strided host_input(const Array& array) {
  if constexpr (is_view<Array>) {
    static_assert(Kokkos::SpaceAccessibility<Kokkos::DefaultHostExecutionSpace,
                                             typename Array::memory_space>::accessible,
                  "this array must lie in host memory: give a View there");
    return read_only(strided_of(array));
  } else {
    return array;
  }
}

}  // namespace synelix::seam
