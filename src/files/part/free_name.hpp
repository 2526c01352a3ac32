// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

/// \file
/// Renames that never replace an existing file.

namespace synelix::stream {

/// Gives a file a name that is not in use; false if it is. If the file system has no such call, the
/// file has both names for a moment. \throws FileError
bool rename_to_free(const std::string& from, const std::string& to);

/// Removes the old name of an open, renamed file if it still has both names: its maker is about to
/// remove it, or was killed inside `rename_to_free`. Waits for a maker that is still running.
void drop_second_name(int descriptor, const std::string& from);

}  // namespace synelix::stream
