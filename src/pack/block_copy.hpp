// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "index/channel_map.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

/// \file
/// Copies values of a block between an array of any layout and a dense buffer, on the host. Their
/// type does not matter, only their size.

namespace synelix::pack {

/// One side of a copy: the place of value (row, channel, basis) of a block, in values.
struct BlockSide {
  std::byte* data = nullptr;  ///< of row 0, channel 0 of the channel map, basis 0
  std::int64_t row_stride = 0;
  std::int64_t basis_stride = 0;
  index::ChannelMap channels = {};
  std::int64_t first_channel = 0;  ///< of the block, in the channel map
};

/// The strides of a dense buffer whose dimensions have the order of an array's. Values that are
/// neighbors in one are neighbors in the other, and copies are moves of full cache lines.
struct DenseStrides {
  std::int64_t row = 1;
  std::int64_t channel = 1;
  std::int64_t basis = 1;
};

constexpr DenseStrides dense_like(const BlockSide& array, std::int64_t rows, std::int64_t channels,
                                  std::int64_t bases) {
  constexpr auto magnitude = [](std::int64_t stride) { return stride < 0 ? -stride : stride; };
  DenseStrides dense;
  struct Dimension {
    std::int64_t far;
    std::int64_t extent;
    std::int64_t DenseStrides::* stride;
  };
  // If strides do not determine the order: bases fastest, then channels. A dimension of size one
  // also has its usual place, so it is not between two others.
  Dimension all[3] = {{magnitude(array.basis_stride), bases, &DenseStrides::basis},
                      {magnitude(array.channels.stride()), channels, &DenseStrides::channel},
                      {magnitude(array.row_stride), rows, &DenseStrides::row}};
  for (const int k : {0, 1, 0}) {
    if (all[k + 1].far < all[k].far) std::swap(all[k], all[k + 1]);
  }
  std::int64_t stride = 1;
  for (const Dimension& dimension : all) {
    dense.*dimension.stride = stride;
    stride *= dimension.extent;
  }
  return dense;
}

/// A dense buffer of that many channels as a side.
constexpr BlockSide side_of(std::byte* data, const DenseStrides& strides, std::int64_t channels) {
  BlockSide side{data, strides.row, strides.basis, {}, 0};
  side.channels.append(channels, strides.channel);
  return side;
}

/// A copy between two sides, as three loops with the fastest of the destination first. Dimensions
/// that are contiguous on both sides are merged.
class BlockCopy {
 public:
  BlockCopy(const BlockSide& to, const BlockSide& from, std::int64_t rows, std::int64_t channels,
            std::int64_t bases, std::int64_t value_bytes)
      : m_to(to.data), m_from(from.data), m_value_bytes(value_bytes) {
    const bool is_plain = to.channels.rank <= 1 && from.channels.rank <= 1;
    append(rows, to.row_stride, from.row_stride);
    append(bases, to.basis_stride, from.basis_stride);
    if (is_plain) {
      m_to += to.channels.offset(to.first_channel) * value_bytes;
      m_from += from.channels.offset(from.first_channel) * value_bytes;
      append(channels, to.channels.stride(), from.channels.stride());
    } else {  // channels one by one, outermost
      m_to_channels = to;
      m_from_channels = from;
      m_channels = channels;
    }
    if (m_rank == 0) m_dimensions[m_rank++] = {1, 1, 1};
    sort();
    merge();
  }

  /// The number of items that can run in parallel: the outermost loop.
  [[nodiscard]] std::int64_t items() const { return m_channels > 0 ? m_channels : outer().extent; }
  /// Number of values of one item.
  [[nodiscard]] std::int64_t values() const {
    std::int64_t values = 1;
    for (const Dimension& dimension : m_dimensions) values *= dimension.extent;
    return m_channels > 0 ? values : values / outer().extent;
  }

  /// Copies items [begin, end).
  void copy_items(std::int64_t begin, std::int64_t end) const {
    switch (m_value_bytes) {
      case 1:
        return run_sized<1>(begin, end);
      case 2:
        return run_sized<2>(begin, end);
      case 4:
        return run_sized<4>(begin, end);
      default:
        return run_sized<8>(begin, end);
    }
  }

 private:
  struct Dimension {
    std::int64_t extent = 1;
    std::int64_t to = 0;
    std::int64_t from = 0;
  };

  [[nodiscard]] const Dimension& outer() const { return m_dimensions[m_rank - 1]; }

  void append(std::int64_t extent, std::int64_t to, std::int64_t from) {
    if (extent == 1) return;
    m_dimensions[m_rank++] = {extent, to, from};
  }

  void sort() {
    const auto reach = [](const Dimension& dimension) {
      return (dimension.to < 0 ? -dimension.to : dimension.to) +
             (dimension.from < 0 ? -dimension.from : dimension.from);
    };
    for (const int k : {0, 1, 0}) {
      if (k + 1 < m_rank && reach(m_dimensions[k + 1]) < reach(m_dimensions[k])) {
        std::swap(m_dimensions[k], m_dimensions[k + 1]);
      }
    }
  }

  void merge() {
    int rank = 1;
    for (int k = 1; k < m_rank; ++k) {
      Dimension& inner = m_dimensions[rank - 1];
      const Dimension next = m_dimensions[k];
      if (next.to == inner.to * inner.extent && next.from == inner.from * inner.extent) {
        inner.extent *= next.extent;
      } else {
        m_dimensions[rank++] = next;
      }
    }
    for (int k = rank; k < m_rank; ++k) m_dimensions[k] = {};
    m_rank = rank;
  }

  template <std::int64_t size>
  static void copy_line(std::byte* to, const std::byte* from, const Dimension& line,
                        std::int64_t begin, std::int64_t end) {
    if (line.to == 1 && line.from == 1) {
      std::memcpy(to + begin * size, from + begin * size,
                  static_cast<std::size_t>((end - begin) * size));
      return;
    }
    for (std::int64_t i = begin; i < end; ++i) {
      std::memcpy(to + i * line.to * size, from + i * line.from * size, size);
    }
  }

  /// Copies values of three dimensions; of the outermost one only [begin, end).
  template <std::int64_t size>
  void copy_box(std::byte* to, const std::byte* from, std::int64_t begin, std::int64_t end) const {
    if (m_rank == 1) return copy_line<size>(to, from, m_dimensions[0], begin, end);
    const Dimension& line = m_dimensions[0];
    const Dimension& middle = m_dimensions[1];
    if (m_rank == 2) {
      for (std::int64_t i = begin; i < end; ++i) {
        copy_line<size>(to + i * middle.to * size, from + i * middle.from * size, line, 0,
                        line.extent);
      }
      return;
    }
    for (std::int64_t k = begin; k < end; ++k) {
      std::byte* const plane = to + k * m_dimensions[2].to * size;
      const std::byte* const other = from + k * m_dimensions[2].from * size;
      for (std::int64_t i = 0; i < middle.extent; ++i) {
        copy_line<size>(plane + i * middle.to * size, other + i * middle.from * size, line, 0,
                        line.extent);
      }
    }
  }

  template <std::int64_t size>
  void run_sized(std::int64_t begin, std::int64_t end) const {
    if (m_channels == 0) return copy_box<size>(m_to, m_from, begin, end);
    const auto offset = [](const BlockSide& side, std::int64_t c) {
      return side.channels.offset(side.first_channel + c) * size;
    };
    for (std::int64_t c = begin; c < end; ++c) {
      copy_box<size>(m_to + offset(m_to_channels, c), m_from + offset(m_from_channels, c), 0,
                     outer().extent);
    }
  }

  std::byte* m_to;
  const std::byte* m_from;
  std::int64_t m_value_bytes;
  Dimension m_dimensions[3];
  int m_rank = 0;
  BlockSide m_to_channels;
  BlockSide m_from_channels;
  std::int64_t m_channels = 0;  ///< if they are looked up one by one
};

}  // namespace synelix::pack
