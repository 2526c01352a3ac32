// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>

/// \file
/// How many threads this process may keep busy where others share the machine.

namespace synelix::tool {

/// Threads that the environment allots to this process: the less of SLURM_CPUS_PER_TASK, and of the
/// processor time that the control groups of Linux grant. Absent where that is not less than the
/// processors that it may run on, and where the user sets threads, by OMP_NUM_THREADS or
/// KOKKOS_NUM_THREADS.
/// \throws Error where SLURM_CPUS_PER_TASK is no number from 1 on
std::optional<int> allotted_threads();

}  // namespace synelix::tool
