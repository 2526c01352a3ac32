// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "launch/host_space.hpp"
#include "launch/start_watched.hpp"
#include "machine/spaces.hpp"
#include "operators/choice/operator_items.hpp"
#include "operators/plan/operator_launches.hpp"
#include "operators/sweep/conv_reduce_split_k.hpp"
#include "operators/sweep/device_conv_fft.hpp"
#include "operators/sweep/device_conv_fft_weights.hpp"
#include "operators/sweep/device_conv_kernels.hpp"
#include "spectral/stages.hpp"
#include "tune/tiles.hpp"

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <string>

/// \file
/// The launches of convolution operators by transforms on a device.

namespace synelix::plan {
namespace {

const std::string device_spectra_label = "synelix::conv::spectra";
const std::string device_blocks_label = "synelix::conv::blocks";
const std::string device_grad_blocks_label = "synelix::conv::grad_blocks";
const std::string device_reduce_blocks_label = "synelix::conv::reduce_split_k";

/// The stages of a transform of `lanes` blocks together.
template <class Scalar>
sweep::DeviceStages<Scalar> stages_for(const chooser::DeviceConvFftShape& fft, const Scalar* turns,
                                       std::int64_t lanes) {
  using Stored = spectral::StoredPoint<Scalar>;
  return {spectral::bind(spectral::stages_of<Scalar>(fft.points),
                         reinterpret_cast<const Stored*>(turns)),
          static_cast<std::int32_t>(lanes)};
}

/// A launch with a team for each item; at least one team, so that the launch is visible to Kokkos.
template <class ExecutionSpace, class Sweep>
void start_items(const ExecutionSpace& exec, const std::string& label, const Sweep& sweep,
                 std::int64_t items) {
  const std::int64_t teams = std::max<std::int64_t>(1, items);
  start_sweep(SweepLaunch<ExecutionSpace>{exec, label, {nullptr, 0, teams}, tune::device_fft_team},
              sweep, teams);
}

template <class Scalar, class ExecutionSpace>
void start_weights_gradient(const ExecutionSpace& exec, const ConvShape& shape,
                            const chooser::DeviceConvFftShape& fft, const Scalar* turns,
                            Scalar* sums, bool is_all) {
  sweep::DeviceConvFftWeightsSweep<Scalar> sweep{shape.by_weights,
                                                 device_cut_by_weights(shape, fft),
                                                 stages_for(fft, turns, fft.lanes),
                                                 sums,
                                                 {}};
  if (!is_all) sweep.cut.items = 0;
  start_items(exec, device_grad_blocks_label, sweep, sweep.cut.items);
  sweep::ConvReduceSplitKSweep<Scalar> adding{shape.by_weights, sums, fft.partials, 0, {}};
  if (is_all) adding.weights = sweep::count_results(shape.by_weights, shape.by_weights.axes);
  constexpr int threads = tune::device.team_size;
  const std::int64_t resident = std::max<std::int64_t>(1, exec.concurrency() / threads);
  const std::int64_t teams =
      std::clamp<std::int64_t>(index::ceil_divide(adding.weights, threads), 1, resident);
  start_sweep(
      SweepLaunch<ExecutionSpace>{exec, device_reduce_blocks_label, {nullptr, 0, teams}, threads},
      adding, teams);
}

}  // namespace

template <class Scalar, class ExecutionSpace>
void start_transforms_on_device(const ExecutionSpace& exec, const ConvShape& shape,
                                const ConvCutting& cutting, const Scalar* turns, std::byte* fixed,
                                ConvWork work) {
  if constexpr (!is_host_space<ExecutionSpace>) {
    using Stored = spectral::StoredPoint<Scalar>;
    const chooser::DeviceConvFftShape& fft = cutting.device_fft;
    const bool is_all = work == ConvWork::all;
    if (shape.is_by_weights) {
      return start_weights_gradient(exec, shape, fft, turns, reinterpret_cast<Scalar*>(fixed),
                                    is_all);
    }
    auto* const kernels = reinterpret_cast<Stored*>(fixed);
    sweep::DeviceConvFftSweep<Scalar> sweep{shape.problem,
                                            device_cut_of_pass(shape, fft, 0),
                                            stages_for(fft, turns, fft.lanes),
                                            kernels,
                                            {}};
    sweep::DeviceConvKernelsSweep<Scalar> filters{
        shape.problem, sweep.cut.parts, stages_for(fft, turns, 1), kernels, 0, {}};
    const sweep::ConvProblem& problem = shape.problem;
    if (is_all) {
      filters.items =
          problem.groups * problem.output_channels * problem.channels * sweep.cut.parts.count;
    }
    start_items(exec, device_spectra_label, filters, filters.items);
    for (std::int64_t pass = 0; pass < passes_of(shape); ++pass) {
      sweep.cut = device_cut_of_pass(shape, fft, pass);
      if (!is_all) sweep.cut.items = 0;
      start_items(exec, device_blocks_label, sweep, sweep.cut.items);
    }
  }
}

#define SYNELIX_INSTANTIATE(SCALAR, SPACE)                 \
  template void start_transforms_on_device<SCALAR, SPACE>( \
      const SPACE&, const ConvShape&, const ConvCutting&, const SCALAR*, std::byte*, ConvWork);
SYNELIX_FOR_EACH_SCALAR_AND_SPACE(SYNELIX_INSTANTIATE)
#undef SYNELIX_INSTANTIATE

}  // namespace synelix::plan
