// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/strided.hpp>

#include <cstdint>

/// \file
/// `ChannelMap`: the offset of channel c in an array. Channels are the dimensions other than the
/// sample axis (and the basis), flattened with the last index fastest. Dimensions that are
/// contiguous in memory are merged, so most arrays have one.

namespace synelix::index {

/// Offsets of flattened channels, in elements.
struct ChannelMap {
  int rank = 0;
  std::int64_t extents[max_rank] = {};
  std::int64_t strides[max_rank] = {};

  /// Adds a dimension, faster than the previous ones.
  constexpr void append(std::int64_t extent, std::int64_t stride) {
    if (extent == 1) return;
    if (rank > 0 && strides[rank - 1] == stride * extent) {
      extents[rank - 1] *= extent;
      strides[rank - 1] = stride;
      return;
    }
    extents[rank] = extent;
    strides[rank] = stride;
    ++rank;
  }

  /// Offset of channel c.
  [[nodiscard]] constexpr std::int64_t offset(std::int64_t c) const {
    std::int64_t sum = 0;
    for (int i = rank - 1; i > 0; --i) {
      sum += c % extents[i] * strides[i];
      c /= extents[i];
    }
    return rank > 0 ? sum + c * strides[0] : 0;
  }

  /// Number of channels from c on whose distance is `stride()`.
  [[nodiscard]] constexpr std::int64_t run_length(std::int64_t c) const {
    return rank > 0 ? extents[rank - 1] - c % extents[rank - 1] : 1;
  }

  /// Distance of the channels of a run.
  [[nodiscard]] constexpr std::int64_t stride() const { return rank > 0 ? strides[rank - 1] : 0; }
};

/// The channels of an array: all its dimensions except the sample axis and the last `trailing`
/// ones.
template <class Void>
constexpr ChannelMap channel_map(const BasicStrided<Void>& array, int sample_axis,
                                 int trailing = 0) {
  ChannelMap map;
  for (int i = 0; i < array.rank - trailing; ++i) {
    if (i == sample_axis) continue;
    map.append(array.extents[static_cast<std::size_t>(i)],
               array.strides[static_cast<std::size_t>(i)]);
  }
  return map;
}

}  // namespace synelix::index
