// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "glm/sweep/dense_rows.hpp"
#include "launch/matrix_panels.hpp"
#include "launch/team.hpp"
#include "launch/workspace.hpp"

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace synelix::sweep {

/// Converts rows of a stored matrix to physical values with adjacent columns.
template <class Feature>
struct GatherRowsSweep {
  pack::MatrixSource source;
  Range rows;
  std::int64_t columns = 0;
  Feature* to = nullptr;
  std::int64_t stride = 0;
  const tile::TileTable<Feature>* table = nullptr;
  Workspace workspace;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    constexpr std::int64_t together = 64;
    const std::int64_t items = index::ceil_divide(rows.size(), together);
    for_each_of_share(team, items, workspace.teams, [this](std::int64_t i) {
      const std::int64_t first = i * together;
      const std::int64_t count = index::smaller(together, rows.size() - first);
      gather(*table, source, source.data,
             pack::MatrixBlock<Feature>{rows.begin + first, count, 0, columns, to + first * stride,
                                        stride, 1});
    });
  }
};

}  // namespace synelix::sweep
