// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

/// \file
/// What Kokkos is told by its flags and by variables of the environment, before it starts.

namespace synelix {

/// Throws Error for a number of threads that is none, or that Kokkos does not take, and for other
/// values at which Kokkos would end the program. `Session` calls it; so may a program whose errors
/// of usage differ from others.
/// \param words  of the command line; those that are no flags of Kokkos are not looked at
void check_kokkos_settings(const std::vector<std::string>& words);

}  // namespace synelix
