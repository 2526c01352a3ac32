// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <string>

/// \file
/// `SharedFile`: a small text that the first of several processes makes, on one host or on several.
/// The others wait for it.

namespace synelix::tool {

/// The processes coordinate by a lock on NAME.new. The maker writes there, and renames it to the
/// file when it is complete. It keeps the lock until it ends, so that others can distinguish the
/// file of a running process from one that was left behind. Files of other programs are not
/// touched.
class SharedFile {
 public:
  /// \param magic  the beginning of each such file
  SharedFile(std::string name, std::string magic);
  SharedFile(const SharedFile&) = delete;
  SharedFile& operator=(const SharedFile&) = delete;
  /// Removes NAME.new if this process was about to make the file.
  ~SharedFile();

  [[nodiscard]] const std::string& name() const { return m_name; }

  /// The text; nothing if there is no such file. \throws Error if it belongs to another program, or
  /// cannot be read
  [[nodiscard]] std::optional<std::string> read() const;
  /// Whether a process that still runs has made the file.
  [[nodiscard]] bool is_held() const;

  /// Takes the right to make the file; false if another process has it. \throws Error if NAME.new
  /// cannot be made or belongs to another program, or if the file system has no locks
  [[nodiscard]] bool take();
  /// Whether this process has the right to make the file, and has not made it yet.
  [[nodiscard]] bool is_taken() const { return m_descriptor >= 0 && !m_is_made; }
  /// Makes the file and syncs it to the disk. False if another process has made one. \throws Error
  [[nodiscard]] bool make(const std::string& text);
  /// Releases the right, and removes NAME.new.
  void give_back() noexcept;

  /// Removes the file.
  void remove() const noexcept;
  /// Removes NAME.new if no process is about to make the file.
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
