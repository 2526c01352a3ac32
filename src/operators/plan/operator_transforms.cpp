// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "operators/plan/operator_launches.hpp"

#include "launch/host_space.hpp"
#include "launch/start_watched.hpp"
#include "machine/spaces.hpp"
#include "operators/choice/operator_items.hpp"
#include "operators/sweep/conv_fft.hpp"
#include "operators/sweep/conv_fft_weights.hpp"
#include "operators/sweep/conv_kernels.hpp"
#include "operators/sweep/conv_reduce_split_k.hpp"
#include "spectral/select.hpp"
#include "spectral/stages.hpp"
#include "tile/select.hpp"

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace synelix::plan {
namespace {

const std::string turns_label = "synelix::conv::turns";
const std::string spectra_label = "synelix::conv::spectra";
const std::string blocks_label = "synelix::conv::blocks";
const std::string grad_blocks_label = "synelix::conv::grad_blocks";
const std::string reduce_blocks_label = "synelix::conv::reduce_split_k";

/// The parameters of transforms, without tables.
template <class Scalar>
sweep::ConvTransforms<Scalar> transforms_of(const chooser::ConvFftShape& shape,
                                            InstructionSet set) {
  return {spectral::shape_of<Scalar>(shape.points, tile::register_bytes(set)),
          {&spectral::passes_of<Scalar>(set), {&tile::table_of<Scalar>(set)}}};
}

}  // namespace

template <class Scalar, class ExecutionSpace>
OperatorTransforms<Scalar, ExecutionSpace>::OperatorTransforms(const ExecutionSpace& exec,
                                                               const ConvCutting& cutting) {
  if constexpr (is_host_space<ExecutionSpace>) {
    const auto shape = spectral::shape_of<Scalar>(
        cutting.fft.shape.points, tile::register_bytes(cutting.choice.instruction_set));
    m_turns = {exec, turns_label, spectral::table_values(shape)};
    spectral::fill_tables(shape, m_turns.data());
  } else {
    using Stored = spectral::StoredPoint<Scalar>;
    const auto stages = spectral::stages_of<Scalar>(cutting.device_fft.points);
    std::vector<Scalar> turns(static_cast<std::size_t>(2 * spectral::table_points(stages)));
    spectral::fill_tables(stages, reinterpret_cast<Stored*>(turns.data()));
    m_turns = {turns_label, turns};
  }
}

template <class Scalar, class ExecutionSpace>
void OperatorTransforms<Scalar, ExecutionSpace>::start(const ExecutionSpace& exec,
                                                       const ConvShape& shape,
                                                       const ConvCutting& cutting, std::byte* fixed,
                                                       const sweep::Workspace& workspace,
                                                       ConvWork work, Watched* watched) const {
  if constexpr (is_host_space<ExecutionSpace>) {
    const auto how = [&](const std::string& label) {
      return SweepLaunch<ExecutionSpace>{exec, label, workspace, 1};
    };
    const chooser::ConvFftShape& fft = cutting.fft.shape;
    auto transforms = transforms_of<Scalar>(fft, cutting.choice.instruction_set);
    transforms.transform = spectral::bind(transforms.transform, std::as_const(m_turns).data());
    auto* const values = reinterpret_cast<Scalar*>(fixed);
    const bool is_all = work == ConvWork::all;
    if (shape.is_by_weights) {
      sweep::ConvFftWeightsSweep<Scalar> sweep{
          shape.by_weights, cut_by_weights(shape, cutting.fft), transforms, values, {}, {}};
      if (!is_all) sweep.cut.items = 0;
      start_watched(how(grad_blocks_label), sweep, sweep.cut.items, sweep.cut.items, watched);
      sweep::ConvReduceSplitKSweep<Scalar> adding{shape.by_weights, values, fft.partials, 0, {}};
      if (is_all) adding.weights = sweep::count_results(shape.by_weights, shape.by_weights.axes);
      start_sweep(how(reduce_blocks_label), adding, workspace.teams);
      return;
    }
    const std::int64_t lanes = transforms.lanes();
    sweep::ConvFftSweep<Scalar> sweep{
        shape.problem, cut_of_pass(shape, fft, lanes, 0), transforms, values, {}, {}};
    sweep::ConvKernelsSweep<Scalar> filters{shape.problem, sweep.cut, transforms, values, 0, {}};
    if (is_all) filters.items = filters.count(shape.problem, lanes);
    start_sweep(how(spectra_label), filters, filters.items);
    for (std::int64_t pass = 0; pass < passes_of(shape); ++pass) {
      sweep.cut = cut_of_pass(shape, fft, lanes, pass);
      if (!is_all) sweep.cut.items = 0;
      start_watched(how(blocks_label), sweep, sweep.cut.items, sweep.cut.items, watched);
    }
  } else {
    start_transforms_on_device(exec, shape, cutting, std::as_const(m_turns).data(), fixed, work);
  }
}

template <class Scalar, class ExecutionSpace>
std::int64_t OperatorTransforms<Scalar, ExecutionSpace>::items(const ConvShape& shape,
                                                               const ConvCutting& cutting) const {
  if (shape.is_by_weights) return cut_by_weights(shape, cutting.fft).items;
  const std::int64_t lanes =
      transforms_of<Scalar>(cutting.fft.shape, cutting.choice.instruction_set).lanes();
  std::int64_t items = 0;
  for (std::int64_t pass = 0; pass < passes_of(shape); ++pass) {
    items += cut_of_pass(shape, cutting.fft.shape, lanes, pass).items;
  }
  return items;
}

#define SYNELIX_INSTANTIATE(SCALAR, SPACE) template class OperatorTransforms<SCALAR, SPACE>;
SYNELIX_FOR_EACH_SCALAR_AND_SPACE(SYNELIX_INSTANTIATE)
#undef SYNELIX_INSTANTIATE

}  // namespace synelix::plan
