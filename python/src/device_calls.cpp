// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device_calls.hpp"

#include "runtime.hpp"

#include <synelix/error.hpp>

#include <Kokkos_Core.hpp>

#include <new>
#include <string>

namespace synelix::python {

#ifdef KOKKOS_ENABLE_CUDA

namespace {

void check(cudaError_t result, const char* what) {
  if (result == cudaSuccess) return;
  (void)cudaGetLastError();  // clears the error, which is reported here, for later calls
  throw StateError("device", std::string(what) + ": " + cudaGetErrorString(result),
                   "Look for an earlier error of the device, and start the process again");
}

cudaStream_t stream_of(std::uintptr_t number) {
  if (number == 1) return cudaStreamLegacy;
  if (number == 2) return cudaStreamPerThread;
  return reinterpret_cast<cudaStream_t>(number);
}

/// One for the process, never destroyed: the driver destroys it.
cudaStream_t stream_of_arrivals() {
  static const cudaStream_t stream = [] {
    const OnDevice here;
    cudaStream_t made = nullptr;
    check(cudaStreamCreateWithFlags(&made, cudaStreamNonBlocking), "a stream cannot be made");
    return made;
  }();
  return stream;
}

/// Frees memory of the device. CUDA does not work in a forked child, so nothing is freed there.
struct Free {
  int device = 0;
  void operator()(void* memory) const noexcept {
    if (is_torn()) return;
    const WithoutGil released;  // work in a stream may need the GIL
    int before = 0;
    if (cudaGetDevice(&before) != cudaSuccess || cudaSetDevice(device) != cudaSuccess) return;
    (void)cudaDeviceSynchronize();
    (void)cudaFree(memory);
    (void)cudaSetDevice(before);
  }
};

}  // namespace

int device_number() { return Kokkos::Cuda().cuda_device(); }

int device_of(const void* data) {
  cudaPointerAttributes attributes = {};
  if (cudaPointerGetAttributes(&attributes, data) != cudaSuccess) {
    (void)cudaGetLastError();
    return -1;
  }
  if (attributes.type == cudaMemoryTypeManaged) return device_number();  // all devices access it
  return attributes.type == cudaMemoryTypeDevice ? attributes.device : -1;
}

std::uintptr_t arrivals() { return reinterpret_cast<std::uintptr_t>(stream_of_arrivals()); }

void await_stream(std::uintptr_t stream) {
  const OnDevice here;
  cudaEvent_t reached = nullptr;
  check(cudaEventCreateWithFlags(&reached, cudaEventDisableTiming), "an event cannot be made");
  const cudaError_t recorded = cudaEventRecord(reached, stream_of(stream));
  const cudaError_t waits =
      recorded == cudaSuccess ? cudaStreamWaitEvent(stream_of_arrivals(), reached, 0) : cudaSuccess;
  (void)cudaEventDestroy(reached);  // it is destroyed after it was reached
  check(recorded, "the stream of an array cannot be awaited");
  check(waits, "the stream of an array cannot be awaited");
}

void await_device() {
  const OnDevice here;
  check(cudaDeviceSynchronize(), "the device cannot be awaited");
}

void wait_for_arrivals() {
  check(cudaStreamSynchronize(stream_of_arrivals()), "the arrays of the caller did not arrive");
}

std::shared_ptr<void> device_memory(std::size_t bytes) {
  const OnDevice here;
  void* memory = nullptr;
  if (cudaMalloc(&memory, bytes) != cudaSuccess) {
    (void)cudaGetLastError();
    throw std::bad_alloc();
  }
  return {memory, Free{device_number()}};
}

OnDevice::OnDevice() {
  int before = 0;
  if (cudaGetDevice(&before) == cudaSuccess) m_before = before;
  check(cudaSetDevice(device_number()), "the device cannot be used");
}

OnDevice::~OnDevice() {
  if (m_before >= 0) (void)cudaSetDevice(m_before);
}

#else

namespace {
[[noreturn]] void refuse() {
  throw StateError("device", "this build computes on the host",
                   "Report this as an error of the package");
}
}  // namespace

int device_number() { refuse(); }
int device_of(const void*) { return -1; }
std::uintptr_t arrivals() { refuse(); }
void await_stream(std::uintptr_t) { refuse(); }
void await_device() { refuse(); }
void wait_for_arrivals() {}
std::shared_ptr<void> device_memory(std::size_t) { refuse(); }
OnDevice::OnDevice() = default;
OnDevice::~OnDevice() = default;

#endif

}  // namespace synelix::python
