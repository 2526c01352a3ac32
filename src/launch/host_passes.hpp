// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "pack/gather.hpp"
#include "spectral/table.hpp"
#include "tile/output.hpp"
#include "tile/table.hpp"
#include "tune/tiles.hpp"

#include <Kokkos_Core.hpp>

#include <cstdint>

/// \file
/// Parts of a host's sweeps that use the registers of an instruction set: copies of packed rows,
/// and the passes of Fourier transforms.

namespace synelix::sweep {

/// Copies rows of the packed block by moves of an instruction set.
template <class Scalar>
struct HostCopies {
  const tile::TileTable<Scalar>* table;

  KOKKOS_INLINE_FUNCTION void operator()(const pack::RowCopy<Scalar, Scalar>& rows,
                                         std::int64_t count) const {
    table->copy({.to = rows.to,
                 .to_step = rows.to_step,
                 .from = rows.from,
                 .from_step = rows.from_step,
                 .count = count,
                 .rows = rows.rows},
                tile::Stores::cached);
  }

  /// Transposes a full pack of lanes with contiguous rows: as many rows as lanes at a time; some of
  /// the last ones are copied twice. Returns false if there are fewer rows.
  KOKKOS_FUNCTION bool transpose(const pack::RowCopy<Scalar, Scalar>& rows,
                                 std::int64_t count) const {
    const std::int64_t lanes = table->lanes;
    if (count != lanes || rows.rows < lanes || lanes > tune::most_bases) return false;
    Scalar* to[tune::most_bases];
    for (std::int64_t k = 0; k < lanes; ++k) to[k] = rows.to + k * rows.to_step;
    tile::Spread<Scalar> groups{.from = rows.from,
                                .pack_step = rows.step,
                                .group_step = lanes,
                                .times = rows.rows / lanes,
                                .to = to,
                                .stored = static_cast<int>(lanes),
                                .shift = 0,
                                .to_step = lanes * rows.to_step};
    table->spread[tile::way_of(tile::Stores::cached)][lanes](groups);
    if (rows.rows % lanes != 0) {
      groups.from += rows.rows - lanes;
      groups.shift = (rows.rows - lanes) * rows.to_step;
      groups.times = 1;
      table->spread[tile::way_of(tile::Stores::cached)][lanes](groups);
    }
    return true;
  }
};

/// The host's passes: functions of one instruction set. (Marked for devices, too, like HostTiles.)
template <class Scalar>
struct HostPasses {
  const spectral::PassTable<Scalar>* table;
  HostCopies<Scalar> row_copies;

  [[nodiscard]] KOKKOS_INLINE_FUNCTION int lanes() const { return table->lanes; }
  [[nodiscard]] KOKKOS_INLINE_FUNCTION HostCopies<Scalar> copies() const { return row_copies; }
  [[nodiscard]] KOKKOS_INLINE_FUNCTION bool has_whole_lines() const {
    return table->has_whole_lines;
  }
  KOKKOS_INLINE_FUNCTION void call(const spectral::FirstPass<Scalar>& arguments) const {
    table->first_pass(arguments);
  }
  KOKKOS_INLINE_FUNCTION void call(const spectral::ForwardBlock<Scalar>& arguments) const {
    table->forward_block(arguments);
  }
  KOKKOS_INLINE_FUNCTION void call(const spectral::InverseBlock<Scalar>& arguments) const {
    table->inverse_block(arguments);
  }
  KOKKOS_INLINE_FUNCTION void call(const spectral::LastPass<Scalar>& arguments) const {
    table->last_pass(arguments);
  }
  KOKKOS_INLINE_FUNCTION void call(const spectral::StreamedLines<Scalar>& arguments) const {
    table->streamed_lines(arguments);
  }
  KOKKOS_INLINE_FUNCTION void call(const spectral::Energies<Scalar>& arguments) const {
    table->sum_energies(arguments);
  }
  KOKKOS_INLINE_FUNCTION void call(const spectral::SmallestSquare<Scalar>& arguments) const {
    table->find_smallest_square(arguments);
  }
  /// Directly sums rows of one channel.
  KOKKOS_INLINE_FUNCTION void call(const tile::FlatTile<Scalar>& arguments) const {
    row_copies.table->flat(arguments);
  }
  KOKKOS_INLINE_FUNCTION void copy(Scalar* to, const Scalar* from, std::int64_t count) const {
    table->copy(to, from, count);
  }
  KOKKOS_INLINE_FUNCTION void end_copies() const { table->end_copies(); }
};

}  // namespace synelix::sweep
