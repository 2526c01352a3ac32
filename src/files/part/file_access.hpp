// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

/// \file
/// Who may read and write a file that replaces another.

namespace synelix::stream {

/// Takes away what the other file does not allow, and its group where possible. Nothing happens
/// where there is no other file.
void limit_access_to(const std::string& other, int descriptor);

/// Gives an open file owner, group, mode and access list of another, as far as the system allows:
/// only root may give a file away. Where the group cannot be kept, the group gets what all others
/// get. Nothing happens where there is no other file.
void copy_access(const std::string& other, int descriptor);

}  // namespace synelix::stream
