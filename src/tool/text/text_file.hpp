// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

/// \file
/// Texts that the tool reads completely: designs and files of options.

namespace synelix::tool {

/// \throws Error if the file is not regular, since it may have no end, or larger than 1 MiB
void require_text_file(const std::string& file);

/// The entire text of a file. \throws Error as require_text_file, and if it cannot be read
std::string read_text_file(const std::string& file);

}  // namespace synelix::tool
