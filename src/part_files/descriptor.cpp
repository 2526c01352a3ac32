// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "part_files/descriptor.hpp"

#include <sys/file.h>

#include <cstdio>

namespace synelix::stream {
namespace {

static_assert(EWOULDBLOCK == EAGAIN);
bool is_refused() { return errno == EAGAIN || errno == EACCES; }

#ifdef F_OFD_SETLK
/// A range without bytes means the entire file, for any length.
struct flock range_of(short kind, Range bytes) {
  struct flock range = {};
  range.l_type = kind;
  range.l_whence = SEEK_SET;
  range.l_start = bytes.begin;
  range.l_len = bytes.size();
  return range;
}

bool lock_range(int descriptor, short kind, Range bytes = {}) {
  struct flock range = range_of(kind, bytes);
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
  flock(descriptor, LOCK_UN);              // it was only a test: HDF5 may need this lock
  return lock_range(descriptor, F_WRLCK);  // on NFS both are one lock, which was just released
#else
  return true;
#endif
}

bool is_locked(int descriptor) {
#ifdef F_OFD_GETLK
  return are_locked(descriptor, {});
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

#ifdef F_OFD_SETLK
ByteLock lock_bytes(int descriptor, Range bytes) {
  struct flock range = range_of(F_WRLCK, bytes);
  if (finished([&] { return fcntl(descriptor, F_OFD_SETLK, &range); }) == 0) return ByteLock::taken;
  return is_refused() ? ByteLock::refused : ByteLock::unknown;
}
ByteLock wait_for_bytes(int descriptor, Range bytes) {
  struct flock range = range_of(F_WRLCK, bytes);
  const bool is_locked = finished([&] { return fcntl(descriptor, F_OFD_SETLKW, &range); }) == 0;
  return is_locked ? ByteLock::taken : ByteLock::unknown;
}
void unlock_bytes(int descriptor, Range bytes) { lock_range(descriptor, F_UNLCK, bytes); }
bool are_locked(int descriptor, Range bytes) {
  struct flock range = range_of(F_WRLCK, bytes);
  return fcntl(descriptor, F_OFD_GETLK, &range) == 0 && range.l_type != F_UNLCK;
}
#else
ByteLock lock_bytes(int /*descriptor*/, Range /*bytes*/) {
  errno = ENOSYS;
  return ByteLock::unknown;
}
ByteLock wait_for_bytes(int descriptor, Range bytes) { return lock_bytes(descriptor, bytes); }
void unlock_bytes(int /*descriptor*/, Range /*bytes*/) {}
bool are_locked(int /*descriptor*/, Range /*bytes*/) { return false; }
#endif

}  // namespace synelix::stream
