// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "promises/allocations.hpp"

#include <atomic>
#include <cstddef>

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__)
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <cerrno>
#define SYNELIX_COUNTS_ALLOCATIONS
#endif

namespace promises {
namespace {

std::atomic<bool> is_counting{false};
std::atomic<std::int64_t> calls{0};
std::atomic<std::int64_t> bytes{0};

}  // namespace

CountAllocations::CountAllocations() {
  calls = 0;
  bytes = 0;
  is_counting = true;
}

CountAllocations::~CountAllocations() { is_counting = false; }

Allocations CountAllocations::stop() {
  is_counting = false;
  return {calls, bytes};
}

#ifdef SYNELIX_COUNTS_ALLOCATIONS

bool counts_allocations() { return true; }

namespace {
void count(std::size_t size) {
  if (!is_counting.load(std::memory_order_relaxed)) return;
  ++calls;
  bytes += static_cast<std::int64_t>(size);
}
}  // namespace

#else

bool counts_allocations() { return false; }

#endif

}  // namespace promises

#ifdef SYNELIX_COUNTS_ALLOCATIONS

// glibc's own allocator under its other names.
extern "C" {

void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);

void* malloc(std::size_t size) {
  promises::count(size);
  return __libc_malloc(size);
}

void* calloc(std::size_t number, std::size_t size) {
  promises::count(number * size);
  return __libc_calloc(number, size);
}

void* realloc(void* old, std::size_t size) {
  promises::count(size);
  return __libc_realloc(old, size);
}

void* memalign(std::size_t alignment, std::size_t size) {
  promises::count(size);
  return __libc_memalign(alignment, size);
}

void* aligned_alloc(std::size_t alignment, std::size_t size) {
  promises::count(size);
  return __libc_memalign(alignment, size);
}

int posix_memalign(void** result, std::size_t alignment, std::size_t size) {
  promises::count(size);
  *result = __libc_memalign(alignment, size);
  return *result != nullptr ? 0 : ENOMEM;
}

void* mmap(void* address, std::size_t size, int protection, int flags, int file, off_t offset) {
  promises::count(size);
  return reinterpret_cast<void*>(syscall(SYS_mmap, address, size, protection, flags, file, offset));
}

}  // extern "C"

#endif
