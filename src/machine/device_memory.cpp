// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "machine/device_memory.hpp"

#include "machine/spaces.hpp"

#include <synelix/choice.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>

namespace synelix {
namespace {

/// The smallest budget of a call without a given budget.
constexpr std::int64_t least_default_budget = mebibytes(64);

}  // namespace

// Host spaces.
template <class ExecutionSpace>
std::int64_t free_bytes(const ExecutionSpace&) {
  return 4 * default_budget();
}
template <class ExecutionSpace>
bool shares_host_memory(const ExecutionSpace&) {
  return true;
}
template <class ExecutionSpace>
FoundMemory memory_at(const ExecutionSpace&, const void*) {
  return FoundMemory::device;
}

#ifdef KOKKOS_ENABLE_CUDA
namespace {

/// Makes the device of an instance the current one during its lifetime.
class CurrentCudaDevice {
 public:
  explicit CurrentCudaDevice(const Kokkos::Cuda& exec) {
    cudaGetDevice(&m_before);
    cudaSetDevice(exec.cuda_device());
  }
  CurrentCudaDevice(const CurrentCudaDevice&) = delete;
  CurrentCudaDevice& operator=(const CurrentCudaDevice&) = delete;
  ~CurrentCudaDevice() { cudaSetDevice(m_before); }

 private:
  int m_before = 0;
};

}  // namespace

template <>
std::int64_t free_bytes(const Kokkos::Cuda& exec) {
  const CurrentCudaDevice current(exec);
  std::size_t free = 0;
  std::size_t total = 0;
  return cudaMemGetInfo(&free, &total) == cudaSuccess ? static_cast<std::int64_t>(free) : 0;
}

// "Pageable memory access" alone is also true for a device on a bus whose driver migrates pages.
template <>
bool shares_host_memory(const Kokkos::Cuda& exec) {
  int is_shared = 0;
  const auto result = cudaDeviceGetAttribute(
      &is_shared, cudaDevAttrPageableMemoryAccessUsesHostPageTables, exec.cuda_device());
  return result == cudaSuccess && is_shared != 0;
}

template <>
bool reads_pageable_memory(const Kokkos::Cuda& exec) {
  int is_read = 0;
  return cudaDeviceGetAttribute(&is_read, cudaDevAttrPageableMemoryAccess, exec.cuda_device()) ==
             cudaSuccess &&
         is_read != 0;
}

template <>
FoundMemory memory_at(const Kokkos::Cuda& exec, const void* data) {
  const CurrentCudaDevice current(exec);
  cudaPointerAttributes attributes = {};
  if (cudaPointerGetAttributes(&attributes, data) != cudaSuccess) {
    cudaGetLastError();  // clears the error, which is reported here, for later calls
    return FoundMemory::host;
  }
  switch (attributes.type) {
    case cudaMemoryTypeDevice:
    case cudaMemoryTypeManaged:
      return FoundMemory::device;
    case cudaMemoryTypeHost:
      return FoundMemory::pinned;
    default:
      return FoundMemory::host;
  }
}
#endif

#ifdef KOKKOS_ENABLE_HIP
namespace {

/// Makes the device of an instance the current one during its lifetime.
class CurrentHipDevice {
 public:
  explicit CurrentHipDevice(const Kokkos::HIP& exec) {
    m_is_known = hipGetDevice(&m_before) == hipSuccess;
    m_is_known = hipSetDevice(exec.hip_device()) == hipSuccess && m_is_known;
  }
  CurrentHipDevice(const CurrentHipDevice&) = delete;
  CurrentHipDevice& operator=(const CurrentHipDevice&) = delete;
  ~CurrentHipDevice() {
    if (m_is_known) (void)hipSetDevice(m_before);
  }

 private:
  int m_before = 0;
  bool m_is_known = false;
};

}  // namespace

template <>
std::int64_t free_bytes(const Kokkos::HIP& exec) {
  const CurrentHipDevice current(exec);
  std::size_t free = 0;
  std::size_t total = 0;
  return hipMemGetInfo(&free, &total) == hipSuccess ? static_cast<std::int64_t>(free) : 0;
}

// Without XNACK an MI300A cannot read pageable memory; with it, an MI250X can, but not at the speed
// of its own memory.
template <>
bool shares_host_memory(const Kokkos::HIP& exec) {
  int is_reached = 0;
  int is_shared = 0;
  return hipDeviceGetAttribute(&is_reached, hipDeviceAttributePageableMemoryAccess,
                               exec.hip_device()) == hipSuccess &&
         hipDeviceGetAttribute(&is_shared, hipDeviceAttributePageableMemoryAccessUsesHostPageTables,
                               exec.hip_device()) == hipSuccess &&
         is_reached != 0 && is_shared != 0;
}

template <>
bool reads_pageable_memory(const Kokkos::HIP& exec) {
  int is_read = 0;
  return hipDeviceGetAttribute(&is_read, hipDeviceAttributePageableMemoryAccess,
                               exec.hip_device()) == hipSuccess &&
         is_read != 0;
}

template <>
FoundMemory memory_at(const Kokkos::HIP& exec, const void* data) {
  const CurrentHipDevice current(exec);
  hipPointerAttribute_t attributes = {};
  if (hipPointerGetAttributes(&attributes, data) != hipSuccess) {
    (void)hipGetLastError();  // clears the error, which is reported here, for later calls
    return FoundMemory::host;
  }
  switch (attributes.type) {
    case hipMemoryTypeDevice:
    case hipMemoryTypeManaged:
      return FoundMemory::device;
    case hipMemoryTypeHost:
      return FoundMemory::pinned;
    default:
      return FoundMemory::host;
  }
}
#endif

template <class ExecutionSpace>
std::int64_t default_budget_of(const ExecutionSpace& exec) {
  return std::max(free_bytes(exec) / 4, least_default_budget);
}

template <class ExecutionSpace>
std::int64_t budget_for(const ExecutionSpace& exec, std::optional<std::int64_t> told,
                        std::int64_t needed) {
  if (told) return *told;
  return needed <= least_default_budget ? least_default_budget : default_budget_of(exec);
}

#define SYNELIX_INSTANTIATE(SPACE)                       \
  template std::int64_t default_budget_of(const SPACE&); \
  template std::int64_t budget_for(const SPACE&, std::optional<std::int64_t>, std::int64_t);
SYNELIX_FOR_EACH_SPACE(SYNELIX_INSTANTIATE)
#undef SYNELIX_INSTANTIATE
#define SYNELIX_INSTANTIATE(SPACE)                \
  template std::int64_t free_bytes(const SPACE&); \
  template bool shares_host_memory(const SPACE&); \
  template FoundMemory memory_at(const SPACE&, const void*);
SYNELIX_IN_SERIAL(SYNELIX_INSTANTIATE)
SYNELIX_IN_OPENMP(SYNELIX_INSTANTIATE)
#undef SYNELIX_INSTANTIATE

}  // namespace synelix
