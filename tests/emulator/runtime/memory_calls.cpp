// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Of the runtime: memory and copies.
#include "../faults.hpp"
#include "../memory.hpp"
#include "device_limits.hpp"
#include "kernels.hpp"
#include "streams.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstring>

using namespace emulator;

namespace {

std::uint64_t number_of(const void* address) { return reinterpret_cast<std::uint64_t>(address); }

cudaError_t allocate(void** address, std::size_t bytes, Kind kind) {
  const std::lock_guard lock(turn());
  const std::uint64_t used = std::min<std::uint64_t>(memory().bytes_in_use(), device_bytes);
  const bool fits = kind != Kind::device || bytes <= device_bytes - used;
  *address = bytes != 0 && fits ? reinterpret_cast<void*>(memory().allocate(bytes, kind)) : nullptr;
  return *address != nullptr || bytes == 0 ? cudaSuccess : fails(cudaErrorMemoryAllocation);
}

void set_bytes(void* address, int value, std::size_t bytes) {
  if (!memory().holds(number_of(address)))
    report_host("memset of another kind", "of memory of the host");
  if (!memory().check_copy("memset", number_of(address), bytes, true)) return;
  std::memset(memory().backing(number_of(address)), value, bytes);
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

cudaError_t cudaMalloc(void** address, size_t bytes) {
  return allocate(address, bytes, Kind::device);
}
cudaError_t cudaMallocAsync(void** address, size_t bytes, cudaStream_t) {
  return allocate(address, bytes, Kind::device);
}
cudaError_t cudaHostAlloc(void** address, size_t bytes, unsigned) {
  return allocate(address, bytes, Kind::pinned);
}
cudaError_t cudaMallocHost(void** address, size_t bytes) {
  return allocate(address, bytes, Kind::pinned);
}
cudaError_t cudaMallocManaged(void** address, size_t bytes, unsigned) {
  return allocate(address, bytes, Kind::managed);
}
cudaError_t cudaFree(void* address) {
  const std::lock_guard lock(turn());
  if (address == nullptr) return cudaSuccess;
  drain_all();
  if (memory().release(number_of(address))) return cudaSuccess;
  report_host("free of an unknown address", memory().describe(number_of(address)));
  return fails(cudaErrorInvalidValue);
}
cudaError_t cudaFreeHost(void* address) { return cudaFree(address); }
cudaError_t cudaFreeAsync(void* address, cudaStream_t) { return cudaFree(address); }
cudaError_t cudaMemPrefetchAsync(const void*, size_t, cudaMemLocation, unsigned, cudaStream_t) {
  return cudaSuccess;
}
cudaError_t cudaMemAdvise(const void*, size_t, cudaMemoryAdvise, cudaMemLocation) {
  return cudaSuccess;
}
cudaError_t cudaMemGetInfo(size_t* free, size_t* total) {
  constexpr std::uint64_t of_the_driver = std::uint64_t{500} << 20;
  *total = device_bytes;
  *free =
      device_bytes - std::min<std::uint64_t>(device_bytes, memory().bytes_in_use() + of_the_driver);
  return cudaSuccess;
}
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* address) {
  const std::lock_guard lock(turn());
  *attributes = {};
  const Allocation* a = memory().find(number_of(address), false);
  attributes->type = a == nullptr               ? cudaMemoryTypeUnregistered
                     : a->kind == Kind::pinned  ? cudaMemoryTypeHost
                     : a->kind == Kind::managed ? cudaMemoryTypeManaged
                                                : cudaMemoryTypeDevice;
  void* place = const_cast<void*>(address);
  attributes->devicePointer = a != nullptr ? place : nullptr;
  attributes->hostPointer = attributes->type == cudaMemoryTypeDevice ? nullptr : place;
  return cudaSuccess;
}

cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
  const std::lock_guard lock(turn());
  check_kind(kind, to, from);
  drain_all(false);
  copy(to, from, bytes, "copy");
  return cudaSuccess;
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  const std::lock_guard lock(turn());
  copy_later(to, from, bytes, kind, stream);
  return cudaSuccess;
}
cudaError_t cudaMemcpyToSymbolAsync(const void* symbol, const void* from, size_t bytes,
                                    size_t offset, cudaMemcpyKind kind, cudaStream_t stream) {
  void* to = symbol_address(symbol);
  if (to != nullptr) copy_later(static_cast<char*>(to) + offset, from, bytes, kind, stream);
  return cudaSuccess;
}
cudaError_t cudaMemcpyToSymbol(const void* symbol, const void* from, size_t bytes, size_t offset,
                               cudaMemcpyKind kind) {
  void* to = symbol_address(symbol);
  if (to == nullptr) return cudaSuccess;
  return cudaMemcpy(static_cast<char*>(to) + offset, from, bytes, kind);
}
cudaError_t cudaMemcpyFromSymbol(void* to, const void* symbol, size_t bytes, size_t offset,
                                 cudaMemcpyKind kind) {
  const void* from = symbol_address(symbol);
  if (from == nullptr) return fails(cudaErrorInvalidSymbol);
  return cudaMemcpy(to, static_cast<const char*>(from) + offset, bytes, kind);
}
cudaError_t cudaGetSymbolAddress(void** address, const void* symbol) {
  *address = symbol_address(symbol);
  return *address != nullptr ? cudaSuccess : fails(cudaErrorInvalidSymbol);
}
cudaError_t cudaMemset(void* address, int value, size_t bytes) {
  const std::lock_guard lock(turn());
  drain_all(false);
  set_bytes(address, value, bytes);
  return cudaSuccess;
}
cudaError_t cudaMemsetAsync(void* address, int value, size_t bytes, cudaStream_t stream) {
  enqueue(stream, [=] { set_bytes(address, value, bytes); });
  return cudaSuccess;
}

/// Of the emulator alone, by dlsym: most bytes at a time since the last reset, of the device (0)
/// or pinned and managed (1).
unsigned long long cudaEmulatedPeak(int of_host, int resets) {
  return memory().peak_bytes(of_host != 0, resets != 0);
}

}  // extern "C"
#pragma GCC visibility pop
