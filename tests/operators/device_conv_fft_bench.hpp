// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "launch/launch.hpp"
#include "launch/mock_team.hpp"
#include "launch/walking_team.hpp"
#include "operators/choice/operator_items.hpp"
#include "operators/plan/conv_shape.hpp"
#include "operators/sweep/conv_reduce_split_k.hpp"
#include "operators/sweep/device_conv_fft.hpp"
#include "operators/sweep/device_conv_fft_weights.hpp"
#include "operators/sweep/device_conv_kernels.hpp"
#include "spectral/stages.hpp"

#include <gtest/gtest.h>
#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

/// \file
/// A convolution operator by transforms as a device computes it, launch after launch, by teams of a
/// test.

namespace ground {

template <class Scalar>
class DeviceConvFftBench {
 public:
  using Stored = synelix::spectral::StoredPoint<Scalar>;

  DeviceConvFftBench(const synelix::ConvArrays& arrays, const synelix::ConvOptions& options,
                     std::int64_t scratch_bytes)
      : m_shape(synelix::plan::shape_of(arrays, options, synelix::stored_type<Scalar>)) {
    for (int d = 0; d < synelix::index::conv_dimensions; ++d) {
      synelix::index::ConvAxis& axis = m_shape.tables.axes[d];
      axis.passes = m_shape.tables.passes.data();
      axis.first_pass = m_shape.tables.numbers.data() + m_shape.tables.first_pass[d];
      axis.tap_order = m_shape.tables.numbers.data() + m_shape.tables.tap_order[d];
      m_shape.problem.axes[d] = axis;
      m_shape.by_weights.axes[d] = axis;
    }
    fft = synelix::plan::shape_fft_on_device(m_shape, synelix::ConvMethod::fft, sizeof(Scalar),
                                             scratch_bytes);
  }

  synelix::chooser::DeviceConvFftShape fft;
  bool is_walking = false;  ///< threads that take turns; else a mock team
  int count = 3;            ///< teams
  LeftOut left_out;         ///< a barrier of the sweep that transforms blocks
  std::int64_t barriers = 0;

  /// Work items of the first launch that transforms blocks.
  [[nodiscard]] std::int64_t items() const {
    return m_shape.is_by_weights ? synelix::plan::device_cut_by_weights(m_shape, fft).items
                                 : synelix::plan::device_cut_of_pass(m_shape, fft, 0).items;
  }

  void run(std::uint64_t seed) {
    namespace sweep = synelix::sweep;
    const auto stages = synelix::spectral::stages_of<Scalar>(fft.points);
    m_turns.assign(static_cast<std::size_t>(synelix::spectral::table_points(stages)), {});
    synelix::spectral::fill_tables(stages, m_turns.data());
    sweep::DeviceStages<Scalar> bound{
        synelix::spectral::bind(stages, std::as_const(m_turns).data()),
        static_cast<std::int32_t>(fft.lanes)};
    constexpr Scalar nan = std::numeric_limits<Scalar>::quiet_NaN();
    if (m_shape.is_by_weights) {
      const std::int64_t weights = sweep::count_results(m_shape.by_weights, m_shape.tables.axes);
      m_sums.assign(static_cast<std::size_t>(fft.partials * weights), nan);
      run_sweep(sweep::DeviceConvFftWeightsSweep<Scalar>{m_shape.by_weights,
                                                         synelix::plan::device_cut_by_weights(
                                                             m_shape, fft),
                                                         bound,
                                                         m_sums.data(),
                                                         {}},
                seed);
      run_on_mock(
          sweep::ConvReduceSplitKSweep<Scalar>{
              m_shape.by_weights, m_sums.data(), fft.partials, weights, {nullptr, 0, 2}},
          2, seed);
      return;
    }
    sweep::DeviceConvFftSweep<Scalar> blocks{
        m_shape.problem, synelix::plan::device_cut_of_pass(m_shape, fft, 0), bound, nullptr, {}};
    bound.lanes = 1;
    sweep::DeviceConvKernelsSweep<Scalar> filters{
        m_shape.problem, blocks.cut.parts, bound, nullptr, 0, {nullptr, 0, 2}};
    filters.items = m_shape.problem.groups * m_shape.problem.output_channels *
                    m_shape.problem.channels * fft.parts;
    m_kernels.assign(static_cast<std::size_t>(filters.items * fft.points), {nan, nan});
    blocks.kernels = filters.kernels = m_kernels.data();
    run_on_mock(filters, 2, seed, -1,
                static_cast<std::size_t>(filters.team_shape(1, 1).scratch_bytes));
    const std::int64_t* const first = m_shape.problem.axes[2].first_pass;
    for (std::int64_t pass = 0; pass < first[1] - first[0]; ++pass) {
      blocks.cut = synelix::plan::device_cut_of_pass(m_shape, fft, pass);
      run_sweep(blocks, seed);
    }
  }

 private:
  template <class Sweep>
  void run_sweep(Sweep functor, std::uint64_t seed) {
    functor.workspace.teams = count;
    const auto bytes = static_cast<std::size_t>(functor.team_shape(count, count).scratch_bytes);
    if (is_walking) {
      const std::byte unwritten{left_out.number < 0 ? std::uint8_t{0xff} : std::uint8_t{0}};
      const Walk walked = walk(functor, count, seed, MockScratch(bytes, unwritten), left_out);
      EXPECT_TRUE(walked.is_together || left_out.number >= 0);
      barriers = walked.barriers;
    } else {
      barriers = run_on_mock(functor, count, seed, left_out.number, bytes);
    }
  }

  synelix::plan::ConvShape m_shape;
  std::vector<Stored> m_turns;
  std::vector<Stored> m_kernels;
  std::vector<Scalar> m_sums;
};

}  // namespace ground
