// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "convolve/sweep/problem.hpp"
#include "index/channel_map.hpp"
#include "launch/plan_memory.hpp"

#include <synelix/types/series.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

/// \file
/// The scaling of a series in the memory of the kernels. It turns an array into a source.

namespace synelix::plan {

/// Events of the entire recording as a source.
inline pack::EventSource source_of(const Events& events) {
  return {events.begins(), events.sample_indices(), events.counts()};
}

/// Converts stored to physical values, in the memory of the kernels. On a host it refers to the
/// list of the scaling, which must outlive it: no plan stores the numbers of each channel twice.
template <class MemorySpace>
class SampleScaling {
 public:
  SampleScaling() = default;
  explicit SampleScaling(const Scaling& scaling)
      : m_scale(scaling.scale), m_offset(scaling.offset) {
    m_channel_scale = reached("synelix::convolve::channel_scale", scaling.channel_scale, m_scales);
    m_channel_offset =
        reached("synelix::convolve::channel_offset", scaling.channel_offset, m_offsets);
  }

  /// A source for an array that starts at the given sample and channel.
  [[nodiscard]] pack::ArraySource source_of(const Strided& data, int sample_axis,
                                            std::int64_t first_sample,
                                            std::int64_t first_channel) const {
    pack::ArraySource source;
    source.data = data.data;
    source.type = data.type;
    source.first_sample = first_sample;
    source.sample_stride = data.strides[static_cast<std::size_t>(sample_axis)];
    source.first_channel = first_channel;
    source.channels = index::channel_map(data, sample_axis);
    source.scale = m_scale;
    source.offset = m_offset;
    source.channel_scale = m_channel_scale;
    source.channel_offset = m_channel_offset;
    return source;
  }

 private:
  using Table = OwnedMemory<double, MemorySpace>;

  static const double* reached(const char* label, const std::vector<double>& numbers, Table& copy) {
    if (numbers.empty()) return nullptr;
    if constexpr (std::is_same_v<MemorySpace, Kokkos::HostSpace>) {
      return numbers.data();
    } else {
      copy = Table(label, numbers);
      return copy.data();
    }
  }

  double m_scale = 1.0;
  double m_offset = 0.0;
  const double* m_channel_scale = nullptr;
  const double* m_channel_offset = nullptr;
  Table m_scales;  ///< on a device
  Table m_offsets;
};

}  // namespace synelix::plan
