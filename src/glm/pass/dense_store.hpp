// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "glm/pass/row_panels.hpp"
#include "glm/sweep/check_rows.hpp"
#include "glm/sweep/dense_rows.hpp"
#include "launch/plan_memory.hpp"
#include "launch/start_watched.hpp"
#include "tile/row_products.hpp"
#include "tile/select.hpp"
#include "tune/fit.hpp"

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

/// \file
/// `DenseStore`: the rows of a dense pass, wave by wave. It records which rows are valid, as far as
/// they were read, and stores features if they are to be kept.

namespace synelix::glm {

/// Memory that begins at a cache line, grows and is reused.
class LineMemory {
 public:
  std::byte* get(std::int64_t bytes) {
    if (bytes > m_bytes) {
      m_memory = {};  // freed before the new allocation: both together might not fit the budget
      m_memory = Kokkos::View<std::byte*, Kokkos::HostSpace>(
          Kokkos::view_alloc(Kokkos::WithoutInitializing, m_label),
          static_cast<std::size_t>(bytes + plan::workspace_alignment));
      m_bytes = bytes;
    }
    return plan::first_line(m_memory.data());
  }
  explicit LineMemory(std::string label) : m_label(std::move(label)) {}
  void release() {
    m_memory = {};
    m_bytes = 0;
  }
  [[nodiscard]] std::int64_t bytes() const { return m_bytes; }

 private:
  std::string m_label;
  Kokkos::View<std::byte*, Kokkos::HostSpace> m_memory;
  std::int64_t m_bytes = 0;
};

/// Values from one row of a panel to the next: complete cache lines, except for a few columns.
template <class Feature>
constexpr std::int64_t panel_stride(std::int64_t columns) {
  constexpr auto line = static_cast<std::int64_t>(64 / sizeof(Feature));
  return columns < line ? columns : index::round_up(columns, line);
}

/// The rows of a pass.
template <class ExecutionSpace, class Feature>
class DenseStore : public RowStore {
 public:
  DenseStore(const ExecutionSpace& exec, std::unique_ptr<RowPanels> panels, InstructionSet set,
             bool keeps)
      : RowStore(std::move(panels), keeps),
        m_exec(exec),
        m_in_place(this->panels().in_place()),
        m_table(&tile::row_table_of<Feature, Feature>(set)),
        m_zeros(static_cast<std::size_t>(columns())) {}

  /// Whether waves need memory from the caller.
  [[nodiscard]] bool needs_panel() const { return m_in_place.data == nullptr && !keeps(); }
  [[nodiscard]] std::int64_t panel_values(std::int64_t wave_blocks) const {
    if (!needs_panel()) return 0;
    return std::min(wave_blocks * block_rows(), rows()) * panel_stride<Feature>(columns());
  }
  /// Bytes that it holds, including kept features.
  [[nodiscard]] std::int64_t held_bytes() const {
    const std::int64_t kept =
        keeps() ? rows() * columns() * static_cast<std::int64_t>(sizeof(Feature)) : 0;
    return panels().held_bytes() + kept + survey_bytes(rows(), columns());
  }
  static std::int64_t survey_bytes(std::int64_t rows, std::int64_t columns) {
    return index::ceil_divide(rows, 64) * 8 + index::ceil_divide(rows, tune::fit_tile_rows) +
           columns * static_cast<std::int64_t>(sizeof(Feature)) + 2 * plan::workspace_alignment;
  }

  /// Stops keeping features: from now on each walk computes them again.
  void stop_keeping() {
    set_keeps(false);
    m_kept.release();
  }

  /// Calls visit(rows) for all blocks that overlap a range, `wave_blocks` at a time.
  /// \param panel  memory for panel_values(wave_blocks)
  template <class Visit>
  void walk(Range wanted, std::int64_t every, std::int64_t wave_blocks, Feature* panel,
            const Visit& visit) {
    each_wave(wanted, wave_blocks, [&](Range wave) { visit(this->bring(wave, every, panel)); });
  }

 private:
  sweep::DenseRows<Feature> bring(Range wave, std::int64_t every, Feature* panel) {
    sweep::DenseRows<Feature> found;
    found.columns = columns();
    found.rows = wave;
    found.valid = valid_bits().data();
    found.every = every;
    found.block_rows = block_rows();
    const bool is_seen = is_known(wave, every);
    Feature* own = nullptr;
    if (m_in_place.data != nullptr) {
      found.stride = m_in_place.strides[0];
      found.data = static_cast<const Feature*>(m_in_place.data) + wave.begin * found.stride;
    } else {
      found.stride = keeps() ? columns() : panel_stride<Feature>(columns());
      own = keeps() ? kept() + wave.begin * found.stride : panel;
      found.data = own;
      found.is_zeroed = true;
      this->fill(found, own, found.stride * std::int64_t{sizeof(Feature)}, found.stride);
    }
    const bool is_new = own != nullptr && !keeps();
    if (is_new || !is_seen) check(found, own);
    return found;
  }

  Feature* kept() {
    const std::int64_t bytes = rows() * columns() * static_cast<std::int64_t>(sizeof(Feature));
    return reinterpret_cast<Feature*>(m_kept.get(bytes));
  }

  void check(const sweep::DenseRows<Feature>& wave, Feature* own) {
    sweep::CheckRowsSweep<Feature> sweep;
    sweep.from = wave;
    sweep.own = own;
    sweep.valid = valid_bits().data();
    sweep.known = known_tiles().data();
    sweep.zeros = m_zeros.data();
    sweep.table = m_table;
    sweep::Workspace workspace;
    workspace.teams = m_exec.concurrency();
    plan::start_sweep(plan::SweepLaunch<ExecutionSpace>{m_exec, m_label, workspace, 1}, sweep,
                      workspace.teams);
    m_exec.fence("synelix::design_matrix: rows are checked");
    for (std::int64_t t = wave.rows.begin; t < wave.rows.end; t += tune::fit_tile_rows) {
      if (wave.has_tile(t)) known_tiles()[static_cast<std::size_t>(t / tune::fit_tile_rows)] = 1;
    }
  }

  ExecutionSpace m_exec;
  Strided m_in_place;
  const tile::RowTable<Feature, Feature>* m_table;
  std::vector<Feature> m_zeros;
  LineMemory m_kept{"synelix::design_matrix::features"};
  std::string m_label = "synelix::design_matrix::check";
};

}  // namespace synelix::glm
