// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "lanes/instruction_set.hpp"
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

/// Copies and converts values [begin, end) of a column, every `step`-th. Returns whether all of
/// them are finite.
template <class StoredValue, class Scalar>
SYNELIX_INLINE bool convert_column(const ArraySource& source, const Column<Scalar>& column,
                                   Range values, std::int64_t step) {
  const StoredValue* const from = static_cast<const StoredValue*>(source.data) +
                                  source.channels.offset(column.channel - source.first_channel) +
                                  (column.first - source.first_sample) * source.sample_stride;
  const bool is_scaled = source.is_scaled();
  const double scale =
      source.channel_scale != nullptr ? source.channel_scale[column.channel] : source.scale;
  const double offset =
      source.channel_offset != nullptr ? source.channel_offset[column.channel] : source.offset;
  const Range seen{column.seen.begin - column.first, column.seen.end - column.first};
  bool is_finite = true;
  for (std::int64_t j = values.begin; j < values.end; j += step) {
    Scalar value = 0;
    if (seen.begin <= j && j < seen.end) {
      const StoredValue stored = from[j * source.sample_stride];
      value = is_scaled ? static_cast<Scalar>(static_cast<double>(stored) * scale + offset)
                        : static_cast<Scalar>(stored);
    }
    is_finite = is_finite && value - value == Scalar(0);
    column.to[j] = value;
  }
  return is_finite;
}

/// The same from an array of any stored type.
template <class Scalar>
SYNELIX_FUNCTION bool gather_column(const ArraySource& source, const Column<Scalar>& column,
                                    Range values, std::int64_t step) {
  switch (source.type) {
    case StoredType::float32:
      return convert_column<float>(source, column, values, step);
    case StoredType::float64:
      return convert_column<double>(source, column, values, step);
    case StoredType::int8:
      return convert_column<std::int8_t>(source, column, values, step);
    case StoredType::uint8:
      return convert_column<std::uint8_t>(source, column, values, step);
    case StoredType::int16:
      return convert_column<std::int16_t>(source, column, values, step);
    case StoredType::uint16:
      return convert_column<std::uint16_t>(source, column, values, step);
  }
  return true;
}

}  // namespace synelix::pack
