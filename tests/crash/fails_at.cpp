// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Loaded before the C library into a program: takes orders from the descriptor FAULTS_FROM, runs
// the program's main once for each in a process of its own, and answers to FAULTS_TO. An order is
// four lines of numbers and names (call, which one fails, by which errno, how many of them in a
// row), the number of words and the words, each on a line. The answer is the status of the process
// and how often it made each call. A process writes to stdout.txt and stderr.txt.
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>
#include <string_view>
#include <vector>

extern "C" {
void* __libc_malloc(size_t);
void* __libc_calloc(size_t, size_t);
void* __libc_realloc(void*, size_t);
void* __libc_memalign(size_t, size_t);
}

namespace {

enum Call : int {
  allocate,
  open_file,
  read_file,
  write_file,
  sync_file,
  rename_file,
  close_file,
  start_thread,
  align,  ///< also an allocation: of arrays, and of Kokkos
  calls
};
constexpr std::array<const char*, calls> names = {"allocate", "open",  "read",   "write", "sync",
                                                  "rename",   "close", "thread", "align"};

/// Data shared by the process that runs main and the one that gave the order.
struct Shared {
  std::array<std::atomic<long>, calls> made;
  std::atomic<long> failed;        ///< calls that were made to fail
  std::atomic<int> failed_number;  ///< descriptor of the first of them, if it has one
};

/// The address range of the code whose allocations fail: of the program, and of shared C++
/// libraries that allocate for it. HDF5, OpenMP's library and the C library do not survive a lack
/// of memory: HDF5 (1.14) follows null pointers then.
struct Code {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
};
std::array<Code, 64> code_that_fails;
std::size_t number_of_code = 0;

int add_code(dl_phdr_info* object, size_t, void*) {
  const std::string_view name = object->dlpi_name == nullptr ? "" : object->dlpi_name;
  const bool is_program = number_of_code == 0;  // which comes first
  const bool is_ours = name.find("synelix") != name.npos || name.find("kokkos") != name.npos ||
                       name.find("libstdc++") != name.npos;
  if (!is_program && !is_ours) return 0;
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const auto& part = object->dlpi_phdr[i];
    if (part.p_type != PT_LOAD || (part.p_flags & PF_X) == 0) continue;
    const std::uintptr_t begin = object->dlpi_addr + part.p_vaddr;
    if (number_of_code < code_that_fails.size()) {
      code_that_fails[number_of_code++] = {begin, begin + part.p_memsz};
    }
  }
  return 0;
}

bool is_code_that_fails(const void* address) {
  const auto place = reinterpret_cast<std::uintptr_t>(address);
  for (std::size_t i = 0; i < number_of_code; ++i) {
    if (place >= code_that_fails[i].begin && place < code_that_fails[i].end) return true;
  }
  return false;
}

Shared* shared = nullptr;
bool counts = false;  ///< in the process that runs main
int call_that_fails = -1;
long first_that_fails = 0;
long number_that_fails = 1;
int error_of_it = 0;

/// Counts a call; whether it is to fail, with errno set.
bool fails(Call call, int descriptor = -1) {
  if (!counts) return false;
  const long number = ++shared->made[call];
  if (call != call_that_fails || number < first_that_fails ||
      number - first_that_fails >= number_that_fails) {
    return false;
  }
  if (++shared->failed == 1) shared->failed_number = descriptor;
  errno = error_of_it;
  return true;
}

bool fails_to_allocate(const void* caller) {
  return counts && is_code_that_fails(caller) && fails(allocate);
}

bool fails_to_align(const void* caller) {
  const bool fails_as_any = fails_to_allocate(caller);
  return (counts && is_code_that_fails(caller) && fails(align)) || fails_as_any;
}

/// HDF5 does not retry an interrupted change of length: SA_RESTART prevents the interruption.
bool fails_to_resize(int descriptor, const void* caller) {
  const bool is_ours = is_code_that_fails(caller);
  return (error_of_it != EINTR || is_ours) && fails(write_file, descriptor);
}

std::string line_from(int descriptor) {
  std::string line;
  char letter = 0;
  while (syscall(SYS_read, descriptor, &letter, 1) == 1 && letter != '\n') line += letter;
  return line;
}

int number_in(const char* variable) {
  const char* const text = std::getenv(variable);
  return text == nullptr ? -1 : std::atoi(text);
}

void redirect(const char* file, int descriptor) {
  const long opened = syscall(SYS_openat, AT_FDCWD, file, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  syscall(SYS_dup3, opened, descriptor, 0);
  syscall(SYS_close, opened);
}

using Main = int (*)(int, char**, char**);
Main program_main = nullptr;

int run_once(const std::vector<std::string>& words, char** environment, int from, int to) {
  std::vector<char*> pointers;
  for (const std::string& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  redirect("stdout.txt", 1);
  redirect("stderr.txt", 2);
  syscall(SYS_close, from);
  syscall(SYS_close, to);
  counts = true;
  return program_main(static_cast<int>(words.size()), pointers.data(), environment);
}

int take_orders(int argc, char** argv, char** environment) {
  const int from = number_in("FAULTS_FROM");
  const int to = number_in("FAULTS_TO");
  if (from < 0) return program_main(argc, argv, environment);
  shared =
      new (mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0))
          Shared;
  dl_iterate_phdr(add_code, nullptr);
  for (std::string name = line_from(from); !name.empty(); name = line_from(from)) {
    call_that_fails = -1;
    for (int i = 0; i < calls; ++i) {
      if (name == names[i]) call_that_fails = i;
    }
    first_that_fails = std::atol(line_from(from).c_str());
    error_of_it = std::atoi(line_from(from).c_str());
    number_that_fails = std::atol(line_from(from).c_str());
    std::vector<std::string> words;
    for (int i = std::atoi(line_from(from).c_str()); i > 0; --i) words.push_back(line_from(from));
    for (auto& number : shared->made) number = 0;
    shared->failed = 0;
    shared->failed_number = -1;
    const pid_t child = fork();
    if (child == 0) std::exit(run_once(words, environment, from, to));
    int status = 0;
    waitpid(child, &status, 0);
    std::string answer = std::to_string(status) + " " + std::to_string(shared->failed) + " " +
                         std::to_string(shared->failed_number);
    for (const auto& number : shared->made) answer += " " + std::to_string(number);
    answer += "\n";
    syscall(SYS_write, to, answer.data(), answer.size());
  }
  return 0;
}

template <class Function>
Function next(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

}  // namespace

// NOLINTBEGIN(cert-dcl37-c,cert-dcl50-cpp,cert-dcl51-cpp): the C library's own names
extern "C" {

int __libc_start_main(Main main, int argc, char** argv, void (*begin)(), void (*end)(),
                      void (*loader_end)(), void* stack_end) {
  program_main = main;
  using Start = int (*)(Main, int, char**, void (*)(), void (*)(), void (*)(), void*);
  return next<Start>("__libc_start_main")(take_orders, argc, argv, begin, end, loader_end,
                                          stack_end);
}

void* malloc(size_t bytes) {
  return fails_to_allocate(__builtin_return_address(0)) ? nullptr : __libc_malloc(bytes);
}
void* calloc(size_t count, size_t bytes) {
  return fails_to_allocate(__builtin_return_address(0)) ? nullptr : __libc_calloc(count, bytes);
}
void* realloc(void* memory, size_t bytes) {
  return fails_to_allocate(__builtin_return_address(0)) ? nullptr : __libc_realloc(memory, bytes);
}
void* memalign(size_t alignment, size_t bytes) {
  return fails_to_align(__builtin_return_address(0)) ? nullptr : __libc_memalign(alignment, bytes);
}
void* aligned_alloc(size_t alignment, size_t bytes) {
  return fails_to_align(__builtin_return_address(0)) ? nullptr : __libc_memalign(alignment, bytes);
}
int posix_memalign(void** memory, size_t alignment, size_t bytes) {
  if (fails_to_align(__builtin_return_address(0))) return ENOMEM;
  *memory = __libc_memalign(alignment, bytes);
  return *memory == nullptr ? ENOMEM : 0;
}

static int open_at(int folder, const char* path, int flags, mode_t mode) {
  return fails(open_file) ? -1 : static_cast<int>(syscall(SYS_openat, folder, path, flags, mode));
}
int open(const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(more, mode_t) : 0;
  va_end(more);
  return open_at(AT_FDCWD, path, flags, mode);
}
int open64(const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(more, mode_t) : 0;
  va_end(more);
  return open_at(AT_FDCWD, path, flags, mode);
}
int openat(int folder, const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(more, mode_t) : 0;
  va_end(more);
  return open_at(folder, path, flags, mode);
}
FILE* fopen(const char* path, const char* mode) {
  return fails(open_file) ? nullptr
                          : next<FILE* (*)(const char*, const char*)>("fopen")(path, mode);
}
FILE* fopen64(const char* path, const char* mode) { return fopen(path, mode); }

ssize_t read(int descriptor, void* to, size_t bytes) {
  return fails(read_file, descriptor) ? -1 : syscall(SYS_read, descriptor, to, bytes);
}
ssize_t pread(int descriptor, void* to, size_t bytes, off_t offset) {
  return fails(read_file, descriptor) ? -1 : syscall(SYS_pread64, descriptor, to, bytes, offset);
}
ssize_t pread64(int descriptor, void* to, size_t bytes, off64_t offset) {
  return fails(read_file, descriptor) ? -1 : syscall(SYS_pread64, descriptor, to, bytes, offset);
}
ssize_t write(int descriptor, const void* from, size_t bytes) {
  return fails(write_file, descriptor) ? -1 : syscall(SYS_write, descriptor, from, bytes);
}
ssize_t writev(int descriptor, const iovec* parts, int count) {
  return fails(write_file, descriptor) ? -1 : syscall(SYS_writev, descriptor, parts, count);
}
ssize_t pwrite(int descriptor, const void* from, size_t bytes, off_t offset) {
  return fails(write_file, descriptor) ? -1
                                       : syscall(SYS_pwrite64, descriptor, from, bytes, offset);
}
ssize_t pwrite64(int descriptor, const void* from, size_t bytes, off64_t offset) {
  return fails(write_file, descriptor) ? -1
                                       : syscall(SYS_pwrite64, descriptor, from, bytes, offset);
}
int ftruncate(int descriptor, off_t bytes) noexcept {
  return fails_to_resize(descriptor, __builtin_return_address(0))
             ? -1
             : static_cast<int>(syscall(SYS_ftruncate, descriptor, bytes));
}
int ftruncate64(int descriptor, off64_t bytes) noexcept {
  return fails_to_resize(descriptor, __builtin_return_address(0))
             ? -1
             : static_cast<int>(syscall(SYS_ftruncate, descriptor, bytes));
}
int fsync(int descriptor) {
  return fails(sync_file, descriptor) ? -1 : static_cast<int>(syscall(SYS_fsync, descriptor));
}
int fdatasync(int descriptor) {
  return fails(sync_file, descriptor) ? -1 : static_cast<int>(syscall(SYS_fdatasync, descriptor));
}
int rename(const char* from, const char* to) noexcept {
  return fails(rename_file)
             ? -1
             : static_cast<int>(syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0));
}
int renameat2(int from_folder, const char* from, int to_folder, const char* to,
              unsigned flags) noexcept {
  return fails(rename_file)
             ? -1
             : static_cast<int>(syscall(SYS_renameat2, from_folder, from, to_folder, to, flags));
}
int close(int descriptor) {
  const int status = static_cast<int>(syscall(SYS_close, descriptor));
  return fails(close_file, descriptor) ? -1 : status;  // the descriptor is gone either way
}
int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*start)(void*),
                   void* argument) noexcept {
  using Function = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  if (fails(start_thread)) return error_of_it;
  static const auto create = next<Function>("pthread_create");
  return create(thread, attributes, start, argument);
}

}  // extern "C"
// NOLINTEND(cert-dcl37-c,cert-dcl50-cpp,cert-dcl51-cpp)
