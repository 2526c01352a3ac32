// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

/// \file
/// Texts that the tool reads whole: designs and files of options.

namespace synelix::tool {

/// \throws Error for what is no regular file, so that it may have no end, and for more than 1 MiB
void require_text_file(const std::string& file);

/// All of a file. \throws Error as require_text_file, and where it cannot be read
std::string read_text_file(const std::string& file);

}  // namespace synelix::tool
