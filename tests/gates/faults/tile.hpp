// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "launch/launch.hpp"
#include "tile/direct.hpp"

#include <Kokkos_Core.hpp>

/// \file
/// The least kernel around a register tile, in which the gates' own test plants faults.

namespace synelix::gates {

/// A tile for each thread.
struct TileSweep {
  using Bounds = Kokkos::LaunchBounds<128, 1>;

  tile::DirectTile<float> tile;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    tile::DirectTile<float> own = tile;
    own.samples += team.team_rank();
    own.results += team.team_rank();
    tile::direct_tile<float, lanes::DeviceThread, 16>(own);
  }
};

}  // namespace synelix::gates
