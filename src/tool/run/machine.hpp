// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/choice.hpp>

#include <string>

/// \file
/// The machine that the program runs on, as the cost model is to know it.

namespace synelix::tool {

/// The instruction set that a convolution takes here.
InstructionSet instruction_set_in_use();

/// What a file of `calibrate` knows this machine by: its processor and, where kernels run on a
/// device, their execution space.
std::string machine_name();

/// What was calibrated for this machine, from the file that --machine names, or from the user's
/// own. Without one, or for "default", the library's constants. Throws Error where a file is none
/// of `calibrate`, and where one that was named is not there or does not know this machine.
Machine machine_of(const std::string& file);

}  // namespace synelix::tool
