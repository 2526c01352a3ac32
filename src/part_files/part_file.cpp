// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "part_files/part_file.hpp"

#include <synelix/error.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <span>

namespace synelix::stream {
namespace {

struct Mark {
  std::array<char, 32> name = {"Synelix unfinished output 1"};
  std::int64_t address = 0;
  std::array<char, 24> free = {};
};
static_assert(sizeof(Mark) == PartFile::mark_bytes);

/// Clears the marks in some bytes of a file; `address` is the address of the first byte.
void clear_marks(std::span<char> bytes, std::int64_t address) {
  for (std::size_t at = 0; at + sizeof(Mark) <= bytes.size(); at += PartFile::alignment) {
    Mark mark;
    mark.address = address + static_cast<std::int64_t>(at);
    if (std::memcmp(&bytes[at], &mark, sizeof(mark)) == 0) {
      std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(at), sizeof(mark), '\0');
    }
  }
}

/// The number of places to search after the beginning of a file, or after the copied bytes.
constexpr std::int64_t part_places = 1024;

constexpr const char* remedy =
    "Only a file that an interrupted run has left may have this name: rename or remove this one, "
    "or choose another name for the output";

constexpr const char* being_written = "another run is writing this file";
constexpr const char* wait = "Wait until it has ended, or choose another name for the output";

/// The kind of a file that is not regular.
std::string kind_of(mode_t mode) {
  if (S_ISLNK(mode)) return "a symbolic link, which is not followed";
  if (S_ISDIR(mode)) return "a folder";
  if (S_ISFIFO(mode)) return "a named pipe";
  if (S_ISSOCK(mode)) return "a socket";
  return "a device";
}

std::int64_t begin_of_page(std::int64_t address) {
  return address / PartFile::alignment * PartFile::alignment;
}

/// Whether a file is empty, or has only the bytes that HDF5 writes when it creates a file: without
/// more than a root group it has no object.
bool holds_nothing(int descriptor, off_t bytes) {
  constexpr off_t first_bytes = 96;
  constexpr std::array<char, 8> signature = {'\x89', 'H', 'D', 'F', '\r', '\n', '\x1a', '\n'};
  if (bytes == 0) return true;
  std::array<char, 8> found = {};
  return bytes <= first_bytes && read_at(descriptor, 0, found.data(), found.size()) &&
         found == signature;
}

}  // namespace

PartFile::PartFile(std::string name, std::string output)
    : m_name(std::move(name)), m_output(std::move(output)) {}

void PartFile::fail() const {
  throw FileError(m_name + ": cannot be written: " + reason_text(errno));
}

void PartFile::refuse_change(const std::string& change) const {
  throw FileError(m_name + ": something else has " + change + "; " + m_output +
                  " is not made. Begin anew, with a name that nothing else uses.");
}

void PartFile::require_regular(const struct stat& state) const {
  if (S_ISREG(state.st_mode)) return;
  throw FileError(m_name, "this is " + kind_of(state.st_mode), remedy);
}

struct stat PartFile::state() const {
  const auto mine = state_of(descriptor());
  if (!mine) fail();
  return *mine;
}

bool PartFile::open_existing() {
  const auto named = state_of_name(m_name);
  if (!named) {
    if (errno == ENOENT) return false;
    fail();
  }
  // Checked before the file is opened, because opening a device or a pipe may have an effect.
  require_regular(*named);
  return open_as(O_RDWR | O_NONBLOCK, 0, ENOENT);
}

/// Opens the file. False if that fails for the reason `harmless`. \throws FileError otherwise
bool PartFile::open_as(int flags, mode_t mode, int harmless) {
  const OccupiedStreams occupied;
  Descriptor opened(::open(m_name.c_str(), flags | O_CLOEXEC | O_NOFOLLOW, mode));
  if (!opened.is_open() && errno == harmless) return false;
  if (!opened.is_open()) fail();
  m_descriptor = std::move(opened);
  return true;
}

bool PartFile::make() {
  const auto replaced = state_of(m_output);
  const mode_t mode = replaced ? (replaced->st_mode & 0666U) | 0600U : 0666U;
  return open_as(O_RDWR | O_CREAT | O_EXCL, mode, EEXIST);
}

/// Throws unless the open file was left by a run, and only this run has it.
void PartFile::require_ours() {
  const struct stat mine = state();
  require_regular(mine);
  if (mine.st_nlink > 1) {
    throw FileError(m_name,
                    "this is a file with " + std::to_string(mine.st_nlink) + " names (hard links)",
                    remedy);
  }
  const auto around = state_of(folder_of(m_name));
  // If a file system shows other owners, as a server may, all its files have them.
  const bool is_users = mine.st_uid == geteuid() || (around && mine.st_uid == around->st_uid);
  if (!is_users) {
    throw FileError(
        m_name, "this is a file of another user (id " + std::to_string(mine.st_uid) + ")", remedy);
  }
  m_mark = find_mark();
  if (!m_mark && !holds_nothing(descriptor(), mine.st_size)) {
    throw FileError(m_name, "this is a file that no interrupted run has left", remedy);
  }
}

bool PartFile::is_output() const { return are_same(state_of(descriptor()), state_of(m_output)); }

/// Whether FILE is the same file with a second name.
bool PartFile::is_published() const {
  const auto mine = state_of(descriptor());
  return mine && mine->st_nlink > 1 && is_output();
}

bool PartFile::is_left_over() {
  bool result = false;
  try {
    if (open_existing() && !is_published()) {
      require_ours();
      result = !is_locked(descriptor());
    }
  } catch (const Error&) {  // a file of another program, or one that cannot be read
    result = false;
  }
  close();
  return result;
}

bool PartFile::take() {
  for (int attempt = 0; attempt < 2; ++attempt) {
    if (!open_existing()) return false;
    if (!is_published()) break;
    // A run was killed inside `rename_to_free`: FILE is complete and stays.
    unlink(m_name.c_str());
    close();
  }
  if (!is_open()) return false;
  try {
    lock();
    require_ours();
  } catch (...) {
    close();
    throw;
  }
  note_length();
  return true;
}

void PartFile::open() {
  constexpr int attempts = 3;  // another process may create or remove the file meanwhile
  for (int attempt = 0; attempt < attempts && !is_open(); ++attempt) {
    if (take()) break;
    if (!make()) continue;
    try {
      lock();
    } catch (...) {
      close();
      throw;
    }
  }
  if (!is_open()) throw FileError(m_name, being_written, wait);
  FileAccess(m_output).limit(descriptor());
}

bool PartFile::join() {
  if (!open_existing()) return false;
  drop_second_name(descriptor(), m_name + ".new");
  try {
    if (is_published()) {  // as in `take`
      unlink(m_name.c_str());
      close();
      return false;
    }
    require_ours();
  } catch (...) {
    // A process that has all of the file may meanwhile give it its final name.
    const bool is_gone = !is_named();
    close();
    if (is_gone) return false;
    throw;
  }
  note_length();
  return true;
}

void PartFile::remove_second_name() noexcept {
  bool is_second = false;
  try {
    is_second = open_existing() && is_published();
  } catch (...) {  // a file of another program, or one that cannot be read
    is_second = false;
  }
  if (is_second) unlink(m_name.c_str());
  close();
}

void PartFile::remove_left_over() {
  if (!take()) return;
  remove();
}

void PartFile::lock() const {
  if (!lock_file(descriptor()) || !is_named()) {
    throw FileError(m_name, being_written, wait);
  }
}

void PartFile::unlock() const { unlock_file(descriptor()); }

bool PartFile::is_named() const { return are_same(state_of(descriptor()), state_of_name(m_name)); }

std::optional<std::int64_t> PartFile::find_mark_from(std::int64_t address) const {
  constexpr std::int64_t least = 16;  // the least bytes of a mark at the end that was not
                                      // completely written
  for (std::int64_t i = 0; i < part_places; ++i, address += alignment) {
    Mark found;
    Mark wanted;
    wanted.address = address;
    const std::int64_t bytes = read_up_to(descriptor(), address, &found, sizeof(found));
    if (bytes >= least && std::memcmp(&found, &wanted, static_cast<std::size_t>(bytes)) == 0) {
      return address;
    }
    if (bytes < mark_bytes) return std::nullopt;
  }
  return std::nullopt;
}

/// Searches after the size of FILE first, where a copy has its mark: while FILE is copied, the copy
/// may contain a mark of FILE itself. Then it searches where new files have the mark, where it is
/// if FILE has grown a little since, and where it is while a run copies FILE.
std::optional<std::int64_t> PartFile::find_mark() const {
  const auto mine = state_of(descriptor());
  const auto output = state_of(m_output);
  if (!mine) return std::nullopt;
  const std::int64_t copied = output ? output->st_size : 0;
  for (const std::int64_t address :
       {begin_of_page(copied + alignment - 1), std::int64_t{0}, begin_of_page(copied),
        begin_of_page(std::max<off_t>(mine->st_size - 1, 0))}) {
    if (const auto found = find_mark_from(address)) return found;
  }
  return std::nullopt;
}

void PartFile::clear() {
  if (finished([&] { return ftruncate(descriptor(), 0); }) != 0) fail();
  m_mark.reset();
  m_length = 0;
}

void PartFile::mark(std::int64_t address) {
  Mark mark;
  mark.address = address;
  write_at(descriptor(), address, &mark, sizeof(mark), m_name);
  sync_data(descriptor(), m_name);
  m_mark = address;
}

void PartFile::copy_from(const std::string& file) {
  constexpr std::size_t together = std::size_t{1} << 20;
  static_assert(together % alignment == 0);
  const Descriptor from = opened_to_read(file);
  std::vector<char> bytes(together);
  for (off_t at = 0;;) {
    const std::int64_t got =
        from.is_open() ? read_up_to(from.number(), at, bytes.data(), bytes.size()) : -1;
    if (got < 0) throw FileError(m_name + ": cannot copy " + file + ": " + std::strerror(errno));
    if (got == 0) return;
    clear_marks(std::span(bytes).first(static_cast<std::size_t>(got)), at);
    write_at(descriptor(), at, bytes.data(), static_cast<std::size_t>(got), m_name);
    at += got;
  }
}

void PartFile::require_whole() {
  const struct stat mine = state();
  if (!is_named()) refuse_change("replaced or removed this file while it was written");
  if (mine.st_size < m_length) {
    refuse_change("cut this file from " + std::to_string(m_length) + " to " +
                  std::to_string(mine.st_size) + " bytes while it was written");
  }
  m_length = mine.st_size;
}

void PartFile::note_length() {
  const auto mine = state_of(descriptor());
  m_length = mine ? mine->st_size : 0;
}

bool PartFile::is_marked() const { return m_mark && find_mark_from(*m_mark); }

/// Whether the file already is FILE although the rename failed.
bool PartFile::was_published() const {
  if (!is_output()) return false;
  if (is_named()) unlink(m_name.c_str());  // its second name
  return true;
}

void PartFile::publish(bool may_replace) {
  if (finished([&] { return fsync(descriptor()); }) != 0) fail();
  require_whole();
  if (!is_marked()) refuse_change("written over this file");
  if (may_replace) {
    const FileAccess access(m_output);
    access.limit(descriptor());
    if (std::rename(m_name.c_str(), m_output.c_str()) != 0 && !was_published()) {
      refuse_rename(m_name, m_output);
    }
    // Not earlier: a run resumes FILE.part, and FILE may be read-only.
    access.give(descriptor());
    finished([&] { return fsync(descriptor()); });  // a failure is ignored: all values are already
                                                    // on the disk
  } else if (!rename_to_free(m_name, m_output) && !was_published()) {
    m_stays = true;
    throw FileError(m_output, "something else made this file while the output was written",
                    "Nothing is lost: rename " + m_name + ", which holds all of the output");
  }
  // The name is synced first: if a power failure undoes the rename, the mark still identifies
  // FILE.part. A file that keeps its mark is complete, too.
  if (sync_name(m_output)) {
    const std::array<char, mark_bytes> nothing = {};
    [[maybe_unused]] const ssize_t cleared =
        finished([&] { return pwrite(descriptor(), nothing.data(), nothing.size(), *m_mark); });
  }
  close();
}

void PartFile::rename_over(const std::string& name, int replaced) {
  if (!are_same(state_of(replaced), state_of_name(name))) {
    throw FileError(
        name +
        ": something else has replaced or removed this file while it was taken over. Begin "
        "anew, with a name that nothing else uses.");
  }
  if (std::rename(m_name.c_str(), name.c_str()) != 0) refuse_rename(m_name, name);
  m_name = name;
}

bool PartFile::take_free_name(const std::string& name) {
  if (!rename_to_free(m_name, name)) return false;
  m_name = name;
  return true;
}

void PartFile::remove() noexcept {
  if (is_open() && !m_stays && is_named()) unlink(m_name.c_str());
  close();
}

}  // namespace synelix::stream
