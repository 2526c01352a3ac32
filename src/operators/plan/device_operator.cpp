// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "operators/plan/operator_launches.hpp"

#include "launch/host_space.hpp"
#include "launch/start_watched.hpp"
#include "machine/spaces.hpp"
#include "operators/choice/operator_items.hpp"
#include "operators/sweep/conv_reduce_split_k.hpp"
#include "operators/sweep/conv_weights.hpp"
#include "operators/sweep/device_conv.hpp"
#include "operators/sweep/device_conv_grad_weights.hpp"
#include "tune/tiles.hpp"

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <string>

namespace synelix::plan {
namespace {

const std::string device_weights_label = "synelix::conv::weights";
const std::string device_windows_label = "synelix::conv::windows";
const std::string device_grad_weights_label = "synelix::conv::grad_weights";
const std::string device_reduce_label = "synelix::conv::reduce_split_k";

/// A launch with one thread for each item; at least one team, so that the launch is visible to
/// Kokkos.
template <class ExecutionSpace, class Sweep>
void start_by_threads(const ExecutionSpace& exec, const std::string& label, const Sweep& sweep,
                      std::int64_t items) {
  constexpr int threads = tune::device.team_size;
  const std::int64_t resident = std::max<std::int64_t>(1, exec.concurrency() / threads);
  const std::int64_t teams =
      std::clamp<std::int64_t>(index::ceil_divide(items, threads), 1, resident);
  start_sweep(SweepLaunch<ExecutionSpace>{exec, label, {nullptr, 0, teams}, threads}, sweep, teams);
}

/// A launch of a team for each item.
template <class ExecutionSpace, class Sweep>
void start_by_teams(const ExecutionSpace& exec, const std::string& label, const Sweep& sweep) {
  const std::int64_t teams = std::max<std::int64_t>(1, sweep.items);
  start_sweep(SweepLaunch<ExecutionSpace>{exec, label, {nullptr, 0, teams}, Sweep::Tile::threads},
              sweep, teams);
}

template <class Scalar, class ExecutionSpace>
void start_by_weights(const ExecutionSpace& exec, const ConvShape& shape,
                      const sweep::DeviceConvGradCut& cut, Scalar* sums, bool is_all) {
  sweep::ConvWeightsProblem problem = shape.by_weights;
  const std::int64_t weights = sweep::count_results(problem, problem.axes);
  if (cut.partials > 1) problem.result = sweep::first_partial(problem, sums);
  const std::int64_t items = is_all ? cut.items : 0;
  sweep::with_device_conv_columns<Scalar>(cut.columns, [&](auto columns) {
    start_by_teams(exec, device_grad_weights_label,
                   sweep::DeviceConvGradWeightsSweep<Scalar, decltype(columns)::count>{
                       problem, cut, weights, items, {}});
  });
  if (cut.partials == 1) return;
  const std::int64_t adding = is_all ? weights : 0;
  start_by_threads(
      exec, device_reduce_label,
      sweep::ConvReduceSplitKSweep<Scalar>{shape.by_weights, sums, cut.partials, adding, {}},
      adding);
}

}  // namespace

template <class Scalar, class ExecutionSpace>
void start_on_device(const ExecutionSpace& exec, const ConvShape& shape, const ConvCutting& cutting,
                     std::byte* fixed, ConvWork work) {
  if constexpr (!is_host_space<ExecutionSpace>) {
    const bool is_all = work == ConvWork::all;
    auto* const values = reinterpret_cast<Scalar*>(fixed);
    if (shape.is_by_weights) {
      return start_by_weights(exec, shape, cutting.device_grad_cut, values, is_all);
    }
    const sweep::DeviceConvCut& cut = cutting.device_cut;
    const sweep::ConvCut packing = packing_of(cut);
    sweep::ConvWeightsSweep<Scalar> packed{
        shape.problem, packing, values + shape.problem.groups * cut.panels * cut.panel.size,
        values,        0,       {}};
    if (is_all) packed.items = packed.count(shape.problem, packing);
    start_by_threads(exec, device_weights_label, packed, packed.items);
    const std::int64_t items = is_all ? cut.items : 0;
    Scalar* const weights = values + shape.problem.groups * cut.panels * cut.panel.size;
    sweep::with_device_conv_columns<Scalar>(cut.columns, [&](auto columns) {
      start_by_teams(exec, device_windows_label,
                     sweep::DeviceConvSweep<Scalar, decltype(columns)::count>{
                         shape.problem, cut, weights, values, items, {}});
    });
  }
}

#define SYNELIX_INSTANTIATE(SCALAR, SPACE)                                                         \
  template void start_on_device<SCALAR, SPACE>(const SPACE&, const ConvShape&, const ConvCutting&, \
                                               std::byte*, ConvWork);
SYNELIX_FOR_EACH_SCALAR_AND_SPACE(SYNELIX_INSTANTIATE)
#undef SYNELIX_INSTANTIATE

}  // namespace synelix::plan
