// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>

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
class OccupiedStreams {
 public:
  OccupiedStreams() {
    for (std::size_t stream = 0; stream < m_is_ours.size(); ++stream) {
      const int number = static_cast<int>(stream);
      if (fcntl(number, F_GETFD) != -1 || errno != EBADF) continue;
      const int opened = ::open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
      m_is_ours[stream] = opened == number;
      if (opened >= 0 && opened != number) ::close(opened);  // another thread was faster
    }
  }
  OccupiedStreams(const OccupiedStreams&) = delete;
  OccupiedStreams& operator=(const OccupiedStreams&) = delete;
  ~OccupiedStreams() {
    const int error = errno;  // of what was opened
    for (std::size_t stream = 0; stream < m_is_ours.size(); ++stream) {
      if (m_is_ours[stream]) ::close(static_cast<int>(stream));
    }
    errno = error;
  }

 private:
  std::array<bool, 3> m_is_ours = {};
};

}  // namespace synelix::stream
