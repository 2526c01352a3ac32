// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "index/conv_axes.hpp"
#include "lanes/pack.hpp"
#include "launch/canonical.hpp"
#include "launch/team.hpp"
#include "launch/workspace.hpp"
#include "operators/problem/conv_problem.hpp"
#include "operators/sweep/conv_positions.hpp"
#include "pack/conv_block.hpp"
#include "tune/conv_sizes.hpp"

#include <Kokkos_Core.hpp>

#include <cstdint>

/// \file
/// Convolution operators on a device: a virtual item is one result, whose operands are read where
/// they lie. Neighbouring threads have neighbouring positions, or weights.

namespace synelix::sweep {

/// Convolutions and their gradients by input.
template <class Scalar>
struct DeviceConvSweep {
  ConvProblem problem;
  std::int64_t results = 0;  ///< all, or none
  Workspace workspace;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    for_each_thread_item(team, results, workspace.teams, [=, this](std::int64_t i) { compute(i); });
  }

 private:
  /// Where a result's windows begin.
  struct ResultIndex {
    std::int64_t j[index::conv_dimensions];       ///< number of the position in its class
    std::int64_t number[index::conv_dimensions];  ///< of the class
    std::int64_t channel;                         ///< the first of the group
    std::int64_t source;                          ///< that channel of the batch entry
    std::int64_t weights;                         ///< of the group and output channel
  };

  KOKKOS_FUNCTION void compute(std::int64_t number) const {
    ResultIndex place;
    std::int64_t at[index::conv_dimensions];
    for (int d = index::conv_dimensions - 1; d >= 0; --d) {
      at[d] = take_digit(number, problem.axes[d].results);
      place.number[d] = at[d] % problem.axes[d].stride;
      place.j[d] = at[d] / problem.axes[d].stride;
    }
    const std::int64_t output_channel = take_digit(number, problem.output_channels);
    const std::int64_t group = take_digit(number, problem.groups);
    const std::int64_t channel = group * problem.output_channels + output_channel;
    place.channel = group * problem.channels;
    place.source =
        number * problem.source.batch_stride + place.channel * problem.source.channel_stride;
    place.weights = group * problem.weights.group_stride +
                    output_channel * problem.weights.output_channel_stride;
    Scalar sum = problem.has_bias ? pack::conv_value<Scalar>(problem.bias, channel,
                                                             channel * problem.bias.channel_stride)
                                  : Scalar(0);
    const index::ConvAxis* const axes = problem.axes;
    const std::int64_t* const first[] = {axes[0].first_pass + place.number[0],
                                         axes[1].first_pass + place.number[1],
                                         axes[2].first_pass + place.number[2]};
    for (std::int64_t i = first[0][0]; i < first[0][1]; ++i) {
      for (std::int64_t j = first[1][0]; j < first[1][1]; ++j) {
        for (std::int64_t k = first[2][0]; k < first[2][1]; ++k) {
          const index::ConvPass pass[] = {axes[0].passes[i], axes[1].passes[j], axes[2].passes[k]};
          sum = add_pass(place, pass, sum);
        }
      }
    }
    static_cast<Scalar*>(problem.result.data)[number * problem.result.batch_stride +
                                              channel * problem.result.channel_stride +
                                              space_offset(problem.result, at[0], at[1], at[2])] =
        canonical(sum);
  }

  /// A sum with all taps of a pass added.
  KOKKOS_FUNCTION Scalar add_pass(const ResultIndex& place, const index::ConvPass* pass,
                                  Scalar sum) const {
    const index::ConvAxis* const axes = problem.axes;
    for (int d = 0; d < index::conv_dimensions; ++d) {
      if (place.j[d] < pass[d].begin || place.j[d] >= pass[d].end) return sum;
    }
    const auto source_at = [&](int d, std::int64_t i) {
      return index::padded_position(axes[d].source_of(pass[d], place.j[d], i), axes[d].sources,
                                    axes[d].padding_mode);
    };
    const auto weight_at = [&](int d, std::int64_t i) {
      return axes[d].tap_order[pass[d].tap + i] * problem.weights.tap_strides[d];
    };
    for (std::int64_t i = 0; i < pass[0].taps; ++i) {
      const std::int64_t a = source_at(0, i);
      if (a < 0) continue;
      for (std::int64_t j = 0; j < pass[1].taps; ++j) {
        const std::int64_t b = source_at(1, j);
        if (b < 0) continue;
        for (std::int64_t k = 0; k < pass[2].taps; ++k) {
          const std::int64_t c = source_at(2, k);
          if (c < 0) continue;
          sum = add_channels(place.channel, place.source + space_offset(problem.source, a, b, c),
                             place.weights + weight_at(0, i) + weight_at(1, j) + weight_at(2, k),
                             sum);
        }
      }
    }
    return sum;
  }

  KOKKOS_FUNCTION Scalar add_channels(std::int64_t channel, std::int64_t source,
                                      std::int64_t weights, Scalar sum) const {
    for (std::int64_t c = 0; c < problem.channels; ++c) {
      sum = lanes::multiply_add(
          lanes::DeviceThread{},
          pack::conv_value<Scalar>(problem.source, channel + c,
                                   source + c * problem.source.channel_stride),
          pack::weight_value<Scalar>(problem.weights, weights + c * problem.weights.channel_stride),
          sum);
    }
    return sum;
  }
};

/// Gradients by weights.
template <class Scalar>
struct DeviceConvGradWeightsSweep {
  ConvWeightsProblem problem;
  std::int64_t results = 0;  ///< all, or none
  Workspace workspace;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    for_each_thread_item(team, results, workspace.teams, [=, this](std::int64_t i) { compute(i); });
  }

 private:
  KOKKOS_FUNCTION void compute(std::int64_t number) const {
    std::int64_t taps[index::conv_dimensions];
    std::int64_t place = 0;
    for (int d = index::conv_dimensions - 1; d >= 0; --d) {
      taps[d] = take_digit(number, problem.axes[d].taps);
      place += taps[d] * problem.result.tap_strides[d];
    }
    const std::int64_t channel = take_digit(number, problem.channels);
    const std::int64_t output_channel = take_digit(number, problem.output_channels);
    const std::int64_t group = number;
    place += group * problem.result.group_stride + channel * problem.result.channel_stride +
             output_channel * problem.result.output_channel_stride;
    const Line source{group * problem.channels + channel, 0};
    const Line output_gradient{group * problem.output_channels + output_channel, 0};
    Sum sum;
    for (std::int64_t n = 0; n < problem.batch; ++n) {
      add_entry(taps, source.of(problem.source, n), output_gradient.of(problem.output_gradient, n),
                sum);
    }
    static_cast<Scalar*>(problem.result.data)[place] = canonical(sum.total + sum.slice);
  }

  /// A channel of a batch entry: its number and where it begins.
  struct Line {
    std::int64_t channel;
    std::int64_t place;

    [[nodiscard]] KOKKOS_FUNCTION Line of(const pack::ConvSource& source,
                                          std::int64_t entry) const {
      return {channel, entry * source.batch_stride + channel * source.channel_stride};
    }
  };

  /// A sum over positions, slice by slice.
  struct Sum {
    Scalar total{0};
    Scalar slice{0};
    std::int32_t positions = 0;  ///< of the slice, so far
  };

  /// All positions of a batch entry.
  KOKKOS_FUNCTION void add_entry(const std::int64_t* taps, const Line& source,
                                 const Line& output_gradient, Sum& sum) const {
    const index::ConvAxis* const axes = problem.axes;
    const auto source_at = [&](int d, std::int64_t j) {
      return index::padded_position(axes[d].source_of(axes[d].pass(), j, taps[d]), axes[d].sources,
                                    axes[d].padding_mode);
    };
    for (std::int64_t i = 0; i < axes[0].results; ++i) {
      const std::int64_t a = source_at(0, i);
      if (a < 0) continue;
      for (std::int64_t j = 0; j < axes[1].results; ++j) {
        const std::int64_t b = source_at(1, j);
        if (b < 0) continue;
        for (std::int64_t k = 0; k < axes[2].results; ++k) {
          const std::int64_t c = source_at(2, k);
          if (c < 0) continue;
          sum.slice = lanes::multiply_add(
              lanes::DeviceThread{},
              pack::conv_value<Scalar>(problem.source, source.channel,
                                       source.place + space_offset(problem.source, a, b, c)),
              pack::conv_value<Scalar>(
                  problem.output_gradient, output_gradient.channel,
                  output_gradient.place + space_offset(problem.output_gradient, i, j, k)),
              sum.slice);
          if (++sum.positions < tune::conv_slice_positions) continue;
          sum.total += sum.slice;
          sum.slice = Scalar(0);
          sum.positions = 0;
        }
      }
    }
  }
};

}  // namespace synelix::sweep
