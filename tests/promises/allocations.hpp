// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

/// \file
/// Counts the allocations of the entire program by the C library's allocator and by mmap. The
/// functions themselves are replaced in allocations.cpp, so operator new and every library are
/// counted.

namespace promises {

/// Calls of malloc, calloc, realloc, aligned_alloc, posix_memalign, memalign and mmap.
struct Allocations {
  std::int64_t calls = 0;
  std::int64_t bytes = 0;
};

/// Counts from its birth on, on all threads.
class CountAllocations {
 public:
  CountAllocations();
  CountAllocations(const CountAllocations&) = delete;
  CountAllocations& operator=(const CountAllocations&) = delete;
  ~CountAllocations();

  /// The counts so far; stops.
  Allocations stop();
};

/// The most bytes allocated at once since its construction, of the allocations since then, on all
/// threads. One at a time.
class PeakHeap {
 public:
  PeakHeap();
  PeakHeap(const PeakHeap&) = delete;
  PeakHeap& operator=(const PeakHeap&) = delete;
  ~PeakHeap();

  /// The maximum so far; stops.
  std::int64_t stop();
};

/// Whether this build counts: sanitizers replace the same functions, and drivers of devices
/// allocate.
bool counts_allocations();

}  // namespace promises
