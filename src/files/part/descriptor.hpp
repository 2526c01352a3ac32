// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/error.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <string>
#include <utility>

/// \file
/// A file descriptor that is closed by its destructor, which also releases its lock; and reads,
/// writes and syncs that are retried after a signal.

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

}  // namespace synelix::stream
