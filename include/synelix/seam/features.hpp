// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/choice.hpp>
#include <synelix/seam/strided.hpp>
#include <synelix/series.hpp>
#include <synelix/strided.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <functional>
#include <span>
#include <type_traits>
#include <vector>

/// \file
/// What features.hpp makes of its arguments. For the public headers, not for users.

namespace synelix {
class AnySeries;
class Expression;
struct FeaturesOptions;
struct Term;
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

/// Computes features once. place(rows, columns) is called after all checks, and returns the array
/// for them. Returns the terms with their columns.
template <class Scalar, class ExecutionSpace>
std::vector<Term> compute_features_at(
    const ExecutionSpace& exec, const Expression& expression, std::span<const AnySeries> inputs,
    const FeaturesOptions& options,
    const std::function<StridedOutput(std::int64_t rows, std::int64_t columns)>& place);

}  // namespace synelix::seam
