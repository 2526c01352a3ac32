// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "glm/pass/row_panels.hpp"
#include "glm/sweep/device_design.hpp"
#include "glm/sweep/row_blocks.hpp"
#include "launch/plan_memory.hpp"
#include "launch/start_watched.hpp"
#include "tune/fit.hpp"

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

/// \file
/// Memory that grows, copies, and the start of a sweep, for passes on a device. `DeviceStore`: the
/// rows of such a pass, wave by wave. It records which rows are valid, as far as they were read,
/// and stores features if they are to be kept.

namespace synelix::glm {

/// Starts sweeps on an execution space. Tests start them on teams without threads.
struct DeviceLaunch {
  template <class ExecutionSpace, class Sweep>
  void operator()(const ExecutionSpace& exec, const std::string& label, const Sweep& sweep,
                  std::int64_t items) const {
    sweep::Workspace workspace;
    workspace.teams = items;
    plan::start_sweep(plan::SweepLaunch<ExecutionSpace>{exec, label, workspace, 1}, sweep, items);
  }
};

/// Memory of a device that begins at a cache line, grows and is reused.
template <class ExecutionSpace>
class DeviceMemory {
 public:
  DeviceMemory(const ExecutionSpace& exec, std::string label)
      : m_exec(exec), m_label(std::move(label)) {}

  std::byte* get(std::int64_t bytes) {
    if (bytes > m_bytes) {
      m_memory = {};  // freed before the new allocation: both together might not fit the budget
      m_memory =
          plan::workspace_memory<typename ExecutionSpace::memory_space>(m_exec, m_label, bytes);
      m_bytes = bytes;
    }
    return plan::first_line(m_memory.data());
  }

  [[nodiscard]] std::int64_t bytes() const { return m_bytes; }
  void release() {
    m_memory = {};
    m_bytes = 0;
  }

 private:
  ExecutionSpace m_exec;
  std::string m_label;
  plan::OwnedMemory<std::byte, typename ExecutionSpace::memory_space> m_memory;
  std::int64_t m_bytes = 0;
};

template <class Value, class Space>
using LentView = Kokkos::View<Value*, Space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

/// Copies values of the host to a device. They must stay valid until the space is fenced.
template <class ExecutionSpace, class Value>
void copy_in(const ExecutionSpace& exec, const std::vector<Value>& from, Value* to) {
  if (from.empty()) return;
  Kokkos::deep_copy(exec, LentView<Value, typename ExecutionSpace::memory_space>(to, from.size()),
                    LentView<const Value, Kokkos::HostSpace>(from.data(), from.size()));
}

/// Copies values of a device to the host. The copy is complete when it returns.
template <class ExecutionSpace, class Value>
void copy_out(const ExecutionSpace& exec, const Value* from, std::vector<Value>& to) {
  if (!to.empty()) {
    Kokkos::deep_copy(
        exec, LentView<Value, Kokkos::HostSpace>(to.data(), to.size()),
        LentView<const Value, typename ExecutionSpace::memory_space>(from, to.size()));
  }
  exec.fence("synelix::design_matrix: results are read");
}

/// The rows of a pass. A stored matrix is read in place; other rows are computed into memory of the
/// device.
template <class ExecutionSpace, class Launch>
class DeviceStore : public RowStore {
 public:
  DeviceStore(const ExecutionSpace& exec, const Launch& launch, std::unique_ptr<RowPanels> panels,
              bool keeps)
      : RowStore(std::move(panels), keeps),
        m_exec(exec),
        m_launch(launch),
        m_valid(Kokkos::view_alloc(exec, std::string("synelix::design_matrix::valid")),
                static_cast<std::size_t>(rows())),
        m_kept(exec, "synelix::design_matrix::features") {}

  /// Bytes of a row in memory that waves need from the caller.
  [[nodiscard]] std::int64_t panel_row_bytes() const {
    return panels().matrix() != nullptr || keeps() ? 0 : row_bytes(panels());
  }
  /// Bytes of the device that it holds, including kept features.
  [[nodiscard]] std::int64_t held_bytes() const {
    const std::int64_t kept = keeps() ? rows() * row_bytes(panels()) : 0;
    return panels().held_bytes() + kept + rows();
  }
  /// Frees the memory of kept features. From now on they are computed again in each walk.
  void stop_keeping() {
    set_keeps(false);
    m_kept.release();
  }
  static std::int64_t row_bytes(const RowPanels& panels) {
    return panels.columns() * std::int64_t{size_of(panels.type())};
  }

  /// Calls visit(wave) for all blocks that overlap a range, `wave_blocks` at a time.
  /// \param panel  memory of the device, panel_row_bytes() for each row of a wave
  template <class Visit>
  void walk(Range wanted, std::int64_t every, std::int64_t wave_blocks, std::byte* panel,
            const Visit& visit) {
    each_wave(wanted, wave_blocks, [&](Range wave) { visit(this->bring(wave, every, panel)); });
  }

 private:
  static constexpr std::int64_t bits = 64;

  sweep::DeviceDesign bring(Range wave, std::int64_t every, std::byte* panel) {
    sweep::DeviceDesign found;
    found.columns = columns();
    found.rows = wave;
    found.valid = m_valid.data();
    found.every = every;
    found.block_rows = block_rows();
    if (panels().matrix() != nullptr) {
      found.source = *panels().matrix();
    } else {
      std::byte* const to =
          keeps() ? m_kept.get(rows() * row_bytes(panels())) + wave.begin * row_bytes(panels())
                  : panel;
      found.first = wave.begin;
      found.source.data = to;
      found.source.type = panels().type();
      found.source.row_stride = columns();
      found.source.column_stride = 1;
      this->fill(found, to, row_bytes(panels()), columns());
    }
    check(found);
    if (are_all_valid(found)) found.valid = nullptr;
    return found;
  }

  /// Whether all rows of the tiles in use are valid: kernels then read no flags.
  [[nodiscard]] bool are_all_valid(const sweep::DeviceDesign& wave) const {
    static_assert(tune::fit_tile_rows % bits == 0);
    for (std::int64_t t = wave.rows.begin; t < wave.rows.end; t += bits) {
      if (!wave.has_tile(t)) continue;
      const std::int64_t left = wave.rows.end - t;
      const std::uint64_t all = ~std::uint64_t{0} >> (left < bits ? bits - left : 0);
      if ((valid()[static_cast<std::size_t>(t / bits)] & all) != all) return false;
    }
    return true;
  }

  /// Finds the valid rows of a wave, unless they are known for all of its tiles.
  void check(const sweep::DeviceDesign& wave) {
    if (is_known(wave.rows, wave.every)) return;
    sweep::DeviceCheckSweep sweep;
    sweep.from = wave;
    sweep.valid = m_valid.data();
    m_launch(m_exec, m_label, sweep, wave.rows.size());
    std::vector<std::uint8_t> found(static_cast<std::size_t>(wave.rows.size()));
    copy_out(m_exec, static_cast<const std::uint8_t*>(m_valid.data() + wave.rows.begin), found);
    for (std::int64_t t = wave.rows.begin; t < wave.rows.end; ++t) {
      if (!wave.has_tile(t)) continue;
      const std::uint64_t bit = std::uint64_t{1} << (t % bits);
      if (found[static_cast<std::size_t>(t - wave.rows.begin)] != 0) {
        valid_bits()[static_cast<std::size_t>(t / bits)] |= bit;
      }
      known_tiles()[static_cast<std::size_t>(t / tune::fit_tile_rows)] = 1;
    }
  }

  ExecutionSpace m_exec;
  Launch m_launch;
  Kokkos::View<std::uint8_t*, typename ExecutionSpace::memory_space> m_valid;
  DeviceMemory<ExecutionSpace> m_kept;
  std::string m_label = "synelix::design_matrix::check";
};

}  // namespace synelix::glm
