// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "large_pages.hpp"

#include <synelix/synelix.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

/// \file
/// Where benchmarks run and keep their arrays: the default space of Kokkos, and its memory. The
/// order of an array is the natural one of that space.

namespace synelix::perf {

using Exec = Kokkos::DefaultExecutionSpace;

/// Whether Exec is a device, including one that shares its memory with the host.
inline constexpr bool on_device = !seam::is_on_host<Exec>;

/// Whether `convolve` accepts arrays that only the other side of a bus can access.
template <class Options>
concept Stages = requires(const Options& options) { options.staging; };
inline constexpr bool takes_host_arguments = !on_device || Stages<ConvolveOptions>;

/// An array in memory of Exec, and the host's copy of it: on a host the same memory, on a device a
/// copy that is transferred on request. Initialized with zeros.
template <class T>
class ExecArray {
 public:
  explicit ExecArray(std::size_t count) : ExecArray(LargeArray<T>(count)) {}
  /// With the host's values.
  explicit ExecArray(LargeArray<T> values) : m_host(std::move(values)) {
    if constexpr (on_device) {
      m_device = Device(Kokkos::view_alloc(Kokkos::WithoutInitializing, "synelix::perf::array"),
                        std::max<std::size_t>(1, size()));
      to_exec();
    }
  }

  /// The address for kernels.
  [[nodiscard]] T* data() const {
    if constexpr (on_device) return m_device.data();
    return m_host.data();
  }
  [[nodiscard]] std::size_t size() const { return m_host.size(); }
  /// The host's copy.
  [[nodiscard]] T* host() const { return m_host.data(); }
  [[nodiscard]] T& operator[](std::size_t i) const { return m_host[i]; }

  void to_exec() const {
    if constexpr (on_device) Kokkos::deep_copy(part_of_device(), picture());
  }
  void to_host() const {
    if constexpr (on_device) Kokkos::deep_copy(picture(), part_of_device());
  }

 private:
  using Device = Kokkos::View<T*, Exec::memory_space>;
  [[nodiscard]] auto picture() const {
    return Kokkos::View<T*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(m_host.data(), size());
  }
  [[nodiscard]] auto part_of_device() const {
    return Kokkos::View<T*, Exec::memory_space, Kokkos::MemoryUnmanaged>(m_device.data(), size());
  }

  LargeArray<T> m_host;
  Device m_device;  // empty on a host
};

/// The fastest index of features (samples, channels, bases). For samples (samples, channels), the
/// channel is the fastest in the first order.
enum class Order { basis_fastest, sample_fastest };
inline constexpr Order natural_order = on_device ? Order::sample_fastest : Order::basis_fastest;
inline constexpr Order other_order = on_device ? Order::basis_fastest : Order::sample_fastest;

/// Extents of features, and the place of each value in one of the orders.
struct FeaturePlaces {
  std::int64_t samples = 0;
  std::int64_t channels = 0;
  std::int64_t bases = 0;
  Order order = natural_order;

  [[nodiscard]] std::int64_t count() const { return samples * channels * bases; }
  [[nodiscard]] std::int64_t operator()(std::int64_t t, std::int64_t c, std::int64_t b) const {
    return order == Order::sample_fastest ? t + samples * (c + channels * b)
                                          : (t * channels + c) * bases + b;
  }
  template <class Scalar>
  [[nodiscard]] StridedOutput output(Scalar* features) const {
    if (order == Order::sample_fastest) {
      return {features, {samples, channels, bases}, {1, samples, samples * channels}};
    }
    return {features, {samples, channels, bases}};
  }
};

/// Extents of samples, and the place of each value.
struct SamplePlaces {
  std::int64_t samples = 0;
  std::int64_t channels = 0;
  Order order = natural_order;

  [[nodiscard]] std::int64_t count() const { return samples * channels; }
  [[nodiscard]] std::int64_t operator()(std::int64_t t, std::int64_t c) const {
    return order == Order::sample_fastest ? t + samples * c : t * channels + c;
  }
  template <class Stored>
  [[nodiscard]] Strided input(const Stored* x) const {
    if (order == Order::sample_fastest) return {x, {samples, channels}, {1, samples}};
    return {x, {samples, channels}};
  }
};

}  // namespace synelix::perf
