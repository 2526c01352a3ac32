// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <filesystem>
#include <string>
#include <system_error>

#include <unistd.h>

/// \file
/// A temporary folder for the files of an example.

namespace examples {

/// A folder that only this process uses, so that two programs can run at the same time. It is
/// removed at the end.
class OwnFolder {
 public:
  explicit OwnFolder(const std::string& name)
      : m_path(std::filesystem::temp_directory_path() / (name + "_" + std::to_string(getpid()))) {
    std::filesystem::remove_all(m_path);  // left by a process that was killed
    std::filesystem::create_directories(m_path);
  }
  OwnFolder(const OwnFolder&) = delete;
  OwnFolder& operator=(const OwnFolder&) = delete;
  ~OwnFolder() {
    std::error_code status;
    std::filesystem::remove_all(m_path, status);
  }
  std::string operator/(const std::string& name) const { return (m_path / name).string(); }

 private:
  std::filesystem::path m_path;
};

}  // namespace examples
