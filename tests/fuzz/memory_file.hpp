// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <string>

#include <unistd.h>

/// \file
/// A file in memory, if the machine has a folder for such files. HDF5 queries the real name of a
/// file that it opens, so the file needs one.

namespace fuzz {

/// Holds these bytes while it lives.
class MemoryFile {
 public:
  MemoryFile(const void* bytes, std::size_t size) : m_path(folder() / name()) {
    std::filesystem::remove(m_path);  // HDF5 identifies a file by its inode, so each needs a new
                                      // one
    std::ofstream file(m_path, std::ios::binary);
    file.write(static_cast<const char*>(bytes), static_cast<std::streamsize>(size));
  }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  ~MemoryFile() {
    std::error_code status;
    std::filesystem::remove(m_path, status);
  }

  [[nodiscard]] std::string path() const { return m_path.string(); }

 private:
  static std::filesystem::path folder() {
    const std::filesystem::path memory = "/dev/shm";
    return std::filesystem::is_directory(memory) ? memory : std::filesystem::temp_directory_path();
  }
  static std::string name() { return "synelix_fuzz_" + std::to_string(getpid()); }

  std::filesystem::path m_path;
};

}  // namespace fuzz
