// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

/// \file
/// All that the library reads from a file, on a file that may hold anything.

namespace fuzz {

/// Reads a file in every way there is. Whatever it holds, the only thing that may be thrown is
/// Error, and nothing beyond a buffer is written: else the program is ended.
void read_everything(const std::string& file);

}  // namespace fuzz
