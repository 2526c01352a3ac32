// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Of the runtime: registration of a program's kernels and variables, and launches.
#include "kernels.hpp"

#include "../counts.hpp"
#include "../faults.hpp"
#include "../settings.hpp"
#include "device_limits.hpp"
#include "fat_binary.hpp"
#include "streams.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <exception>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace emulator {
namespace {

struct Kernel {
  FatBinary* binary = nullptr;
  std::string name;
  int most_dynamic = shared_without_asking;
  Function* function = nullptr;
};

struct HostVariable {
  FatBinary* binary = nullptr;
  std::string name;
};

struct Configuration {
  dim3 grid, block;
  std::size_t shared;
  void* stream;
};

/// Never destroyed: programs unregister their binaries after static objects.
struct Program {
  std::deque<FatBinary> binaries;
  std::map<const void*, std::unique_ptr<Kernel>> kernels;  // by the host's function
  std::set<const void*> handles;
  std::map<const void*, HostVariable> variables;
};

Program& program() {
  static auto& made = *new Program();
  return made;
}

struct AtExit {
  ~AtExit() {
    if (settings().quiet || (all_counts().empty() && faults().empty())) return;
    print_counts();
    print_faults();
    std::fflush(log_file());
  }
} at_exit;

std::vector<Configuration>& configurations() {
  static thread_local std::vector<Configuration> made;
  return made;
}

Kernel* kernel_of(const void* handle) {
  if (program().handles.count(handle) != 0) {
    return static_cast<Kernel*>(const_cast<void*>(handle));
  }
  const auto found = program().kernels.find(handle);
  return found == program().kernels.end() ? nullptr : found->second.get();
}

Function* function_of(Kernel* kernel) {
  const std::lock_guard lock(turn());
  if (kernel == nullptr || kernel->function != nullptr) {
    return kernel != nullptr ? kernel->function : nullptr;
  }
  try {
    kernel->function = find_kernel(module_of(*kernel->binary), kernel->name);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "emulator: the module of %s cannot be loaded: %s\n",
                 readable(kernel->name).c_str(), error.what());
    std::abort();
  }
  if (kernel->function != nullptr) lay_out(*kernel->function);
  return kernel->function;
}

std::string text_of(const dim3& size) {
  return std::to_string(size.x) + ", " + std::to_string(size.y) + ", " + std::to_string(size.z);
}

/// Why a device would refuse the launch; empty: it would not.
std::string refusal_of(const Kernel& kernel, const Function& f, dim3 grid, dim3 block,
                       std::size_t shared, cudaError_t& error) {
  const std::uint64_t threads = std::uint64_t{block.x} * block.y * block.z;
  error = cudaErrorInvalidConfiguration;
  if (threads == 0 || threads > 1024 || block.z > 64) return std::to_string(threads) + " threads";
  if (grid.x == 0 || grid.y == 0 || grid.z == 0 || grid.x > 0x7fffffff || grid.y > 65535 ||
      grid.z > 65535) {
    return "a grid of " + text_of(grid);
  }
  error = cudaErrorInvalidValue;
  if (f.max_threads != 0 && threads > static_cast<std::uint64_t>(f.max_threads)) {
    return std::to_string(threads) + " threads, bounds of " + std::to_string(f.max_threads);
  }
  const auto allowed = static_cast<std::size_t>(kernel.most_dynamic);
  const std::size_t both = shared + f.static_shared;
  const bool asked = allowed > shared_without_asking;
  const std::size_t most = asked ? allowed + f.static_shared : std::size_t{shared_without_asking};
  if (both > most || both > shared_of_team) {
    return std::to_string(shared) + " + " + std::to_string(f.static_shared) +
           " bytes of shared memory; allowed: " + std::to_string(allowed);
  }
  error = cudaErrorLaunchOutOfResources;
  if (registers_of_team(f, static_cast<unsigned>(threads)) > registers_of_core) {
    return std::to_string(threads) + " threads of " + std::to_string(f.registers) + " registers";
  }
  error = cudaSuccess;
  return {};
}

cudaError_t launch_kernel(Kernel* kernel, dim3 grid, dim3 block, void** arguments,
                          std::size_t shared, cudaStream_t stream) {
  const std::lock_guard lock(turn());
  Function* f = function_of(kernel);
  if (f == nullptr) return fails(cudaErrorInvalidDeviceFunction);
  cudaError_t error = cudaSuccess;
  const std::string refusal = refusal_of(*kernel, *f, grid, block, shared, error);
  if (error != cudaSuccess) {
    report_host("refused launch", readable(kernel->name) + ": " + refusal);
    return fails(error);
  }
  std::vector<unsigned char> parameters(f->uniform_bytes);
  for (std::size_t k = 0; k < f->parameters.size(); ++k) {
    const Parameter& p = f->parameters[k];
    std::memcpy(parameters.data() + p.offset, arguments[k], p.bytes);
  }
  const Size3 teams{grid.x, grid.y, grid.z}, threads{block.x, block.y, block.z};
  enqueue(stream, [=] { launch(*f, teams, threads, shared, parameters); });
  return cudaSuccess;
}

}  // namespace

void* symbol_address(const void* symbol) {
  const std::lock_guard lock(turn());
  const auto found = program().variables.find(symbol);
  if (found == program().variables.end()) return nullptr;
  const Module& module = module_of(*found->second.binary);
  const auto v = module.variables.find(found->second.name);
  return v == module.variables.end() ? nullptr : reinterpret_cast<void*>(v->second.address);
}

}  // namespace emulator

using namespace emulator;

#pragma GCC visibility push(default)
extern "C" {

struct FatBinaryWrapper {
  std::uint32_t magic, version;
  const unsigned char* data;
  void* file;
};

void** __cudaRegisterFatBinary(void* wrapper) {
  auto& binary = program().binaries.emplace_back();
  binary.data = static_cast<FatBinaryWrapper*>(wrapper)->data;
  return reinterpret_cast<void**>(&binary);
}
void __cudaRegisterFatBinaryEnd(void**) {}
void __cudaUnregisterFatBinary(void**) {}
char __cudaInitModule(void**) { return 0; }
void __cudaRegisterFunction(void** handle, const char* host, char*, const char* name, int, uint3*,
                            uint3*, dim3*, dim3*, int*) {
  auto kernel = std::make_unique<Kernel>();
  kernel->binary = reinterpret_cast<FatBinary*>(handle);
  kernel->name = name;
  program().handles.insert(kernel.get());
  program().kernels[host] = std::move(kernel);
}
void __cudaRegisterVar(void** handle, char* host, char*, const char* name, int, size_t, int, int) {
  program().variables[host] = {reinterpret_cast<FatBinary*>(handle), name};
}
void __cudaRegisterManagedVar(void**, void**, char*, const char* name, int, size_t, int, int) {
  std::fprintf(stderr, "emulator: managed variables, as %s, are not known\n", name);
  std::abort();
}
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, void* stream) {
  configurations().push_back({grid, block, shared, stream});
  return 0;
}
cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, size_t* shared, void* stream) {
  const Configuration c = configurations().back();
  configurations().pop_back();
  *grid = c.grid;
  *block = c.block;
  *shared = c.shared;
  std::memcpy(stream, &c.stream, sizeof c.stream);
  return cudaSuccess;
}
cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* host) {
  Kernel* found = kernel_of(host);
  *kernel = reinterpret_cast<cudaKernel_t>(found);
  return found != nullptr ? cudaSuccess : fails(cudaErrorInvalidDeviceFunction);
}
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments,
                               size_t shared, cudaStream_t stream) {
  return launch_kernel(kernel_of(kernel), grid, block, arguments, shared, stream);
}
cudaError_t __cudaLaunchKernel_ptsz(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments,
                                    size_t shared, cudaStream_t stream) {
  return launch_kernel(kernel_of(kernel), grid, block, arguments, shared, stream);
}
cudaError_t cudaLaunchKernel(const void* function, dim3 grid, dim3 block, void** arguments,
                             size_t shared, cudaStream_t stream) {
  return launch_kernel(kernel_of(function), grid, block, arguments, shared, stream);
}

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* function) {
  Kernel* kernel = kernel_of(function);
  const Function* f = function_of(kernel);
  if (f == nullptr) return fails(cudaErrorInvalidDeviceFunction);
  *attributes = {};
  attributes->sharedSizeBytes = f->static_shared;
  attributes->localSizeBytes = f->local_bytes;
  attributes->maxThreadsPerBlock = most_threads(*f);
  attributes->numRegs = registers_of_thread(*f);
  attributes->ptxVersion = attributes->binaryVersion = 90;
  attributes->maxDynamicSharedSizeBytes = kernel->most_dynamic;
  attributes->preferredShmemCarveout = -1;
  return cudaSuccess;
}
cudaError_t cudaFuncSetAttribute(const void* function, cudaFuncAttribute attribute, int value) {
  Kernel* kernel = kernel_of(function);
  const Function* f = function_of(kernel);
  if (f == nullptr) return fails(cudaErrorInvalidDeviceFunction);
  if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize) return cudaSuccess;
  if (value < 0 || value + static_cast<int>(f->static_shared) > shared_of_team) {
    return fails(cudaErrorInvalidValue);
  }
  kernel->most_dynamic = value;
  return cudaSuccess;
}
cudaError_t cudaFuncSetCacheConfig(const void*, cudaFuncCache) { return cudaSuccess; }
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* teams, const void* function,
                                                                   int threads, size_t shared,
                                                                   unsigned) {
  const Function* f = function_of(kernel_of(function));
  if (f == nullptr) return fails(cudaErrorInvalidDeviceFunction);
  const auto count = static_cast<unsigned>(std::max(threads, 1));
  const auto by_shared = static_cast<int>(shared_of_core / (shared + f->static_shared + 1024));
  const int by_registers = registers_of_core / registers_of_team(*f, count);
  const int most = std::min({32, threads_of_core / std::max(threads, 1), by_registers, by_shared});
  *teams = threads > most_threads(*f) ? 0 : most;
  return cudaSuccess;
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* teams, const void* function,
                                                          int threads, size_t shared) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(teams, function, threads, shared,
                                                                0);
}

}  // extern "C"
#pragma GCC visibility pop
