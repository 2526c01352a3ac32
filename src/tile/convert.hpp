// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "lanes/access.hpp"
#include "lanes/arithmetic.hpp"
#include "lanes/pack.hpp"
#include "lanes/stored.hpp"

#include <cstdint>

/// \file
/// The converting tile: lines of stored values as physical ones in float, stored * scale + offset,
/// before a matrix tile reads them. Its slow reference computes in double; this one stays in float,
/// a full register at a time. Scale and offset are sums of two floats each, and
///
///     value = fma(stored, scale_high, offset_high) + fma(stored, scale_low, offset_low),
///
/// with a relative difference of at most 2^-23 from the reference, even if product and offset
/// cancel: integers of 16 bits are exact in float. If scale and offset are floats, it is the
/// rounded sum itself.

namespace synelix::tile {

/// Arguments of a converting tile. Strides count values; columns of both arrays are contiguous.
struct ConvertTile {
  const void* from;       ///< row 0, column 0
  std::int64_t from_row;  ///< from one row to the next
  float* to;              ///< row 0, column 0
  std::int64_t to_row;    ///< from one row to the next
  std::int64_t rows;
  std::int64_t columns;
  double scale;
  double offset;
  const double* row_scale;      ///< one for each row; null: none
  const double* row_offset;     ///< one for each row; null: none
  const double* column_scale;   ///< one for each column; null: none
  const double* column_offset;  ///< one for each column; null: none
};

#ifndef SYNELIX_DEVICE_COMPILER

/// A number as the sum of two floats, in each lane.
template <class Set>
struct FloatPair {
  using Pack = lanes::Pack<float, Set>;
  Pack high;
  Pack low;

  static SYNELIX_INLINE FloatPair broadcast(double number) {
    return {Pack::broadcast(static_cast<float>(number)), Pack::broadcast(rest_of(number))};
  }
  /// Lane k: number k of `count` numbers.
  static SYNELIX_INLINE FloatPair load(const double* numbers, int count) {
    alignas(64) float high[Pack::lanes];
    alignas(64) float low[Pack::lanes];
    for (int k = 0; k < Pack::lanes; ++k) {
      const double number = k < count ? numbers[k] : 0.0;
      high[k] = static_cast<float>(number);
      low[k] = rest_of(number);
    }
    return {Pack::load(high), Pack::load(low)};
  }

 private:
  static SYNELIX_INLINE float rest_of(double number) {
    const auto high = static_cast<double>(static_cast<float>(number));
    return high - high == 0 ? static_cast<float>(number - high) : 0.0F;  // Inf if it exceeds floats
  }
};

/// `count` stored values as a pack: the other lanes are 0.
template <class Stored, class Set>
SYNELIX_INLINE lanes::Pack<float, Set> load_values(const Stored* from, int count) {
  constexpr int all = lanes::Pack<float, Set>::lanes;
  if (count == all) return lanes::load_stored<Set>(from);
  Stored values[all] = {};
  for (int k = 0; k < count; ++k) values[k] = from[k];
  return lanes::load_stored<Set>(static_cast<const Stored*>(values));
}

/// `is_one_float`: whether scale and offset are floats, and the offset is 0. The other product then
/// adds 0.
template <class Stored, class Set, bool is_one_float>
SYNELIX_INLINE void convert_pack(const Stored* from, float* to, int count,
                                 const FloatPair<Set>& scale, const FloatPair<Set>& offset) {
  const auto stored = load_values<Stored, Set>(from, count);
  const auto high = multiply_add(stored, scale.high, offset.high);
  const auto value = is_one_float ? high : high + multiply_add(stored, scale.low, offset.low);
  if (count == value.lanes) {
    lanes::store_unaligned<float, Set>(value, to);
  } else {
    for (int k = 0; k < count; ++k) to[k] = value.values[k];
  }
}

/// Rows with one scale and offset. The last pack of a row is a full one, which may overlap the
/// previous one: values that are converted twice are the same. Contiguous rows are treated as one
/// long row. For rows of a few packs, the same pack of all rows is converted before the next pack.
template <class Stored, class Set, bool is_one_float>
SYNELIX_INLINE void convert_rows(const ConvertTile& tile, const FloatPair<Set>& scale,
                                 const FloatPair<Set>& offset) {
  constexpr std::int64_t lanes = lanes::Pack<float, Set>::lanes;
  constexpr std::int64_t few = 4;
  const auto* from = static_cast<const Stored*>(tile.from);
  float* to = tile.to;
  const bool touch = tile.from_row == tile.columns && tile.to_row == tile.columns;
  const std::int64_t rows = touch ? (tile.rows > 0 ? 1 : 0) : tile.rows;
  const std::int64_t columns = touch ? tile.columns * tile.rows : tile.columns;
  const auto convert = [&](std::int64_t row, std::int64_t column,
                           int count) __attribute__((always_inline)) {
    convert_pack<Stored, Set, is_one_float>(from + row * tile.from_row + column,
                                            to + row * tile.to_row + column, count, scale, offset);
  };
  if (columns < lanes) {
    for (std::int64_t row = 0; row < rows && columns > 0; ++row) {
      convert(row, 0, static_cast<int>(columns));
    }
    return;
  }
  const std::int64_t last = columns - lanes;
  if (columns <= few * lanes) {
    for (std::int64_t column = 0; column < columns; column += lanes) {
      const std::int64_t at = column < last ? column : last;
      for (std::int64_t row = 0; row < rows; ++row) convert(row, at, lanes);
    }
    return;
  }
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t column = 0; column < last; column += lanes) convert(row, column, lanes);
    convert(row, last, lanes);
  }
}

template <class Stored, class Set>
SYNELIX_INLINE void convert_tile(const ConvertTile& tile) {
  using Pair = FloatPair<Set>;
  constexpr int lanes = Pair::Pack::lanes;
  Pair scale = Pair::broadcast(tile.scale);
  Pair offset = Pair::broadcast(tile.offset);
  if (tile.column_scale != nullptr || tile.column_offset != nullptr) {
    for (std::int64_t column = 0; column < tile.columns; column += lanes) {
      const int count = static_cast<int>(tile.columns - column < lanes ? tile.columns - column
                                                                       : std::int64_t{lanes});
      if (tile.column_scale != nullptr) scale = Pair::load(tile.column_scale + column, count);
      if (tile.column_offset != nullptr) offset = Pair::load(tile.column_offset + column, count);
      const auto* const from = static_cast<const Stored*>(tile.from) + column;
      for (std::int64_t row = 0; row < tile.rows; ++row) {
        convert_pack<Stored, Set, false>(
            from + row * tile.from_row, tile.to + row * tile.to_row + column, count, scale, offset);
      }
    }
    return;
  }
  if (tile.row_scale != nullptr || tile.row_offset != nullptr) {
    for (std::int64_t row = 0; row < tile.rows; ++row) {
      if (tile.row_scale != nullptr) scale = Pair::broadcast(tile.row_scale[row]);
      if (tile.row_offset != nullptr) offset = Pair::broadcast(tile.row_offset[row]);
      ConvertTile one = tile;
      one.from = static_cast<const Stored*>(tile.from) + row * tile.from_row;
      one.to = tile.to + row * tile.to_row;
      one.rows = 1;
      convert_rows<Stored, Set, false>(one, scale, offset);
    }
    return;
  }
  const auto as_float = static_cast<double>(static_cast<float>(tile.scale));
  if (as_float == tile.scale && tile.offset == 0) {
    convert_rows<Stored, Set, true>(tile, scale, offset);
  } else {
    convert_rows<Stored, Set, false>(tile, scale, offset);
  }
}

#endif  // SYNELIX_DEVICE_COMPILER

}  // namespace synelix::tile
