// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "operators/choice/operator_items.hpp"

#include "index/segment.hpp"
#include "spectral/transform.hpp"
#include "tile/select.hpp"

#include <synelix/error.hpp>

#include <cstddef>
#include <string>

namespace synelix::plan {
namespace {

const index::ConvAxis& axis_of(const ConvShape& shape) {
  return shape.tables.axes[index::conv_dimensions - 1];
}

/// Taps and the positions between them.
std::int64_t dilated_window(const ConvShape& shape) {
  return (axis_of(shape).taps - 1) * axis_of(shape).spacing + 1;
}

const index::ConvPass& pass_of(const ConvShape& shape, std::int64_t number) {
  const ConvTables& tables = shape.tables;
  const std::int64_t first = tables.numbers[tables.first_pass[index::conv_dimensions - 1]];
  return tables.passes[static_cast<std::size_t>(first + number)];
}

chooser::ConvLine line_of(const ConvShape& shape, int lanes, int scalar_bytes) {
  chooser::ConvLine line;
  const auto read = [&](const auto& problem) {
    line.batch = problem.batch;
    line.groups = problem.groups;
    line.channels = problem.channels;
    line.output_channels = problem.output_channels;
  };
  if (shape.is_by_weights) {
    read(shape.by_weights);
    line.positions = axis_of(shape).results;
  } else {
    read(shape.problem);
    line.positions = pass_of(shape, 0).end - pass_of(shape, 0).begin;
  }
  line.taps = axis_of(shape).taps;
  line.window = dilated_window(shape);
  line.is_by_weights = shape.is_by_weights;
  line.lanes = lanes;
  line.scalar_bytes = scalar_bytes;
  return line;
}

/// Whether transforms are possible and not excluded. \throws Error if they are requested but not
/// possible
bool may_be_fft(const ConvShape& shape, ConvMethod asked) {
  if (shape.no_fft != nullptr && asked == ConvMethod::fft) {
    throw Error("method", std::string("fft does not serve ") + shape.no_fft,
                "Use automatic or direct");
  }
  return shape.no_fft == nullptr && asked != ConvMethod::direct;
}

/// Blocks for a number of positions.
sweep::ConvBlocks device_blocks(const chooser::DeviceConvFftShape& fft, std::int64_t positions,
                                std::int64_t batch) {
  const std::int64_t blocks = index::ceil_divide(positions, fft.rows);
  return {fft.window, fft.rows, positions, blocks, index::ceil_divide(batch * blocks, fft.lanes)};
}

}  // namespace

chooser::DeviceConvFftShape shape_fft_on_device(const ConvShape& shape, ConvMethod asked,
                                                int scalar_bytes, std::int64_t scratch_bytes) {
  if (!may_be_fft(shape, asked)) return {};
  const chooser::ConvLine line = line_of(shape, 1, scalar_bytes);
  const chooser::DeviceConvFftShape fft = chooser::shape_device_conv_fft(line, scratch_bytes);
  if (asked == ConvMethod::automatic) return prefers_device_fft(line, fft) ? fft : decltype(fft){};
  if (fft.points == 0) {
    throw Error("method",
                "fft has no blocks that fit the " + std::to_string(scratch_bytes) +
                    " bytes of scratch that a team of this device has",
                "Use automatic or direct");
  }
  return fft;
}

sweep::DeviceConvFftCut device_cut_of_pass(const ConvShape& shape,
                                           const chooser::DeviceConvFftShape& fft,
                                           std::int64_t pass) {
  sweep::DeviceConvFftCut cut;
  cut.pass = pass_of(shape, pass);
  cut.is_first = pass == 0;
  cut.blocks = device_blocks(fft, cut.pass.end - cut.pass.begin, shape.problem.batch);
  cut.parts = {fft.parts, fft.part_taps, axis_of(shape).taps, axis_of(shape).spacing};
  cut.results = fft.results;
  cut.result_blocks = index::ceil_divide(shape.problem.output_channels, fft.results);
  cut.items = shape.problem.groups * cut.blocks.packs * cut.result_blocks;
  return cut;
}

sweep::DeviceConvFftWeightsCut device_cut_by_weights(const ConvShape& shape,
                                                     const chooser::DeviceConvFftShape& fft) {
  const sweep::ConvWeightsProblem& problem = shape.by_weights;
  sweep::DeviceConvFftWeightsCut cut;
  cut.blocks = device_blocks(fft, axis_of(shape).results, problem.batch);
  cut.parts = {fft.parts, fft.part_taps, axis_of(shape).taps, axis_of(shape).spacing};
  cut.channels = fft.channels;
  cut.channel_blocks = index::ceil_divide(problem.channels, fft.channels);
  cut.results = fft.results;
  cut.result_blocks = index::ceil_divide(problem.output_channels, fft.results);
  cut.slice_packs = fft.slice_packs;
  cut.slices = fft.slices;
  cut.partials = fft.partials;
  cut.items = problem.groups * fft.partials * fft.parts * cut.channel_blocks * cut.result_blocks;
  return cut;
}

sweep::ConvFftCut cut_of_pass(const ConvShape& shape, const chooser::ConvFftShape& fft,
                              std::int64_t lanes, std::int64_t pass) {
  const sweep::ConvProblem& problem = shape.problem;
  sweep::ConvFftCut cut;
  cut.pass = pass_of(shape, pass);
  cut.is_first = pass == 0;
  cut.blocks.window = dilated_window(shape);
  cut.blocks.rows = fft.rows;
  cut.blocks.positions = cut.pass.end - cut.pass.begin;
  cut.blocks.blocks = index::ceil_divide(cut.blocks.positions, fft.rows);
  cut.blocks.packs = index::ceil_divide(problem.batch * cut.blocks.blocks, lanes);
  cut.kernels = {fft.points, problem.channels, problem.output_channels, fft.results_at_once};
  cut.items = problem.groups * cut.blocks.packs;
  return cut;
}

sweep::ConvFftWeightsCut cut_by_weights(const ConvShape& shape, const ConvFftCutting& cutting) {
  const chooser::ConvFftShape& fft = cutting.shape;
  sweep::ConvFftWeightsCut cut;
  cut.blocks = {dilated_window(shape), fft.rows, axis_of(shape).results, fft.blocks, fft.packs};
  cut.packs = fft.run_packs;
  cut.runs = fft.runs;
  cut.partials = fft.partials;
  cut.output_channels = cutting.output_channels;
  cut.results_at_once = fft.results_at_once;
  cut.items = shape.by_weights.groups * fft.partials *
              index::ceil_divide(shape.by_weights.output_channels, cutting.output_channels);
  return cut;
}

template <class Scalar>
ConvFftCutting cut_conv_fft(const ConvShape& shape, ConvMethod asked, InstructionSet set,
                            std::int64_t teams) {
  ConvFftCutting cutting;
  if (!may_be_fft(shape, asked)) return cutting;
  const int lanes = tile::table_of<Scalar>(set).lanes;
  const chooser::ConvLine line = line_of(shape, lanes, sizeof(Scalar));
  const chooser::ConvFftShape fft = chooser::shape_conv_fft(line);
  if (asked == ConvMethod::automatic && !chooser::prefers_fft(line, fft)) return cutting;
  cutting.method = ConvMethod::fft;
  cutting.shape = fft;
  const auto transform = spectral::shape_of<Scalar>(fft.points, lanes * sizeof(Scalar));
  constexpr std::int64_t bytes = sizeof(Scalar);
  cutting.table_bytes = spectral::table_values(transform) * bytes;
  std::int64_t spectra = line.channels;
  if (shape.is_by_weights) {
    spectra = (line.channels + 1) * fft.run_packs;
    cutting.output_channels = chooser::item_output_channels(line, fft, teams);
    cutting.items = cut_by_weights(shape, cutting).items;
    cutting.fixed_bytes =
        fft.partials * sweep::count_results(shape.by_weights, shape.tables.axes) * bytes;
  } else {
    cutting.output_channels = line.output_channels;
    cutting.items = cut_of_pass(shape, fft, lanes, 0).items;
    cutting.fixed_bytes =
        line.groups * line.output_channels * line.channels * fft.points * 2 * bytes;
  }
  cutting.team_bytes = sweep::ConvTransformTeamMemory<Scalar>::bytes(
      sweep::ConvTransformSizes::of(transform, lanes), fft.results_at_once, spectra);
  if (shape.is_by_weights) cutting.team_bytes += line.channels * bytes;  // marks of weak lanes
  return cutting;
}

template ConvFftCutting cut_conv_fft<float>(const ConvShape&, ConvMethod, InstructionSet,
                                            std::int64_t);
template ConvFftCutting cut_conv_fft<double>(const ConvShape&, ConvMethod, InstructionSet,
                                             std::int64_t);

}  // namespace synelix::plan
