// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "index/range.hpp"
#include "launch/team.hpp"
#include "launch/workspace.hpp"
#include "operators/problem/conv_cut.hpp"
#include "operators/problem/conv_problem.hpp"
#include "operators/sweep/conv_positions.hpp"
#include "pack/conv_block.hpp"
#include "pack/matrix.hpp"

#include <Kokkos_Core.hpp>

#include <cstdint>

/// \file
/// Converts weights and bias of a convolution for its sweep on a host: physical values, with
/// contiguous columns of a panel, padded with 0. A virtual item is a tap of a block of channels, or
/// the bias of a panel.

namespace synelix::sweep {

/// The functor.
template <class Scalar>
struct ConvWeightsSweep {
  ConvProblem problem;
  ConvCut cut;
  Scalar* weights = nullptr;
  Scalar* bias = nullptr;
  std::int64_t items = 0;  ///< all, or none
  Workspace workspace;

  [[nodiscard]] static std::int64_t count(const ConvProblem& problem, const ConvCut& cut) {
    const std::int64_t blocks = index::ceil_divide(problem.channels, cut.channels);
    return problem.groups * cut.panels * (1 + blocks * problem.taps());
  }

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    for_each_thread_item(team, items, workspace.teams, [=, this](std::int64_t i) { pack_item(i); });
  }

 private:
  KOKKOS_FUNCTION void pack_item(std::int64_t number) const {
    const std::int64_t blocks = index::ceil_divide(problem.channels, cut.channels);
    const std::int64_t panel = take_digit(number, cut.panels);
    const std::int64_t group = take_digit(number, problem.groups);
    const std::int64_t column = panel * cut.panel;
    const std::int64_t columns = index::smaller(cut.panel, problem.output_channels - column);
    const std::int64_t of_panel = group * cut.panels + panel;
    if (number == 0) return pack_bias(group, column, columns, bias + of_panel * cut.panel);
    --number;
    const std::int64_t channel = take_digit(number, blocks) * cut.channels;
    const std::int64_t channels = index::smaller(cut.channels, problem.channels - channel);
    const std::int64_t slot = number;
    Scalar* const to = weights + (of_panel * problem.taps() * problem.channels +
                                  channel * problem.taps() + slot * channels) *
                                     cut.panel;
    pack_tap(group, slot, channel, channels, column, columns, to);
  }

  KOKKOS_FUNCTION void pack_bias(std::int64_t group, std::int64_t column, std::int64_t columns,
                                 Scalar* to) const {
    for (std::int64_t o = 0; o < cut.panel; ++o) {
      const std::int64_t channel = group * problem.output_channels + column + o;
      to[o] = problem.has_bias && o < columns
                  ? pack::conv_value<Scalar>(problem.bias, channel,
                                             channel * problem.bias.channel_stride)
                  : Scalar(0);
    }
  }

  KOKKOS_FUNCTION void pack_tap(std::int64_t group, std::int64_t slot, std::int64_t channel,
                                std::int64_t channels, std::int64_t column, std::int64_t columns,
                                Scalar* to) const {
    const pack::ConvWeights<const void>& from = problem.weights;
    pack::MatrixSource source;
    source.data = from.data;
    source.type = from.type;
    source.row_stride = from.channel_stride;
    source.column_stride = from.output_channel_stride;
    source.scale = from.scale;
    source.offset = from.offset;
    std::int64_t place = group * from.group_stride;
    for (int d = index::conv_dimensions - 1; d >= 0; --d) {
      const index::ConvAxis& axis = problem.axes[d];
      place += axis.tap_order[take_digit(slot, axis.taps)] * from.tap_strides[d];
    }
    pack::gather_block(
        source, pack::matrix_data(source, place),
        pack::MatrixBlock<Scalar>{channel, channels, column, columns, to, cut.panel, 1});
    for (std::int64_t c = 0; c < channels; ++c) {
      for (std::int64_t o = columns; o < cut.panel; ++o) to[c * cut.panel + o] = Scalar(0);
    }
  }
};

}  // namespace synelix::sweep
