// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

/// \file
/// What the package asks of the backend of a device itself: streams of other libraries, and memory
/// that outlives Kokkos. In a build without CUDA nothing here may be called, unless it says so.

namespace synelix::python {

/// The number of the device that this process computes on. Kokkos has to run.
int device_number();
/// The device whose memory this is; of managed memory, that of this process; -1 for the host.
int device_of(const void* data);

/// The stream that arrivals wait in: a cudaStream_t as a number, for __dlpack__(stream=...).
std::uintptr_t arrivals();
/// The stream of arrivals waits for what is in another one, by its number: 1 is the legacy default
/// stream, and 2 the default stream of this thread.
void await_stream(std::uintptr_t stream);
/// Waits, on the host, for all work of the device.
void await_device();
/// Waits, on the host, for the stream of arrivals. Nothing in a build without CUDA.
void wait_for_arrivals();

/// Memory of the device that is not Kokkos', and may be freed after Kokkos has ended. It is freed
/// when all work of the device has ended, since a stream of anybody may use it. \throws
/// std::bad_alloc
std::shared_ptr<void> device_memory(std::size_t bytes);

/// Makes the device of this process that of this thread, and restores the caller's. Nothing in a
/// build without CUDA.
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
