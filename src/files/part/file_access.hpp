// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <sys/stat.h>

#include <optional>
#include <string>
#include <vector>

/// \file
/// Access rights of a file that replaces another one.

namespace synelix::stream {

/// Owner, group, mode and access list of a file. The object stays valid after the file is removed.
class FileAccess {
 public:
  /// Reads them. If there is no such file, `limit` and `give` do nothing.
  explicit FileAccess(const std::string& file);

  /// Removes permissions that the file does not give, and sets its group if possible. The owner can
  /// still read and write.
  void limit(int descriptor) const;
  /// Gives an open file all of them, as far as the system allows: only root may change the owner.
  /// If the group cannot be set, the group gets the permissions of all others.
  void give(int descriptor) const;

 private:
  [[nodiscard]] bool give_group(int descriptor) const;
  [[nodiscard]] bool give_list(int descriptor) const;

  std::optional<struct stat> m_state;
  std::optional<std::vector<char>> m_list;  ///< empty: no list; nothing if it cannot be read
};

}  // namespace synelix::stream
