// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "glm/pass/dense_walk.hpp"
#include "glm/sweep/multiply_rows.hpp"
#include "launch/start_watched.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

/// \file
/// Products of the rows of a dense pass with given vectors: X B and X' R.

namespace synelix::glm {

/// Memory of a walk with this many vectors.
template <class Feature>
struct GivenMemory {
  Feature* features = nullptr;
  double* vectors = nullptr;  ///< coefficients, or sums of blocks
  sweep::Workspace workspace;
  std::int64_t bytes = 0;

  template <class ExecutionSpace>
  GivenMemory(const DenseStore<ExecutionSpace, Feature>& store, const DenseCut& cut,
              std::int64_t values, std::byte* memory) {
    sweep::MemoryCursor cursor(memory);
    features = cursor.take<Feature>(store.panel_values(cut.blocks));
    vectors = cursor.take<double>(values);
    sweep::MemoryCursor team(nullptr);
    const sweep::MultiplyMemory<Feature> counted(team, store.columns(), cut.sides);
    workspace.bytes = team.bytes();
    workspace.teams = cut.teams;
    workspace.data = cursor.take<std::byte>(team.bytes() * cut.teams);
    bytes = cursor.bytes() + plan::workspace_alignment;
  }
};

/// As Pass::apply. If not all vectors fit the budget, rows are walked several times.
template <class ExecutionSpace, class Feature>
void apply_rows(const DenseRoom<ExecutionSpace, Feature>& room, const double* coefficients,
                std::int64_t n, Range wanted, double* predictors) {
  const std::string label = "synelix::design_matrix::apply";
  auto& store = room.store;
  const std::int64_t columns = store.columns();
  const auto* const matrix = &tile::table_of<double>(room.set);
  DenseExtent extent;
  extent.teams = room.exec.concurrency();
  extent.blocks = store.blocks();
  extent.sides = n;
  const auto stride_of = [&](const DenseCut& cut) {
    return n == 1 ? 1 : index::round_up(cut.sides, matrix->lanes);
  };
  const auto bytes = [&](const DenseCut& cut) {
    return GivenMemory<Feature>(store, cut, columns * stride_of(cut), nullptr).bytes;
  };
  const DenseCut cut = cut_within(room.budget, store.held_bytes(), extent, bytes);
  const std::int64_t stride = stride_of(cut);
  const GivenMemory<Feature> memory(store, cut, columns * stride, room.memory.get(bytes(cut)));
  for (std::int64_t first = 0; first < n; first += cut.sides) {
    const std::int64_t count = std::min(cut.sides, n - first);
    std::fill_n(memory.vectors, columns * stride, 0.0);
    for (std::int64_t j = 0; j < columns; ++j) {
      std::copy_n(coefficients + j * n + first, count, memory.vectors + j * stride);
    }
    store.walk(wanted, 1, cut.blocks, memory.features, [&](const sweep::DenseRows<Feature>& rows) {
      if (room.watched != nullptr) room.watched->ask();
      sweep::ApplyRowsSweep<Feature> sweep;
      sweep.from = rows;
      sweep.tiles = {matrix, &tile::row_table_of<Feature, double>(room.set)};
      sweep.coefficients = memory.vectors;
      sweep.vectors = count;
      sweep.stride = stride;
      sweep.all_vectors = n;
      sweep.predictors = predictors + first;
      sweep.wanted = wanted;
      plan::start_sweep(plan::SweepLaunch<ExecutionSpace>{room.exec, label, memory.workspace, 1},
                        sweep, cut.teams);
      room.exec.fence("synelix::design_matrix: predictors are read");
    });
  }
}

/// As Pass::apply_adjoint.
template <class ExecutionSpace, class Feature>
void adjoint_rows(const DenseRoom<ExecutionSpace, Feature>& room, const Strided& residuals,
                  double* sums) {
  const std::string label = "synelix::design_matrix::apply_adjoint";
  auto& store = room.store;
  const std::int64_t columns = store.columns();
  const std::int64_t width = sweep::padded<double>(columns);
  const std::int64_t n = residuals.rank > 1 ? residuals.extents[1] : 1;
  std::fill_n(sums, columns * n, 0.0);
  if (n == 0) return;
  DenseExtent extent;
  extent.teams = room.exec.concurrency();
  extent.blocks = store.blocks();
  const auto with_vectors = [n](DenseCut cut) {
    cut.sides = n;
    return cut;
  };
  const auto bytes = [&](const DenseCut& cut) {
    return GivenMemory<Feature>(store, with_vectors(cut), cut.blocks * n * width, nullptr).bytes;
  };
  const DenseCut cut = with_vectors(cut_within(room.budget, store.held_bytes(), extent, bytes));
  const GivenMemory<Feature> memory(store, cut, cut.blocks * n * width,
                                    room.memory.get(bytes(cut)));
  pack::MatrixSource source;
  source.data = residuals.data;
  source.type = residuals.type;
  source.row_stride = residuals.strides[0];
  source.column_stride = residuals.rank > 1 ? residuals.strides[1] : 0;
  store.walk(room.rows, 1, cut.blocks, memory.features, [&](const sweep::DenseRows<Feature>& rows) {
    if (room.watched != nullptr) room.watched->ask();
    sweep::AdjointRowsSweep<Feature> sweep;
    sweep.from = rows;
    sweep.tiles = {&tile::table_of<double>(room.set),
                   &tile::row_table_of<Feature, double>(room.set)};
    sweep.residuals = source;
    sweep.vectors = n;
    sweep.sums = memory.vectors;
    plan::start_sweep(plan::SweepLaunch<ExecutionSpace>{room.exec, label, memory.workspace, 1},
                      sweep, rows.blocks());
    room.exec.fence("synelix::design_matrix: sums of blocks are added");
    for (std::int64_t b = 0; b < rows.blocks(); ++b) {
      for (std::int64_t r = 0; r < n; ++r) {
        const double* const from = memory.vectors + (b * n + r) * width;
        for (std::int64_t j = 0; j < columns; ++j) sums[j * n + r] += from[j];
      }
    }
  });
}

}  // namespace synelix::glm
