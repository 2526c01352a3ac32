// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Facts about a program's variables for the calls for memory.
#pragma once

namespace emulator {

/// Where the device has a variable of the program, or nullptr: no kernel of its module uses it.
void* symbol_address(const void* symbol);

}  // namespace emulator
