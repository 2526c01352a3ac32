// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "index/range.hpp"
#include "index/segment.hpp"
#include "tune/device_tile.hpp"

#include <Kokkos_Core.hpp>

#include <cstdint>

/// \file
/// `DeviceTriangle`: the layout of the sums of a symmetric product [X 1]' diag(w) [X 1], on and
/// above the diagonal. Columns are cut into panels.
///
/// A panel consists of units: the sums of a few rows and columns, those of one thread. First come
/// all units on or above the diagonal of the panel, column by column; then one for each row of
/// units with the column of ones; the last one is that of the row of ones. The order of sums is
/// (panel, sum of a unit, unit), so that neighboring threads write neighboring values.
///
/// After all panels come the parts outside of panels: squares above the diagonal.

namespace synelix::sweep {

struct DeviceTriangle {
  static constexpr std::int64_t part = tune::device_tile_part;
  static constexpr std::int64_t rows = tune::device_gram_rows;        ///< of a unit
  static constexpr std::int64_t columns = tune::device_gram_columns;  ///< of a unit
  static_assert(columns % rows == 0);

  std::int64_t size = 0;      ///< columns of X
  std::int64_t panel = part;  ///< columns of a panel: a multiple of `part`

  /// Uses one panel of the size of a part if that suffices, because its teams are smaller.
  static KOKKOS_INLINE_FUNCTION constexpr DeviceTriangle of(std::int64_t columns_of_design) {
    return {columns_of_design,
            columns_of_design <= part ? part : std::int64_t{tune::device_gram_panel}};
  }
  [[nodiscard]] KOKKOS_INLINE_FUNCTION constexpr std::int64_t panels() const {
    return index::ceil_divide(size, panel);
  }
  [[nodiscard]] KOKKOS_INLINE_FUNCTION constexpr std::int64_t width(std::int64_t number) const {
    return index::smaller(panel, size - number * panel);
  }
  /// Units in this many columns of units: a column has the units down to the diagonal.
  static KOKKOS_INLINE_FUNCTION constexpr std::int64_t units_before(std::int64_t column) {
    return columns / rows * (column * (column + 1) / 2);
  }
  /// Units of a panel.
  static KOKKOS_INLINE_FUNCTION constexpr std::int64_t units(std::int64_t width) {
    return units_before(index::ceil_divide(width, columns)) + index::ceil_divide(width, rows) + 1;
  }
  [[nodiscard]] KOKKOS_INLINE_FUNCTION constexpr std::int64_t place_of_panel(
      std::int64_t number) const {
    return number * units(panel) * rows * columns;
  }
  /// Parts after the panels.
  [[nodiscard]] KOKKOS_INLINE_FUNCTION constexpr std::int64_t parts() const {
    return parts_before(index::ceil_divide(size, part));
  }
  [[nodiscard]] KOKKOS_INLINE_FUNCTION constexpr std::int64_t place_of_part(
      std::int64_t number) const {
    const std::int64_t last = panels() - 1;
    return place_of_panel(last) + units(width(last)) * rows * columns + number * part * part;
  }
  [[nodiscard]] KOKKOS_INLINE_FUNCTION constexpr std::int64_t values() const {
    return place_of_part(parts());
  }

  /// A part by its row and column of parts.
  struct Part {
    std::int64_t row;
    std::int64_t column;
  };
  [[nodiscard]] KOKKOS_INLINE_FUNCTION constexpr Part part_of(std::int64_t number) const {
    std::int64_t column = 0;
    while (parts_before(column + 1) <= number) ++column;
    return {number - parts_before(column), column};
  }

  /// The place of the sum of a row and a column with row <= column; `size` is the index of ones.
  [[nodiscard]] constexpr std::int64_t place(std::int64_t row, std::int64_t column) const {
    if (row == size) return place_in_panel(0, units(width(0)) - 1, 0, 0);
    const std::int64_t number = row / panel;
    const std::int64_t i = row % panel;
    if (column == size) {
      const std::int64_t first = units_before(index::ceil_divide(width(number), columns));
      return place_in_panel(number, first + i / rows, i % rows, 0);
    }
    if (column / panel == number) {
      const std::int64_t j = column % panel;
      return place_in_panel(number, units_before(j / columns) + i / rows, i % rows, j % columns);
    }
    return place_of_part(parts_before(column / part) + row / part) + row % part * part +
           column % part;
  }

 private:
  /// Parts in this many columns of parts: in each column, those above its panel.
  [[nodiscard]] KOKKOS_INLINE_FUNCTION constexpr std::int64_t parts_before(
      std::int64_t column) const {
    const std::int64_t each = panel / part;
    const std::int64_t whole = column / each;
    return each * each * (whole * (whole - 1) / 2) + column % each * (whole * each);
  }
  [[nodiscard]] constexpr std::int64_t place_in_panel(std::int64_t number, std::int64_t unit,
                                                      std::int64_t i, std::int64_t j) const {
    return place_of_panel(number) + (i * columns + j) * units(width(number)) + unit;
  }
};

}  // namespace synelix::sweep
