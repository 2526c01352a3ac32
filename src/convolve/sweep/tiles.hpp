// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "lanes/pack.hpp"
#include "launch/host_passes.hpp"
#include "pack/gather.hpp"
#include "tile/bank.hpp"
#include "tile/column_table.hpp"
#include "tile/direct.hpp"
#include "tile/events.hpp"
#include "tile/flat.hpp"
#include "tile/line.hpp"
#include "tile/output.hpp"
#include "tile/table.hpp"
#include "tune/tiles.hpp"

#include <Kokkos_Core.hpp>

#include <cstdint>

/// \file
/// How a sweep calls its tiles: functions of one instruction set on a host, inlined functions on a
/// device.

namespace synelix::sweep {

/// The host's tiles: functions of one instruction set. (Marked for devices too, since a compiler
/// for both checks every functor on both; no device ever calls them.)
template <class Scalar>
struct HostTiles {
  const tile::TileTable<Scalar>* table;
  const tile::ColumnTable<Scalar>* columns = nullptr;  ///< of the same set

  static constexpr int rows = tune::tile_rows;
  static constexpr int bases = tune::most_bases;
  static constexpr int most_lanes = 64 / static_cast<int>(sizeof(Scalar));
  static constexpr bool spreads = true;  ///< results are stored by `spread`

  [[nodiscard]] KOKKOS_INLINE_FUNCTION int lanes() const { return table->lanes; }
  [[nodiscard]] KOKKOS_INLINE_FUNCTION HostCopies<Scalar> copies() const { return {table}; }
  /// Computes rows [0, count) of a tile with the largest tiles that fit.
  KOKKOS_INLINE_FUNCTION void compute(const tile::DirectTile<Scalar>& tile, int count) const {
    const int most = 1 << (table->row_powers - 1);
    // Not a copy: loads of 16 bytes right after stores of 8 stall (perf/NOTES.md, Lines).
    if (count == most) return table->direct[table->row_powers - 1](tile);
    tile::DirectTile<Scalar> arguments = tile;
    for (int power = table->row_powers - 1; count > 0;) {
      if (count < 1 << power) {
        --power;
        continue;
      }
      table->direct[power](arguments);
      arguments.samples += arguments.row_step << power;
      arguments.results += arguments.results_step << power;
      count -= 1 << power;
    }
  }
  /// Whether the set has bank tiles.
  [[nodiscard]] KOKKOS_INLINE_FUNCTION bool has_bank() const {
    return table->bank[tile::way_of(tile::Stores::cached)][1] != nullptr;
  }
  /// Computes while groups of `count` packs are stored.
  KOKKOS_INLINE_FUNCTION void compute(const tile::BankTile<Scalar>& tile, int count,
                                      tile::Stores stores) const {
    table->bank[tile::way_of(stores)][count](tile);
  }
  KOKKOS_INLINE_FUNCTION void compute(const tile::FlatTile<Scalar>& tile) const {
    table->flat(tile);
  }
  /// For `count` bases, in groups of about equal size.
  KOKKOS_INLINE_FUNCTION void compute(const tile::LineTile<Scalar>& arguments, int count) const {
    if (count <= tune::most_line_bases) return table->line[count](arguments);
    const int groups = (count + tune::most_line_bases - 1) / tune::most_line_bases;
    for (int g = 0; g < groups; ++g) {
      const int first = count * g / groups;
      table->line[count * (g + 1) / groups - first](
          {.samples = arguments.samples,
           .tap_step = arguments.tap_step,
           .taps = arguments.taps + first,
           .taps_step = arguments.taps_step,
           .window = arguments.window,
           .packs = arguments.packs,
           .results = arguments.results + first * table->lanes,
           .results_step = arguments.results_step,
           .to = nullptr,
           .stores = tile::Stores::cached});
    }
  }
  /// For `count` bases, if there is such a tile (tune::column_step).
  KOKKOS_INLINE_FUNCTION void compute(const tile::ColumnTile<Scalar>& tile, int count,
                                      int step) const {
    columns->column[tile::power_of(count)][tile::power_of(step)](tile);
  }
  KOKKOS_INLINE_FUNCTION void spread(const tile::Spread<Scalar>& arguments, int count,
                                     tile::Stores stores) const {
    table->spread[tile::way_of(stores)][count](arguments);
  }
  KOKKOS_INLINE_FUNCTION void copy(const tile::Copy<Scalar>& arguments, tile::Stores stores) const {
    table->copy(arguments, stores);
  }
  KOKKOS_INLINE_FUNCTION void store_copy(const tile::Copy<Scalar>& arguments,
                                         tile::Stores stores) const {
    table->store_copy(arguments, stores);
  }
  [[nodiscard]] KOKKOS_INLINE_FUNCTION bool is_finite(const Scalar* packs,
                                                      std::int64_t count) const {
    return table->is_finite(packs, count);
  }
  KOKKOS_INLINE_FUNCTION void fence_streams() const { table->fence_streams(); }
  KOKKOS_INLINE_FUNCTION void add_event(const tile::EventRows<Scalar>& event, Scalar count) const {
    table->add_event(event, count);
  }
};

/// A device's tiles: inlined into the kernel, on packs that are arrays.
template <class Scalar>
struct DeviceTiles {
  static constexpr int rows = tune::device_rows;
  static constexpr int bases = tune::device_bases;
  static constexpr int most_lanes = lanes::Pack<Scalar, lanes::DeviceThread>::lanes;
  static constexpr bool spreads = false;

  KOKKOS_INLINE_FUNCTION static constexpr int lanes() { return most_lanes; }
  KOKKOS_INLINE_FUNCTION static constexpr pack::PlainCopies copies() { return {}; }
  KOKKOS_INLINE_FUNCTION void compute(tile::DirectTile<Scalar> arguments, int count) const {
    if (count == rows) return tile::direct_tile<Scalar, lanes::DeviceThread, rows>(arguments);
    for (; count > 0; --count) {
      tile::direct_tile<Scalar, lanes::DeviceThread, 1>(arguments);
      arguments.samples += arguments.row_step;
      arguments.results += arguments.results_step;
    }
  }
  [[nodiscard]] KOKKOS_INLINE_FUNCTION bool is_finite(const Scalar* packs,
                                                      std::int64_t count) const {
    for (std::int64_t i = 0; i < count * most_lanes; ++i) {
      if (packs[i] * Scalar(0) != Scalar(0)) return false;
    }
    return true;
  }
  KOKKOS_INLINE_FUNCTION void fence_streams() const {}
  KOKKOS_INLINE_FUNCTION void add_event(const tile::EventRows<Scalar>& event, Scalar count) const {
    tile::add_event<Scalar, lanes::DeviceThread>(event, count);
  }
};

}  // namespace synelix::sweep
