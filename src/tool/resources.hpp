// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <string>

/// \file
/// What the machine gives: room on a disk, and the memory that this process has taken.

namespace synelix::tool {

/// Bytes that an ordinary user may still write to the folder of this file.
/// Throws Error where the folder does not exist.
std::int64_t free_bytes_beside(const std::string& file);

/// Bytes of a file; 0 where there is none.
std::int64_t bytes_of_file(const std::string& file);

/// Bytes that a file takes on the disk; 0 where there is none.
std::int64_t disk_bytes_of(const std::string& file);

/// Whether both names lead to one existing file.
bool is_same_file(const std::string& first, const std::string& second);

/// Physical memory that this process takes now, and the most that it has taken.
std::int64_t resident_bytes();
std::int64_t peak_resident_bytes();

}  // namespace synelix::tool
