// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <filesystem>
#include <optional>

/// \file
/// The processor time that Linux control groups allow this process.

namespace synelix::tool {

/// Number of processors, rounded up, for the processor time that the control groups of this process
/// allow; absent if there is no limit. A group has no more than its parents.
/// \param root  of the file system; different in tests
std::optional<int> granted_processors(const std::filesystem::path& root = "/");

}  // namespace synelix::tool
