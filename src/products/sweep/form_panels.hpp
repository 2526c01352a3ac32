// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "index/range.hpp"
#include "index/segment.hpp"
#include "launch/team.hpp"
#include "launch/workspace.hpp"
#include "pack/matrix.hpp"
#include "products/problem/form_cut.hpp"
#include "products/problem/forms.hpp"
#include "tune/tiles.hpp"

#include <Kokkos_Core.hpp>

#include <cstdint>

/// \file
/// The matrix of bilinear forms in the order of tiles: panels of adjacent columns, each with the
/// inner indices that it needs.

namespace synelix::sweep {

/// A block of inner indices of a panel.
struct PanelBlock {
  std::int64_t k;
  std::int64_t inner;
  std::int64_t column;
  std::int64_t columns;
  std::int64_t width;  ///< values from one inner index to the next, of the copy
};

/// Copies a block of a matrix at `data`, in the form in which it is multiplied.
template <class Scalar>
KOKKOS_FUNCTION void gather_panel(const FormProblem<Scalar>& problem, const void* data,
                                  const PanelBlock& block, Scalar* to) {
  pack::gather_block(problem.matrix, data,
                     pack::MatrixBlock<Scalar>{block.k, block.inner, block.column, block.columns,
                                               to, block.width, 1});
  if (!problem.is_triangle) return;
  constexpr std::int64_t together = 16;
  constexpr std::int64_t widest =
      std::int64_t{tune::most_matrix_packs} * 64 / static_cast<std::int64_t>(sizeof(Scalar));
  Scalar others[together * widest];  // the values on the other side of the diagonal
  const pack::MatrixSource other = problem.matrix.transposed();
  for (std::int64_t first = 0; first < block.inner; first += together) {
    const std::int64_t count = index::smaller(together, block.inner - first);
    pack::gather_block(other, data,
                       pack::MatrixBlock<Scalar>{block.k + first, count, block.column,
                                                 block.columns, others, widest, 1});
    for (std::int64_t i = 0; i < count; ++i) {
      Scalar* const line = to + (first + i) * block.width;
      const Scalar* const added = others + i * widest;
      const std::int64_t diagonal = block.k + first + i - block.column;
      if (diagonal < 0) {
        for (std::int64_t j = 0; j < block.columns; ++j) line[j] += added[j];
        continue;
      }
      for (std::int64_t j = 0; j < block.columns; ++j) {
        if (j < diagonal) {
          line[j] = Scalar(0);
        } else if (j > diagonal) {
          line[j] += added[j];
        }
      }
    }
  }
}

/// Copies all panels of all matrices, one after the other: a virtual item is a block of inner
/// indices of one panel.
template <class Scalar>
struct FormPanelsSweep {
  FormProblem<Scalar> problem;
  FormPanels cut;
  Scalar* panels = nullptr;
  std::int64_t items = 0;  ///< all, or none
  Workspace workspace;

  [[nodiscard]] static constexpr std::int64_t blocks_of(const FormProblem<Scalar>& problem) {
    return index::ceil_divide(problem.inner, tune::host_matrix_inner);
  }
  [[nodiscard]] static constexpr std::int64_t count(const FormProblem<Scalar>& problem,
                                                    const FormPanels& cut) {
    return problem.matrices * cut.panels * blocks_of(problem);
  }

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const std::int64_t teams = workspace.teams;
    const std::int64_t rank = team.league_rank();
    // Blocks of a triangle differ in size, so neighbors go to different teams.
    const std::int64_t count = rank < items ? (items - rank - 1) / teams + 1 : 0;
    for_each_item(team, count, [=, this](std::int64_t i) { copy(rank + i * teams); });
  }

 private:
  KOKKOS_FUNCTION void copy(std::int64_t item) const {
    const std::int64_t blocks = blocks_of(problem);
    const std::int64_t k = item % blocks * tune::host_matrix_inner;
    const std::int64_t panel = item / blocks % cut.panels;
    const std::int64_t matrix = item / blocks / cut.panels;
    PanelBlock block;
    block.k = k;
    block.column = panel * cut.width;
    block.columns = cut.columns_of(panel, problem.columns);
    block.width = cut.width_of(panel);
    block.inner =
        index::smaller(tune::host_matrix_inner, problem.inner_of(block.column + block.columns) - k);
    if (block.inner <= 0) return;
    gather_panel(
        problem, problem.matrix_data(matrix), block,
        panels + matrix * cut.values(problem) + cut.begin_of(panel, problem) + k * block.width);
  }
};

}  // namespace synelix::sweep
