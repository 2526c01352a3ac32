// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "index/conv_axes.hpp"
#include "index/range.hpp"
#include "launch/matrix_panels.hpp"
#include "operators/problem/conv_window_boxes.hpp"
#include "operators/sweep/conv_positions.hpp"
#include "pack/conv_block.hpp"
#include "tile/table.hpp"

#include <Kokkos_Core.hpp>

#include <cstdint>

/// \file
/// Lines of one channel of a source, for tiles whose lanes are positions of a line. They are read
/// in place, or converted to physical values in memory of the team. The copy has the same layout
/// without margins, so that neighboring lines form one long row.

namespace synelix::sweep {

/// The samples in the windows of a box in a channel. Its dimension 2 has steps of one position.
template <class Scalar>
struct ConvPlaneLines {
  const index::ConvAxis* axes;
  const index::ConvPass* pass;
  const Scalar* data;  ///< in place: the channel of the entry; otherwise its first gathered line
  bool is_in_place;
  std::int64_t plane;     ///< values from one plane to the next; otherwise from one slot to the
                          ///< next
  std::int64_t line;      ///< the same for lines
  std::int64_t column;    ///< not in place: the first source position of gathered lines
  std::int64_t begin[2];  ///< not in place: the first position of the box along dimensions 0 and 1

  /// The lines for position i and tap k. Null: they are outside.
  [[nodiscard]] KOKKOS_INLINE_FUNCTION const Scalar* plane_at(std::int64_t i,
                                                              std::int64_t k) const {
    const std::int64_t from = axes[0].padded_source_of(pass[0], i, k);
    if (from < 0) return nullptr;
    if (is_in_place) return data + from * plane;
    const std::int64_t slot = ((i - begin[0]) * axes[0].step + k * axes[0].spacing) / axes[0].gcd;
    return data + slot * plane - column;
  }
  /// The address of position 0 of the line for position j and tap l; it may itself be outside of
  /// the line. Null: the line is outside. Taps are one position apart.
  [[nodiscard]] KOKKOS_INLINE_FUNCTION const Scalar* line_at(const Scalar* of_plane, std::int64_t j,
                                                             std::int64_t l) const {
    const std::int64_t from = axes[1].padded_source_of(pass[1], j, l);
    if (of_plane == nullptr || from < 0) return nullptr;
    return of_plane + (is_in_place ? from : j - begin[1] + l) * line;
  }
  /// Values from a line to the line of the next position, if no border is between them.
  [[nodiscard]] KOKKOS_INLINE_FUNCTION std::int64_t step() const {
    return is_in_place ? axes[1].step * line : line;
  }
};

/// Lines in place. `source` has the channel's values of the entry.
template <class Scalar>
KOKKOS_INLINE_FUNCTION ConvPlaneLines<Scalar> lines_in_place(const index::ConvAxis* axes,
                                                             const index::ConvPass* pass,
                                                             const pack::ConvSource& source,
                                                             std::int64_t batch,
                                                             std::int64_t channel) {
  const Scalar* const data = static_cast<const Scalar*>(source.data) + batch * source.batch_stride +
                             channel * source.channel_stride;
  return {axes, pass, data, true, source.space_strides[0], source.space_strides[1], 0, {0, 0}};
}

/// The values of one channel of the entry: rows are consecutive lines, with `row` lines each.
SYNELIX_FUNCTION inline pack::MatrixSource channel_lines(const pack::ConvSource& source,
                                                         std::int64_t channel,
                                                         std::int64_t row_stride) {
  pack::MatrixSource lines;
  lines.data = source.data;
  lines.type = source.type;
  lines.row_stride = row_stride;
  lines.column_stride = source.space_strides[index::conv_dimensions - 1];
  lines.scale = source.channel_scale != nullptr ? source.channel_scale[channel] : source.scale;
  lines.offset = source.channel_offset != nullptr ? source.channel_offset[channel] : source.offset;
  return lines;
}

/// The samples in the windows of a box in a channel, as physical values at `to`: slots of lines by
/// the positions of a line inside the source. Lines outside of it are not written.
template <class Scalar>
KOKKOS_FUNCTION ConvPlaneLines<Scalar> gather_lines(const tile::TileTable<Scalar>& table,
                                                    const index::ConvAxis* axes,
                                                    const index::ConvPass* pass,
                                                    const pack::ConvSource& source,
                                                    std::int64_t batch, std::int64_t channel,
                                                    const ConvBox& box, Scalar* to) {
  const Range columns =
      index::common({axes[2].source_of(pass[2], box.along[2].begin, 0),
                     axes[2].source_of(pass[2], box.along[2].end, pass[2].taps - 1)},
                    {0, axes[2].sources});
  const std::int64_t slots = axes[1].slots(box.along[1].size(), pass[1].taps);
  const std::int64_t* const strides = source.space_strides;
  const auto lines = channel_lines(source, channel, axes[1].gcd * strides[1]);
  const auto place_of = [&](int d, std::int64_t slot) {
    const std::int64_t at = axes[d].source_of(pass[d], box.along[d].begin, 0) + slot * axes[d].gcd;
    return index::padded_position(at, axes[d].sources, axes[d].padding_mode);
  };
  Scalar* plane_to = to;
  for (std::int64_t i = 0; i < axes[0].slots(box.along[0].size(), pass[0].taps); ++i) {
    const std::int64_t plane = place_of(0, i);
    for (std::int64_t j = 0; j < slots;) {
      const std::int64_t line = place_of(1, j);
      std::int64_t count = 1;  // of neighbors
      while (line >= 0 && j + count < slots &&
             place_of(1, j + count) == line + count * axes[1].gcd) {
        ++count;
      }
      if (plane >= 0 && line >= 0) {
        const std::int64_t first = batch * source.batch_stride + channel * source.channel_stride +
                                   plane * strides[0] + line * strides[1] +
                                   columns.begin * strides[2];
        gather(table, lines, pack::matrix_data(lines, first),
               pack::MatrixBlock<Scalar>{0, count, 0, columns.size(), plane_to + j * columns.size(),
                                         columns.size(), 1});
      }
      j += count;
    }
    plane_to += slots * columns.size();
  }
  return {axes,
          pass,
          to,
          false,
          slots * columns.size(),
          columns.size(),
          columns.begin,
          {box.along[0].begin, box.along[1].begin}};
}

/// The single positions of a box of a channel, as physical values at `to`.
template <class Scalar>
KOKKOS_FUNCTION void gather_positions(const tile::TileTable<Scalar>& table,
                                      const pack::ConvSource& source, std::int64_t batch,
                                      std::int64_t channel, const ConvBox& box, Scalar* to) {
  const auto lines = channel_lines(source, channel, source.space_strides[1]);
  const std::int64_t rows = box.along[1].size();
  const std::int64_t columns = box.along[2].size();
  for (std::int64_t i = box.along[0].begin; i < box.along[0].end; ++i, to += rows * columns) {
    const std::int64_t first = batch * source.batch_stride + channel * source.channel_stride +
                               space_offset(source, i, box.along[1].begin, box.along[2].begin);
    gather(table, lines, pack::matrix_data(lines, first),
           pack::MatrixBlock<Scalar>{0, rows, 0, columns, to, columns, 1});
  }
}

}  // namespace synelix::sweep
