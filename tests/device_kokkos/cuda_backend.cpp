// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#define KOKKOS_IMPL_PUBLIC_INCLUDE  // headers of Kokkos for its own files
#include <Kokkos_Core.hpp>

#include <impl/Kokkos_DeviceManagement.hpp>
#include <impl/Kokkos_ExecSpaceManager.hpp>
#include <impl/Kokkos_SharedAlloc_timpl.hpp>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <ostream>
#include <set>
#include <stdexcept>
#include <string>

// The parts of Kokkos 5 that are compiled for CUDA in addition to its headers: memory, copies,
// instances and their scratch. It is written from the declarations in the installed headers, for
// the tests on the emulator. There a Kokkos without CUDA is used, whose library does not have this
// space. One device, streams without priorities.

namespace {

using Kokkos::Cuda;
using Kokkos::Impl::CudaInternal;
using Kokkos::Tools::Experimental::SpecialSynchronizationCases;
using Kokkos::Tools::Experimental::Impl::DirectFenceIDHandle;

void checked(cudaError_t error, const char* call) {
  Kokkos::Impl::cuda_internal_safe_call(error, call);
}

cudaStream_t copying_stream = nullptr;

/// Memory of a kind of CUDA. Tools hear of it.
template <class Allocate>
void* allocated(const char* label, std::size_t bytes, std::size_t logical_bytes,
                Kokkos::Tools::SpaceHandle space, const Allocate& allocate) {
  void* pointer = nullptr;
  const cudaError_t error = allocate(&pointer);
  if (error != cudaSuccess) {
    (void)cudaGetLastError();  // the next call would see it again
    Kokkos::Impl::throw_bad_alloc(space.name, bytes, label);
  }
  if (Kokkos::Profiling::profileLibraryLoaded()) {
    Kokkos::Profiling::allocateData(space, label, pointer,
                                    logical_bytes > 0 ? logical_bytes : bytes);
  }
  return pointer;
}

template <class Free>
void freed(const char* label, void* pointer, std::size_t bytes, std::size_t logical_bytes,
           Kokkos::Tools::SpaceHandle space, const Free& free) {
  if (Kokkos::Profiling::profileLibraryLoaded()) {
    Kokkos::Profiling::deallocateData(space, label, pointer,
                                      logical_bytes > 0 ? logical_bytes : bytes);
  }
  checked(free(pointer), "free");
}

const int is_registered = Kokkos::Impl::initialize_space_factory<Cuda>("150_Cuda");

}  // namespace

// ---------------------------------------------------------------- locks of wide atomics

namespace desul::Impl {

int32_t* CUDA_SPACE_ATOMIC_LOCKS_DEVICE_h = nullptr;
int32_t* CUDA_SPACE_ATOMIC_LOCKS_NODE_h = nullptr;

template <typename AlwaysInt>
void init_lock_arrays_cuda() {
  constexpr std::size_t bytes = sizeof(int32_t) * (CUDA_SPACE_ATOMIC_MASK + 1);
  for (int32_t** const locks :
       {&CUDA_SPACE_ATOMIC_LOCKS_DEVICE_h, &CUDA_SPACE_ATOMIC_LOCKS_NODE_h}) {
    if (*locks != nullptr) continue;
    checked(cudaMalloc(reinterpret_cast<void**>(locks), bytes), "cudaMalloc of locks");
    checked(cudaMemset(*locks, 0, bytes), "cudaMemset of locks");
  }
}

template <typename AlwaysInt>
void finalize_lock_arrays_cuda() {
  for (int32_t** const locks :
       {&CUDA_SPACE_ATOMIC_LOCKS_DEVICE_h, &CUDA_SPACE_ATOMIC_LOCKS_NODE_h}) {
    checked(cudaFree(*locks), "cudaFree of locks");
    *locks = nullptr;
  }
}

template void init_lock_arrays_cuda<int>();
template void finalize_lock_arrays_cuda<int>();

}  // namespace desul::Impl

namespace Kokkos {

// ---------------------------------------------------------------- memory

CudaSpace::CudaSpace() : CudaSpace(Cuda().cuda_device(), Cuda().cuda_stream()) {}
CudaSpace::CudaSpace(int device_id, cudaStream_t stream) : m_device(device_id), m_stream(stream) {}
CudaUVMSpace::CudaUVMSpace() : CudaUVMSpace(Cuda().cuda_device(), Cuda().cuda_stream()) {}
CudaUVMSpace::CudaUVMSpace(int device_id, cudaStream_t stream)
    : m_device(device_id), m_stream(stream) {}
CudaHostPinnedSpace::CudaHostPinnedSpace()
    : CudaHostPinnedSpace(Cuda().cuda_device(), Cuda().cuda_stream()) {}
CudaHostPinnedSpace::CudaHostPinnedSpace(int device_id, cudaStream_t stream)
    : m_device(device_id), m_stream(stream) {}

void* CudaSpace::impl_allocate(const char* label, std::size_t bytes, std::size_t logical,
                               Tools::SpaceHandle space) const {
  return allocated(label, bytes, logical, space,
                   [&](void** pointer) { return cudaMalloc(pointer, bytes); });
}
void* CudaSpace::impl_allocate(const Cuda&, const char* label, std::size_t bytes,
                               std::size_t logical, Tools::SpaceHandle space) const {
  return impl_allocate(label, bytes, logical, space);
}
void CudaSpace::impl_deallocate(const char* label, void* pointer, std::size_t bytes,
                                std::size_t logical, Tools::SpaceHandle space) const {
  freed(label, pointer, bytes, logical, space, [](void* p) { return cudaFree(p); });
}
void* CudaUVMSpace::impl_allocate(const char* label, std::size_t bytes, std::size_t logical,
                                  Tools::SpaceHandle space) const {
  Cuda::impl_static_fence("Kokkos::CudaUVMSpace::allocate: before");
  return allocated(label, bytes, logical, space, [&](void** pointer) {
    return cudaMallocManaged(pointer, bytes, cudaMemAttachGlobal);
  });
}
void CudaUVMSpace::impl_deallocate(const char* label, void* pointer, std::size_t bytes,
                                   std::size_t logical, Tools::SpaceHandle space) const {
  Cuda::impl_static_fence("Kokkos::CudaUVMSpace::deallocate: before");
  freed(label, pointer, bytes, logical, space, [](void* p) { return cudaFree(p); });
}
void* CudaHostPinnedSpace::impl_allocate(const char* label, std::size_t bytes, std::size_t logical,
                                         Tools::SpaceHandle space) const {
  return allocated(label, bytes, logical, space, [&](void** pointer) {
    return cudaHostAlloc(pointer, bytes, cudaHostAllocDefault);
  });
}
void CudaHostPinnedSpace::impl_deallocate(const char* label, void* pointer, std::size_t bytes,
                                          std::size_t logical, Tools::SpaceHandle space) const {
  freed(label, pointer, bytes, logical, space, [](void* p) { return cudaFreeHost(p); });
}

void* CudaSpace::allocate(const Cuda& exec, std::size_t bytes) const {
  return allocate(exec, "[unlabeled]", bytes);
}
void* CudaSpace::allocate(const Cuda& exec, const char* label, std::size_t bytes,
                          std::size_t logical) const {
  return impl_allocate(exec, label, bytes, logical);
}

#define KOKKOS_STAND_IN_MEMORY(Space)                                                              \
  void* Space::allocate(std::size_t bytes) const { return allocate("[unlabeled]", bytes); }        \
  void* Space::allocate(const char* label, std::size_t bytes, std::size_t logical) const {         \
    return impl_allocate(label, bytes, logical);                                                   \
  }                                                                                                \
  void Space::deallocate(void* pointer, std::size_t bytes) const {                                 \
    deallocate("[unlabeled]", pointer, bytes);                                                     \
  }                                                                                                \
  void Space::deallocate(const char* label, void* pointer, std::size_t bytes, std::size_t logical) \
      const {                                                                                      \
    impl_deallocate(label, pointer, bytes, logical);                                               \
  }
KOKKOS_STAND_IN_MEMORY(CudaSpace)
KOKKOS_STAND_IN_MEMORY(CudaUVMSpace)
KOKKOS_STAND_IN_MEMORY(CudaHostPinnedSpace)
#undef KOKKOS_STAND_IN_MEMORY

// ---------------------------------------------------------------- an instance

namespace Impl {

int CudaInternal::m_cudaArch = -1;
HostSharedPtr<CudaInternal> CudaInternal::default_instance;
cudaDeviceProp CudaInternal::m_deviceProp;
std::set<int> CudaInternal::cuda_devices = {};
std::map<int, unsigned long*> CudaInternal::constantMemHostStagingPerDevice = {};
std::map<int, cudaEvent_t> CudaInternal::constantMemReusablePerDevice = {};
std::map<int, std::mutex> CudaInternal::constantMemMutexPerDevice = {};

int CudaInternal::concurrency() {
  return m_deviceProp.maxThreadsPerMultiProcessor * m_deviceProp.multiProcessorCount;
}

CudaInternal::CudaInternal(cudaStream_t stream) : m_stream(stream) {
  checked(cudaGetDevice(&m_cudaDev), "cudaGetDevice");
  m_num_scratch_locks = static_cast<std::size_t>(concurrency());
  const std::size_t bytes = sizeof(int32_t) * m_num_scratch_locks;
  checked(cudaMalloc(reinterpret_cast<void**>(&m_scratch_locks), bytes), "cudaMalloc of locks");
  checked(cudaMemsetAsync(m_scratch_locks, 0, bytes, m_stream), "cudaMemsetAsync of locks");
}

CudaInternal::~CudaInternal() {
  fence("Kokkos::Cuda: an instance ends");
  for (void* const memory : m_team_scratch_ptr) (void)cudaFree(memory);
  for (void* const memory :
       {static_cast<void*>(m_scratchSpace), static_cast<void*>(m_scratchFlags),
        static_cast<void*>(m_scratchFunctor), static_cast<void*>(m_scratch_locks)}) {
    (void)cudaFree(memory);
  }
  (void)cudaFreeHost(m_scratchUnified);
}

int CudaInternal::verify_is_initialized(const char* const label) const {
  if (m_cudaDev < 0) abort((std::string("Kokkos::Cuda::") + label + ": not initialized").c_str());
  return 1;
}

void CudaInternal::print_configuration(std::ostream& out) const {
  out << "Cuda, on " << m_deviceProp.name << ", capability " << m_deviceProp.major << "."
      << m_deviceProp.minor << ", by a stand-in for Kokkos' CUDA\n";
}

void CudaInternal::fence(const std::string& name) const {
  Tools::Experimental::Impl::profile_fence_event<Cuda>(
      name, DirectFenceIDHandle{impl_get_instance_id()},
      [&] { checked(cudaStreamSynchronize(m_stream), "cudaStreamSynchronize"); });
}
void CudaInternal::fence() const { fence("Kokkos::CudaInternal::fence(): Unnamed Instance Fence"); }

uint32_t CudaInternal::impl_get_instance_id() const { return m_instance_id; }

namespace {

/// Makes memory have at least a number of bytes. Its contents are lost.
template <class Allocate, class Free>
CudaInternal::size_type* grown(const CudaInternal& instance, CudaInternal::size_type*& memory,
                               std::size_t& held, std::size_t bytes, const Allocate& allocate,
                               const Free& free) {
  if (held >= bytes) return memory;
  instance.fence("Kokkos::Cuda: scratch grows");
  checked(free(memory), "free of scratch");
  memory = nullptr;
  held = 0;
  checked(allocate(reinterpret_cast<void**>(&memory), bytes), "allocation of scratch");
  held = bytes;
  return memory;
}

cudaError_t on_device(void** memory, std::size_t bytes) { return cudaMalloc(memory, bytes); }

}  // namespace

CudaInternal::size_type* CudaInternal::scratch_space(std::size_t size) const {
  return grown(*this, m_scratchSpace, m_scratchSpaceCount, size, on_device, cudaFree);
}
CudaInternal::size_type* CudaInternal::scratch_functor(std::size_t size) const {
  return grown(*this, m_scratchFunctor, m_scratchFunctorSize, size, on_device, cudaFree);
}
CudaInternal::size_type* CudaInternal::scratch_unified(std::size_t size) const {
  return grown(
      *this, m_scratchUnified, m_scratchUnifiedCount, size,
      [](void** memory, std::size_t bytes) {
        return cudaHostAlloc(memory, bytes, cudaHostAllocDefault);
      },
      cudaFreeHost);
}
/// Flags are 0 before a launch: each kernel that uses them puts them back.
CudaInternal::size_type* CudaInternal::scratch_flags(std::size_t size) const {
  const std::size_t held = m_scratchFlagsCount;
  grown(*this, m_scratchFlags, m_scratchFlagsCount, size, on_device, cudaFree);
  if (m_scratchFlagsCount != held) {
    checked(cudaMemsetAsync(m_scratchFlags, 0, m_scratchFlagsCount, m_stream), "cudaMemsetAsync");
  }
  return m_scratchFlags;
}

int CudaInternal::acquire_team_scratch_space() {
  for (int i = 0;; i = (i + 1) % m_n_team_scratch) {
    int is_free = 0;
    if (m_team_scratch_pool[i].compare_exchange_weak(is_free, 1)) return i;
  }
}
void* CudaInternal::resize_team_scratch_space(int pool, std::int64_t bytes, bool force_shrink) {
  const std::int64_t held = m_team_scratch_current_size[pool];
  if (bytes > held || (bytes < held && force_shrink)) {
    fence("Kokkos::Cuda: scratch of teams");
    checked(cudaFree(m_team_scratch_ptr[pool]), "cudaFree of scratch of teams");
    m_team_scratch_ptr[pool] = nullptr;
    checked(cudaMalloc(&m_team_scratch_ptr[pool], static_cast<std::size_t>(bytes)),
            "cudaMalloc of scratch of teams");
    m_team_scratch_current_size[pool] = bytes;
  }
  return m_team_scratch_ptr[pool];
}
void CudaInternal::release_team_scratch_space(int pool) { m_team_scratch_pool[pool] = 0; }

CudaSpace::size_type* cuda_internal_scratch_flags(const Cuda& exec, std::size_t size) {
  return exec.impl_internal_space_instance()->scratch_flags(size);
}
CudaSpace::size_type* cuda_internal_scratch_space(const Cuda& exec, std::size_t size) {
  return exec.impl_internal_space_instance()->scratch_space(size);
}
CudaSpace::size_type* cuda_internal_scratch_unified(const Cuda& exec, std::size_t size) {
  return exec.impl_internal_space_instance()->scratch_unified(size);
}

Kokkos::View<uint32_t*, CudaSpace> cuda_global_unique_token_locks(bool deallocate) {
  static Kokkos::View<uint32_t*, CudaSpace> locks;
  if (deallocate) {
    locks = {};
  } else if (locks.extent(0) == 0) {
    locks = Kokkos::View<uint32_t*, CudaSpace>("Kokkos::UniqueToken::locks", Cuda().concurrency());
  }
  return locks;
}

// ---------------------------------------------------------------- errors, fences, copies

void cuda_device_synchronize(const std::string& name) {
  Tools::Experimental::Impl::profile_fence_event<Cuda>(
      name, SpecialSynchronizationCases::GlobalDeviceSynchronization,
      [] { checked(cudaDeviceSynchronize(), "cudaDeviceSynchronize"); });
}
void cuda_stream_synchronize(const cudaStream_t stream, const std::string& name) {
  Tools::Experimental::Impl::profile_fence_event<Cuda>(
      name, SpecialSynchronizationCases::DeepCopyResourceSynchronization,
      [&] { checked(cudaStreamSynchronize(stream), "cudaStreamSynchronize"); });
}

static std::string text_of(cudaError error, const char* name, const char* file, int line) {
  std::string text =
      std::string(name) + " error( " + cudaGetErrorName(error) + "): " + cudaGetErrorString(error);
  if (file != nullptr) text += std::string(" ") + file + ":" + std::to_string(line);
  return text;
}
void cuda_internal_error_throw(cudaError error, const char* name, const char* file, int line) {
  throw std::runtime_error(text_of(error, name, file, line));
}
void cuda_internal_error_abort(cudaError error, const char* name, const char* file, int line) {
  std::fprintf(stderr, "%s\n", text_of(error, name, file, line).c_str());
  std::abort();
}

cudaStream_t cuda_get_deep_copy_stream() {
  if (copying_stream == nullptr) checked(cudaStreamCreate(&copying_stream), "cudaStreamCreate");
  return copying_stream;
}
void DeepCopyCuda(void* to, const void* from, std::size_t bytes) {
  checked(cudaMemcpy(to, from, bytes, cudaMemcpyDefault), "cudaMemcpy");
}
void DeepCopyAsyncCuda(const Cuda& exec, void* to, const void* from, std::size_t bytes) {
  checked(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, exec.cuda_stream()),
          "cudaMemcpyAsync");
}
void DeepCopyAsyncCuda(void* to, const void* from, std::size_t bytes) {
  checked(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, cuda_get_deep_copy_stream()),
          "cudaMemcpyAsync");
  cuda_stream_synchronize(
      cuda_get_deep_copy_stream(),
      "Kokkos::Impl::DeepCopyAsyncCuda: Post Deep Copy Fence on Deep-Copy stream");
}

}  // namespace Impl

// ---------------------------------------------------------------- the space

Cuda::Cuda() : m_space_instance(Impl::CudaInternal::default_instance) {
  Impl::check_execution_space_constructor_precondition(name());
}
Cuda::Cuda(cudaStream_t stream, Impl::ManageStream manage)
    : m_space_instance(new Impl::CudaInternal(stream), [manage](Impl::CudaInternal* instance) {
        const cudaStream_t own = instance->m_stream;
        delete instance;
        if (manage == Impl::ManageStream::yes) checked(cudaStreamDestroy(own), "cudaStreamDestroy");
      }) {
  Impl::check_execution_space_constructor_precondition(name());
}

void Cuda::impl_initialize(const InitializationSettings& settings) {
  const int device = settings.has_device_id() ? settings.get_device_id() : 0;
  checked(cudaSetDevice(device), "cudaSetDevice");
  checked(cudaGetDeviceProperties(&CudaInternal::m_deviceProp, device), "cudaGetDeviceProperties");
  CudaInternal::m_cudaArch =
      100 * CudaInternal::m_deviceProp.major + 10 * CudaInternal::m_deviceProp.minor;
  CudaInternal::cuda_devices.insert(device);
  desul::Impl::init_lock_arrays_cuda();
  checked(cudaHostAlloc(
              reinterpret_cast<void**>(&CudaInternal::constantMemHostStagingPerDevice[device]),
              Impl::CudaTraits::ConstantMemoryUsage, cudaHostAllocDefault),
          "cudaHostAlloc of constants");
  checked(cudaEventCreate(&CudaInternal::constantMemReusablePerDevice[device]), "cudaEventCreate");
  cudaStream_t stream = nullptr;
  checked(cudaStreamCreate(&stream), "cudaStreamCreate");
  CudaInternal::default_instance =
      Impl::HostSharedPtr(new CudaInternal(stream), [](CudaInternal* one) {
        const cudaStream_t own = one->m_stream;
        delete one;
        checked(cudaStreamDestroy(own), "cudaStreamDestroy");
      });
}

void Cuda::impl_finalize() {
  (void)Impl::cuda_global_unique_token_locks(true);
  desul::Impl::finalize_lock_arrays_cuda();
  for (auto& [device, memory] : CudaInternal::constantMemHostStagingPerDevice) {
    checked(cudaFreeHost(memory), "cudaFreeHost");
    checked(cudaEventDestroy(CudaInternal::constantMemReusablePerDevice[device]),
            "cudaEventDestroy");
  }
  CudaInternal::constantMemHostStagingPerDevice.clear();
  CudaInternal::constantMemReusablePerDevice.clear();
  if (copying_stream != nullptr) checked(cudaStreamDestroy(copying_stream), "cudaStreamDestroy");
  copying_stream = nullptr;
  CudaInternal::default_instance = nullptr;
}

void Cuda::impl_static_fence(const std::string& name) { Impl::cuda_device_synchronize(name); }
void Cuda::fence(const std::string& name) const { m_space_instance->fence(name); }
int Cuda::concurrency() const { return Impl::CudaInternal::concurrency(); }
void Cuda::print_configuration(std::ostream& out, bool) const {
  m_space_instance->print_configuration(out);
}
cudaStream_t Cuda::cuda_stream() const { return m_space_instance->m_stream; }
int Cuda::cuda_device() const { return m_space_instance->m_cudaDev; }
const cudaDeviceProp& Cuda::cuda_device_prop() const { return CudaInternal::m_deviceProp; }
const char* Cuda::name() { return "Cuda"; }
uint32_t Cuda::impl_instance_id() const noexcept {
  return m_space_instance->impl_get_instance_id();
}

}  // namespace Kokkos

KOKKOS_IMPL_HOST_INACCESSIBLE_SHARED_ALLOCATION_RECORD_EXPLICIT_INSTANTIATION(Kokkos::CudaSpace);
KOKKOS_IMPL_SHARED_ALLOCATION_RECORD_EXPLICIT_INSTANTIATION(Kokkos::CudaUVMSpace);
KOKKOS_IMPL_SHARED_ALLOCATION_RECORD_EXPLICIT_INSTANTIATION(Kokkos::CudaHostPinnedSpace);
