// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>

namespace synelix::sweep {

template <class Scalar>
KOKKOS_INLINE_FUNCTION constexpr bool is_finite(Scalar value) {
  return value - value == Scalar(0);
}

}  // namespace synelix::sweep
