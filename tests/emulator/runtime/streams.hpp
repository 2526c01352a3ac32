// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Streams, events and copies. A stream works at once, or (EMULATE_STREAMS=late) when something
/// waits for it: a program without faults computes the same.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <utility>

namespace emulator {

struct Stream {
  std::deque<std::pair<std::uint64_t, std::function<void()>>> queue;
  bool waits_for_null_stream = true;
};

struct Event {
  Stream* stream = nullptr;
  std::uint64_t number = 0;
};

/// Held by each call that works: threads of the host take turns.
std::recursive_mutex& turn();

Stream& null_stream();
Stream* stream_of(cudaStream_t handle);
cudaStream_t add_stream(bool waits_for_null_stream);
void remove_stream(Stream& stream);
std::uint64_t last_work();  ///< the number of the last enqueued work

void drain(Stream& stream, std::uint64_t until = ~std::uint64_t{0});
void drain_all(bool also_those_that_do_not_wait = true);
void enqueue(cudaStream_t handle, std::function<void()> work);

bool is_device_memory(const void* address);
void check_kind(cudaMemcpyKind kind, const void* to, const void* from);
void copy(void* to, const void* from, std::size_t bytes, const char* what);
void copy_later(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                cudaStream_t stream);

/// Remembers an error for cudaGetLastError.
cudaError_t fails(cudaError_t error);
cudaError_t last_error(bool forgets);

}  // namespace emulator
