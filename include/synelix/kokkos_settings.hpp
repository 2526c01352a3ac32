// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

/// \file
/// Checks the flags and environment variables of Kokkos before it starts.

namespace synelix {

/// Throws Error if the number of threads is not a number or is not accepted by Kokkos, and for
/// other values at which Kokkos would end the program. `Session` calls it. A program may call it
/// first, to tell errors of usage from other errors.
/// \param words  arguments of the command line; only flags of Kokkos are checked
void check_kokkos_settings(const std::vector<std::string>& words);

}  // namespace synelix
