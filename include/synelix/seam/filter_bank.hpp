// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/basis.hpp>

#include <Kokkos_Core.hpp>

/// \file
/// What the templates of filter_bank.hpp call. For the public headers, not for users.

namespace synelix::seam {

/// Copies taps, rounded to Scalar, to the memory of exec; returns when the copy is complete.
template <class Scalar, class ExecutionSpace>
Kokkos::View<const Scalar**, Kokkos::LayoutRight, typename ExecutionSpace::memory_space>
upload_taps(const ExecutionSpace& exec, const Taps& taps);

}  // namespace synelix::seam
