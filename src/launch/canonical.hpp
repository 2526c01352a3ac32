// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>

#include <cstdint>

/// \file
/// The one NaN and the one zero of all results.

namespace synelix::sweep {

/// What stands in rows without a value.
template <class Scalar>
KOKKOS_INLINE_FUNCTION constexpr Scalar missing_value() {
  return Kokkos::Experimental::quiet_NaN_v<Scalar>;
}

/// The value, with one NaN and one zero for all. Which of two NaN a sum keeps, and so its sign, is
/// the compiler's choice for each tile; a sum that underflows is -0 or +0 by the zeros that follow
/// it, and tiles leave out taps that meet nothing but zeros. Features may not depend on either.
template <class Scalar>
KOKKOS_INLINE_FUNCTION constexpr Scalar canonical(Scalar value) {
  return value == value ? value + Scalar(0) : missing_value<Scalar>();
}

/// Copies values that lie side by side, every NaN canonical; eight at a time, a few moves of whole
/// registers where a loop of unknown length would cost a prologue.
template <class Scalar>
KOKKOS_INLINE_FUNCTION void copy_values(Scalar* to, const Scalar* from, std::int64_t count) {
  constexpr std::int64_t step = 8;
  std::int64_t i = 0;
  for (; i + step <= count; i += step) {
    Scalar values[step];
    for (std::int64_t k = 0; k < step; ++k) values[k] = canonical(from[i + k]);
    for (std::int64_t k = 0; k < step; ++k) to[i + k] = values[k];
  }
  for (; i < count; ++i) to[i] = canonical(from[i]);
}

}  // namespace synelix::sweep
