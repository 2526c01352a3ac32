// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "operators/plan/prepared_operator.hpp"

#include "launch/host_space.hpp"
#include "launch/launch.hpp"
#include "launch/plan_memory.hpp"
#include "launch/start_watched.hpp"
#include "machine/spaces.hpp"
#include "operators/plan/operator_launches.hpp"
#include "operators/sweep/conv_depthwise.hpp"
#include "operators/sweep/conv_depthwise_weights.hpp"
#include "operators/sweep/conv_grad_weights.hpp"
#include "operators/sweep/conv_reduce_split_k.hpp"
#include "operators/sweep/conv_sweep.hpp"
#include "operators/sweep/conv_weights.hpp"
#include "tile/select.hpp"

#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <string>
#include <utility>

namespace synelix::plan {
namespace {

const std::string region_name = "synelix::conv";
const std::string plan_region_name = "synelix::conv::plan";
const std::string weights_label = "synelix::conv::weights";
const std::string windows_label = "synelix::conv::windows";
const std::string grad_weights_label = "synelix::conv::grad_weights";
const std::string reduce_label = "synelix::conv::reduce_split_k";

}  // namespace

template <class Scalar, class ExecutionSpace>
PreparedOperator<Scalar, ExecutionSpace>::PreparedOperator(const ExecutionSpace& exec,
                                                           ConvShape shape,
                                                           const ConvOptions& options,
                                                           FirstLaunch first_launch)
    : m_shape(std::move(shape)),
      m_cutting(choose_operator<Scalar>(m_shape, options,
                                        execution_resources_of(exec, options.budget),
                                        device_scratch_bytes<ExecutionSpace, Scalar>())) {
  const Kokkos::Profiling::ScopedRegion region(plan_region_name);
  if (m_cutting.choice.items == 0) return;
  ConvTables& tables = m_shape.tables;
  const auto* const passes = reached_list(exec, "synelix::conv::passes", tables.passes, m_passes);
  const auto* const numbers =
      reached_list(exec, "synelix::conv::numbers", tables.numbers, m_numbers);
  for (int d = 0; d < index::conv_dimensions; ++d) {
    tables.axes[d].passes = passes;
    tables.axes[d].first_pass = numbers + tables.first_pass[d];
    tables.axes[d].tap_order = numbers + tables.tap_order[d];
    m_shape.problem.axes[d] = tables.axes[d];
    m_shape.by_weights.axes[d] = tables.axes[d];
  }
  const std::int64_t bytes = m_cutting.packed_bytes + m_cutting.choice.teams * m_cutting.team_bytes;
  if (bytes > 0) {
    m_memory = workspace_memory<MemorySpace>(exec, "synelix::conv::workspace", bytes);
    m_workspace = first_line(m_memory.data());
  }
  if (m_cutting.choice.method == ConvMethod::fft) {
    m_fft = OperatorTransforms<Scalar, ExecutionSpace>(exec, m_cutting);
  }
  if (first_launch == FirstLaunch::now) start(exec, Work::none, nullptr);
}

template <class Scalar, class ExecutionSpace>
void PreparedOperator<Scalar, ExecutionSpace>::start_by_weights(const ExecutionSpace& exec,
                                                                const sweep::Workspace& workspace,
                                                                Work work, Watched* watched) const {
  if constexpr (is_host_space<ExecutionSpace>) {
    const sweep::ConvGradCut& cut = m_cutting.grad_cut;
    const auto* const table = &tile::table_of<Scalar>(m_cutting.choice.instruction_set);
    sweep::ConvWeightsProblem problem = m_shape.by_weights;
    auto* const sums = reinterpret_cast<Scalar*>(m_workspace);
    const std::int64_t weights = sweep::count_results(problem, problem.axes);
    if (cut.partials > 1) problem.result = sweep::first_partial(problem, sums);
    const sweep::ConvWeightsProblem form = sweep::host_form(problem);
    sweep::ConvGradCut items = cut;
    if (work == Work::none) items.items = 0;
    const SweepLaunch<ExecutionSpace> how{exec, grad_weights_label, workspace, 1};
    if (form.is_depthwise) {
      const sweep::ConvDepthwiseWeightsSweep<Scalar> sweep{form, items, weights, table, {}, {}};
      start_watched(how, sweep, m_cutting.choice.teams, items.items, watched);
    } else {
      const sweep::ConvGradWeightsSweep<Scalar> sweep{form, items, weights, table, {}, {}};
      start_watched(how, sweep, m_cutting.choice.teams, items.items, watched);
    }
    if (cut.partials == 1) return;
    sweep::ConvReduceSplitKSweep<Scalar> adding{
        m_shape.by_weights, sums, cut.partials, weights, {}};
    if (work == Work::none) adding.weights = 0;
    start_sweep(SweepLaunch<ExecutionSpace>{exec, reduce_label, workspace, 1}, adding,
                workspace.teams);
  }
}

template <class Scalar, class ExecutionSpace>
void PreparedOperator<Scalar, ExecutionSpace>::start_on_host(const ExecutionSpace& exec, Work work,
                                                             Watched* watched) const {
  if constexpr (is_host_space<ExecutionSpace>) {
    const ConvChoice& choice = m_cutting.choice;
    const auto* const table = &tile::table_of<Scalar>(choice.instruction_set);
    const sweep::Workspace workspace{m_workspace + m_cutting.packed_bytes, m_cutting.team_bytes,
                                     choice.teams};
    if (choice.method == ConvMethod::fft) {
      return m_fft.start(exec, m_shape, m_cutting, m_workspace, workspace, work, watched);
    }
    if (m_shape.is_by_weights) {
      return start_by_weights(exec, workspace, work, watched);
    }
    const sweep::ConvCut& cut = m_cutting.cut;
    const sweep::ConvProblem problem = sweep::host_form(m_shape.problem);
    auto* const bias = reinterpret_cast<Scalar*>(m_workspace);
    Scalar* const weights = bias + problem.groups * cut.panels * cut.panel;
    sweep::ConvWeightsSweep<Scalar> packing{problem, cut, weights, bias, 0, {}};
    if (work == Work::all) packing.items = packing.count(problem, cut);
    const sweep::Workspace all{nullptr, 0, exec.concurrency()};
    start_sweep(SweepLaunch<ExecutionSpace>{exec, weights_label, all, 1}, packing, all.teams);
    const SweepLaunch<ExecutionSpace> how{exec, windows_label, workspace, 1};
    sweep::ConvCut items = cut;
    if (work == Work::none) items.items = 0;
    if (problem.is_depthwise) {
      const sweep::ConvDepthwiseSweep<Scalar> sweep{problem, items, weights, bias, table, {}, {}};
      start_watched(how, sweep, choice.teams, items.items, watched);
    } else {
      const sweep::ConvSweep<Scalar> sweep{problem, items, weights, bias, table, {}, {}};
      start_watched(how, sweep, choice.teams, items.items, watched);
    }
  }
}

template <class Scalar, class ExecutionSpace>
void PreparedOperator<Scalar, ExecutionSpace>::start(const ExecutionSpace& exec, Work work,
                                                     Watched* watched) const {
  if constexpr (is_host_space<ExecutionSpace>) {
    start_on_host(exec, work, watched);
  } else {
    if (watched != nullptr) watched->count(items());
    if (m_cutting.choice.method == ConvMethod::fft) {
      return m_fft.start(exec, m_shape, m_cutting, m_workspace, {}, work, watched);
    }
    start_on_device<Scalar>(exec, m_shape, m_cutting, m_workspace, work);
  }
}

template <class Scalar, class ExecutionSpace>
std::int64_t PreparedOperator<Scalar, ExecutionSpace>::items() const {
  if (!is_host_space<ExecutionSpace> || m_cutting.choice.items == 0) return m_cutting.choice.items;
  if (m_cutting.choice.method == ConvMethod::fft) return m_fft.items(m_shape, m_cutting);
  return m_shape.is_by_weights ? m_cutting.grad_cut.items : m_cutting.cut.items;
}

template <class Scalar, class ExecutionSpace>
void PreparedOperator<Scalar, ExecutionSpace>::launch(const ExecutionSpace& exec,
                                                      Watched* watched) const {
  const Kokkos::Profiling::ScopedRegion region(region_name);
  if (m_cutting.choice.items > 0) start(exec, Work::all, watched);
}

#define SYNELIX_INSTANTIATE(SCALAR, SPACE) template class PreparedOperator<SCALAR, SPACE>;
SYNELIX_FOR_EACH_SCALAR_AND_SPACE(SYNELIX_INSTANTIATE)
#undef SYNELIX_INSTANTIATE

}  // namespace synelix::plan
