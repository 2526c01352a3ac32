// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A check that runs before the shared libraries start. OpenBLAS requests 128 MiB then. If `ulimit
// -v` does not allow that, it repeats the request forever, and the program would hang before
// `main`.
#if defined(__linux__) && defined(__ELF__)

#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstddef>
#include <string_view>

namespace {

/// Memory of the libraries at their start, and of the smallest run.
constexpr std::size_t least_bytes = std::size_t{192} << 20;

/// The standard library is not initialized yet, so only system calls are allowed.
void require_address_space(int /*count*/, char** /*words*/, char** /*environment*/) {
  struct rlimit limit = {};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return;
  void* const tried = mmap(nullptr, least_bytes, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (tried != MAP_FAILED) {
    munmap(tried, least_bytes);
    return;
  }
  constexpr std::string_view text =
      "synelix: the limit of address space (ulimit -v) leaves less than the 192 MiB that the "
      "program needs beside its libraries; raise it, and limit memory by --budget instead\n";
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, text.data(), text.size());
  _exit(1);
}

using Check = void (*)(int, char**, char**);
[[gnu::section(".preinit_array"), gnu::used]] const Check check = &require_address_space;

}  // namespace

#endif
