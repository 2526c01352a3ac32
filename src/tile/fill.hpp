// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tile/direct.hpp"
#include "tile/events.hpp"
#include "tile/table.hpp"
#include "tune/tiles.hpp"

/// \file
/// Fills the table of one instruction set: what each tiles_SET.cpp includes.

namespace synelix::tile {

template <class Scalar, class Set, int packs, int bases>
void direct(const DirectTile<Scalar>& arguments) {
  direct_tile<Scalar, Set, packs, bases>(arguments);
}

template <class Scalar, class Set>
void event(Scalar* sums, const Scalar* taps, Scalar count, std::int64_t n) {
  add_event<Scalar, Set>(sums, taps, count, n);
}

template <class Scalar, class Set, int bases = 1>
constexpr void fill(TileTable<Scalar>& table) {
  constexpr int packs = tune::packs_in_registers(Set::registers, bases);
  table.packs[bases] = packs;
  table.direct[bases] = &direct<Scalar, Set, packs, bases>;
  table.single[bases] = &direct<Scalar, Set, 1, bases>;
  if constexpr (bases < tune::bases_in_registers(Set::registers)) {
    fill<Scalar, Set, bases + 1>(table);
  }
}

/// The table of a set: a constant.
template <class Scalar, class Set>
constexpr TileTable<Scalar> make_table() {
  TileTable<Scalar> table{};
  table.lanes = Set::bytes / static_cast<int>(sizeof(Scalar));
  table.bases = tune::bases_in_registers(Set::registers);
  table.add_event = &event<Scalar, Set>;
  fill<Scalar, Set>(table);
  return table;
}

}  // namespace synelix::tile
