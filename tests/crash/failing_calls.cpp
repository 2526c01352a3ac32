// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "failing_calls.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <ctime>
#include <optional>
#include <string_view>
#include <utility>

namespace failing {
namespace {

Faults* active = nullptr;
/// The time of the stopped monotonic clock.
std::optional<struct timespec> stopped_at;

/// Whether an address is code of this program, or of the library if that is shared.
bool is_ours(const void* address) {
  Dl_info caller = {};
  Dl_info program = {};
  if (dladdr(address, &caller) == 0 || dladdr(&active, &program) == 0) return false;
  return caller.dli_fbase == program.dli_fbase ||
         std::string_view(caller.dli_fname).find("libsynelix") != std::string_view::npos;
}

/// The error that a call has to end with, or -1.
int error_of(Call call, const void* caller) {
  return active == nullptr || !is_ours(caller) ? -1 : active->next(call);
}

/// Whether a call fails, with errno set.
bool fails(Call call, const void* caller) {
  const int error = error_of(call, caller);
  if (error > 0) errno = error;
  return error > 0;
}

/// The same of a call that HDF5 makes.
bool fails_in_hdf5(Call call, const void* caller) {
  const int error = active == nullptr || is_ours(caller) ? -1 : active->next(call);
  if (error > 0) errno = error;
  return error > 0;
}

template <class Function>
Function next(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

}  // namespace

StoppedClock::StoppedClock() {
  struct timespec now = {};
  clock_gettime(CLOCK_MONOTONIC, &now);
  stopped_at = now;
}
StoppedClock::~StoppedClock() { stopped_at.reset(); }
void StoppedClock::add(std::int64_t seconds) const {
  if (stopped_at) stopped_at->tv_sec += seconds;
}

Faults::Faults(std::vector<Fault> faults) : m_faults(std::move(faults)) { active = this; }
Faults::~Faults() { active = nullptr; }

int Faults::next(Call call) {
  const std::int64_t number = ++m_made[static_cast<std::size_t>(call)];
  for (const Fault& fault : m_faults) {
    if (fault.call != call || number < fault.first || number - fault.first >= fault.times) continue;
    ++m_failed;
    return fault.error;
  }
  return -1;
}

}  // namespace failing

using failing::Call;
using failing::fails;
using failing::next;

// NOLINTBEGIN(cert-dcl50-cpp): the C library's own
extern "C" {

int open(const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(more, mode_t) : 0;
  va_end(more);
  if (fails(Call::open_file, __builtin_return_address(0))) return -1;
  return static_cast<int>(syscall(SYS_openat, AT_FDCWD, path, flags, mode));
}
int fstat(int descriptor, struct stat* state) noexcept {
  static const auto call = next<int (*)(int, struct stat*)>("fstat");
  return fails(Call::status, __builtin_return_address(0)) ? -1 : call(descriptor, state);
}
int stat(const char* path, struct stat* state) noexcept {
  static const auto call = next<int (*)(const char*, struct stat*)>("stat");
  return fails(Call::name_status, __builtin_return_address(0)) ? -1 : call(path, state);
}
int lstat(const char* path, struct stat* state) noexcept {
  static const auto call = next<int (*)(const char*, struct stat*)>("lstat");
  return fails(Call::name_status, __builtin_return_address(0)) ? -1 : call(path, state);
}
ssize_t pread(int descriptor, void* to, std::size_t bytes, off_t offset) {
  const int error = failing::error_of(Call::read, __builtin_return_address(0));
  if (error > 0) {
    errno = error;
    return -1;
  }
  const std::size_t part = error == failing::half && bytes > 1 ? bytes / 2 : bytes;
  return syscall(SYS_pread64, descriptor, to, part, offset);
}
ssize_t pwrite(int descriptor, const void* from, std::size_t bytes, off_t offset) {
  const int error = failing::error_of(Call::write, __builtin_return_address(0));
  if (error > 0) {
    errno = error;
    return -1;
  }
  const std::size_t part = error == failing::half && bytes > 1 ? bytes / 2 : bytes;
  return syscall(SYS_pwrite64, descriptor, from, part, offset);
}
int ftruncate(int descriptor, off_t bytes) noexcept {
  if (fails(Call::resize, __builtin_return_address(0))) return -1;
  return static_cast<int>(syscall(SYS_ftruncate, descriptor, bytes));
}
int fallocate(int descriptor, int mode, off_t offset, off_t bytes) {
  if (fails(Call::reserve, __builtin_return_address(0))) return -1;
  return static_cast<int>(syscall(SYS_fallocate, descriptor, mode, offset, bytes));
}
int fsync(int descriptor) {
  if (fails(Call::sync, __builtin_return_address(0))) return -1;
  return static_cast<int>(syscall(SYS_fsync, descriptor));
}
int fdatasync(int descriptor) {
  if (fails(Call::sync, __builtin_return_address(0))) return -1;
  return static_cast<int>(syscall(SYS_fdatasync, descriptor));
}
int rename(const char* from, const char* to) noexcept {
  if (fails(Call::rename, __builtin_return_address(0))) return -1;
  return static_cast<int>(syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0));
}
int renameat2(int from_folder, const char* from, int to_folder, const char* to,
              unsigned flags) noexcept {
  if (fails(Call::rename_to_free, __builtin_return_address(0))) return -1;
  return static_cast<int>(syscall(SYS_renameat2, from_folder, from, to_folder, to, flags));
}
int link(const char* from, const char* to) noexcept {
  if (fails(Call::link, __builtin_return_address(0))) return -1;
  return static_cast<int>(syscall(SYS_linkat, AT_FDCWD, from, AT_FDCWD, to, 0));
}
int fcntl(int descriptor, int command, ...) {
  va_list more;
  va_start(more, command);
  void* const argument = va_arg(more, void*);
  va_end(more);
  const bool locks =
      command == F_OFD_SETLK && static_cast<const struct flock*>(argument)->l_type != F_UNLCK;
  if (locks && fails(Call::lock_range, __builtin_return_address(0))) return -1;
  return static_cast<int>(syscall(SYS_fcntl, descriptor, command, argument));
}
int flock(int descriptor, int operation) noexcept {
  const bool locks = (operation & LOCK_UN) == 0;
  if (locks && fails(Call::lock_file, __builtin_return_address(0))) return -1;
  if (locks && failing::fails_in_hdf5(Call::lock_of_hdf5, __builtin_return_address(0))) return -1;
  return static_cast<int>(syscall(SYS_flock, descriptor, operation));
}
int fchown(int descriptor, uid_t owner, gid_t group) noexcept {
  if (fails(Call::group, __builtin_return_address(0))) return -1;
  return static_cast<int>(syscall(SYS_fchown, descriptor, owner, group));
}
ssize_t getxattr(const char* path, const char* name, void* value, std::size_t bytes) noexcept {
  if (fails(Call::access_list, __builtin_return_address(0))) return -1;
  return syscall(SYS_getxattr, path, name, value, bytes);
}
int fsetxattr(int descriptor, const char* name, const void* value, std::size_t bytes,
              int flags) noexcept {
  if (fails(Call::set_access_list, __builtin_return_address(0))) return -1;
  return static_cast<int>(syscall(SYS_fsetxattr, descriptor, name, value, bytes, flags));
}
int fstatvfs(int descriptor, struct statvfs* state) noexcept {
  static const auto call = next<int (*)(int, struct statvfs*)>("fstatvfs");
  const int error = failing::error_of(Call::room, __builtin_return_address(0));
  if (error > 0) {
    errno = error;
    return -1;
  }
  const int status = call(descriptor, state);
  if (error == failing::half) state->f_bavail = 0;
  return status;
}
int clock_gettime(clockid_t clock, struct timespec* now) noexcept {
  if (clock == CLOCK_MONOTONIC && failing::stopped_at) {
    *now = *failing::stopped_at;
    return 0;
  }
  return static_cast<int>(syscall(SYS_clock_gettime, clock, now));
}

}  // extern "C"
// NOLINTEND(cert-dcl50-cpp)
