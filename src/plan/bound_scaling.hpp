// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "index/channel_map.hpp"
#include "sweep/problem.hpp"

#include <synelix/series.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

/// \file
/// Tables on the device, and the scaling of a series there: what makes a source of an array.

namespace synelix::plan {

/// A View on the device with the values of a vector.
template <class View, class Value>
View upload(const char* label, const std::vector<Value>& values) {
  View device(Kokkos::view_alloc(Kokkos::WithoutInitializing, std::string(label)), values.size());
  const auto host = Kokkos::create_mirror_view(device);
  std::copy(values.begin(), values.end(), host.data());
  if (host.data() != device.data()) Kokkos::deep_copy(device, host);
  return device;
}

/// From stored to physical values, on the device.
template <class MemorySpace>
class BoundScaling {
 public:
  BoundScaling() = default;
  explicit BoundScaling(const Scaling& scaling) : m_scale(scaling.scale), m_offset(scaling.offset) {
    using Table = Kokkos::View<double*, MemorySpace>;
    if (!scaling.channel_scale.empty()) {
      m_channel_scale = upload<Table>("synelix::convolve::channel_scale", scaling.channel_scale);
    }
    if (!scaling.channel_offset.empty()) {
      m_channel_offset = upload<Table>("synelix::convolve::channel_offset", scaling.channel_offset);
    }
  }

  /// An array whose first sample and channel are the given ones, as a source.
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
    source.channel_scale = m_channel_scale.data();
    source.channel_offset = m_channel_offset.data();
    return source;
  }

 private:
  double m_scale = 1.0;
  double m_offset = 0.0;
  Kokkos::View<double*, MemorySpace> m_channel_scale;
  Kokkos::View<double*, MemorySpace> m_channel_offset;
};

}  // namespace synelix::plan
