// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "files/part/file_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>
#include <cstdio>

namespace synelix::stream {
namespace {

static_assert(EWOULDBLOCK == EAGAIN);
bool is_refused() { return errno == EAGAIN || errno == EACCES; }

#ifdef F_OFD_SETLK
bool lock_range(int descriptor, short kind) {
  struct flock range = {};
  range.l_type = kind;
  range.l_whence = SEEK_SET;
  return fcntl(descriptor, F_OFD_SETLK, &range) == 0 || !is_refused();
}
#endif

}  // namespace

bool lock_file(int descriptor) {
#ifdef F_OFD_SETLK
  if (!lock_range(descriptor, F_WRLCK)) return false;
#endif
  if (flock(descriptor, LOCK_EX | LOCK_NB) != 0 && is_refused()) {
#ifdef F_OFD_SETLK
    lock_range(descriptor, F_UNLCK);
#endif
    return false;
  }
#ifdef F_OFD_SETLK
  flock(descriptor, LOCK_UN);              // was only asked for: HDF5 may want it
  return lock_range(descriptor, F_WRLCK);  // on NFS both are one lock, which has just ended
#else
  return true;
#endif
}

bool is_locked(int descriptor) {
#ifdef F_OFD_GETLK
  struct flock range = {};
  range.l_type = F_WRLCK;
  range.l_whence = SEEK_SET;
  return fcntl(descriptor, F_OFD_GETLK, &range) == 0 && range.l_type != F_UNLCK;
#else
  if (!lock_file(descriptor)) return true;
  unlock_file(descriptor);
  return false;
#endif
}

void unlock_file(int descriptor) {
#ifdef F_OFD_SETLK
  lock_range(descriptor, F_UNLCK);
#endif
  flock(descriptor, LOCK_UN);
}

}  // namespace synelix::stream
