// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Sources and sinks in host memory, and defaults for user-defined sources and sinks.
#include "index/channel_map.hpp"
#include "streams/boxes.hpp"
#include "types/number_text.hpp"

#include <synelix/types/stream.hpp>

#include <cstring>
#include <string>

namespace synelix {
namespace {

/// Copies values of `size` bytes each, of any type.
template <std::int64_t size>
void gather(const Strided& from, int sample_axis, Range samples, Range channels, void* to) {
  const index::ChannelMap map = index::channel_map(from, sample_axis);
  const auto* data = static_cast<const std::byte*>(from.data);
  const std::int64_t stride = from.strides[static_cast<std::size_t>(sample_axis)] * size;
  auto* out = static_cast<std::byte*>(to);
  const std::int64_t width = channels.size() * size;
  for (std::int64_t c = channels.begin; c < channels.end; ++c, out += size) {
    const std::byte* column = data + map.offset(c) * size;
    for (std::int64_t t = samples.begin; t < samples.end; ++t) {
      std::memcpy(out + (t - samples.begin) * width, column + t * stride, size);
    }
  }
}

template <std::int64_t size>
void scatter(const void* from, const Block& block, const StridedOutput& to) {
  const index::ChannelMap map = index::channel_map(to, 0, 1);
  auto* data = static_cast<std::byte*>(to.data);
  const std::int64_t basis_stride = to.strides[static_cast<std::size_t>(to.rank - 1)] * size;
  const auto* in = static_cast<const std::byte*>(from);
  for (std::int64_t r = block.rows.begin; r < block.rows.end; ++r) {
    for (std::int64_t c = block.channels.begin; c < block.channels.end; ++c) {
      std::byte* out = data + (r * to.strides[0] + map.offset(c)) * size;
      for (std::int64_t b = block.bases.begin; b < block.bases.end; ++b, in += size) {
        std::memcpy(out + b * basis_stride, in, size);
      }
    }
  }
}

}  // namespace

std::vector<std::int64_t> Source::channel_extents() const { return {shape().channels}; }
std::int64_t Source::own_bytes(std::int64_t, std::int64_t, std::int64_t) const { return 0; }
double Source::read_cost(std::int64_t, std::int64_t, std::int64_t) const { return 1.0; }
void Source::begin(std::int64_t, std::int64_t, std::int64_t) {}

BlockShape Sink::chunk(const FeaturesShape&, std::int64_t) const { return {}; }
std::int64_t Sink::own_bytes(const FeaturesShape&, const BlockShape&, const BlockShape&) const {
  return 0;
}

void MemorySource::read(Range samples, Range channels, void* buffer) {
  const Strided& data = m_series.data();
  const int axis = m_series.sample_axis();
  switch (size_of(data.type)) {
    case 1:
      return gather<1>(data, axis, samples, channels, buffer);
    case 2:
      return gather<2>(data, axis, samples, channels, buffer);
    case 4:
      return gather<4>(data, axis, samples, channels, buffer);
    default:
      return gather<8>(data, axis, samples, channels, buffer);
  }
}

std::vector<std::int64_t> MemorySource::channel_extents() const {
  std::vector<std::int64_t> extents;
  for (int i = 0; i < m_series.data().rank; ++i) {
    if (i != m_series.sample_axis()) {
      extents.push_back(m_series.data().extents[static_cast<std::size_t>(i)]);
    }
  }
  return extents;
}

void MemorySink::begin(const FeaturesDescription& description) {
  const FeaturesShape& shape = description.shape;
  if (m_features.type != shape.type) {
    const std::string wanted(name_of(shape.type));
    throw Error("MemorySink",
                "the array holds " + std::string(name_of(m_features.type)) +
                    ", but the filter bank makes " + wanted,
                "Give an array of " + wanted);
  }
  std::vector<std::int64_t> extents;
  extents.reserve(static_cast<std::size_t>(m_features.rank));
  for (int i = 0; i < m_features.rank; ++i) {
    extents.push_back(m_features.extents[static_cast<std::size_t>(i)]);
  }
  const std::vector<std::int64_t> flat = {shape.rows, shape.channels, shape.bases};
  if (extents != flat && extents != stream::features_extents(shape)) {
    throw Error("MemorySink",
                "the array has the extents " + extents_text(extents) +
                    ", which are not those of the features",
                "Give an array of extents " + extents_text(flat) + " or " +
                    extents_text(stream::features_extents(shape)));
  }
}

void MemorySink::write(const Block& block, const void* values) {
  if (size_of(m_features.type) == 4) {
    scatter<4>(values, block, m_features);
  } else {
    scatter<8>(values, block, m_features);
  }
}

}  // namespace synelix
