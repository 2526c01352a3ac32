// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "files/part/descriptor.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

/// \file
/// `PartFile`: FILE.part as the operating system sees it. It is never somebody else's file, it is
/// written by one run at a time, and it becomes FILE only where it is still the file that was
/// written.
///
/// A mark of 64 bytes, at a multiple of 4096 that HDF5 leaves alone, tells a file that a run has
/// left from all others. It is on the disk before anything else of the file, and it is cleared once
/// the file has its final name: a finished file that somebody names FILE.part is not ours.

namespace synelix::stream {

class PartFile {
 public:
  /// The mark lies at a multiple of this.
  static constexpr std::int64_t alignment = 4096;
  static constexpr std::int64_t mark_bytes = 64;
  /// What the mark begins with.
  static constexpr std::string_view mark_name = "Synelix unfinished output 1";

  PartFile() = default;
  /// \param name    FILE.part or FILE.part.new
  /// \param output  FILE
  PartFile(std::string name, std::string output);

  /// Opens and locks what an interrupted run has left; false where there is nothing of this name.
  /// \throws Error where it is not such a file, or another run is writing it
  bool take();
  /// Whether an interrupted run has left the file, and no run is writing it. Only looks: neither
  /// locks nor changes anything, and the file is not open afterwards.
  [[nodiscard]] bool is_left_over();
  /// As `take`, and makes an empty file where there is none; a file that was taken already stays.
  /// Nobody may read it who may not read FILE now. \throws Error as `take`
  void open();
  /// Opens what processes write together, without the lock of the whole file: each locks what it
  /// writes. False where there is nothing of this name. \throws Error where it is no file that a
  /// run has left
  bool join();
  /// Removes the name where it is another name of FILE, as a run leaves it that was killed while it
  /// gave FILE its name. Nothing else changes, and nothing is thrown: FILE is whole.
  void remove_second_name() noexcept;
  /// Removes what an interrupted run has left. \throws Error as `take`
  void remove_left_over();

  /// Writes the mark and brings it to the disk.
  void mark(std::int64_t address);
  /// Makes the file empty.
  void clear();
  [[nodiscard]] bool is_empty() const { return m_length == 0; }
  /// Puts the bytes of a file at the beginning of this one, without a mark that it has kept: a file
  /// has one mark.
  void copy_from(const std::string& file);
  /// Lets go of the lock, and takes it again.
  void unlock() const;
  void lock() const;

  /// \throws Error where something else has replaced, removed or cut the file since this was called
  /// last
  void require_whole();
  /// From now on the file has the length that it has now.
  void note_length();
  /// Brings the file to the disk and names it FILE. Where it replaces a file, it then gets that
  /// file's owner, group, mode and access list. \throws Error as `require_whole`, and, unless
  /// it may replace FILE, where something has that name: then `remove` leaves the file, which is
  /// whole and which the message says to rename
  void publish(bool may_replace);
  /// Takes the name of another file, which has to be the one that is open as `replaced`.
  /// \throws Error where it is not, or that fails
  void rename_over(const std::string& name, int replaced);
  /// Takes a name that nothing has yet; false where something has it.
  bool take_free_name(const std::string& name);
  /// Whether the file still has its name.
  [[nodiscard]] bool is_named() const;
  /// Whether the file has its mark still, which it loses once it has its final name.
  [[nodiscard]] bool is_marked() const;
  /// Whether the file is FILE.
  [[nodiscard]] bool is_output() const;
  /// Removes the file, if the name is still its own.
  void remove() noexcept;
  void close() noexcept { m_descriptor.close_now(); }
  [[nodiscard]] Descriptor release() { return std::move(m_descriptor); }

  [[nodiscard]] bool is_open() const { return m_descriptor.is_open(); }
  [[nodiscard]] int descriptor() const { return m_descriptor.number(); }
  [[nodiscard]] const std::string& name() const { return m_name; }

 private:
  bool open_existing();
  bool make();
  void require_ours();
  [[nodiscard]] bool is_published() const;
  [[nodiscard]] bool was_published() const;
  [[nodiscard]] std::optional<std::int64_t> find_mark() const;
  [[nodiscard]] std::optional<std::int64_t> find_mark_from(std::int64_t address) const;
  [[noreturn]] void fail() const;

  std::string m_name;
  std::string m_output;
  Descriptor m_descriptor;
  std::optional<std::int64_t> m_mark;  ///< address of the mark that this run has written or found
  std::int64_t m_length = 0;           ///< that the file had at least, or has
  bool m_stays = false;                ///< it is whole, and could not have its final name
};

}  // namespace synelix::stream
