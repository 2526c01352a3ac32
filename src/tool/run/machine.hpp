// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/choice.hpp>

#include <string>
#include <vector>

/// \file
/// The machine for the cost model, and facts from Kokkos. Most files of the program do not include
/// Kokkos, but call these functions.

namespace synelix::tool {

/// The instruction set of a convolution here. \throws Error if this processor lacks the requested
/// one
InstructionSet instruction_set_in_use(InstructionSet wanted = InstructionSet::automatic);

/// The instruction sets of the build that this processor has, the narrowest first.
std::vector<InstructionSet> usable_sets();

/// The name of this machine in a file of `calibrate`: its processor and, if kernels run on a
/// device, their execution space.
std::string machine_name();

/// The calibration for this machine, from the file that --machine names, or from the user's file.
/// Without one, or for "default", the library's constants. Throws Error if a file is not one of
/// `calibrate`, if a named file is missing or has no entry for this machine, or if this processor
/// lacks the requested instruction set.
Machine machine_of(const std::string& file, InstructionSet wanted = InstructionSet::automatic);

/// The space that kernels run on: "OpenMP".
std::string execution_space_name();
/// The number of threads or lanes. Needs a running Kokkos.
int execution_threads();
/// Whether blocks of a stream go through the memory of a device. Needs a running Kokkos.
bool streams_through_device(Staging staging);

/// Prints Kokkos' own list of its flags, which needs neither a device nor a running Kokkos.
void print_kokkos_help(char* program);

}  // namespace synelix::tool
