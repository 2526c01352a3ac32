// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "products/plan/prepared_products.hpp"

#include "launch/host_space.hpp"
#include "launch/plan_memory.hpp"
#include "launch/start_watched.hpp"
#include "machine/spaces.hpp"
#include "products/sweep/device_matmul.hpp"
#include "products/sweep/matmul.hpp"
#include "products/sweep/slices.hpp"
#include "tile/select.hpp"
#include "tune/device_tile.hpp"

#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <algorithm>
#include <utility>

namespace synelix::plan {
namespace {

const std::string matmul_region = "synelix::matmul";
const std::string matmul_plan_region = "synelix::matmul::plan";
const std::string matmul_tiles_label = "synelix::matmul::tiles";
const std::string slices_label = "synelix::matmul::slices";

}  // namespace

template <class Scalar, class ExecutionSpace>
PreparedProducts<Scalar, ExecutionSpace>::PreparedProducts(const ExecutionSpace& exec,
                                                           ProductList<Scalar> list,
                                                           const MatmulOptions& options,
                                                           FirstLaunch first_launch)
    : m_list(std::move(list)),
      m_cut(choose_products(m_list, options, execution_resources_of(exec, options.budget),
                            library_of<Scalar, ExecutionSpace>())) {
  const Kokkos::Profiling::ScopedRegion region(matmul_plan_region);
  if (m_cut.choice.multiplier == Multiplier::library || m_cut.set.parts == 0) return;
  const auto* const table = reached_list(exec, "synelix::matmul::products", m_list.table, m_table);
  const auto* const first_parts =
      reached_list(exec, "synelix::matmul::parts", m_cut.first_parts, m_first_parts);
  m_shares = reached_list(exec, "synelix::matmul::shares", m_cut.shares, m_shares_copy);
  const std::int64_t bytes = m_cut.slices_bytes + m_cut.choice.teams * m_cut.team_bytes;
  if (bytes > 0) {
    m_memory = workspace_memory<MemorySpace>(exec, "synelix::matmul::workspace", bytes);
    m_workspace = first_line(m_memory.data());
  }
  m_batch.first = m_list.first;
  m_batch.count = m_list.count;
  m_batch.left_places = m_list.left_places;
  m_batch.right_places = m_list.right_places;
  m_batch.result_places = m_list.result_places;
  m_batch.part_rows = m_cut.set.part_rows;
  m_batch.part_columns = m_cut.set.part_columns;
  m_batch.parts = m_cut.set.parts;
  if (!m_list.table.empty()) {
    m_batch.table = table;
    m_batch.first_part = first_parts;
  }
  m_set = m_batch;
  if (m_cut.slices.places > 0) {
    m_whole = reinterpret_cast<Scalar*>(m_workspace);
    m_set.first = whole_of(m_list.first, m_cut.slices, m_whole);
    m_set.count = 1;
    m_streams = static_cast<double>(m_list.count) * static_cast<double>(m_list.first.rows) *
                    static_cast<double>(m_list.first.columns) * sizeof(Scalar) >
                static_cast<double>(streamed_bytes());
  }
  if (first_launch == FirstLaunch::now) {
    sweep::ProductSet<Scalar> nothing = m_set;
    nothing.parts = 0;
    start(exec, nothing, nullptr, nullptr);
    if (m_cut.slices.places > 0) start_slices(exec, 0, nullptr);
  }
}

template <class Scalar, class ExecutionSpace>
SweepLaunch<ExecutionSpace> PreparedProducts<Scalar, ExecutionSpace>::launch(
    const ExecutionSpace& exec, const std::string& label, int team_size) const {
  return {exec,
          label,
          {m_workspace + m_cut.slices_bytes, m_cut.team_bytes, m_cut.choice.teams},
          team_size};
}

template <class Scalar, class ExecutionSpace>
void PreparedProducts<Scalar, ExecutionSpace>::start(const ExecutionSpace& exec,
                                                     const sweep::ProductSet<Scalar>& products,
                                                     const std::int64_t* shares,
                                                     Watched* watched) const {
  if constexpr (is_host_space<ExecutionSpace>) {
    const sweep::MatmulSweep<Scalar> sweep{
        products,      shares, &tile::table_of<Scalar>(m_cut.choice.instruction_set),
        m_cut.packing, {},     {}};
    start_watched(launch(exec, matmul_tiles_label, 1), sweep, m_cut.choice.teams, products.parts,
                  watched);
  } else {
    static_cast<void>(watched);
    start_sweep(
        launch(exec, matmul_tiles_label, tune::device_product_tile(sizeof(Scalar)).threads()),
        sweep::DeviceMatmulSweep<Scalar>{products, {}}, std::max<std::int64_t>(1, products.parts));
  }
}

template <class Scalar, class ExecutionSpace>
void PreparedProducts<Scalar, ExecutionSpace>::start_slices(const ExecutionSpace& exec,
                                                            std::int64_t count,
                                                            Watched* watched) const {
  sweep::Slices<Scalar> slices;
  slices.product = m_whole;
  slices.product_row = m_cut.slices.columns;
  slices.step = m_cut.slices.step;
  slices.set = m_batch;
  slices.set.count = count;
  if constexpr (is_host_space<ExecutionSpace>) {
    auto how = launch(exec, slices_label, tune::host.team_size);
    how.workspace.teams = exec.concurrency();
    const sweep::SlicesSweep<Scalar> sweep{
        slices,
        &tile::table_of<Scalar>(m_cut.choice.instruction_set),
        m_streams ? tile::Stores::streamed : tile::Stores::cached,
        {},
        {}};
    start_watched(how, sweep, how.workspace.teams, count, watched);
  } else {
    static_cast<void>(watched);
    auto how = launch(exec, slices_label, tune::device.team_size);
    how.workspace.teams = std::max<std::int64_t>(1, exec.concurrency() / tune::device.team_size);
    start_sweep(how, sweep::DeviceSlicesSweep<Scalar>{slices, {}}, how.workspace.teams);
  }
}

template <class Scalar, class ExecutionSpace>
std::int64_t PreparedProducts<Scalar, ExecutionSpace>::items() const {
  if (m_cut.choice.multiplier == Multiplier::library) return 1;
  return m_cut.set.parts + (m_cut.slices.places > 0 ? m_batch.count : 0);
}

template <class Scalar, class ExecutionSpace>
void PreparedProducts<Scalar, ExecutionSpace>::launch(const ExecutionSpace& exec,
                                                      Watched* watched) const {
  const Kokkos::Profiling::ScopedRegion region(matmul_region);
  const bool is_library = m_cut.choice.multiplier == Multiplier::library;
  if (watched != nullptr && (is_library || !is_host_space<ExecutionSpace>)) watched->count(items());
  if (is_library) return multiply_by_library(exec, m_list.first);
  if (m_cut.set.parts == 0) return;
  start(exec, m_set, m_cut.shares.empty() ? nullptr : m_shares, watched);
  if (m_cut.slices.places > 0) start_slices(exec, m_batch.count, watched);
}

#define SYNELIX_INSTANTIATE(SCALAR, SPACE) template class PreparedProducts<SCALAR, SPACE>;
SYNELIX_FOR_EACH_SCALAR_AND_SPACE(SYNELIX_INSTANTIATE)
#undef SYNELIX_INSTANTIATE

}  // namespace synelix::plan
