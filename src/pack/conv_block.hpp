// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "index/conv_axes.hpp"
#include "index/range.hpp"
#include "lanes/instruction_set.hpp"
#include "pack/matrix.hpp"
#include "pack/value.hpp"

#include <cstdint>

/// \file
/// Operands of convolution operators: the places of their values, and blocks of positions by
/// channels as physical values, with padding.

namespace synelix::pack {

/// An array (batch, channels, space) of stored values; value = stored * scale + offset, with
/// numbers for all channels or for each.
struct ConvSource {
  const void* data = nullptr;
  StoredType type = StoredType::float32;
  double scale = 1.0;
  double offset = 0.0;
  const double* channel_scale = nullptr;   ///< one for each channel; null: `scale` for each
  const double* channel_offset = nullptr;  ///< one for each channel; null: `offset` for each
  bool is_constant = false;  ///< whether every value is the offset, and there is no array
  std::int64_t batch_stride = 0;
  std::int64_t channel_stride = 0;
  std::int64_t space_strides[index::conv_dimensions] = {0, 0, 0};

  /// Whether stored values differ from the physical ones.
  [[nodiscard]] constexpr bool is_scaled() const {
    return scale != 1.0 || offset != 0.0 || channel_scale != nullptr || channel_offset != nullptr;
  }
};

/// Weights (group, channel, output channel, taps), or memory for them.
template <class Void>
struct ConvWeights {
  Void* data = nullptr;
  StoredType type = StoredType::float32;
  double scale = 1.0;
  double offset = 0.0;
  std::int64_t group_stride = 0;
  std::int64_t channel_stride = 0;
  std::int64_t output_channel_stride = 0;
  std::int64_t tap_strides[index::conv_dimensions] = {0, 0, 0};
};

/// Positions along one dimension: `first`, and then every `step`-th.
struct ConvSlots {
  std::int64_t first = 0;
  std::int64_t step = 1;
  std::int64_t count = 1;
  std::int64_t extent = 1;  ///< of the source
  index::PaddingMode padding_mode = index::PaddingMode::zero;
};

/// Positions by channels of one entry of the batch, and their destination: position after position,
/// `slot_step` values apart, with contiguous channels.
template <class Scalar>
struct ConvBlock {
  std::int64_t batch = 0;
  std::int64_t channel = 0;
  std::int64_t channels = 0;
  ConvSlots along[index::conv_dimensions];
  Scalar* to = nullptr;
  std::int64_t slot_step = 0;
};

/// Whether an array has unscaled values of the working type.
template <class Scalar>
constexpr bool is_plain(const ConvSource& source) {
  return source.type == stored_type<Scalar> && !source.is_scaled() && !source.is_constant;
}

/// One value of a channel. Its position is inside the source.
template <class Scalar>
SYNELIX_FUNCTION Scalar conv_value(const ConvSource& source, std::int64_t channel,
                                   std::int64_t place) {
  if (source.is_constant) return static_cast<Scalar>(source.offset);
  const double value = stored_value(source.data, source.type, place);
  if (!source.is_scaled()) return static_cast<Scalar>(value);
  const double scale =
      source.channel_scale != nullptr ? source.channel_scale[channel] : source.scale;
  const double offset =
      source.channel_offset != nullptr ? source.channel_offset[channel] : source.offset;
  return static_cast<Scalar>(value * scale + offset);
}

/// The same for weights.
template <class Scalar, class Void>
SYNELIX_FUNCTION Scalar weight_value(const ConvWeights<Void>& weights, std::int64_t place) {
  const double value = stored_value(weights.data, weights.type, place);
  if (weights.scale == 1.0 && weights.offset == 0.0) return static_cast<Scalar>(value);
  return static_cast<Scalar>(value * weights.scale + weights.offset);
}

/// Fills positions outside of the source.
template <class Scalar>
SYNELIX_FUNCTION void fill_slots(const ConvBlock<Scalar>& block, std::int64_t slot,
                                 std::int64_t count, Scalar value) {
  for (std::int64_t i = slot; i < slot + count; ++i) {
    Scalar* const to = block.to + i * block.slot_step;
    for (std::int64_t c = 0; c < block.channels; ++c) to[c] = value;
  }
}

/// The conversion of lines of a source to physical values.
struct GatherLines {
  template <class Scalar>
  SYNELIX_FUNCTION void operator()(const MatrixSource& lines, const void* data,
                                   const MatrixBlock<Scalar>& block) const {
    gather_block(lines, data, block);
  }
};

/// Positions of the last dimension, starting at slot number `slot` of the block.
template <class Scalar, class Gather>
SYNELIX_FUNCTION void gather_conv_line(const ConvSource& source, const ConvBlock<Scalar>& block,
                                       std::int64_t place, std::int64_t slot,
                                       const Gather& gather_lines) {
  const ConvSlots& along = block.along[2];
  const std::int64_t stride = source.space_strides[2];
  // Slots [begin, end) are inside the source; neighbors are `step` apart.
  const std::int64_t before = along.first < 0 ? index::ceil_divide(-along.first, along.step) : 0;
  const std::int64_t begin = index::smaller(before, along.count);
  const std::int64_t inside =
      along.first < along.extent ? (along.extent - 1 - along.first) / along.step + 1 : 0;
  const std::int64_t end = index::larger(begin, index::smaller(inside, along.count));
  MatrixSource lines;
  lines.data = source.data;
  lines.type = source.type;
  lines.row_stride = along.step * stride;
  lines.column_stride = source.channel_stride;
  lines.scale = source.scale;
  lines.offset = source.offset;
  if (source.channel_scale != nullptr) lines.column_scale = source.channel_scale + block.channel;
  if (source.channel_offset != nullptr) lines.column_offset = source.channel_offset + block.channel;
  const auto gather = [&](std::int64_t at, std::int64_t first, std::int64_t count) {
    gather_lines(
        lines, matrix_data(lines, place + at * stride),
        MatrixBlock<Scalar>{0, count, 0, block.channels,
                            block.to + (slot + first) * block.slot_step, block.slot_step, 1});
  };
  const auto gather_margin = [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) {
      const std::int64_t at =
          index::padded_position(along.first + i * along.step, along.extent, along.padding_mode);
      if (at < 0) {
        fill_slots(block, slot + i, 1, Scalar(0));
      } else {
        gather(at, i, 1);
      }
    }
  };
  gather_margin(0, begin);
  if (end > begin) gather(along.first + begin * along.step, begin, end - begin);
  gather_margin(end, along.count);
}

/// All positions of a block as physical values; `gather_lines` as in GatherLines.
template <class Scalar, class Gather = GatherLines>
SYNELIX_FUNCTION void gather_conv(const ConvSource& source, const ConvBlock<Scalar>& block,
                                  const Gather& gather_lines = {}) {
  const ConvSlots* const along = block.along;
  const std::int64_t line = along[2].count;
  if (source.is_constant) {
    return fill_slots(block, 0, along[0].count * along[1].count * line,
                      static_cast<Scalar>(source.offset));
  }
  const std::int64_t first =
      block.batch * source.batch_stride + block.channel * source.channel_stride;
  std::int64_t slot = 0;
  for (std::int64_t i = 0; i < along[0].count; ++i) {
    const std::int64_t plane = index::padded_position(along[0].first + i * along[0].step,
                                                      along[0].extent, along[0].padding_mode);
    for (std::int64_t k = 0; k < along[1].count; ++k, slot += line) {
      const std::int64_t row = index::padded_position(along[1].first + k * along[1].step,
                                                      along[1].extent, along[1].padding_mode);
      if (plane < 0 || row < 0) {
        fill_slots(block, slot, line, Scalar(0));
      } else {
        gather_conv_line(source, block,
                         first + plane * source.space_strides[0] + row * source.space_strides[1],
                         slot, gather_lines);
      }
    }
  }
}

}  // namespace synelix::pack
