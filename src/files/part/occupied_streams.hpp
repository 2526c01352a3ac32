// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <mutex>
#include <optional>

/// \file
/// Keeps files that are opened for writing from getting the descriptors 0 to 2.

namespace synelix::stream {

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
      struct stat state = {};
      if (opened == number && fstat(opened, &state) == 0) m_ours[stream] = state;
      if (opened >= 0 && !m_ours[stream]) ::close(opened);  // another thread was faster
    }
  }
  OccupiedStreams(const OccupiedStreams&) = delete;
  OccupiedStreams& operator=(const OccupiedStreams&) = delete;
  ~OccupiedStreams() {
    const int error = errno;  // of the opening above
    for (std::size_t stream = 0; stream < m_ours.size(); ++stream) {
      const int number = static_cast<int>(stream);
      const auto& ours = m_ours[stream];
      if (ours && is_still(number, *ours)) ::close(number);
    }
    errno = error;
  }

 private:
  /// Whether a descriptor still refers to the file that was opened.
  static bool is_still(int number, const struct stat& opened) {
    struct stat now = {};
    return fstat(number, &now) == 0 && now.st_dev == opened.st_dev && now.st_ino == opened.st_ino;
  }

  inline static std::mutex one_at_a_time;

  std::lock_guard<std::mutex> m_alone;
  std::array<std::optional<struct stat>, 3> m_ours;  ///< the file that was opened there
};

}  // namespace synelix::stream
