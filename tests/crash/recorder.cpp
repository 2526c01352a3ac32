// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// If a program defines a function of the C library, shared libraries call it, too. Changes that
// bypass these functions (memory maps, stdio) are detected, since replaying the trace gives other
// files than the run.

// With 64 here, as a static HDF5 asks for, open and open64 are one function. Both are needed.
#undef _FILE_OFFSET_BITS
#include "crash/recorder.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <ctime>
#include <mutex>
#include <optional>
#include <string_view>

namespace crash {
namespace {

struct Recorder {
  std::mutex mutex;
  std::string folder;  ///< with a slash
  std::map<ino_t, int> files;
  int next_file = 0;
  Tape* tape = nullptr;
};

Recorder& recorder() {
  static Recorder instance;
  return instance;
}

std::atomic<bool> records{false};
std::string boot_file;
std::atomic<std::int64_t> step{0};
std::atomic<std::int64_t> ahead{0};

/// The name of a file in the folder; nothing if it is elsewhere.
std::optional<std::string> name_of(const char* path) {
  const std::string_view text(path);
  const std::string& folder = recorder().folder;
  if (!records || !text.starts_with(folder)) return std::nullopt;
  return std::string(text.substr(folder.size()));
}

struct stat state_of(int descriptor) {
  struct stat state = {};
  fstat(descriptor, &state);
  return state;
}

/// The number of a file; -1 if it is not in the folder.
int file_of(int descriptor) {
  if (!records) return -1;
  const struct stat state = state_of(descriptor);
  const auto found = recorder().files.find(state.st_ino);
  return S_ISREG(state.st_mode) && found != recorder().files.end() ? found->second : -1;
}

int file_named(const char* path) {
  struct stat state = {};
  if (lstat(path, &state) != 0) return -1;
  const auto found = recorder().files.find(state.st_ino);
  return found != recorder().files.end() ? found->second : -1;
}

int open_file(int folder, const char* path, int flags, mode_t mode) {
  if (std::string_view(path) == "/proc/sys/kernel/random/boot_id" && !boot_file.empty()) {
    path = boot_file.c_str();
  }
  const std::optional<std::string> name = name_of(path);
  const std::lock_guard lock(recorder().mutex);
  const bool is_new = name && syscall(SYS_faccessat, folder, path, F_OK) != 0;
  const int opened = static_cast<int>(syscall(SYS_openat, folder, path, flags, mode));
  if (opened < 0 || !name || !S_ISREG(state_of(opened).st_mode)) return opened;
  if (is_new) {
    const int file = recorder().next_file++;
    recorder().files[state_of(opened).st_ino] = file;
    recorder().tape->add({.kind = Kind::create, .file = file, .name = *name});
  } else if ((flags & O_TRUNC) != 0) {
    recorder().tape->add({.kind = Kind::truncate, .file = file_of(opened)});
  }
  return opened;
}

ssize_t write_at(int descriptor, const void* from, std::size_t bytes, std::int64_t offset) {
  const std::lock_guard lock(recorder().mutex);
  const ssize_t done = syscall(SYS_pwrite64, descriptor, from, bytes, offset);
  const int file = file_of(descriptor);
  if (done > 0 && file >= 0) {
    recorder().tape->add(
        {.kind = Kind::write,
         .file = file,
         .offset = offset,
         .bytes = std::string(static_cast<const char*>(from), static_cast<std::size_t>(done))});
  }
  return done;
}

ssize_t write_on(int descriptor, const void* from, std::size_t bytes) {
  if (!records || file_of(descriptor) < 0) return syscall(SYS_write, descriptor, from, bytes);
  const std::int64_t offset = syscall(SYS_lseek, descriptor, 0, SEEK_CUR);
  const ssize_t done = write_at(descriptor, from, bytes, offset);
  if (done > 0) syscall(SYS_lseek, descriptor, offset + done, SEEK_SET);
  return done;
}

int sync_of(int number, int descriptor) {
  if (!records) return static_cast<int>(syscall(number, descriptor));
  const std::lock_guard lock(recorder().mutex);
  const int file = file_of(descriptor);
  if (file >= 0) recorder().tape->add({.kind = Kind::sync, .file = file});
  if (S_ISDIR(state_of(descriptor).st_mode)) recorder().tape->add({.kind = Kind::sync_names});
  return 0;
}

int truncate_at(int descriptor, std::int64_t bytes) {
  const std::lock_guard lock(recorder().mutex);
  const int status = static_cast<int>(syscall(SYS_ftruncate, descriptor, bytes));
  const int file = file_of(descriptor);
  if (status == 0 && file >= 0) {
    recorder().tape->add({.kind = Kind::truncate, .file = file, .offset = bytes});
  }
  return status;
}

int allocate(int descriptor, int mode, std::int64_t offset, std::int64_t bytes) {
  const std::lock_guard lock(recorder().mutex);
  const std::int64_t before = state_of(descriptor).st_size;
  const int status = static_cast<int>(syscall(SYS_fallocate, descriptor, mode, offset, bytes));
  const int file = file_of(descriptor);
  const std::int64_t now = state_of(descriptor).st_size;
  if (status == 0 && file >= 0 && now != before) {
    recorder().tape->add({.kind = Kind::truncate, .file = file, .offset = now});
  }
  return status;
}

int rename_to(int from_folder, const char* from, int to_folder, const char* to, unsigned flags) {
  const std::optional<std::string> name = name_of(from);
  const std::optional<std::string> new_name = name_of(to);
  const std::lock_guard lock(recorder().mutex);
  const int file = name ? file_named(from) : -1;
  const int status =
      static_cast<int>(syscall(SYS_renameat2, from_folder, from, to_folder, to, flags));
  if (status == 0 && name && new_name) {
    recorder().tape->add({.kind = Kind::rename, .file = file, .name = *name, .to = *new_name});
  }
  return status;
}

int link_to(int from_folder, const char* from, int to_folder, const char* to, int flags) {
  const std::optional<std::string> name = name_of(from);
  const std::optional<std::string> new_name = name_of(to);
  const std::lock_guard lock(recorder().mutex);
  const int status = static_cast<int>(syscall(SYS_linkat, from_folder, from, to_folder, to, flags));
  if (status == 0 && name && new_name) {
    recorder().tape->add(
        {.kind = Kind::link, .file = file_named(to), .name = *name, .to = *new_name});
  }
  return status;
}

int unlink_name(int folder, const char* path, int flags) {
  const std::optional<std::string> name = name_of(path);
  const std::lock_guard lock(recorder().mutex);
  const int file = name ? file_named(path) : -1;
  const int status = static_cast<int>(syscall(SYS_unlinkat, folder, path, flags));
  if (status == 0 && name) {
    recorder().tape->add({.kind = Kind::unlink, .file = file, .name = *name});
  }
  return status;
}

}  // namespace

void record(const std::string& folder, const std::map<std::string, int>& names, int files,
            Tape& tape) {
  Recorder& mine = recorder();
  mine.folder = folder + "/";
  mine.files.clear();
  for (const auto& [name, file] : names) {
    struct stat state = {};
    if (stat((mine.folder + name).c_str(), &state) == 0) mine.files[state.st_ino] = file;
  }
  mine.next_file = files;
  mine.tape = &tape;
  tape.clear();
  records = true;
}

void pretend_boot(const std::string& file_of_boot_id) { boot_file = file_of_boot_id; }

void pretend_time(std::int64_t nanoseconds) { step = nanoseconds; }

}  // namespace crash

// NOLINTBEGIN(cert-dcl50-cpp): the C library's own signatures
extern "C" {

int open(const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(more, mode_t) : 0;
  va_end(more);
  return crash::open_file(AT_FDCWD, path, flags, mode);
}
int open64(const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(more, mode_t) : 0;
  va_end(more);
  return crash::open_file(AT_FDCWD, path, flags, mode);
}
int openat(int folder, const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(more, mode_t) : 0;
  va_end(more);
  return crash::open_file(folder, path, flags, mode);
}
FILE* fopen(const char* path, const char* mode) {
  using Function = FILE* (*)(const char*, const char*);
  static const auto next = reinterpret_cast<Function>(dlsym(RTLD_NEXT, "fopen"));
  const bool is_boot = std::string_view(path) == "/proc/sys/kernel/random/boot_id";
  return next(is_boot && !crash::boot_file.empty() ? crash::boot_file.c_str() : path, mode);
}
FILE* fopen64(const char* path, const char* mode) { return fopen(path, mode); }

ssize_t pwrite(int descriptor, const void* from, size_t bytes, off_t offset) {
  return crash::write_at(descriptor, from, bytes, offset);
}
ssize_t pwrite64(int descriptor, const void* from, size_t bytes, off64_t offset) {
  return crash::write_at(descriptor, from, bytes, offset);
}
ssize_t write(int descriptor, const void* from, size_t bytes) {
  return crash::write_on(descriptor, from, bytes);
}
ssize_t writev(int descriptor, const iovec* parts, int count) {
  ssize_t total = 0;
  for (int i = 0; i < count; ++i) {
    const ssize_t done = crash::write_on(descriptor, parts[i].iov_base, parts[i].iov_len);
    if (done < 0) return total > 0 ? total : done;
    total += done;
    if (done < static_cast<ssize_t>(parts[i].iov_len)) break;
  }
  return total;
}
// A file is copied by reads and writes.
ssize_t copy_file_range(int, off64_t*, int, off64_t*, size_t, unsigned) {
  errno = ENOSYS;
  return -1;
}
ssize_t sendfile(int, int, off_t*, size_t) noexcept {
  errno = ENOSYS;
  return -1;
}
ssize_t sendfile64(int, int, off64_t*, size_t) noexcept {
  errno = ENOSYS;
  return -1;
}
int fsync(int descriptor) { return crash::sync_of(SYS_fsync, descriptor); }
int fdatasync(int descriptor) { return crash::sync_of(SYS_fdatasync, descriptor); }
int ftruncate(int descriptor, off_t bytes) noexcept {
  return crash::truncate_at(descriptor, bytes);
}
int ftruncate64(int descriptor, off64_t bytes) noexcept {
  return crash::truncate_at(descriptor, bytes);
}
int fallocate(int descriptor, int mode, off_t offset, off_t bytes) {
  return crash::allocate(descriptor, mode, offset, bytes);
}
int posix_fallocate(int descriptor, off_t offset, off_t bytes) {
  return crash::allocate(descriptor, 0, offset, bytes) == 0 ? 0 : errno;
}
int rename(const char* from, const char* to) noexcept {
  return crash::rename_to(AT_FDCWD, from, AT_FDCWD, to, 0);
}
int renameat(int from_folder, const char* from, int to_folder, const char* to) noexcept {
  return crash::rename_to(from_folder, from, to_folder, to, 0);
}
int renameat2(int from_folder, const char* from, int to_folder, const char* to,
              unsigned flags) noexcept {
  return crash::rename_to(from_folder, from, to_folder, to, flags);
}
int link(const char* from, const char* to) noexcept {
  return crash::link_to(AT_FDCWD, from, AT_FDCWD, to, 0);
}
int linkat(int from_folder, const char* from, int to_folder, const char* to, int flags) noexcept {
  return crash::link_to(from_folder, from, to_folder, to, flags);
}
int unlink(const char* path) noexcept { return crash::unlink_name(AT_FDCWD, path, 0); }
int unlinkat(int folder, const char* path, int flags) noexcept {
  return crash::unlink_name(folder, path, flags);
}
int remove(const char* path) noexcept {
  if (crash::unlink_name(AT_FDCWD, path, 0) == 0) return 0;
  return errno == EISDIR ? crash::unlink_name(AT_FDCWD, path, AT_REMOVEDIR) : -1;
}
int clock_gettime(clockid_t clock, timespec* now) noexcept {
  const int status = static_cast<int>(syscall(SYS_clock_gettime, clock, now));
  const std::int64_t step = crash::step;
  if (status == 0 && clock == CLOCK_MONOTONIC && step > 0) {
    const std::int64_t ahead = crash::ahead += step;
    constexpr std::int64_t second = 1'000'000'000;
    now->tv_sec += ahead / second;
    now->tv_nsec += ahead % second;
    if (now->tv_nsec >= second) {
      now->tv_nsec -= second;
      ++now->tv_sec;
    }
  }
  return status;
}

}  // extern "C"
// NOLINTEND(cert-dcl50-cpp)
