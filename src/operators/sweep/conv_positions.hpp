// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "index/conv_axes.hpp"
#include "index/range.hpp"
#include "launch/canonical.hpp"
#include "tile/table.hpp"

#include <Kokkos_Core.hpp>

#include <cstdint>

/// \file
/// Positions of a convolution operator in the numbering of its sweeps, and the places of their
/// results.

namespace synelix::sweep {

/// Ranges of positions along each dimension.
struct ConvBox {
  Range along[index::conv_dimensions];

  [[nodiscard]] KOKKOS_INLINE_FUNCTION std::int64_t size() const {
    return along[0].size() * along[1].size() * along[2].size();
  }
};

/// Cuts positions along each dimension into those whose windows are inside the source, and each of
/// the others: a tap is then outside for all positions of a part, or for none.
template <class Visit>
KOKKOS_INLINE_FUNCTION void for_each_inside_part(const index::ConvAxis* axes,
                                                 const index::ConvPass* pass, const ConvBox& box,
                                                 const Visit& visit) {
  const auto part_from = [&](int d, std::int64_t begin) {
    const Range inside = index::common(box.along[d], axes[d].inside(pass[d]));
    const bool is_inside = inside.begin <= begin && begin < inside.end;
    return Range{begin, is_inside ? inside.end : begin + 1};
  };
  ConvBox part;
  Range* const along = part.along;
  for (along[0].end = box.along[0].begin; along[0].end < box.along[0].end;) {
    along[0] = part_from(0, along[0].end);
    for (along[1].end = box.along[1].begin; along[1].end < box.along[1].end;) {
      along[1] = part_from(1, along[1].end);
      for (along[2].end = box.along[2].begin; along[2].end < box.along[2].end;) {
        along[2] = part_from(2, along[2].end);
        visit(part);
      }
    }
  }
}

/// Stores the sums of a line of positions, in the order of memory. Positions are `row` sums apart,
/// of which `columns` are results.
template <class Scalar>
KOKKOS_INLINE_FUNCTION void put_conv_line(const tile::TileTable<Scalar>& table, const Scalar* sums,
                                          std::int64_t row, std::int64_t columns, Scalar* to,
                                          std::int64_t column, std::int64_t step,
                                          std::int64_t length) {
  if (column == 1) {
    for (std::int64_t p = 0; p < length; ++p) {
      for (std::int64_t o = 0; o < columns; ++o) to[p * step + o] = canonical(sums[p * row + o]);
    }
    return;
  }
  if (step == 1) return table.transpose({sums, row, to, column, length, columns, true});
  for (std::int64_t o = 0; o < columns; ++o) {
    for (std::int64_t p = 0; p < length; ++p) {
      to[o * column + p * step] = canonical(sums[p * row + o]);
    }
  }
}

/// The place of a position.
template <class Array>
KOKKOS_INLINE_FUNCTION std::int64_t space_offset(const Array& array, std::int64_t a, std::int64_t b,
                                                 std::int64_t c) {
  return a * array.space_strides[0] + b * array.space_strides[1] + c * array.space_strides[2];
}

/// Takes a digit of a number: returns the remainder by a size, and divides the number by it.
KOKKOS_INLINE_FUNCTION std::int64_t take_digit(std::int64_t& number, std::int64_t size) {
  const std::int64_t digit = number % size;
  number /= size;
  return digit;
}

/// Part number i of [0, size), with at most `step` elements.
KOKKOS_INLINE_FUNCTION Range part_of(std::int64_t size, std::int64_t step, std::int64_t i) {
  const std::int64_t begin = index::smaller(size, i * step);
  return {begin, index::smaller(size, begin + step)};
}

}  // namespace synelix::sweep
