// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>

#include <cstdint>

/// \file
/// The canonical NaN and zero of all results.

namespace synelix::sweep {

/// The value of rows without a value.
template <class Scalar>
KOKKOS_INLINE_FUNCTION constexpr Scalar missing_value() {
  return Kokkos::Experimental::quiet_NaN_v<Scalar>;
}

/// The value, with a single NaN and a single zero. When a sum has two NaN, the compiler decides for
/// each tile which one it keeps, and so its sign. A sum that underflows is -0 or +0 depending on
/// the zeros added after it, and tiles skip taps that meet only zeros. Features must not depend on
/// either.
template <class Scalar>
KOKKOS_INLINE_FUNCTION constexpr Scalar canonical(Scalar value) {
  return value == value ? value + Scalar(0) : missing_value<Scalar>();
}

/// Copies contiguous values, with every NaN canonical. It copies eight at a time with a few moves
/// of full registers, because a loop of unknown length would have a costly prologue.
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
