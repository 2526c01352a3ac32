// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A library for LD_PRELOAD, used with ended_at.cpp. After lock_heap(), every use of the heap waits
// forever, like in a program with a damaged heap whose lock is held. Signals are handled meanwhile.
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstddef>

extern "C" {
void* __libc_malloc(size_t);
void* __libc_calloc(size_t, size_t);
void* __libc_realloc(void*, size_t);
void* __libc_memalign(size_t, size_t);
void __libc_free(void*);
}

namespace {

std::atomic<bool> is_locked{false};

void wait_for_heap() {
  while (is_locked.load()) pause();
}

}  // namespace

extern "C" {

void lock_heap() { is_locked.store(true); }

void* malloc(size_t bytes) {
  wait_for_heap();
  return __libc_malloc(bytes);
}
void* calloc(size_t count, size_t bytes) {
  wait_for_heap();
  return __libc_calloc(count, bytes);
}
void* realloc(void* memory, size_t bytes) {
  wait_for_heap();
  return __libc_realloc(memory, bytes);
}
void* memalign(size_t alignment, size_t bytes) {
  wait_for_heap();
  return __libc_memalign(alignment, bytes);
}
void* aligned_alloc(size_t alignment, size_t bytes) {
  wait_for_heap();
  return __libc_memalign(alignment, bytes);
}
int posix_memalign(void** to, size_t alignment, size_t bytes) {
  wait_for_heap();
  *to = __libc_memalign(alignment, bytes);
  return *to == nullptr ? ENOMEM : 0;
}
void free(void* memory) {
  wait_for_heap();
  __libc_free(memory);
}

}  // extern "C"
