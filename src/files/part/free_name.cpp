// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "files/part/free_name.hpp"

#include "files/part/file_lock.hpp"

#include <synelix/error.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <thread>

namespace synelix::stream {
namespace {

/// Whether the last call failed because the file system does not support it.
bool is_unknown_here() {
  return errno == EINVAL || errno == ENOSYS || errno == EOPNOTSUPP || errno == EPERM;
}

}  // namespace

bool rename_to_free(const std::string& from, const std::string& to) {
  const auto fail = [&] {
    throw FileError(from + ": cannot be renamed to " + to + ": " + std::strerror(errno));
  };
#ifdef RENAME_NOREPLACE
  if (renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return true;
  if (errno == EEXIST) return false;
  if (!is_unknown_here()) fail();
#endif
  if (link(from.c_str(), to.c_str()) == 0) {
    unlink(from.c_str());
    return true;
  }
  if (errno == EEXIST) return false;
  if (!is_unknown_here()) fail();
  // The file system supports neither: the file may appear between this check and the rename.
  struct stat state = {};
  if (lstat(to.c_str(), &state) == 0) return false;
  if (std::rename(from.c_str(), to.c_str()) != 0) fail();
  return true;
}

void drop_second_name(int descriptor, const std::string& from) {
  constexpr int attempts = 50;
  struct stat mine = {};
  struct stat other = {};
  for (int attempt = 0; attempt <= attempts; ++attempt) {
    if (fstat(descriptor, &mine) != 0 || mine.st_nlink < 2 || lstat(from.c_str(), &other) != 0 ||
        mine.st_dev != other.st_dev || mine.st_ino != other.st_ino) {
      return;
    }
    if (attempt == attempts || !is_locked(descriptor)) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  unlink(from.c_str());
}

}  // namespace synelix::stream
