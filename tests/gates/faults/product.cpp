// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The least file with a kernel, in which the gates' own test plants faults.

#include "design/sweep/product.hpp"
#include "launch/launch.hpp"

#include <Kokkos_Core.hpp>

void launch_product(const synelix::sweep::ProductSweep<float>& sweep) {
  synelix::sweep::launch("product", Kokkos::DefaultExecutionSpace(), 1, 128, sweep);
}
