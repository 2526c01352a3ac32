// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "glm/sweep/dense_rows.hpp"
#include "launch/team.hpp"
#include "launch/workspace.hpp"

#include <Kokkos_Core.hpp>

#include <cstdint>

/// \file
/// Finds the rows whose features are all finite, tile by tile, and writes zeros into the others if
/// the library owns the features.

namespace synelix::sweep {

/// The functor. `zeros` are coefficients: a row is finite if its product with them is 0.
template <class Feature>
struct CheckRowsSweep {
  DenseRows<Feature> from;
  Feature* own = nullptr;  ///< the same features; null: they are the caller's
  std::uint64_t* valid = nullptr;
  const std::uint8_t* known = nullptr;  ///< for each tile, whether its bits are known
  const Feature* zeros = nullptr;       ///< one for each column
  const tile::RowTable<Feature, Feature>* table = nullptr;
  Workspace workspace;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const std::int64_t tiles = index::ceil_divide(from.rows.size(), tune::fit_tile_rows);
    for_each_of_share(team, tiles, workspace.teams, [this](std::int64_t i) { check(i); });
  }

 private:
  KOKKOS_FUNCTION void check(std::int64_t i) const {
    const std::int64_t begin = from.rows.begin + i * tune::fit_tile_rows;
    if (!from.has_tile(begin)) return;
    const std::int64_t end = index::smaller(from.rows.end, begin + tune::fit_tile_rows);
    if (known[begin / tune::fit_tile_rows] == 0) find(begin, end);
    if (own == nullptr) return;
    for (std::int64_t t = begin; t < end; ++t) {
      if (from.is_valid(t)) continue;
      Feature* const row = own + (t - from.rows.begin) * from.stride;
      for (std::int64_t j = 0; j < from.columns; ++j) row[j] = Feature(0);
    }
  }

  KOKKOS_FUNCTION void find(std::int64_t begin, std::int64_t end) const {
    constexpr std::int64_t bits = 64;
    Feature dots[bits];
    for (std::int64_t t = begin; t < end; t += bits) {
      const std::int64_t count = index::smaller(bits, end - t);
      table->dots({from.row(t), from.stride, count, from.columns, zeros, dots});
      std::uint64_t word = 0;
      for (std::int64_t k = 0; k < count; ++k) {
        if (dots[k] == Feature(0)) word |= std::uint64_t{1} << k;
      }
      valid[t / bits] = word;
    }
  }
};

}  // namespace synelix::sweep
