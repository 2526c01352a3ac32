// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tile/event_pairs.hpp"
#include "tile/event_windows.hpp"

/// \file
/// `EventTable`: the tiles of products with lists of events, of one instruction set. A table by
/// itself: only the fits of such designs use it.

namespace synelix::tile {

/// The tiles of one instruction set and scalar type.
template <class Scalar>
struct EventTable {
  using Windows = void (*)(const EventWindows<Scalar>&);
  using Pairs = void (*)(const EventPairs<Scalar>&);
  using Lags = void (*)(const LagProducts<Scalar>&);

  int lanes;  ///< values of a pack
  Windows scatter_windows;
  Windows gather_windows;
  Pairs add_pairs;
  Lags multiply_lags;
};

/// The table of a set, a constant. Defined in tile/event_fill.hpp, compiled for each set of the
/// build.
template <class Scalar, class Set>
const EventTable<Scalar>& event_table_for();

}  // namespace synelix::tile
