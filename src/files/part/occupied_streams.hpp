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
/// The descriptors 0 to 2, kept from files that are opened for writing.

namespace synelix::stream {

/// Occupies each of the descriptors 0 to 2 that the program has closed, while it lives.
///
/// A file that is opened gets the lowest free descriptor. Where standard error is closed, that is
/// 2, and a message would be written over the file. Descriptors of our own could be moved, but
/// those that HDF5 opens are its own: so both are opened while 0 to 2 are taken. The program gets
/// its closed descriptors back, since whether they stay closed is its matter. Files that are only
/// read need none of this: a write to their descriptor fails.
///
/// One thread at a time has such an object, or one thread would give the descriptors back while
/// another one opens its file. Nothing is guaranteed against the program's own threads: one that
/// closes or opens 0 to 2 at the same moment may get a descriptor of ours, or its file may be
/// opened there first. What it has put in the place of ours stays open.
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
    const int error = errno;  // of what was opened
    for (std::size_t stream = 0; stream < m_ours.size(); ++stream) {
      const int number = static_cast<int>(stream);
      const auto& ours = m_ours[stream];
      if (ours && is_still(number, *ours)) ::close(number);
    }
    errno = error;
  }

 private:
  /// Whether a descriptor is still of the file that was opened.
  static bool is_still(int number, const struct stat& opened) {
    struct stat now = {};
    return fstat(number, &now) == 0 && now.st_dev == opened.st_dev && now.st_ino == opened.st_ino;
  }

  inline static std::mutex one_at_a_time;

  std::lock_guard<std::mutex> m_alone;
  std::array<std::optional<struct stat>, 3> m_ours;  ///< what was opened there
};

}  // namespace synelix::stream
