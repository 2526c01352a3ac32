// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

/// \file
/// Names that a file gets only where nothing has them yet.

namespace synelix::stream {

/// Gives a file a name that nothing has yet; false where something has it. Where the file system
/// has no call for that, the file has both names for a moment. \throws FileError
bool rename_to_free(const std::string& from, const std::string& to);

/// Takes the name that an open file was renamed from, where it still has both: its maker is about
/// to, or was killed between the two halves of `rename_to_free`. Waits for one that lives.
void drop_second_name(int descriptor, const std::string& from);

}  // namespace synelix::stream
