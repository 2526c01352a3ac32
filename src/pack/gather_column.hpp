// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "index/range.hpp"
#include "lanes/pack.hpp"
#include "pack/source.hpp"

#include <synelix/strided.hpp>

#include <cstdint>

/// \file
/// Gathers the samples of one channel by many threads: each thread gathers every `step`-th sample,
/// so that neighboring threads read neighboring samples.

namespace synelix::pack {

/// Contiguous samples of one channel: sample `first` + j at to[j].
template <class Scalar>
struct Column {
  Scalar* to;
  std::int64_t channel;
  std::int64_t first;  ///< sample at to[0]
  Range seen;          ///< samples that are read; others are 0
};

/// A sum of squares of at most this has moderate values: finite ones, below 1e15. Sums of some
/// millions of products of two such values do not overflow in any type.
template <class Scalar>
inline constexpr Scalar most_squares = Scalar(1e30);

/// Copies `count` values, `step` apart, that need no conversion. Returns whether all of them are
/// moderate.
/// `known_stride`: the stride, if it is known at compile time, so that the distance of addresses is
/// a constant; 0: any.
template <int step, int known_stride, class StoredValue, class Scalar>
SYNELIX_INLINE bool copy_column(const StoredValue* from, std::int64_t stride, Scalar* to,
                                int count) {
  constexpr int some = 4;
  const std::int64_t from_step = step * (known_stride > 0 ? known_stride : stride);
  Scalar squares = 0;  // NaN or infinite if a value is
  int i = 0;
  for (; i + some <= count; i += some) {
    Scalar values[some];
    SYNELIX_UNROLL(4)
    for (int k = 0; k < some; ++k) values[k] = static_cast<Scalar>(from[k * from_step]);
    from += some * from_step;
    SYNELIX_UNROLL(4)
    for (int k = 0; k < some; ++k) {
      squares = lanes::multiply_add(lanes::DeviceThread{}, values[k], values[k], squares);
      to[std::int64_t{k} * step] = values[k];
    }
    to += some * step;
  }
  for (; i < count; ++i, from += from_step, to += step) {
    const auto value = static_cast<Scalar>(*from);
    squares = lanes::multiply_add(lanes::DeviceThread{}, value, value, squares);
    *to = value;
  }
  return squares <= most_squares<Scalar>;
}

/// Copies and converts a thread's share of values [begin, end) of a column, every `step`-th.
/// Returns whether all of them are moderate.
template <int step, class StoredValue, class Scalar>
SYNELIX_INLINE bool convert_column(const ArraySource& source, const Column<Scalar>& column,
                                   Range values, int thread) {
  const StoredValue* const from = static_cast<const StoredValue*>(source.data) +
                                  source.channels.offset(column.channel - source.first_channel) +
                                  (column.first - source.first_sample) * source.sample_stride;
  const Range seen{column.seen.begin - column.first, column.seen.end - column.first};
  if (!source.is_scaled()) {
    const auto end = static_cast<int>(values.end);
    const auto seen_begin = static_cast<int>(index::smaller(seen.begin, values.end));
    const auto seen_end = static_cast<int>(index::smaller(seen.end, values.end));
    int i = static_cast<int>(values.begin) + thread;
    for (; i < seen_begin; i += step) column.to[i] = 0;
    const int left = seen_end - i;
    const int count =
        left > 0 ? static_cast<int>((static_cast<unsigned>(left) + step - 1) / step) : 0;
    const StoredValue* const own = from + i * source.sample_stride;
    Scalar* const to = column.to + i;
    for (i += count * step; i < end; i += step) column.to[i] = 0;
    return source.sample_stride == 1 ? copy_column<step, 1>(own, 1, to, count)
                                     : copy_column<step, 0>(own, source.sample_stride, to, count);
  }
  const double scale =
      source.channel_scale != nullptr ? source.channel_scale[column.channel] : source.scale;
  const double offset =
      source.channel_offset != nullptr ? source.channel_offset[column.channel] : source.offset;
  bool are_moderate = true;
  for (std::int64_t j = values.begin + thread; j < values.end; j += step) {
    Scalar value = 0;
    if (seen.begin <= j && j < seen.end) {
      const StoredValue stored = from[j * source.sample_stride];
      value = static_cast<Scalar>(static_cast<double>(stored) * scale + offset);
    }
    are_moderate = are_moderate && value * value <= most_squares<Scalar>;
    column.to[j] = value;
  }
  return are_moderate;
}

/// The same from an array of any stored type.
template <int step, class Scalar>
SYNELIX_FUNCTION bool gather_column(const ArraySource& source, const Column<Scalar>& column,
                                    Range values, int thread) {
  switch (source.type) {
    case StoredType::float32:
      return convert_column<step, float>(source, column, values, thread);
    case StoredType::float64:
      return convert_column<step, double>(source, column, values, thread);
    case StoredType::int8:
      return convert_column<step, std::int8_t>(source, column, values, thread);
    case StoredType::uint8:
      return convert_column<step, std::uint8_t>(source, column, values, thread);
    case StoredType::int16:
      return convert_column<step, std::int16_t>(source, column, values, thread);
    case StoredType::uint16:
      return convert_column<step, std::uint16_t>(source, column, values, thread);
  }
  return true;
}

}  // namespace synelix::pack
