// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <string>

/// \file
/// `SharedFile`: a small text that the first of several processes makes, on one host or on several.
/// The others wait for it.

namespace synelix::tool {

/// The processes agree by a lock on NAME.new. The maker writes there, and gives the file its name
/// when it is whole. It keeps the lock as long as it lives, so that others can tell a file that a
/// running process has made from one that was left behind. A file of anybody else is not touched.
class SharedFile {
 public:
  /// \param magic  what each such file begins with
  SharedFile(std::string name, std::string magic);
  SharedFile(const SharedFile&) = delete;
  SharedFile& operator=(const SharedFile&) = delete;
  /// Removes NAME.new where this process was about to make the file.
  ~SharedFile();

  [[nodiscard]] const std::string& name() const { return m_name; }

  /// The text; nothing where there is no such file. \throws Error where it is somebody else's, or
  /// cannot be read
  [[nodiscard]] std::optional<std::string> read() const;
  /// Whether a process that runs has made what is there.
  [[nodiscard]] bool is_held() const;

  /// Takes the right to make the file; false where another process has it. \throws Error where
  /// NAME.new cannot be made or is somebody else's, or the file system has no locks
  [[nodiscard]] bool take();
  /// Whether this process has the right to make the file, and has not done so.
  [[nodiscard]] bool is_taken() const { return m_descriptor >= 0 && !m_is_made; }
  /// Makes the file, on the disk. False where another process has made one. \throws Error
  [[nodiscard]] bool make(const std::string& text);
  /// Gives the right back, and removes NAME.new.
  void give_back() noexcept;

  /// Removes the file.
  void remove() const noexcept;
  /// Removes NAME.new where nobody is about to make the file.
  void remove_unmade() const noexcept;

 private:
  [[nodiscard]] std::string name_of_new() const { return m_name + ".new"; }
  enum class State { whole, begun };
  [[nodiscard]] bool is_ours(int descriptor, State state) const;
  void remove(const std::string& name, bool is_new) const noexcept;

  std::string m_name;
  std::string m_magic;
  int m_descriptor = -1;
  bool m_is_made = false;
};

}  // namespace synelix::tool
