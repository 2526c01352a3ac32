// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/convolve.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

/// \file
/// A block in flight: an instance, pinned buffers on the host, and as many bytes on the device.

namespace synelix::plan {

/// Bytes that are copied between a host and a device: the same number on both, in one piece, so
/// that a copy is one transfer of the bus that waits for nothing but its instance.
template <class ExecutionSpace>
class StagingBuffer {
 public:
  StagingBuffer() = default;
  /// None where there are no bytes.
  StagingBuffer(const ExecutionSpace& exec, const char* host_label, const char* label,
                std::int64_t bytes) {
    if (bytes == 0) return;
    const auto size = static_cast<std::size_t>(bytes);
    m_host = Host(Kokkos::view_alloc(Kokkos::WithoutInitializing, std::string(host_label)), size);
    m_device =
        Device(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, std::string(label)), size);
  }

  [[nodiscard]] std::byte* host() const { return m_host.data(); }
  [[nodiscard]] std::byte* device() const { return m_device.data(); }

  /// The first so many bytes, in the order of the instance.
  void to_device(const ExecutionSpace& instance, std::int64_t bytes) const {
    if (bytes > 0) Kokkos::deep_copy(instance, first(m_device, bytes), first(m_host, bytes));
  }
  void to_host(const ExecutionSpace& instance, std::int64_t bytes) const {
    if (bytes > 0) Kokkos::deep_copy(instance, first(m_host, bytes), first(m_device, bytes));
  }

 private:
  using Host = Kokkos::View<std::byte*, Kokkos::SharedHostPinnedSpace>;
  using Device = Kokkos::View<std::byte*, typename ExecutionSpace::memory_space>;

  template <class View>
  static View first(const View& bytes, std::int64_t count) {
    return Kokkos::subview(bytes, std::pair(std::size_t{0}, static_cast<std::size_t>(count)));
  }

  Host m_host;
  Device m_device;
};

/// Everything of a slot happens on its own instance: samples in, kernel, features out. So that
/// order needs no fence, and what other slots do runs meanwhile. (An instance for each of the
/// three steps would need the host between them: Kokkos has no other way for one instance to
/// wait for another.)
template <class ExecutionSpace>
struct Slot {
  ExecutionSpace instance;
  StagingBuffer<ExecutionSpace> input;
  StagingBuffer<ExecutionSpace> features;
  Kokkos::View<std::byte*, typename ExecutionSpace::memory_space> own_workspace;
  Kokkos::View<std::byte*, typename ExecutionSpace::memory_space, Kokkos::MemoryUnmanaged>
      workspace;
  Block block = {};
  bool is_in_flight = false;
};

}  // namespace synelix::plan
