// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

/// \file
/// The changes of a run to the files of a folder, in order.

namespace crash {

/// Files of a folder: names and bytes.
using Files = std::map<std::string, std::string>;

/// A call that changes files, or brings them to the disk.
enum class Kind : std::uint8_t {
  create,      ///< the name `name` is a new, empty file
  write,       ///< `bytes` at `offset`
  truncate,    ///< the length is `offset`
  sync,        ///< the file is on the disk
  rename,      ///< `name` is called `to`
  link,        ///< `name` is called `to` as well
  unlink,      ///< `name` is gone
  sync_names,  ///< the names of the folder are on the disk
};

/// One call. `file` is the number of the file, whatever its name is.
struct Event {
  Kind kind = Kind::write;
  int file = -1;
  std::int64_t offset = 0;
  std::string bytes = {};
  std::string name = {};
  std::string to = {};
};

/// Files before a run, which are on the disk, and the changes of the run. The earlier files have
/// the numbers 0, 1, ... in the order of their names.
struct Trace {
  Files before;
  std::vector<Event> events;

  /// Names after a number of events, with the numbers of their files.
  [[nodiscard]] std::map<std::string, int> names_after(std::size_t events) const;
  /// The number of files, including removed ones.
  [[nodiscard]] int files_after(std::size_t events) const;
};

/// Events in memory that a process shares with those that it forks, so that they outlive these.
class Tape {
 public:
  explicit Tape(std::size_t bytes);
  Tape(const Tape&) = delete;
  Tape& operator=(const Tape&) = delete;
  ~Tape();

  void clear();
  /// Ends the program if the tape is full.
  void add(const Event& event);
  [[nodiscard]] std::vector<Event> events() const;

 private:
  struct Head {
    std::size_t used = 0;
  };
  void put(const void* from, std::size_t bytes);
  void put(const std::string& text);

  Head* m_head;
  std::size_t m_bytes;
};

}  // namespace crash
