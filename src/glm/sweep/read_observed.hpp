// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "glm/rows/observed.hpp"

#include <Kokkos_Core.hpp>

#include <cstdint>

/// \file
/// Calls of `Observed` in sweeps of the host. They are marked for devices, where they never run,
/// because a device compiler checks all functions that sweeps call.

namespace synelix::sweep {

KOKKOS_INLINE_FUNCTION void read_targets(const glm::Observed& observed, std::int64_t target,
                                         Range rows, double* values) {
  KOKKOS_IF_ON_HOST((observed.read_targets(target, rows, values);))
  KOKKOS_IF_ON_DEVICE(((void)observed; (void)target; (void)rows; (void)values;))
}

KOKKOS_INLINE_FUNCTION void read_weights(const glm::Observed& observed, const glm::RowsOf& choice,
                                         Range rows, double* weights) {
  KOKKOS_IF_ON_HOST((observed.read_weights(choice, rows, weights);))
  KOKKOS_IF_ON_DEVICE(((void)observed; (void)choice; (void)rows; (void)weights;))
}

/// Returns whether there are offsets.
KOKKOS_INLINE_FUNCTION bool read_offsets(const glm::Observed& observed, std::int64_t target,
                                         Range rows, double* offsets) {
  KOKKOS_IF_ON_HOST((if (!observed.has_offset()) return false;
                     observed.read_offsets(target, rows, offsets); return true;))
  KOKKOS_IF_ON_DEVICE(((void)observed; (void)target; (void)rows; (void)offsets; return false;))
}

}  // namespace synelix::sweep
