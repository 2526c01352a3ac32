// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A library for LD_PRELOAD. It counts the calls of a program that change files. Before one of them
// it ends the process, raises a signal or holds the thread, depending on environment variables. So
// tests need no timing.
//
//     ENDED_AT=N        kills the process before the N-th call, as `kill -9` or a power cut would
//     ENDED_WITHIN=1 does half of that call first, if it is a write
//     SIGNALED_AT=N     raises a signal before the N-th call; its handler runs before the call
//     SIGNALED_WITH=S   the number of that signal
//     HELD_AT=N         holds the thread before the N-th call: opens HELD_FIFO for writing, closes
//     HELD_FIFO=PATH it, and waits until another process has opened it for writing and closed it
//     HELD_WHERE=read   counts reads at an offset for HELD_AT, instead of changes
//     HELD_AFTER=N counts only the reads after the N-th change
//     HELD_WHERE=clock counts reads of a clock
//     CALLS_LOG=FILE    writes a line for each call: name, offset, bytes
//
// If locked_heap.cpp is loaded, too, the thread that would be held locks the heap, and continues.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

extern "C" [[gnu::weak]] void lock_heap();

namespace {

std::atomic<long> calls{0};
std::atomic<long> reads{0};
std::atomic<long> looks{0};

bool is_file(int descriptor) {
  struct stat state = {};
  return fstat(descriptor, &state) == 0 && S_ISREG(state.st_mode);
}

/// LLVM's OpenMP makes a file of shared memory as it is loaded.
bool is_shared_memory(int descriptor) {
  char link[64];
  char path[16] = {};
  std::snprintf(link, sizeof(link), "/proc/self/fd/%d", descriptor);
  return readlink(link, path, sizeof(path) - 1) > 0 && std::strncmp(path, "/dev/shm/", 9) == 0;
}

void log_call(const char* name, long offset, long bytes) {
  static const char* const path = std::getenv("CALLS_LOG");
  if (path == nullptr) return;
  static const int log = open(path, O_WRONLY | O_CREAT | O_APPEND, 0600);
  char line[96];
  const int length = std::snprintf(line, sizeof(line), "%s %ld %ld\n", name, offset, bytes);
  syscall(SYS_write, log, line, length);
}

long number_in(const char* variable) {
  const char* const text = std::getenv(variable);
  return text == nullptr ? 0 : std::atol(text);
}

/// Tells a test that this thread is held, and waits until the test lets it continue. Signals are
/// handled meanwhile.
void hold() {
  const bool locks_heap = lock_heap != nullptr;
  if (locks_heap) lock_heap();
  const char* const path = std::getenv("HELD_FIFO");
  int descriptor = -1;
  do {
    descriptor = open(path, O_WRONLY | O_CLOEXEC);
  } while (descriptor < 0 && errno == EINTR);
  syscall(SYS_close, descriptor);
  if (locks_heap) return;
  do {
    descriptor = open(path, O_RDONLY | O_CLOEXEC);
  } while (descriptor < 0 && errno == EINTR);
  char byte = 0;
  while (read(descriptor, &byte, 1) != 0) continue;
  syscall(SYS_close, descriptor);
}

/// The number of the call before which a thread is held; 0 if calls of this kind hold no thread.
long held_at_of(const char* kind) {
  const char* const where = std::getenv("HELD_WHERE");
  return std::strcmp(where == nullptr ? "change" : where, kind) == 0 ? number_in("HELD_AT") : 0;
}

ssize_t read_at(int descriptor, void* to, size_t bytes, off_t offset) {
  static const long held_at = held_at_of("read");
  static const long held_after = number_in("HELD_AFTER");
  if (calls >= held_after && ++reads == held_at) hold();
  return syscall(SYS_pread64, descriptor, to, bytes, offset);
}

/// Counts a call, and executes the request before it. Returns true if the process has to end.
bool is_last() {
  static const long ended_at = number_in("ENDED_AT");
  static const long signaled_at = number_in("SIGNALED_AT");
  static const long held_at = held_at_of("change");
  const long call = ++calls;
  if (call == signaled_at) raise(static_cast<int>(number_in("SIGNALED_WITH")));
  if (call == held_at) hold();
  return call == ended_at;
}

bool is_torn() {
  static const char* const text = std::getenv("ENDED_WITHIN");
  return text != nullptr && *text == '1';
}

[[noreturn]] void end() {
  kill(getpid(), SIGKILL);
  for (;;) pause();
}

ssize_t write_at(const char* name, int descriptor, const void* from, size_t bytes, off_t offset) {
  if (is_file(descriptor)) {
    if (is_last()) {
      if (is_torn()) {
        syscall(SYS_pwrite64, descriptor, from, bytes / 2, offset);
        log_call(name, offset, static_cast<long>(bytes / 2));
      }
      end();
    }
    log_call(name, offset, static_cast<long>(bytes));
  }
  return syscall(SYS_pwrite64, descriptor, from, bytes, offset);
}

/// The C library's function of a name.
template <class Function>
Function next(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

void count(const char* name) {
  if (is_last()) end();
  log_call(name, 0, 0);
}

}  // namespace

extern "C" {

int clock_gettime(clockid_t clock, timespec* time) noexcept {
  static const long held_at = held_at_of("clock");
  if (++looks == held_at) hold();
  return static_cast<int>(syscall(SYS_clock_gettime, clock, time));
}
ssize_t pread(int descriptor, void* to, size_t bytes, off_t offset) {
  return read_at(descriptor, to, bytes, offset);
}
ssize_t pread64(int descriptor, void* to, size_t bytes, off64_t offset) {
  return read_at(descriptor, to, bytes, offset);
}
ssize_t pwrite(int descriptor, const void* from, size_t bytes, off_t offset) {
  return write_at("pwrite", descriptor, from, bytes, offset);
}
ssize_t pwrite64(int descriptor, const void* from, size_t bytes, off64_t offset) {
  return write_at("pwrite", descriptor, from, bytes, offset);
}
int fsync(int descriptor) {
  count("fsync");
  return static_cast<int>(syscall(SYS_fsync, descriptor));
}
int fdatasync(int descriptor) {
  count("fdatasync");
  return static_cast<int>(syscall(SYS_fdatasync, descriptor));
}
int ftruncate(int descriptor, off_t bytes) noexcept {
  if (!is_shared_memory(descriptor)) count("ftruncate");
  return static_cast<int>(syscall(SYS_ftruncate, descriptor, bytes));
}
int ftruncate64(int descriptor, off64_t bytes) noexcept {
  if (!is_shared_memory(descriptor)) count("ftruncate");
  return static_cast<int>(syscall(SYS_ftruncate, descriptor, bytes));
}
int rename(const char* from, const char* to) noexcept {
  count("rename");
  return next<int (*)(const char*, const char*)>("rename")(from, to);
}
int renameat2(int from_folder, const char* from, int to_folder, const char* to,
              unsigned flags) noexcept {
  count("rename");
  return static_cast<int>(syscall(SYS_renameat2, from_folder, from, to_folder, to, flags));
}
int unlink(const char* path) noexcept {
  count("unlink");
  return next<int (*)(const char*)>("unlink")(path);
}

}  // extern "C"
