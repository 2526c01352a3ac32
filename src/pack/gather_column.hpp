// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "lanes/pack.hpp"
#include "pack/source.hpp"

#include <synelix/strided.hpp>

#include <cstdint>

/// \file
/// Gathers the samples of one channel as one thread of many does: every `step`-th of them, so that
/// neighbouring threads read neighbouring samples.

namespace synelix::pack {

/// Samples of one channel side by side: sample `first` + j at to[j].
template <class Scalar>
struct Column {
  Scalar* to;
  std::int64_t channel;
  std::int64_t first;  ///< sample at to[0]
  Range seen;          ///< samples that are read; others are 0
};

/// Copies `count` values, `step` apart, that are the physical ones. Returns whether all of them are
/// finite.
/// `known_stride`: what the stride is, so that addresses are a constant apart; 0: any.
template <int step, int known_stride, class StoredValue, class Scalar>
SYNELIX_INLINE bool copy_column(const StoredValue* from, std::int64_t stride, Scalar* to,
                                int count) {
  constexpr int some = 4;
  const std::int64_t from_step = step * (known_stride > 0 ? known_stride : stride);
  Scalar zero = 0;  // a finite value times 0 is 0; another is NaN, which the sum keeps
  int i = 0;
  for (; i + some <= count; i += some) {
    Scalar values[some];
    SYNELIX_UNROLL(4)
    for (int k = 0; k < some; ++k) values[k] = static_cast<Scalar>(from[k * from_step]);
    from += some * from_step;
    SYNELIX_UNROLL(4)
    for (int k = 0; k < some; ++k) {
      zero = lanes::multiply_add(lanes::DeviceThread{}, values[k], Scalar(0), zero);
      to[std::int64_t{k} * step] = values[k];
    }
    to += some * step;
  }
  for (; i < count; ++i, from += from_step, to += step) {
    const auto value = static_cast<Scalar>(*from);
    zero = lanes::multiply_add(lanes::DeviceThread{}, value, Scalar(0), zero);
    *to = value;
  }
  return zero == Scalar(0);
}

/// Copies and converts values [begin, end) of a column, every `step`-th. Returns whether all of
/// them are finite.
template <int step, class StoredValue, class Scalar>
SYNELIX_INLINE bool convert_column(const ArraySource& source, const Column<Scalar>& column,
                                   Range values) {
  const StoredValue* const from = static_cast<const StoredValue*>(source.data) +
                                  source.channels.offset(column.channel - source.first_channel) +
                                  (column.first - source.first_sample) * source.sample_stride;
  const Range seen{column.seen.begin - column.first, column.seen.end - column.first};
  if (!source.is_scaled()) {
    // Of this thread's values, those before the seen ones, and those before their end.
    const auto before = [values](std::int64_t end) {
      const std::int64_t ahead = (end < values.end ? end : values.end) - values.begin;
      return ahead > 0 ? static_cast<int>((static_cast<std::uint64_t>(ahead) + step - 1) / step)
                       : 0;
    };
    const int count = before(values.end);
    const int begin = before(seen.begin);
    const int end = before(seen.end > seen.begin ? seen.end : seen.begin);
    Scalar* const to = column.to + values.begin;
    for (int i = 0; i < begin; ++i) to[std::int64_t{i} * step] = 0;
    for (int i = end; i < count; ++i) to[std::int64_t{i} * step] = 0;
    const std::int64_t first = values.begin + std::int64_t{begin} * step;
    const StoredValue* const seen_from = from + first * source.sample_stride;
    Scalar* const seen_to = to + begin * step;
    return source.sample_stride == 1
               ? copy_column<step, 1>(seen_from, 1, seen_to, end - begin)
               : copy_column<step, 0>(seen_from, source.sample_stride, seen_to, end - begin);
  }
  const double scale =
      source.channel_scale != nullptr ? source.channel_scale[column.channel] : source.scale;
  const double offset =
      source.channel_offset != nullptr ? source.channel_offset[column.channel] : source.offset;
  bool is_finite = true;
  for (std::int64_t j = values.begin; j < values.end; j += step) {
    Scalar value = 0;
    if (seen.begin <= j && j < seen.end) {
      const StoredValue stored = from[j * source.sample_stride];
      value = static_cast<Scalar>(static_cast<double>(stored) * scale + offset);
    }
    is_finite = is_finite && value - value == Scalar(0);
    column.to[j] = value;
  }
  return is_finite;
}

/// The same from an array of any stored type.
template <int step, class Scalar>
SYNELIX_FUNCTION bool gather_column(const ArraySource& source, const Column<Scalar>& column,
                                    Range values) {
  switch (source.type) {
    case StoredType::float32:
      return convert_column<step, float>(source, column, values);
    case StoredType::float64:
      return convert_column<step, double>(source, column, values);
    case StoredType::int8:
      return convert_column<step, std::int8_t>(source, column, values);
    case StoredType::uint8:
      return convert_column<step, std::uint8_t>(source, column, values);
    case StoredType::int16:
      return convert_column<step, std::int16_t>(source, column, values);
    case StoredType::uint16:
      return convert_column<step, std::uint16_t>(source, column, values);
  }
  return true;
}

}  // namespace synelix::pack
