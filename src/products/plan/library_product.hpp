// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "products/choice/library_call.hpp"
#include "products/problem/products.hpp"

#include <cstdint>

/// \file
/// One large product by the vendor's library: Kokkos Kernels if the build has it, else on host
/// spaces the functions of `linear_algebra`.

namespace synelix::plan {

/// Whether there is a library for products on a space.
template <class Scalar, class ExecutionSpace>
VendorLibrary library_of();

/// Computes it. Asynchronous on a device; on a host it is complete when the call returns.
template <class Scalar, class ExecutionSpace>
void multiply_by_library(const ExecutionSpace& exec, const sweep::Product<Scalar>& product);

}  // namespace synelix::plan
