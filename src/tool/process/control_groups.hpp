// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <filesystem>
#include <optional>

/// \file
/// The processor time that control groups of Linux grant this process.

namespace synelix::tool {

/// Processors whose time the control groups of this process grant, rounded up; absent where they
/// set no limit. A group has no more than the groups that hold it.
/// \param root  of the file system; tests give another
std::optional<int> granted_processors(const std::filesystem::path& root = "/");

}  // namespace synelix::tool
