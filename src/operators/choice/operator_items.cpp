// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "operators/choice/operator_items.hpp"

#include "index/segment.hpp"
#include "index/team_memory.hpp"
#include "machine/budget.hpp"
#include "operators/problem/conv_window_boxes.hpp"
#include "spectral/stages.hpp"
#include "tile/select.hpp"
#include "tile/slide.hpp"
#include "tune/conv_sizes.hpp"
#include "tune/tiles.hpp"

#include <algorithm>

namespace synelix::plan {
namespace {

using index::ceil_divide;
using index::workspace_alignment;

/// A box of at most `most` of the positions: full lines and full planes before it extends further.
void fill_box(const std::int64_t* positions, std::int64_t most, std::int64_t* box) {
  bool is_whole = true;
  for (int d = index::conv_dimensions - 1; d >= 0; --d) {
    box[d] = is_whole ? index::even_part(positions[d], most) : 1;
    is_whole = is_whole && box[d] >= positions[d];
    most = std::max<std::int64_t>(1, most / box[d]);
  }
}

/// Panels of a given number of columns.
template <class Cut>
void cut_columns(std::int64_t columns, const ConvTiles& tiles, std::int64_t most, Cut& cut) {
  const std::int64_t packs = ceil_divide(columns, tiles.lanes);
  const std::int64_t panel_packs = index::even_part(packs, tiles.packs);
  cut.panel = panel_packs * tiles.lanes;
  cut.panels = ceil_divide(packs, panel_packs);
  cut.item_panels = index::even_part(cut.panels, most / cut.panel);
}

/// Panels of a limited number of depthwise columns, rounded up to full packs.
template <class Cut>
void cut_depthwise_columns(std::int64_t columns, std::int64_t lanes, std::int64_t most, Cut& cut) {
  cut.panel = index::round_up(index::even_part(columns, most), lanes);
  cut.panels = ceil_divide(columns, cut.panel);
}

/// Slots of a box of positions for `taps` taps of a pass.
std::int64_t slots_of(const ConvShape& shape, const std::int64_t* box, const std::int64_t* taps) {
  std::int64_t slots = 1;
  for (int d = 0; d < index::conv_dimensions; ++d) {
    slots *= shape.tables.axes[d].slots(box[d], std::max<std::int64_t>(1, taps[d]));
  }
  return slots;
}

std::int64_t count_items(const ConvShape& shape, const std::int64_t* positions,
                         sweep::ConvCut& cut) {
  const sweep::ConvProblem problem = sweep::host_form(shape.problem);
  cut.items = problem.batch * problem.groups * ceil_divide(cut.panels, cut.item_panels);
  for (int d = 0; d < index::conv_dimensions; ++d) {
    cut.boxes[d] = ceil_divide(positions[d], cut.box[d]);
    cut.items *= shape.tables.axes[d].classes * cut.boxes[d];
  }
  return cut.items;
}

std::int64_t count_items(const ConvShape& shape, sweep::ConvGradCut& cut) {
  const sweep::ConvWeightsProblem problem = sweep::host_form(shape.by_weights);
  const index::ConvAxis* const axes = shape.tables.axes;
  if (problem.is_depthwise) return cut.items = cut.partials * cut.panels;
  cut.tap_blocks = ceil_divide(axes[2].taps, cut.taps);
  cut.channel_blocks = ceil_divide(problem.channels, cut.channels);
  cut.items = cut.partials * problem.groups * axes[0].taps * axes[1].taps * cut.tap_blocks *
              cut.channel_blocks * ceil_divide(cut.panels, cut.item_panels);
  return cut.items;
}

/// Slices of complete boxes, and enough partials to give a few items. Depends only on the problem.
void cut_slices(const ConvShape& shape, const std::int64_t* positions, sweep::ConvGradCut& cut) {
  std::int64_t boxes = shape.by_weights.batch;
  for (int d = 0; d < index::conv_dimensions; ++d) {
    cut.boxes[d] = ceil_divide(positions[d], cut.box[d]);
    boxes *= cut.boxes[d];
  }
  const std::int64_t box = cut.box[0] * cut.box[1] * cut.box[2];
  const std::int64_t length =
      std::clamp<std::int64_t>(boxes * box / tune::conv_grad_items,
                               tune::conv_fewest_slice_positions, tune::conv_slice_positions);
  cut.slice_boxes = std::max<std::int64_t>(1, length / box);
  cut.slices = std::max<std::int64_t>(1, ceil_divide(boxes, cut.slice_boxes));
  const std::int64_t weights =
      std::max<std::int64_t>(1, sweep::count_results(shape.by_weights, shape.tables.axes));
  const std::int64_t wanted =
      ceil_divide(tune::conv_grad_items, std::max<std::int64_t>(1, count_items(shape, cut)));
  cut.partials = std::clamp<std::int64_t>(
      std::min<std::int64_t>(wanted, tune::conv_slice_values / weights), 1, cut.slices);
}

/// Taps of a window.
std::int64_t taps_of(const ConvShape& shape) {
  std::int64_t taps = 1;
  for (const index::ConvAxis& axis : shape.tables.axes) taps *= axis.taps;
  return taps;
}

/// Memory for lines of one channel that a gradient by weights cannot read in place.
template <class Scalar>
void add_gathered_lines(const ConvShape& shape, sweep::ConvGradCut& cut) {
  const index::ConvAxis* const axes = shape.tables.axes;
  const std::int64_t taps[] = {axes[0].taps, axes[1].taps, axes[2].taps};
  if (!sweep::has_plain_lines<Scalar>(shape.by_weights.source)) {
    cut.block_values = slots_of(shape, cut.box, taps);
  }
  if (!sweep::has_plain_lines<Scalar>(shape.by_weights.output_gradient)) {
    cut.row_values = cut.box[0] * cut.box[1] * cut.box[2];
  }
}

/// Memory and work on a host.
template <class Scalar>
void cut_on_host(const ConvShape& shape, const ConvTiles& tiles, ConvCutting& cutting) {
  ConvChoice& choice = cutting.choice;
  if (shape.is_by_weights) {
    sweep::ConvGradCut cut = cut_grad_weights(shape, tiles);
    if (cut.lanes_are_positions) add_gathered_lines<Scalar>(shape, cut);
    cutting.grad_cut = cut;
    cutting.team_bytes =
        sweep::host_form(shape.by_weights).is_depthwise
            ? sweep::ConvDepthwiseGradTeamMemory<Scalar>::bytes(cut, taps_of(shape))
            : sweep::ConvGradTeamMemory<Scalar>::bytes(cut);
    choice.items = cut.items;
    choice.positions = cut.box[0] * cut.box[1] * cut.box[2];
    choice.channels = cut.channels;
    choice.columns = cut.item_panels * cut.panel;
    choice.gathers_rows = true;
    choice.slices = cut.slices;
    if (cut.partials > 1) {
      cutting.packed_bytes = cut.partials *
                             sweep::count_results(shape.by_weights, shape.tables.axes) *
                             std::int64_t{sizeof(Scalar)};
    }
    return;
  }
  const sweep::ConvCut cut = cut_conv(shape, tiles);
  cutting.cut = cut;
  const sweep::ConvProblem problem = sweep::host_form(shape.problem);
  const std::int64_t taps = taps_of(shape);
  cutting.team_bytes = problem.is_depthwise
                           ? sweep::ConvDepthwiseTeamMemory<Scalar>::bytes(cut, taps)
                           : sweep::ConvTeamMemory<Scalar>::bytes(cut);
  cutting.packed_bytes = problem.groups * cut.panels * cut.panel * (1 + problem.channels * taps) *
                         std::int64_t{sizeof(Scalar)};
  choice.items = cut.items;
  choice.positions = cut.box[0] * cut.box[1] * cut.box[2];
  choice.channels = cut.channels;
  choice.columns = cut.item_panels * cut.panel;
}

/// Memory and work on a device.
template <class Scalar>
void cut_on_device(const ConvShape& shape, ConvCutting& cutting) {
  ConvChoice& choice = cutting.choice;
  std::int64_t values = 0;
  if (shape.is_by_weights) {
    const sweep::DeviceConvGradCut cut = cut_grad_weights_on_device(shape, sizeof(Scalar));
    cutting.device_grad_cut = cut;
    choice.items = cut.items;
    choice.positions = cut.positions;
    choice.channels = cut.channels;
    choice.columns = cut.panel.size;
    choice.slices = cut.slices;
    if (cut.partials > 1) {
      values = cut.partials * sweep::count_results(shape.by_weights, shape.tables.axes);
    }
  } else {
    const sweep::DeviceConvCut cut = cut_conv_on_device(shape, sizeof(Scalar));
    cutting.device_cut = cut;
    choice.items = cut.items;
    choice.positions = 1;
    for (const index::SmallDivisor& box : cut.box) choice.positions *= box.size;
    choice.channels = cut.channels;
    choice.columns = cut.panel.size;
    values = packed_values(shape, cut);
  }
  cutting.packed_bytes = index::whole_lines(values * std::int64_t{sizeof(Scalar)});
}

/// Memory and work by transforms on a device.
template <class Scalar>
void take_device_fft(const ConvShape& shape, ConvCutting& cutting) {
  const chooser::DeviceConvFftShape& fft = cutting.device_fft;
  ConvChoice& choice = cutting.choice;
  cutting.packed_bytes = index::whole_lines(fft.bytes);
  cutting.fft.table_bytes = spectral::table_points(spectral::stages_of<Scalar>(fft.points)) * 2 *
                            std::int64_t{sizeof(Scalar)};
  choice.method = ConvMethod::fft;
  choice.items = shape.is_by_weights ? device_cut_by_weights(shape, fft).items
                                     : device_cut_of_pass(shape, fft, 0).items;
  choice.fft_length = 2 * fft.points;
  choice.positions = fft.rows;
  choice.channels = fft.channels;
  choice.columns = fft.results;
  choice.slices = fft.slices;
}

/// Whether each class of positions reads the source in a single pass.
bool has_one_pass(const ConvTables& tables) {
  for (int d = 0; d < index::conv_dimensions; ++d) {
    const index::ConvAxis& axis = tables.axes[d];
    const std::int64_t* const first = tables.numbers.data() + tables.first_pass[d];
    for (std::int64_t number = 0; number < axis.classes; ++number) {
      if (first[number + 1] - first[number] != 1) return false;
      const index::ConvPass& pass = tables.passes[static_cast<std::size_t>(first[number])];
      if (pass.begin != 0 || pass.end != axis.positions(number) || pass.is_backward) return false;
    }
  }
  return true;
}

/// Items of a depthwise convolution.
sweep::ConvCut cut_depthwise(const ConvShape& shape, const ConvTiles& tiles) {
  const sweep::ConvProblem problem = sweep::host_form(shape.problem);
  const ConvTables& tables = shape.tables;
  const index::ConvAxis& line = tables.axes[index::conv_dimensions - 1];
  sweep::ConvCut cut;
  cut_depthwise_columns(problem.output_channels, tiles.lanes, tune::conv_depthwise_columns, cut);
  cut.has_one_pass = has_one_pass(tables);
  cut.lanes_are_positions = cut.has_one_pass && problem.result.channel_stride != 1 &&
                            problem.result.space_strides[index::conv_dimensions - 1] == 1 &&
                            line.stride == 1 && line.step == line.gcd;
  std::int64_t positions[index::conv_dimensions];
  for (int d = 0; d < index::conv_dimensions; ++d) positions[d] = tables.axes[d].positions(0);
  std::int64_t most = cut.lanes_are_positions ? tune::conv_depthwise_lane_positions
                                              : tune::conv_depthwise_positions;
  fill_box(positions, most, cut.box);
  while (count_items(shape, positions, cut) < 4 * tiles.teams &&
         most / 2 >= tune::conv_fewest_positions) {
    most /= 2;
    fill_box(positions, most, cut.box);
  }
  cut.block_values =
      slots_of(shape, cut.box, tables.most_taps) * (cut.lanes_are_positions ? 1 : cut.panel);
  if (cut.lanes_are_positions) {
    cut.plane_lines = tables.most_taps[0] * (tune::most_slide_rows + tile::plane_taps - 1);
    cut.zero_values = cut.box[index::conv_dimensions - 1] + tune::most_pack_lanes;
  } else {
    cut.zero_values = cut.panel;
  }
  return cut;
}

/// The one pass of each axis of a gradient by weights.
bool lanes_can_be_positions(const ConvShape& shape) {
  const ConvTables& tables = shape.tables;
  index::ConvPass pass[index::conv_dimensions];
  for (int d = 0; d < index::conv_dimensions; ++d) {
    pass[d] = tables.passes[static_cast<std::size_t>(tables.numbers[tables.first_pass[d]])];
  }
  return sweep::has_weight_planes(sweep::host_form(shape.by_weights), tables.axes, pass);
}

/// Items of a gradient by depthwise weights whose lanes are positions.
sweep::ConvGradCut cut_weight_planes(const ConvShape& shape, const ConvTiles& tiles) {
  const sweep::ConvWeightsProblem problem = sweep::host_form(shape.by_weights);
  const index::ConvAxis* const axes = shape.tables.axes;
  sweep::ConvGradCut cut;
  cut.lanes_are_positions = true;
  cut.panel = index::even_part(problem.output_channels, tiles.lanes);
  cut.panels = ceil_divide(problem.output_channels, cut.panel);
  const std::int64_t positions[] = {axes[0].results, axes[1].results, axes[2].results};
  fill_box(positions, tune::conv_depthwise_lane_positions, cut.box);
  cut_slices(shape, positions, cut);
  count_items(shape, cut);
  cut.lane_values = cut.panel * taps_of(shape) * tiles.lanes;
  return cut;
}

/// Items of a gradient by depthwise weights. The columns do not affect the bits.
sweep::ConvGradCut cut_depthwise_weights(const ConvShape& shape, const ConvTiles& tiles) {
  const sweep::ConvWeightsProblem problem = sweep::host_form(shape.by_weights);
  const index::ConvAxis* const axes = shape.tables.axes;
  sweep::ConvGradCut cut;
  cut_depthwise_columns(problem.output_channels, tiles.lanes, tune::conv_grad_depthwise, cut);
  const std::int64_t positions[] = {axes[0].results, axes[1].results, axes[2].results};
  fill_box(positions, tune::conv_grad_depthwise_positions, cut.box);
  cut_slices(shape, positions, cut);
  count_items(shape, cut);
  const std::int64_t taps[] = {axes[0].taps, axes[1].taps, axes[2].taps};
  cut.block_values = slots_of(shape, cut.box, taps) * cut.panel;
  cut.row_values = cut.box[0] * cut.box[1] * cut.box[2] * cut.panel;
  return cut;
}

/// Sets the values for transforms.
void take_fft(ConvCutting& cutting) {
  const chooser::ConvFftShape& shape = cutting.fft.shape;
  cutting.packed_bytes = cutting.fft.fixed_bytes;
  cutting.team_bytes = cutting.fft.team_bytes;
  cutting.choice.method = ConvMethod::fft;
  cutting.choice.items = cutting.fft.items;
  cutting.choice.fft_length = 2 * shape.points;
  cutting.choice.positions = shape.rows;
  cutting.choice.channels = 1;
  cutting.choice.columns = cutting.fft.output_channels;
  cutting.choice.slices = shape.partials;
}

}  // namespace

sweep::ConvCut cut_conv(const ConvShape& shape, const ConvTiles& tiles) {
  const sweep::ConvProblem problem = sweep::host_form(shape.problem);
  if (problem.is_depthwise) return cut_depthwise(shape, tiles);
  const ConvTables& tables = shape.tables;
  sweep::ConvCut cut;
  cut.has_one_pass = has_one_pass(tables);
  cut_columns(problem.output_channels, tiles, tune::conv_columns, cut);
  std::int64_t positions[index::conv_dimensions];
  std::int64_t taps = 1;
  for (int d = 0; d < index::conv_dimensions; ++d) {
    positions[d] = tables.axes[d].positions(0);
    taps *= tables.most_taps[d];
  }
  std::int64_t most = tune::conv_positions;
  fill_box(positions, most, cut.box);
  // Uses the largest box for any number of teams: channels affect the order of sums.
  const std::int64_t slots = slots_of(shape, cut.box, tables.most_taps);
  cut.channels = index::even_part(
      problem.channels,
      std::max<std::int64_t>(tune::conv_fewest_channels, tune::conv_block / slots));
  while (count_items(shape, positions, cut) < 4 * tiles.teams) {
    if (cut.item_panels > 1) {
      cut.item_panels = ceil_divide(cut.item_panels, 2);
    } else if (most / 2 >= tune::conv_fewest_positions) {
      most /= 2;
      fill_box(positions, most, cut.box);
    } else {
      break;
    }
  }
  cut.block_values = slots_of(shape, cut.box, tables.most_taps) * cut.channels;
  const bool has_short_runs =
      taps > 1 && (cut.channels < tune::conv_short_run || problem.channels % cut.channels != 0);
  if (has_short_runs) cut.weight_values = tune::conv_row * cut.panel;
  return cut;
}

sweep::ConvGradCut cut_grad_weights(const ConvShape& shape, const ConvTiles& tiles) {
  const sweep::ConvWeightsProblem problem = sweep::host_form(shape.by_weights);
  const index::ConvAxis* const axes = shape.tables.axes;
  sweep::ConvGradCut cut;
  if (problem.is_depthwise) {
    const bool has_planes = tiles.has_weight_planes && lanes_can_be_positions(shape);
    return has_planes ? cut_weight_planes(shape, tiles) : cut_depthwise_weights(shape, tiles);
  }
  cut_columns(problem.output_channels, tiles, tune::conv_grad_columns, cut);
  const std::int64_t positions[] = {axes[0].results, axes[1].results, axes[2].results};
  fill_box(positions, tune::conv_grad_positions, cut.box);
  cut.channels = index::even_part(problem.channels, tune::conv_grad_rows / 2);
  cut.taps = index::even_part(axes[2].taps, tune::conv_grad_rows / cut.channels);
  cut_slices(shape, positions, cut);
  while (count_items(shape, cut) < 2 * tiles.teams) {
    if (cut.item_panels > 1) {
      cut.item_panels = ceil_divide(cut.item_panels, 2);
    } else if (cut.channels > tune::conv_fewest_channels) {
      cut.channels = ceil_divide(cut.channels, 2);
    } else if (cut.taps * cut.channels > tune::conv_fewest_channels && cut.taps > 1) {
      cut.taps = ceil_divide(cut.taps, 2);
    } else {
      break;
    }
  }
  const std::int64_t slots = cut.box[0] * cut.box[1] * axes[2].slots(cut.box[2], cut.taps);
  cut.block_values = slots * cut.channels;
  cut.row_values = cut.box[0] * cut.box[1] * cut.box[2] * cut.taps * cut.channels;
  return cut;
}

template <class Scalar>
ConvCutting choose_operator(const ConvShape& shape, const ConvOptions& options,
                            const ExecutionResources& resources, std::int64_t scratch_bytes) {
  ConvCutting cutting;
  ConvChoice& choice = cutting.choice;
  choice.flops = shape.flops;
  choice.bytes = shape.bytes;
  const std::int64_t threads = resources.concurrency;
  if (resources.is_device) {
    cutting.device_fft = shape_fft_on_device(shape, options.method, sizeof(Scalar), scratch_bytes);
    if (cutting.device_fft.points > 0) {
      take_device_fft<Scalar>(shape, cutting);
    } else {
      cut_on_device<Scalar>(shape, cutting);
    }
    choice.teams = std::max<std::int64_t>(1, choice.items);
  } else {
    choice.instruction_set = tile::select_set(options.machine.instruction_set);
    const auto& table = tile::table_of<Scalar>(choice.instruction_set);
    cutting.fft = cut_conv_fft<Scalar>(shape, options.method, choice.instruction_set, threads);
    if (cutting.fft.method == ConvMethod::fft) {
      take_fft(cutting);
    } else {
      cut_on_host<Scalar>(
          shape, {table.lanes, table.matrix_packs, threads, table.window_box_weights != nullptr},
          cutting);
    }
    cutting.packed_bytes = index::whole_lines(cutting.packed_bytes);
    cutting.team_bytes = index::whole_lines(cutting.team_bytes);
    choice.teams = std::clamp<std::int64_t>(choice.items, 1, threads);
  }
  if (choice.items == 0) return cutting;  // nothing is allocated
  const auto table_bytes =
      static_cast<std::int64_t>(shape.tables.passes.size() * sizeof(index::ConvPass) +
                                shape.tables.numbers.size() * sizeof(std::int64_t)) +
      cutting.fft.table_bytes;
  const bool has_memory = cutting.packed_bytes + cutting.team_bytes > 0;
  const std::int64_t fixed =
      cutting.packed_bytes + table_bytes + (has_memory ? workspace_alignment : 0);
  const std::int64_t budget = resources.budget(fixed + choice.teams * cutting.team_bytes);
  choice.teams = teams_within(budget, fixed, cutting.team_bytes, choice.teams);
  choice.workspace_bytes = fixed + choice.teams * cutting.team_bytes;
  return cutting;
}

template ConvCutting choose_operator<float>(const ConvShape&, const ConvOptions&,
                                            const ExecutionResources&, std::int64_t);
template ConvCutting choose_operator<double>(const ConvShape&, const ConvOptions&,
                                             const ExecutionResources&, std::int64_t);

}  // namespace synelix::plan
