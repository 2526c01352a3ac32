// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <sys/stat.h>

#include <optional>
#include <string>
#include <vector>

/// \file
/// Who may read and write a file that replaces another.

namespace synelix::stream {

/// Owner, group, mode and access list of a file. It outlives the file.
class FileAccess {
 public:
  /// Reads them. Where there is no such file, `limit` and `give` do nothing.
  explicit FileAccess(const std::string& file);

  /// Takes away what the file does not allow, and takes its group where possible. The owner may
  /// still read and write.
  void limit(int descriptor) const;
  /// Gives an open file all of it, as far as the system allows: only root may give a file away.
  /// Where the group cannot be kept, the group gets what all others get.
  void give(int descriptor) const;

 private:
  [[nodiscard]] bool give_group(int descriptor) const;
  [[nodiscard]] bool give_list(int descriptor) const;

  std::optional<struct stat> m_state;
  std::optional<std::vector<char>> m_list;  ///< empty: none; nothing where it cannot be read
};

}  // namespace synelix::stream
