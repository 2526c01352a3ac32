// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "promises/allocations.hpp"

#include <atomic>
#include <cstddef>

// Not in a build for a device: `new` of its tests is memory of the device, and drivers allocate.
#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(SYNELIX_TESTS_ON_DEVICE)
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

std::atomic<bool> is_weighing{false};
std::atomic<std::int64_t> held{0};
std::atomic<std::int64_t> peak{0};

}  // namespace

PeakHeap::PeakHeap() {
  held = 0;
  peak = 0;
  is_weighing = true;
}

PeakHeap::~PeakHeap() { is_weighing = false; }

std::int64_t PeakHeap::stop() {
  is_weighing = false;
  return peak;
}

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

/// Memory that is held from now on, by the size that the allocator has rounded it up to.
void* hold(void* memory) {
  if (memory == nullptr || !is_weighing.load(std::memory_order_relaxed)) return memory;
  const std::int64_t now = held += static_cast<std::int64_t>(malloc_usable_size(memory));
  std::int64_t most = peak.load();
  while (now > most && !peak.compare_exchange_weak(most, now)) {
  }
  return memory;
}

/// Memory that is freed: the count may be negative if the memory is older.
void release(void* memory) {
  if (memory == nullptr || !is_weighing.load(std::memory_order_relaxed)) return;
  held -= static_cast<std::int64_t>(malloc_usable_size(memory));
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
  return promises::hold(__libc_malloc(size));
}

void* calloc(std::size_t number, std::size_t size) {
  promises::count(number * size);
  return promises::hold(__libc_calloc(number, size));
}

void* realloc(void* old, std::size_t size) {
  promises::count(size);
  promises::release(old);
  return promises::hold(__libc_realloc(old, size));
}

void* memalign(std::size_t alignment, std::size_t size) {
  promises::count(size);
  return promises::hold(__libc_memalign(alignment, size));
}

void* aligned_alloc(std::size_t alignment, std::size_t size) {
  promises::count(size);
  return promises::hold(__libc_memalign(alignment, size));
}

int posix_memalign(void** result, std::size_t alignment, std::size_t size) {
  promises::count(size);
  *result = promises::hold(__libc_memalign(alignment, size));
  return *result != nullptr ? 0 : ENOMEM;
}

void free(void* memory) {
  promises::release(memory);
  __libc_free(memory);
}

void* mmap(void* address, std::size_t size, int protection, int flags, int file, off_t offset) {
  promises::count(size);
  return reinterpret_cast<void*>(syscall(SYS_mmap, address, size, protection, flags, file, offset));
}

}  // extern "C"

#endif
