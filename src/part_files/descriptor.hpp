// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/alignment.hpp>
#include <synelix/error.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

/// \file
/// A file descriptor that is closed by its destructor, which also releases its lock; reads, writes
/// and syncs that are retried after a signal; locks; and `OccupiedStreams`, which keeps files that
/// are opened for writing from getting the descriptors 0 to 2.

namespace synelix::stream {

class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : m_number(number) {}
  Descriptor(Descriptor&& other) noexcept : m_number(std::exchange(other.m_number, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(m_number, other.m_number);
    return *this;
  }
  ~Descriptor() { close_now(); }

  [[nodiscard]] int number() const { return m_number; }
  [[nodiscard]] bool is_open() const { return m_number >= 0; }
  void close_now() noexcept {
    if (m_number >= 0) ::close(std::exchange(m_number, -1));
  }

 private:
  int m_number = -1;
};

/// A file that is opened to be read, as far as it can be. A pipe without a writer does not block.
/// \param also  O_NOFOLLOW: not through a symbolic link
inline Descriptor opened_to_read(const std::string& file, int also = 0) {
  return Descriptor(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | also));
}

/// What the system says of an open file, of a name, and of a name whose link is not followed;
/// nothing if it says nothing.
inline std::optional<struct stat> state_of(int descriptor) {
  struct stat state = {};
  return fstat(descriptor, &state) == 0 ? std::optional(state) : std::nullopt;
}
inline std::optional<struct stat> state_of(const std::string& file) {
  struct stat state = {};
  return stat(file.c_str(), &state) == 0 ? std::optional(state) : std::nullopt;
}
inline std::optional<struct stat> state_of_name(const std::string& file) {
  struct stat state = {};
  return lstat(file.c_str(), &state) == 0 ? std::optional(state) : std::nullopt;
}

/// Whether both are states of one file.
inline bool are_same(const std::optional<struct stat>& one,
                     const std::optional<struct stat>& other) {
  return one && other && one->st_dev == other->st_dev && one->st_ino == other->st_ino;
}

/// Whether a file or folder has this name; false if the system does not say.
inline bool file_exists(const std::string& file) {
  std::error_code status;
  return std::filesystem::exists(file, status);
}

/// The reason why a file cannot be opened, with a remedy if the process has no descriptor left.
inline std::string reason_text(int error) {
  const bool is_used_up = error == EMFILE || error == ENFILE;
  return std::strerror(error) +
         std::string(is_used_up ? "; raise the limit of open files (ulimit -n)" : "");
}

/// The result of a call that returns a negative number on failure. It is repeated as long as a
/// signal interrupts it.
template <class Call>
auto finished(const Call& call) {
  auto status = call();
  while (status < 0 && errno == EINTR) status = call();
  return status;
}

/// Reads a number of bytes, or up to the end of the file. \returns the bytes read, -1 on failure
inline std::int64_t read_up_to(int descriptor, std::int64_t address, void* to, std::size_t bytes) {
  auto* const first = static_cast<char*>(to);
  std::size_t done = 0;
  while (done < bytes) {
    const ssize_t got = finished([&] {
      return pread(descriptor, first + done, bytes - done,
                   address + static_cast<std::int64_t>(done));
    });
    if (got < 0) return -1;
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  return static_cast<std::int64_t>(done);
}

/// Whether all bytes were read; false at the end of the file, and on failure.
inline bool read_at(int descriptor, std::int64_t address, void* to, std::size_t bytes) {
  return read_up_to(descriptor, address, to, bytes) == static_cast<std::int64_t>(bytes);
}

/// \throws Error
inline void write_at(int descriptor, std::int64_t address, const void* from, std::size_t bytes,
                     const std::string& name) {
  const auto* next = static_cast<const char*>(from);
  while (bytes > 0) {
    const ssize_t done = pwrite(descriptor, next, bytes, address);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) throw FileError(name + ": cannot be written: " + std::strerror(errno));
    next += done;
    address += done;
    bytes -= static_cast<std::size_t>(done);
  }
}

/// Reserves disk space for the first bytes of a file. \returns false if the file system cannot
/// reserve. \throws Error if the disk has too little space
inline bool reserve_space(int descriptor, std::int64_t bytes, const std::string& name) {
  if (bytes <= 0) return true;
#ifdef __linux__
  // Not posix_fallocate, which writes to each page if the file system cannot reserve.
  if (finished([&] { return fallocate(descriptor, 0, 0, bytes); }) == 0) return true;
  if (errno == ENOSPC || errno == EDQUOT || errno == EFBIG || errno == EIO) {
    throw FileError(name + ": its disk has no space for " + std::to_string(bytes) +
                    " bytes: " + std::strerror(errno));
  }
#endif
  return false;
}

/// The longest time until checkpoints and answers are synced to disk, which limits the loss if the
/// machine stops. A sync blocks writes until it is done. The kernel itself starts to write after
/// about five seconds.
constexpr std::chrono::seconds time_to_disk{10};

/// Syncs written data to the disk. \throws Error
inline void sync_data(int descriptor, const std::string& name) {
  while (fdatasync(descriptor) != 0) {
    if (errno == EINTR) continue;
    throw FileError(name + ": cannot be brought to the disk: " + std::strerror(errno));
  }
}

/// The folder of a file; "." if its name has none.
inline std::string folder_of(const std::string& file) {
  const std::filesystem::path folder = std::filesystem::path(file).parent_path();
  return folder.empty() ? "." : folder.string();
}

/// Syncs a file's name to the disk. \returns false on failure. Some file systems cannot sync
/// folders, which is not a failure
inline bool sync_name(const std::string& file) {
  const Descriptor opened(::open(folder_of(file).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!opened.is_open()) return false;
  return finished([&] { return fsync(opened.number()); }) == 0 || errno == EINVAL ||
         errno == ENOTSUP || errno == EBADF;
}

/// Locks. HDF5 may lock the same file through its own descriptor, with `flock`: the variable
/// HDF5_USE_FILE_LOCKING overrides the setting of a program. So the lock here is a byte-range lock,
/// which is independent of `flock` on a local file system. It belongs to the open file: it is
/// released at the end of the process, but not when HDF5 closes the file.
///
/// Locks an open file; false if another process has locked it, with either kind of lock. True if
/// the file system has no locks.
bool lock_file(int descriptor);
void unlock_file(int descriptor);
/// Whether another process has locked an open file. If the system can report that, no lock is
/// taken, not even briefly, so a run that begins at the same time is not refused.
bool is_locked(int descriptor);

/// Whether there is such a file, and another process has locked it.
inline bool is_being_written(const std::string& file) {
  const Descriptor opened = opened_to_read(file, O_NOFOLLOW);
  return opened.is_open() && is_locked(opened.number());
}

/// Locks of byte ranges, for processes that write a file together: each locks what it writes.
/// Without locks two processes might write the same rows, so a file system without locks is
/// reported as `unknown`.
enum class ByteLock : std::uint8_t { taken, refused, unknown };
ByteLock lock_bytes(int descriptor, Range bytes);
/// Waits until no other process has locked the range, and locks it. Never `refused`.
ByteLock wait_for_bytes(int descriptor, Range bytes);
void unlock_bytes(int descriptor, Range bytes);
bool are_locked(int descriptor, Range bytes);

/// While an object exists, it occupies those of the descriptors 0 to 2 that the program has closed.
///
/// An opened file gets the lowest free descriptor. If standard error is closed, that is 2, and a
/// message would overwrite the file. Our own descriptors could be moved, but not those of HDF5, so
/// both are opened while 0 to 2 are occupied. Afterwards the occupied descriptors are closed again,
/// as the program had them. Files that are only read need no protection: a write to their
/// descriptor fails.
///
/// Only one thread at a time may have such an object; otherwise one thread would close the
/// descriptors while another one opens its file. The program's own threads are not covered: a
/// thread that closes or opens 0 to 2 at the same time may get a descriptor of ours, or its file
/// may be opened there first. If it has replaced our descriptor, that one stays open.
class OccupiedStreams {
 public:
  OccupiedStreams() : m_alone(one_at_a_time) {
    for (std::size_t stream = 0; stream < m_ours.size(); ++stream) {
      const int number = static_cast<int>(stream);
      if (fcntl(number, F_GETFD) != -1 || errno != EBADF) continue;
      const int opened = ::open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
      if (opened == number) m_ours[stream] = state_of(opened);
      if (opened >= 0 && !m_ours[stream]) ::close(opened);  // another thread was faster
    }
  }
  OccupiedStreams(const OccupiedStreams&) = delete;
  OccupiedStreams& operator=(const OccupiedStreams&) = delete;
  ~OccupiedStreams() {
    const int error = errno;  // of the opening above
    for (std::size_t stream = 0; stream < m_ours.size(); ++stream) {
      const int number = static_cast<int>(stream);
      if (are_same(m_ours[stream], state_of(number))) ::close(number);
    }
    errno = error;
  }

 private:
  inline static std::mutex one_at_a_time;

  std::lock_guard<std::mutex> m_alone;
  std::array<std::optional<struct stat>, 3> m_ours;  ///< the file that was opened there
};

}  // namespace synelix::stream
