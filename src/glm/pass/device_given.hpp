// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "glm/pass/device_walk.hpp"
#include "launch/canonical.hpp"
#include "pack/matrix.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

/// \file
/// Products of a design on a device with given vectors, in double.

namespace synelix::glm {

/// The arrays of such a product with this many vectors.
struct GivenArrays {
  std::byte* panel = nullptr;
  double* coefficients = nullptr;
  double* rows = nullptr;  ///< (vector, row): predictors or residuals
  double* sums = nullptr;
  double* totals = nullptr;
  std::int64_t bytes = 0;

  /// \param sum_values  values of the sums of a block
  template <class Store>
  GivenArrays(const Store& store, std::int64_t vectors, std::int64_t sum_values,
              std::int64_t blocks, std::byte* memory = nullptr) {
    const std::int64_t count = std::min(store.rows(), blocks * store.block_rows());
    sweep::MemoryCursor cursor(memory);
    panel = cursor.take<std::byte>(count * store.panel_row_bytes());
    coefficients = cursor.take<double>(vectors * store.columns());
    rows = cursor.take<double>(vectors * sweep::DeviceDesign::vector_step(count));
    sums = cursor.take<double>(blocks * sum_values);
    totals = cursor.take<double>(sum_values);
    bytes = cursor.bytes();
  }
};

/// A cut of vectors and blocks within a budget.
struct GivenCut {
  std::int64_t vectors = 1;
  std::int64_t blocks = 1;
};

/// \param sums_of  values of the sums of a block for a number of vectors
template <class ExecutionSpace, class Launch, class SumsOf>
GivenCut given_within(const DeviceRoom<ExecutionSpace, Launch>& room, std::int64_t vectors,
                      const SumsOf& sums_of) {
  GivenCut cut{vectors, 0};
  for (;; cut.vectors = index::ceil_divide(cut.vectors, 2)) {
    const auto bytes = [&](std::int64_t blocks) {
      return GivenArrays(room.store, cut.vectors, sums_of(cut.vectors), blocks).bytes;
    };
    cut.blocks = room.blocks_within(bytes);
    if (cut.blocks > 0) return cut;
    if (cut.vectors == 1) {
      refuse_budget("options.budget", room.budget, room.held_bytes() + bytes(1));
    }
  }
}

/// As Pass::apply.
template <class ExecutionSpace, class Launch>
void apply_on_device(const DeviceRoom<ExecutionSpace, Launch>& room, const double* coefficients,
                     std::int64_t n, Range wanted, double* predictors) {
  const std::string label = "synelix::design_matrix::apply";
  auto& store = room.store;
  const std::int64_t columns = store.columns();
  const GivenCut cut = given_within(room, n, [](std::int64_t) { return std::int64_t{0}; });
  std::byte* const memory = room.memory.get(GivenArrays(store, cut.vectors, 0, cut.blocks).bytes);
  const GivenArrays arrays(store, cut.vectors, 0, cut.blocks, memory);
  for (std::int64_t first = 0; first < n; first += cut.vectors) {
    const std::int64_t count = std::min(cut.vectors, n - first);
    std::vector<double> vectors;
    for (std::int64_t r = first; r < first + count; ++r) {
      for (std::int64_t j = 0; j < columns; ++j) vectors.push_back(coefficients[j * n + r]);
    }
    copy_in(room.exec, vectors, arrays.coefficients);
    room.exec.fence("synelix::design_matrix: tables that leave scope are copied");
    store.walk(wanted, 1, cut.blocks, arrays.panel, [&](const sweep::DeviceDesign& wave) {
      if (room.watched != nullptr) room.watched->ask();
      sweep::DevicePredictSweep<double> sweep;
      sweep.from = wave;
      sweep.coefficients = arrays.coefficients;
      sweep.vectors = count;
      sweep.predictors = arrays.rows;
      room.launch(room.exec, label, sweep, sweep.items());
      const std::int64_t step = wave.vector_step();
      std::vector<double> found(static_cast<std::size_t>(count * step));
      copy_out(room.exec, static_cast<const double*>(arrays.rows), found);
      const Range some = index::common(wanted, wave.rows);
      for (std::int64_t t = some.begin; t < some.end; ++t) {
        for (std::int64_t v = 0; v < count; ++v) {
          const double value = found[static_cast<std::size_t>(v * step + t - wave.rows.begin)];
          predictors[(t - wanted.begin) * n + first + v] =
              store.is_valid(t) ? sweep::canonical(value) : sweep::missing_value<double>();
        }
      }
    });
  }
}

/// As Pass::apply_adjoint.
template <class ExecutionSpace, class Launch>
void adjoint_on_device(const DeviceRoom<ExecutionSpace, Launch>& room, const Strided& residuals,
                       double* sums) {
  const std::string label = "synelix::design_matrix::apply_adjoint";
  const std::string totals_label = "synelix::design_matrix::totals";
  auto& store = room.store;
  const std::int64_t columns = store.columns();
  const std::int64_t n = residuals.rank > 1 ? residuals.extents[1] : 1;
  if (n == 0) return;
  const auto shape_of = [&](std::int64_t vectors) {
    return sweep::DeviceSumsShape{1, {0, columns}, vectors};
  };
  const GivenCut cut =
      given_within(room, n, [&](std::int64_t vectors) { return shape_of(vectors).values(); });
  const std::int64_t values = shape_of(cut.vectors).values();
  std::byte* const memory =
      room.memory.get(GivenArrays(store, cut.vectors, values, cut.blocks).bytes);
  const GivenArrays arrays(store, cut.vectors, values, cut.blocks, memory);
  pack::MatrixSource source;
  source.data = residuals.data;
  source.type = residuals.type;
  source.row_stride = residuals.strides[0];
  source.column_stride = residuals.rank > 1 ? residuals.strides[1] : 0;
  for (std::int64_t first = 0; first < n; first += cut.vectors) {
    const std::int64_t count = std::min(cut.vectors, n - first);
    std::vector<double> found;
    bool begins = true;
    store.walk(room.rows, 1, cut.blocks, arrays.panel, [&](const sweep::DeviceDesign& wave) {
      if (room.watched != nullptr) room.watched->ask();
      found.clear();
      for (std::int64_t v = first; v < first + count; ++v) {
        for (std::int64_t t = wave.rows.begin; t < wave.rows.end; ++t) {
          found.push_back(store.is_valid(t) ? pack::matrix_value<double>(source, source.data, t, v)
                                            : 0.0);
        }
        found.resize(static_cast<std::size_t>((v - first + 1) * wave.vector_step()));
      }
      copy_in(room.exec, found, arrays.rows);
      using Right = sweep::DeviceResiduals<double>;
      sweep::DeviceSumsSweep<double, Right> sweep;
      sweep.from = wave;
      sweep.right = {arrays.rows, false};
      sweep.shape = shape_of(count);
      sweep.sums = arrays.sums;
      sweep.block_step = sweep.shape.values();
      room.launch(room.exec, label, sweep, sweep.items());
      sweep::DeviceTotalsSweep totals;
      totals.sums = arrays.sums;
      totals.blocks = wave.blocks();
      totals.values = sweep.block_step;
      totals.begins = begins;
      totals.totals = arrays.totals;
      room.launch(room.exec, totals_label, totals, totals.values);
      room.exec.fence("synelix::design_matrix: a wave is done");
      begins = false;
    });
    const std::int64_t pitch = shape_of(count).pitch();
    std::vector<double> totals(static_cast<std::size_t>(shape_of(count).values()));
    copy_out(room.exec, static_cast<const double*>(arrays.totals), totals);
    for (std::int64_t j = 0; j < columns; ++j) {
      for (std::int64_t v = 0; v < count; ++v) {
        sums[j * n + first + v] = totals[static_cast<std::size_t>(j * pitch + v)];
      }
    }
  }
}

}  // namespace synelix::glm
