// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/choice.hpp>
#include <synelix/seam/strided.hpp>
#include <synelix/series.hpp>
#include <synelix/strided.hpp>

#include <Kokkos_Core.hpp>

#include <span>
#include <type_traits>
#include <vector>

/// \file
/// What features.hpp makes of its arguments. For the public headers, not for users.

namespace synelix {
class AnySeries;
}  // namespace synelix

namespace synelix::seam {

/// The features of an expression, (rows, columns), as a `StridedOutput`: a View, or one already.
template <class Scalar, class ExecutionSpace, class Output>
StridedOutput features_on(const Output& features) {
  if constexpr (!is_view<Output>) {
    static_assert(std::is_convertible_v<const Output&, StridedOutput>,
                  "features must be a Kokkos View or a synelix StridedOutput: wrap other memory as "
                  "StridedOutput(pointer, {rows, columns})");
    if constexpr (std::is_convertible_v<const Output&, StridedOutput>) return features;
  } else if constexpr (!std::is_same_v<typename Output::value_type, Scalar>) {
    static_assert(!is_view<Output>,
                  "features must have the plan's scalar type, and must not be const");
  } else if constexpr (Output::rank() != 2) {
    static_assert(!is_view<Output>,
                  "features of an expression must have two dimensions: (rows, columns)");
  } else if constexpr (!Kokkos::SpaceAccessibility<ExecutionSpace,
                                                   typename Output::memory_space>::accessible) {
    static_assert(!is_view<Output>, "features must lie in memory that the execution space reaches");
  } else {
    return strided_of(features);
  }
  return {};
}

/// The same inputs, with events that kernels reach. Events out of reach are copied into `copies`.
template <class ExecutionSpace>
std::vector<AnySeries> with_near_events(const ExecutionSpace& exec,
                                        std::span<const AnySeries> inputs, Staging staging,
                                        std::vector<Events>& copies);

}  // namespace synelix::seam
