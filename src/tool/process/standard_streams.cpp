// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tool/process/standard_streams.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

namespace synelix::tool {

void occupy_closed_streams() {
  for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; ++stream) {
    if (fcntl(stream, F_GETFD) != -1 || errno != EBADF) continue;
    // The lowest free descriptor is this one. A folder that is open for reading takes no write and
    // gives no byte; "/" is there in every environment, and /dev/null may be missing.
    if (open("/", O_RDONLY | O_DIRECTORY) != stream) return;
  }
}

}  // namespace synelix::tool
