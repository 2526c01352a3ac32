// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "promises/allocations.hpp"

#include <atomic>
#include <cstddef>

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__)
#include <malloc.h>
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
std::atomic<std::int64_t> held{0};
std::atomic<std::int64_t> most{0};

}  // namespace

CountAllocations::CountAllocations() {
  calls = 0;
  bytes = 0;
  held = 0;
  most = 0;
  is_counting = true;
}

CountAllocations::~CountAllocations() { is_counting = false; }

Allocations CountAllocations::stop() {
  is_counting = false;
  return {calls, bytes, most};
}

#ifdef SYNELIX_COUNTS_ALLOCATIONS

bool counts_allocations() { return true; }

namespace {
void count(std::size_t size) {
  if (!is_counting.load(std::memory_order_relaxed)) return;
  ++calls;
  bytes += static_cast<std::int64_t>(size);
}

void hold(std::int64_t more) {
  const std::int64_t now = held += more;
  std::int64_t before = most;
  while (now > before && !most.compare_exchange_weak(before, now)) {
  }
}

/// Notes memory that the allocator has given, with what it rounds sizes up to.
void* given(void* memory) {
  if (is_counting.load(std::memory_order_relaxed) && memory != nullptr) {
    hold(static_cast<std::int64_t>(malloc_usable_size(memory)));
  }
  return memory;
}

void taken_back(void* memory) {
  if (is_counting.load(std::memory_order_relaxed) && memory != nullptr) {
    hold(-static_cast<std::int64_t>(malloc_usable_size(memory)));
  }
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
void __libc_free(void*);

void* malloc(std::size_t size) {
  promises::count(size);
  return promises::given(__libc_malloc(size));
}

void* calloc(std::size_t number, std::size_t size) {
  promises::count(number * size);
  return promises::given(__libc_calloc(number, size));
}

void* realloc(void* old, std::size_t size) {
  promises::count(size);
  promises::taken_back(old);
  return promises::given(__libc_realloc(old, size));
}

void* memalign(std::size_t alignment, std::size_t size) {
  promises::count(size);
  return promises::given(__libc_memalign(alignment, size));
}

void* aligned_alloc(std::size_t alignment, std::size_t size) {
  promises::count(size);
  return promises::given(__libc_memalign(alignment, size));
}

int posix_memalign(void** result, std::size_t alignment, std::size_t size) {
  promises::count(size);
  *result = promises::given(__libc_memalign(alignment, size));
  return *result != nullptr ? 0 : ENOMEM;
}

void free(void* memory) {
  promises::taken_back(memory);
  __libc_free(memory);
}

void* mmap(void* address, std::size_t size, int protection, int flags, int file, off_t offset) {
  promises::count(size);
  return reinterpret_cast<void*>(syscall(SYS_mmap, address, size, protection, flags, file, offset));
}

}  // extern "C"

#endif
