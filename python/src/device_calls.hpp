// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

/// \file
/// Direct calls of a device's backend: streams of other libraries, and memory that outlives Kokkos.
/// In a build without CUDA, these functions must not be called, unless their comment allows it.

namespace synelix::python {

/// The number of the device that this process computes on. Kokkos must run.
int device_number();
/// The device of this memory; for managed memory, the device of this process; -1 for the host.
int device_of(const void* data);

/// The stream of arrivals: a cudaStream_t as a number, for __dlpack__(stream=...).
std::uintptr_t arrivals();
/// Makes the stream of arrivals wait for the work in another one, given by its number: 1 is the
/// legacy default stream, and 2 the default stream of this thread.
void await_stream(std::uintptr_t stream);
/// Waits, on the host, for all work of the device.
void await_device();
/// Waits, on the host, for the stream of arrivals. No effect in a build without CUDA.
void wait_for_arrivals();

/// Memory of the device that does not belong to Kokkos, and may be freed after Kokkos has ended. It
/// is freed when all work of the device has ended, since any stream may use it.
/// \throws std::bad_alloc
std::shared_ptr<void> device_memory(std::size_t bytes);

/// Makes the device of this process current in this thread, and restores the caller's. No effect in
/// a build without CUDA.
class OnDevice {
 public:
  OnDevice();
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;
  ~OnDevice();

 private:
  int m_before = -1;
};

}  // namespace synelix::python
