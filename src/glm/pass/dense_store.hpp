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
class DenseStore {
 public:
  DenseStore(const ExecutionSpace& exec, std::unique_ptr<RowPanels> panels, InstructionSet set,
             bool keeps)
      : m_exec(exec),
        m_panels(std::move(panels)),
        m_keeps(keeps),
        m_in_place(m_panels->in_place()),
        m_table(&tile::row_table_of<Feature, Feature>(set)),
        m_valid(static_cast<std::size_t>(index::ceil_divide(rows(), 64))),
        m_known(static_cast<std::size_t>(index::ceil_divide(rows(), tune::fit_tile_rows))),
        m_zeros(static_cast<std::size_t>(columns())) {}

  [[nodiscard]] std::int64_t rows() const { return m_panels->rows(); }
  [[nodiscard]] std::int64_t columns() const { return m_panels->columns(); }
  [[nodiscard]] std::int64_t block_rows() const { return sweep::block_rows_of(columns()); }
  [[nodiscard]] std::int64_t blocks() const { return index::ceil_divide(rows(), block_rows()); }
  [[nodiscard]] const RowPanels& panels() const { return *m_panels; }
  [[nodiscard]] const std::vector<std::uint64_t>& valid() const { return m_valid; }
  /// Whether waves need memory from the caller.
  [[nodiscard]] bool needs_panel() const { return m_in_place.data == nullptr && !m_keeps; }
  [[nodiscard]] std::int64_t panel_values(std::int64_t wave_blocks) const {
    if (!needs_panel()) return 0;
    return std::min(wave_blocks * block_rows(), rows()) * panel_stride<Feature>(columns());
  }
  /// Bytes that it holds, including kept features.
  [[nodiscard]] std::int64_t held_bytes() const {
    const std::int64_t kept =
        m_keeps ? rows() * columns() * static_cast<std::int64_t>(sizeof(Feature)) : 0;
    return m_panels->held_bytes() + kept + survey_bytes(rows(), columns());
  }
  static std::int64_t survey_bytes(std::int64_t rows, std::int64_t columns) {
    return index::ceil_divide(rows, 64) * 8 + index::ceil_divide(rows, tune::fit_tile_rows) +
           columns * static_cast<std::int64_t>(sizeof(Feature)) + 2 * plan::workspace_alignment;
  }

  /// Stops keeping features: from now on each walk computes them again.
  void stop_keeping() {
    m_keeps = false;
    m_kept.release();
  }

  /// Calls visit(rows) for all blocks that overlap a range, `wave_blocks` at a time.
  /// \param panel  memory for panel_values(wave_blocks)
  template <class Visit>
  void walk(Range wanted, std::int64_t every, std::int64_t wave_blocks, Feature* panel,
            const Visit& visit) {
    const std::int64_t step = wave_blocks * block_rows();
    const std::int64_t first = wanted.begin / block_rows() * block_rows();
    const std::int64_t last = std::min(rows(), index::round_up(wanted.end, block_rows()));
    for (std::int64_t begin = first; begin < last; begin += step) {
      visit(bring({begin, std::min(last, begin + step)}, every, panel));
    }
  }

  /// Whether the validity of all rows of a range is known.
  [[nodiscard]] bool is_surveyed(Range wanted) const {
    return is_known({wanted.begin / tune::fit_tile_rows * tune::fit_tile_rows, wanted.end}, 1);
  }

 private:
  sweep::DenseRows<Feature> bring(Range wave, std::int64_t every, Feature* panel) {
    sweep::DenseRows<Feature> found;
    found.columns = columns();
    found.rows = wave;
    found.valid = m_valid.data();
    found.every = every;
    found.block_rows = block_rows();
    const bool is_seen = is_known(wave, every);
    Feature* own = nullptr;
    if (m_in_place.data != nullptr) {
      found.stride = m_in_place.strides[0];
      found.data = static_cast<const Feature*>(m_in_place.data) + wave.begin * found.stride;
    } else {
      found.stride = m_keeps ? columns() : panel_stride<Feature>(columns());
      own = m_keeps ? kept() + wave.begin * found.stride : panel;
      found.data = own;
      found.is_zeroed = true;
      fill(found, own);
    }
    const bool is_new = own != nullptr && !m_keeps;
    if (is_new || !is_seen) check(found, own);
    return found;
  }

  [[nodiscard]] bool is_known(Range wave, std::int64_t every) const {
    for (std::int64_t t = wave.begin; t < wave.end; t += tune::fit_tile_rows) {
      const std::int64_t tile = t / tune::fit_tile_rows;
      if (tile % every == 0 && m_known[static_cast<std::size_t>(tile)] == 0) return false;
    }
    return true;
  }

  Feature* kept() {
    const std::int64_t bytes = rows() * columns() * static_cast<std::int64_t>(sizeof(Feature));
    return reinterpret_cast<Feature*>(m_kept.get(bytes));
  }

  /// Computes the wanted tiles that are missing, adjacent ones at once.
  void fill(const sweep::DenseRows<Feature>& wave, Feature* to) {
    const auto is_wanted = [&](std::int64_t t) {
      const bool is_there = m_keeps && m_known[static_cast<std::size_t>(t / tune::fit_tile_rows)];
      return wave.has_tile(t) && !is_there;
    };
    std::int64_t t = wave.rows.begin;
    while (t < wave.rows.end) {
      if (!is_wanted(t)) {
        t += tune::fit_tile_rows;
        continue;
      }
      std::int64_t end = t;
      while (end < wave.rows.end && is_wanted(end)) end += tune::fit_tile_rows;
      end = std::min(end, wave.rows.end);
      m_panels->fill({t, end}, to + (t - wave.rows.begin) * wave.stride, wave.stride);
      t = end;
    }
  }

  void check(const sweep::DenseRows<Feature>& wave, Feature* own) {
    sweep::CheckRowsSweep<Feature> sweep;
    sweep.from = wave;
    sweep.own = own;
    sweep.valid = m_valid.data();
    sweep.known = m_known.data();
    sweep.zeros = m_zeros.data();
    sweep.table = m_table;
    sweep::Workspace workspace;
    workspace.teams = m_exec.concurrency();
    plan::start_sweep(plan::SweepLaunch<ExecutionSpace>{m_exec, m_label, workspace, 1}, sweep,
                      workspace.teams);
    m_exec.fence("synelix::design_matrix: rows are checked");
    for (std::int64_t t = wave.rows.begin; t < wave.rows.end; t += tune::fit_tile_rows) {
      if (wave.has_tile(t)) m_known[static_cast<std::size_t>(t / tune::fit_tile_rows)] = 1;
    }
  }

  ExecutionSpace m_exec;
  std::unique_ptr<RowPanels> m_panels;
  bool m_keeps;
  Strided m_in_place;
  const tile::RowTable<Feature, Feature>* m_table;
  std::vector<std::uint64_t> m_valid;
  std::vector<std::uint8_t> m_known;  ///< for each tile
  std::vector<Feature> m_zeros;
  LineMemory m_kept{"synelix::design_matrix::features"};
  std::string m_label = "synelix::design_matrix::check";
};

}  // namespace synelix::glm
