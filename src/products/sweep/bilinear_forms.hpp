// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "index/range.hpp"
#include "index/segment.hpp"
#include "launch/canonical.hpp"
#include "launch/matrix_panels.hpp"
#include "launch/team.hpp"
#include "launch/team_turns.hpp"
#include "launch/workspace.hpp"
#include "pack/matrix.hpp"
#include "products/problem/form_cut.hpp"
#include "products/problem/forms.hpp"
#include "products/sweep/form_panels.hpp"
#include "tile/dot.hpp"
#include "tile/matrix.hpp"
#include "tile/table.hpp"
#include "tune/tiles.hpp"

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

/// \file
/// Bilinear forms on a host. A team is one thread; a virtual item is a block of rows and a matrix.
/// The loops are, from the outside: groups of panels, blocks of inner indices, panels, rows by
/// tiles. The sums of a group fit in a second-level cache, and are multiplied with the right
/// operand there. After a group only a pack of sums of each row remains. Operands are read in
/// place, or copied first if they are not unscaled values with contiguous columns.

namespace synelix::sweep {

/// The functor.
template <class Scalar>
struct FormsSweep {
  FormProblem<Scalar> problem;
  FormCut cut;
  const Scalar* panels = nullptr;  ///< as FormPanelsSweep copies them; null: each team copies
  const tile::TileTable<Scalar>* table = nullptr;
  Workspace workspace;
  TeamTurns turns = {};

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const FormTeamMemory<Scalar> room(workspace.data + team.league_rank() * workspace.bytes, cut);
    for_each_of_share_in_steps(
        team, cut.items, workspace.teams, turns,
        [=, this](std::int64_t i, const Pause& pause) { return compute(i, room, pause); });
  }

 private:
  /// A block of rows and a matrix.
  struct Part {
    std::int64_t row;
    std::int64_t rows;
    std::int64_t matrix;
    const void* data;      ///< of the matrix
    const Scalar* panels;  ///< of the matrix; null if not copied
  };
  /// Panels whose sums are in memory at a time.
  struct Group {
    std::int64_t first;
    std::int64_t end;
    std::int64_t column;
    std::int64_t columns;
  };

  /// Returns false if time is over first. The item then continues at the next group; the packs of
  /// its rows stay in the memory of the team.
  KOKKOS_FUNCTION bool compute(std::int64_t item, const FormTeamMemory<Scalar>& room,
                               const Pause& pause) const {
    const std::int64_t blocks = index::ceil_divide(problem.rows, cut.part_rows);
    const FormPanels& all = cut.panels;
    Part part;
    part.row = item % blocks * cut.part_rows;
    part.rows = index::smaller(cut.part_rows, problem.rows - part.row);
    part.matrix = item / blocks;
    part.data = problem.matrix_data(part.matrix);
    part.panels = panels == nullptr ? nullptr : panels + part.matrix * all.values(problem);
    const std::int64_t begin = pause.first_step();
    if (begin == 0) {
      for (std::int64_t i = 0; i < part.rows * all.lanes; ++i) room.forms[i] = Scalar(0);
    }
    for (std::int64_t first = begin; first < all.panels; first += all.group) {
      if (first > begin && pause.is_before(first)) return false;
      Group group;
      group.first = first;
      group.end = index::smaller(first + all.group, all.panels);
      group.column = first * all.width;
      group.columns = index::smaller(cut.group_width(), problem.columns - group.column);
      multiply(part, group, room);
      add_dots(part, group, room);
    }
    put(part, room);
    return true;
  }

  /// Adds the product with the columns of a group to the sums.
  KOKKOS_FUNCTION void multiply(const Part& part, const Group& group,
                                const FormTeamMemory<Scalar>& room) const {
    const pack::MatrixSource& source = problem.left;
    const std::int64_t end = problem.inner_of(group.column + group.columns);
    tile::MatrixTile<Scalar> tile;
    tile.sums_row = cut.group_width();
    tile.ends = false;
    tile.result = nullptr;
    tile.result_row = 0;
    tile.alpha = 1;
    tile.beta = 0;
    std::int64_t k = 0;
    do {
      const std::int64_t inner = index::smaller(tune::host_matrix_inner, end - k);
      const Scalar* left = room.left;
      tile.left_row = tune::host_matrix_inner;
      tile.left_inner = 1;
      tile.begins = k == 0;
      if (cut.packs_left) {
        gather(*table, source, source.data,
               pack::MatrixBlock<Scalar>{part.row, part.rows, k, inner, room.left,
                                         tune::host_matrix_inner, 1});
      } else {
        left = static_cast<const Scalar*>(source.data) + part.row * source.row_stride + k;
        tile.left_row = source.row_stride;
      }
      for (std::int64_t panel = group.first; panel < group.end; ++panel) {
        tile.left = left;
        tile.sums = room.sums + (panel - group.first) * cut.panels.width;
        multiply_panel(part, panel, k, tile, room);
      }
      k += inner;
    } while (k < end);
  }

  /// Adds a block of inner indices of a panel.
  KOKKOS_FUNCTION void multiply_panel(const Part& part, std::int64_t panel, std::int64_t k,
                                      tile::MatrixTile<Scalar>& tile,
                                      const FormTeamMemory<Scalar>& room) const {
    const FormPanels& all = cut.panels;
    PanelBlock block;
    block.k = k;
    block.column = panel * all.width;
    block.columns = all.columns_of(panel, problem.columns);
    block.width = all.width_of(panel);
    block.inner =
        index::smaller(tune::host_matrix_inner, problem.inner_of(block.column + block.columns) - k);
    if (block.inner <= 0 && k > 0) return;  // a triangle is 0 below the diagonal
    if (part.panels != nullptr) {
      tile.right = part.panels + all.begin_of(panel, problem) + k * block.width;
    } else {
      gather_panel(problem, part.data, block, room.panel);
      tile.right = room.panel;
    }
    tile.right_inner = block.width;
    tile.inner = block.inner;
    tile.last_columns = static_cast<int>(block.columns - (block.width - all.lanes));
    multiply_rows(*table, tile, static_cast<int>(block.width / all.lanes), part.rows);
  }

  /// Adds the sums of a group times the right operand to the pack of each row.
  KOKKOS_FUNCTION void add_dots(const Part& part, const Group& group,
                                const FormTeamMemory<Scalar>& room) const {
    const pack::MatrixSource& source = problem.right;
    tile::DotTile<Scalar> tile;
    tile.left = room.sums;
    tile.left_row = cut.group_width();
    if (cut.packs_right) {
      gather(*table, source, source.data,
             pack::MatrixBlock<Scalar>{part.row, part.rows, group.column, group.columns, room.right,
                                       cut.group_width(), 1});
      tile.right = room.right;
      tile.right_row = cut.group_width();
    } else {
      tile.right =
          static_cast<const Scalar*>(source.data) + part.row * source.row_stride + group.column;
      tile.right_row = source.row_stride;
    }
    tile.sums = room.forms;
    tile.rows = part.rows;
    tile.packs = index::ceil_divide(group.columns, cut.panels.lanes);
    tile.last_columns = static_cast<int>(group.columns - (tile.packs - 1) * cut.panels.lanes);
    table->dot(tile);
  }

  /// Adds the halves of a pack repeatedly; for wide packs without a loop.
  KOKKOS_FUNCTION static Scalar folded(Scalar* sums, std::int64_t lanes) {
    if (lanes == 16) return folded<16>(sums);
    if (lanes == 8) return folded<8>(sums);
    for (std::int64_t half = lanes / 2; half > 0; half /= 2) {
      for (std::int64_t l = 0; l < half; ++l) sums[l] += sums[l + half];
    }
    return sums[0];
  }
  template <int lanes>
  KOKKOS_FUNCTION static Scalar folded(Scalar* sums) {
    if constexpr (lanes == 1) {
      return sums[0];
    } else {
      constexpr int half = lanes / 2;
      Scalar halves[half];
      for (int l = 0; l < half; ++l) halves[l] = sums[l] + sums[l + half];
      return folded<half>(halves);
    }
  }

  /// Writes the sum of each row's pack.
  KOKKOS_FUNCTION void put(const Part& part, const FormTeamMemory<Scalar>& room) const {
    Scalar* to =
        problem.result + part.matrix * problem.result_matrix + part.row * problem.result_step;
    for (std::int64_t i = 0; i < part.rows; ++i) {
      *to = canonical(folded(room.forms + i * cut.panels.lanes, cut.panels.lanes));
      to += problem.result_step;
    }
  }
};

}  // namespace synelix::sweep
