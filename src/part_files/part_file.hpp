// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "part_files/descriptor.hpp"

#include <sys/stat.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// \file
/// `PartFile`: FILE.part at the level of the operating system. It never takes over a file of
/// another program, only one run at a time writes it, and it is renamed to FILE only if it is still
/// the file that was written. And how a finished file gets its name: renames that never replace an
/// existing file, and the access rights of a file that it replaces.
///
/// A mark of 64 bytes, at a multiple of 4096 that HDF5 does not use, identifies a file that a run
/// has left. It is on the disk before the rest of the file. It is cleared after the file has its
/// final name, so a finished file that a user renames to FILE.part is not taken over.

namespace synelix::stream {

/// \throws FileError for a rename that has just failed
[[noreturn]] void refuse_rename(const std::string& from, const std::string& to);

/// Gives a file a name that is not in use; false if it is. If the file system has no such call, the
/// file has both names for a moment. \throws FileError
bool rename_to_free(const std::string& from, const std::string& to);

/// Removes the old name of an open, renamed file if it still has both names: its maker is about to
/// remove it, or was killed inside `rename_to_free`. Waits for a maker that is still running.
void drop_second_name(int descriptor, const std::string& from);

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

class PartFile {
 public:
  /// The mark is at a multiple of this.
  static constexpr std::int64_t alignment = 4096;
  static constexpr std::int64_t mark_bytes = 64;
  /// The first bytes of the mark.
  static constexpr std::string_view mark_name = "Synelix unfinished output 1";

  PartFile() = default;
  /// \param name    FILE.part or FILE.part.new
  /// \param output  FILE
  PartFile(std::string name, std::string output);

  /// Opens and locks a file that an interrupted run left; false if there is no file of this name.
  /// \throws Error if it is not such a file, or another run is writing it
  bool take();
  /// Whether an interrupted run has left the file, and no run is writing it. It neither locks nor
  /// changes anything, and the file is not open afterwards.
  [[nodiscard]] bool is_left_over();
  /// As `take`, but makes an empty file if there is none; a file that was already taken stays.
  /// Users without read access to FILE get none to this file. \throws Error as `take`
  void open();
  /// Opens a file that processes write together, without the lock of the entire file: each process
  /// locks what it writes. False if there is no file of this name. \throws Error if no run has left
  /// it
  bool join();
  /// Removes the name if it is another name of FILE, left by a run that was killed during the
  /// rename to FILE. Nothing else changes, and nothing is thrown: FILE is complete.
  void remove_second_name() noexcept;
  /// Removes a file that an interrupted run left. \throws Error as `take`
  void remove_left_over();

  /// Writes the mark and syncs it to the disk.
  void mark(std::int64_t address);
  /// Makes the file empty.
  void clear();
  [[nodiscard]] bool is_empty() const { return m_length == 0; }
  /// Copies the bytes of a file to the beginning of this one, without its mark: a file has only one
  /// mark.
  void copy_from(const std::string& file);
  /// Releases the lock, and takes it again.
  void unlock() const;
  void lock() const;

  /// \throws Error if the file was replaced, removed or truncated since the last call
  void require_whole();
  /// Records the current length of the file as the expected length.
  void note_length();
  /// Syncs the file to the disk and renames it to FILE. If it replaces a file, it then gets that
  /// file's owner, group, mode and access list. \throws Error as `require_whole`, and, unless it
  /// may replace FILE, if FILE exists. Then `remove` keeps the file: it is complete, and the
  /// message tells the user to rename it
  void publish(bool may_replace);
  /// Takes the name of another file, which has to be the file open as `replaced`.
  /// \throws Error if it is not, or if the rename fails
  void rename_over(const std::string& name, int replaced);
  /// Takes a name that is not in use; false if it is.
  bool take_free_name(const std::string& name);
  /// Whether the file still has its name.
  [[nodiscard]] bool is_named() const;
  /// Whether the file still has its mark, which is cleared after it has its final name.
  [[nodiscard]] bool is_marked() const;
  /// Whether the file is FILE.
  [[nodiscard]] bool is_output() const;
  /// Removes the file if its name still refers to it.
  void remove() noexcept;
  void close() noexcept { m_descriptor.close_now(); }
  [[nodiscard]] Descriptor release() { return std::move(m_descriptor); }

  [[nodiscard]] bool is_open() const { return m_descriptor.is_open(); }
  [[nodiscard]] int descriptor() const { return m_descriptor.number(); }
  [[nodiscard]] const std::string& name() const { return m_name; }

 private:
  bool open_existing();
  bool open_as(int flags, mode_t mode, int harmless);
  bool make();
  void require_ours();
  [[nodiscard]] bool is_published() const;
  [[nodiscard]] bool was_published() const;
  [[nodiscard]] std::optional<std::int64_t> find_mark() const;
  [[nodiscard]] std::optional<std::int64_t> find_mark_from(std::int64_t address) const;
  [[noreturn]] void fail() const;
  [[noreturn]] void refuse_change(const std::string& change) const;
  void require_regular(const struct stat& state) const;
  [[nodiscard]] struct stat state() const;

  std::string m_name;
  std::string m_output;
  Descriptor m_descriptor;
  std::optional<std::int64_t> m_mark;  ///< address of the mark that this run wrote or found
  std::int64_t m_length = 0;           ///< expected length of the file, or a lower bound
  bool m_stays = false;                ///< the file is complete, but could not get its final name
};

}  // namespace synelix::stream
