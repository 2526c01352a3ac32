// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The fat binary that nvcc embeds in a program: PTX, and compiled code with its registers.
#pragma once

#include "../module.hpp"

#include <map>
#include <memory>
#include <string>

namespace emulator {

struct FatBinary {
  const unsigned char* data = nullptr;
  std::unique_ptr<Module> module;  ///< when it was loaded
};

struct FatBinaryContents {
  std::string ptx;
  std::map<std::string, int> registers;  ///< of functions that were compiled, too
};

/// Throws std::runtime_error: a packed binary, or one without PTX.
FatBinaryContents read_fat_binary(const unsigned char* data);
/// Loads the module once.
Module& module_of(FatBinary& binary);

}  // namespace emulator
