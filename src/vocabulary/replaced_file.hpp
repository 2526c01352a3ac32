// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

/// \file
/// Small files that are replaced whole.

namespace synelix {

/// Writes a file, or replaces it, so that at any moment, also where the machine stops, either the
/// old text or the new one is there. A symbolic link stays, and the file that it names is replaced.
/// \throws FileError
void replace_file(const std::string& file, const std::string& text);

}  // namespace synelix
