// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/choice.hpp>

#include <string>
#include <vector>

/// \file
/// The machine that the program runs on, as the cost model is to know it, and what Kokkos says of
/// it. Most files of the program do not include Kokkos: they ask here.

namespace synelix::tool {

/// The instruction set that a convolution takes here. \throws Error where this processor does not
/// have the one that is wanted
InstructionSet instruction_set_in_use(InstructionSet wanted = InstructionSet::automatic);

/// The instruction sets of the build that this processor has, the narrowest first.
std::vector<InstructionSet> usable_sets();

/// What a file of `calibrate` knows this machine by: its processor and, where kernels run on a
/// device, their execution space.
std::string machine_name();

/// What was calibrated for this machine, from the file that --machine names, or from the user's
/// own. Without one, or for "default", the library's constants. Throws Error where a file is none
/// of `calibrate`, and where one that was named is not there or does not know this machine, or this
/// processor does not have the instruction set that is wanted.
Machine machine_of(const std::string& file, InstructionSet wanted = InstructionSet::automatic);

/// The space that kernels run on: "OpenMP".
std::string execution_space_name();
/// How many threads or lanes it has. Needs a running Kokkos.
int execution_threads();
/// Whether blocks of a stream go through the memory of a device. Needs a running Kokkos.
bool streams_through_device(Staging staging);

/// Prints Kokkos' own list of its flags, which needs neither a device nor a running Kokkos.
void print_kokkos_help(char* program);

}  // namespace synelix::tool
