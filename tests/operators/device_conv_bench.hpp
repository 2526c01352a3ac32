// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "launch/host_space.hpp"
#include "launch/launch.hpp"
#include "launch/mock_team.hpp"
#include "launch/walking_team.hpp"
#include "operators/choice/operator_items.hpp"
#include "operators/plan/conv_shape.hpp"
#include "operators/sweep/conv_reduce_split_k.hpp"
#include "operators/sweep/conv_weights.hpp"
#include "operators/sweep/device_conv.hpp"
#include "operators/sweep/device_conv_grad_weights.hpp"

#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

/// \file
/// A convolution operator as a device computes it, launch after launch, by teams of a test.

namespace ground {

/// The settings of the sweeps.
enum class Teams : std::uint8_t {
  mock,     ///< items of a pass in random order
  walking,  ///< threads that take turns
  kokkos    ///< threads of a host
};

template <class Scalar>
class DeviceConvBench {
 public:
  using Cut = synelix::sweep::DeviceConvCut;
  using GradCut = synelix::sweep::DeviceConvGradCut;

  DeviceConvBench(const synelix::ConvArrays& arrays, const synelix::ConvOptions& options)
      : m_shape(synelix::plan::shape_of(arrays, options, synelix::stored_type<Scalar>)) {
    using synelix::index::ConvAxis;
    for (int d = 0; d < synelix::index::conv_dimensions; ++d) {
      ConvAxis& axis = m_shape.tables.axes[d];
      axis.passes = m_shape.tables.passes.data();
      axis.first_pass = m_shape.tables.numbers.data() + m_shape.tables.first_pass[d];
      axis.tap_order = m_shape.tables.numbers.data() + m_shape.tables.tap_order[d];
      m_shape.problem.axes[d] = axis;
      m_shape.by_weights.axes[d] = axis;
    }
    if (m_shape.is_by_weights) {
      grad_cut = synelix::plan::cut_grad_weights_on_device(m_shape, sizeof(Scalar));
    } else {
      cut = synelix::plan::cut_conv_on_device(m_shape, sizeof(Scalar));
    }
  }

  Cut cut;
  GradCut grad_cut;
  Teams teams = Teams::mock;
  int count = 3;      ///< teams
  int team_size = 1;  ///< of threads of a host
  LeftOut left_out;   ///< a barrier of the sweep that adds products
  std::int64_t barriers = 0;

  [[nodiscard]] const synelix::plan::ConvShape& shape() const { return m_shape; }

  void run(std::uint64_t seed) {
    namespace sweep = synelix::sweep;
    if (m_shape.is_by_weights) return run_by_weights(seed);
    const std::int64_t biases = m_shape.problem.groups * cut.panels * cut.panel.size;
    auto* const packed =
        memory(static_cast<std::size_t>(synelix::plan::packed_values(m_shape, cut)));
    const sweep::ConvCut packing = synelix::plan::packing_of(cut);
    sweep::ConvWeightsSweep<Scalar> weights{m_shape.problem, packing, packed + biases,
                                            packed,          0,       {nullptr, 0, 2}};
    weights.items = weights.count(m_shape.problem, packing);
    run_on_mock(weights, 2, seed);
    sweep::with_device_conv_columns<Scalar>(cut.columns, [&](auto columns) {
      run_sweep(
          sweep::DeviceConvSweep<Scalar, decltype(columns)::count>{
              m_shape.problem, cut, packed + biases, packed, cut.items, {}},
          seed);
    });
  }

 private:
  void run_by_weights(std::uint64_t seed) {
    namespace sweep = synelix::sweep;
    sweep::ConvWeightsProblem problem = m_shape.by_weights;
    const std::int64_t weights = sweep::count_results(problem, problem.axes);
    auto* const sums = memory(static_cast<std::size_t>(weights * grad_cut.partials));
    if (grad_cut.partials > 1) problem.result = sweep::first_partial(problem, sums);
    sweep::with_device_conv_columns<Scalar>(grad_cut.columns, [&](auto columns) {
      run_sweep(
          sweep::DeviceConvGradWeightsSweep<Scalar, decltype(columns)::count>{
              problem, grad_cut, weights, grad_cut.items, {}},
          seed);
    });
    if (grad_cut.partials == 1) return;
    run_on_mock(
        sweep::ConvReduceSplitKSweep<Scalar>{
            m_shape.by_weights, sums, grad_cut.partials, weights, {nullptr, 0, 2}},
        2, seed);
  }

  template <class Sweep>
  void run_sweep(Sweep functor, std::uint64_t seed) {
    functor.workspace.teams = count;
    const synelix::sweep::TeamShape shape = functor.team_shape(count, count);
    const auto bytes = static_cast<std::size_t>(shape.scratch_bytes);
    if (teams == Teams::mock) {
      barriers = run_on_mock(functor, count, seed, left_out.number, bytes);
    } else if (teams == Teams::walking) {
      // Memory that is read but never written is NaN. Without a barrier, it may be a place in a
      // table: 0.
      const std::byte unwritten{left_out.number < 0 ? std::uint8_t{0xff} : std::uint8_t{0}};
      const Walk walked = walk(functor, count, seed, MockScratch(bytes, unwritten), left_out);
      EXPECT_TRUE(walked.is_together || left_out.number >= 0);
      barriers = walked.barriers;
    } else {
      using Space = Kokkos::DefaultHostExecutionSpace;
      // Bounds are those of a device, whose teams are larger than a host's.
      synelix::sweep::launch("synelix::test::device_conv", Space(), count, team_size,
                             Unbounded<Sweep>{functor}, shape.scratch_bytes);
      Space().fence("synelix::test::device_conv");
    }
  }

  template <class Sweep>
  struct Unbounded {
    Sweep sweep;

    template <class Team>
    KOKKOS_FUNCTION void operator()(const Team& team) const {
      sweep(team);
    }
  };

  /// From a cache line on, full of NaN.
  Scalar* memory(std::size_t values) {
    m_memory.assign(values + 64 / sizeof(Scalar), std::numeric_limits<Scalar>::quiet_NaN());
    void* at = m_memory.data();
    std::size_t room = m_memory.size() * sizeof(Scalar);
    return static_cast<Scalar*>(std::align(64, values * sizeof(Scalar), at, room));
  }

  synelix::plan::ConvShape m_shape;
  std::vector<Scalar> m_memory;
};

}  // namespace ground
