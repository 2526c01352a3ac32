// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <synelix/devices.hpp>

#include <Kokkos_Core.hpp>

namespace synelix {

#if defined(KOKKOS_ENABLE_CUDA)

std::vector<DeviceDescription> devices() {
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess) {
    (void)cudaGetLastError();  // no driver, or no device: clears the error for later calls
    return {};
  }
  std::vector<DeviceDescription> found;
  for (int number = 0; number < count; ++number) {
    cudaDeviceProp properties;
    if (cudaGetDeviceProperties(&properties, number) != cudaSuccess) {
      found.push_back({.number = number, .name = "unknown", .architecture = "", .memory_bytes = 0});
      continue;
    }
    found.push_back(
        {.number = number,
         .name = properties.name,
         .architecture = "sm_" + std::to_string(properties.major * 10 + properties.minor),
         .memory_bytes = static_cast<std::int64_t>(properties.totalGlobalMem)});
  }
  return found;
}

#elif defined(KOKKOS_ENABLE_HIP)

std::vector<DeviceDescription> devices() {
  int count = 0;
  if (hipGetDeviceCount(&count) != hipSuccess) {
    (void)hipGetLastError();
    return {};
  }
  std::vector<DeviceDescription> found;
  for (int number = 0; number < count; ++number) {
    hipDeviceProp_t properties;
    if (hipGetDeviceProperties(&properties, number) != hipSuccess) {
      found.push_back({.number = number, .name = "unknown", .architecture = "", .memory_bytes = 0});
      continue;
    }
    found.push_back({.number = number,
                     .name = properties.name,
                     .architecture = properties.gcnArchName,
                     .memory_bytes = static_cast<std::int64_t>(properties.totalGlobalMem)});
  }
  return found;
}

#else

std::vector<DeviceDescription> devices() { return {}; }

#endif

std::string device_architecture() {
#if !defined(KOKKOS_ENABLE_CUDA) && !defined(KOKKOS_ENABLE_HIP)
  return "";
#elif defined(KOKKOS_ENABLE_HIP)
  return KOKKOS_ARCH_AMD_GPU;  // the name itself, of every architecture that Kokkos knows
#elif defined(KOKKOS_ARCH_MAXWELL50)
  return "sm_50";
#elif defined(KOKKOS_ARCH_MAXWELL52)
  return "sm_52";
#elif defined(KOKKOS_ARCH_MAXWELL53)
  return "sm_53";
#elif defined(KOKKOS_ARCH_PASCAL60)
  return "sm_60";
#elif defined(KOKKOS_ARCH_PASCAL61)
  return "sm_61";
#elif defined(KOKKOS_ARCH_VOLTA70)
  return "sm_70";
#elif defined(KOKKOS_ARCH_VOLTA72)
  return "sm_72";
#elif defined(KOKKOS_ARCH_TURING75)
  return "sm_75";
#elif defined(KOKKOS_ARCH_AMPERE80)
  return "sm_80";
#elif defined(KOKKOS_ARCH_AMPERE86)
  return "sm_86";
#elif defined(KOKKOS_ARCH_AMPERE87)
  return "sm_87";
#elif defined(KOKKOS_ARCH_ADA89)
  return "sm_89";
#elif defined(KOKKOS_ARCH_HOPPER90)
  return "sm_90";
#elif defined(KOKKOS_ARCH_BLACKWELL100)
  return "sm_100";
#elif defined(KOKKOS_ARCH_BLACKWELL103)
  return "sm_103";
#elif defined(KOKKOS_ARCH_BLACKWELL120)
  return "sm_120";
#elif defined(KOKKOS_ARCH_BLACKWELL121)
  return "sm_121";
#else
#error "an architecture of Kokkos' CUDA backend that this list does not have"
#endif
}

}  // namespace synelix
