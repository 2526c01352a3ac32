// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "operators/choice/operator_items.hpp"

#include "index/segment.hpp"
#include "tune/device_conv.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>

namespace synelix::plan {
namespace {

using index::ceil_divide;
using index::SmallDivisor;
using sweep::conv_box_dimensions;
using sweep::DeviceConvCut;
using sweep::DeviceConvGradCut;
using sweep::DeviceConvWindow;

constexpr int item_threads = tune::device_conv_threads;
constexpr int thread_rows = tune::device_conv_rows;

/// A box of at most `most` positions of a grid: full lines and full planes before it extends
/// further.
void fill(const std::int64_t* extents, int dimensions, std::int64_t most, std::int64_t* box) {
  bool is_whole = true;
  for (int d = dimensions - 1; d >= 0; --d) {
    box[d] = is_whole ? index::even_part(extents[d], most) : 1;
    is_whole = is_whole && box[d] >= extents[d];
    most = std::max<std::int64_t>(1, most / box[d]);
  }
}

std::int64_t volume(const std::int64_t* box, int dimensions) {
  std::int64_t product = 1;
  for (int d = 0; d < dimensions; ++d) product *= box[d];
  return product;
}

/// Half of a thread's columns, the unit by which items are cut.
std::int64_t half_columns(std::int64_t output_channels, std::int64_t scalar_bytes) {
  const auto bytes = static_cast<int>(scalar_bytes);
  return tune::device_conv_is_narrow(output_channels, bytes)
             ? 1
             : tune::device_conv_half_columns(bytes);
}

/// Columns of an item.
std::int64_t panel_of(std::int64_t output_channels, std::int64_t half) {
  const std::int64_t halves = ceil_divide(output_channels, half);
  return index::even_part(halves, tune::device_conv_column_threads) * half;
}

/// Columns of a thread for such items: two halves if they divide the item.
std::int64_t thread_columns(std::int64_t panel, std::int64_t half) {
  return half > 1 && panel % (2 * half) == 0 ? 2 * half : half;
}

/// Threads of a team whose threads have this many columns.
std::int64_t team_threads(std::int64_t columns, std::int64_t scalar_bytes) {
  return tune::device_conv_threads_of(static_cast<int>(columns), static_cast<int>(scalar_bytes));
}

/// Columns of an item of a convolution with this many positions: those of two threads if that fills
/// the threads. Then they stage the least data, and a warp writes 32 neighboring positions.
std::int64_t panel_of(std::int64_t output_channels, std::int64_t half, std::int64_t positions,
                      std::int64_t scalar_bytes) {
  const std::int64_t panel = panel_of(output_channels, half);
  const std::int64_t columns = thread_columns(panel, half);
  const std::int64_t fewest =
      team_threads(columns, scalar_bytes) / tune::device_conv_item_columns * thread_rows;
  const bool is_filled = panel % (tune::device_conv_item_columns * columns) == 0;
  return columns > half && is_filled && positions >= fewest
             ? tune::device_conv_item_columns * columns
             : panel;
}

/// The window of a box of positions and some taps of some channels. The distance between lines is
/// their length plus `padding` values; a negative `padding` means that lines share zeros.
DeviceConvWindow device_window_of(const ConvTables& tables, const std::int64_t* box,
                                  const std::int64_t* taps, std::int64_t channels,
                                  std::int64_t padding = 0) {
  DeviceConvWindow window;
  std::int64_t step = 1;
  std::int64_t values = 1;
  for (int d = index::conv_dimensions - 1; d >= 0; --d) {
    const index::ConvAxis& axis = tables.axes[d];
    const std::int64_t slots = axis.slots(box[d + 1], std::max<std::int64_t>(1, taps[d]));
    window.slots[d] = SmallDivisor(slots);
    window.slot_steps[d] = static_cast<std::int32_t>(step);
    window.tap_steps[d] = static_cast<std::int32_t>(axis.spacing / axis.gcd * step);
    window.position_steps[d] = static_cast<std::int32_t>(axis.step / axis.gcd * step);
    step = step * slots + (d == index::conv_dimensions - 1 ? padding : 0);
    values *= slots;
  }
  window.entries = SmallDivisor(box[0]);
  window.channels = SmallDivisor(channels);
  window.values = static_cast<std::int32_t>(box[0] * channels * values);
  window.shared = static_cast<std::int32_t>(std::max<std::int64_t>(0, -padding));
  step += window.shared;
  window.channel_step = static_cast<std::int32_t>(step + (step % 2 == 0 ? 1 : 0));
  window.entry_step = static_cast<std::int32_t>(channels * window.channel_step);
  return window;
}

/// Slots of the window of one entry, limited to a value that is certainly too large.
std::int64_t window_slots(const ConvTables& tables, const std::int64_t* box,
                          const std::int64_t* taps) {
  std::int64_t slots = 1;
  for (int d = 0; d < index::conv_dimensions; ++d) {
    slots *= tables.axes[d].slots(box[d + 1], std::max<std::int64_t>(1, taps[d]));
    if (slots > SmallDivisor::most) return SmallDivisor::most;
  }
  return slots;
}

/// Number of values of the window of one channel.
std::int64_t window_values(const ConvTables& tables, const std::int64_t* box,
                           const std::int64_t* taps) {
  return box[0] * (window_slots(tables, box, taps) + 1);
}

/// Halves the taps along the first dimension that has several, which keeps their order.
void take_fewer(std::int64_t* taps) {
  for (int d = 0; d < index::conv_dimensions; ++d) {
    if (taps[d] > 1) {
      taps[d] = index::even_part(taps[d], ceil_divide(taps[d], 2));
      return;
    }
  }
}

/// Whether the channels of an array are closer together than its positions.
template <class Array>
bool is_by_channel(const Array& array) {
  return array.channel_stride == 1 && array.space_strides[index::conv_dimensions - 1] != 1;
}

/// The most lines that a run of positions touches.
std::int64_t lines_of_run(const std::int64_t* positions, std::int64_t run) {
  return std::min(positions[2], (run + positions[3] - 2) / positions[3] + 1);
}

/// The number of slots that neighboring lines can share: those after the last position of a line,
/// which must be after the end of the source, and the same number at its beginning, before the
/// source. All of them are zeros.
std::int64_t shared_slots(const ConvTables& tables, std::int64_t positions, std::int64_t taps) {
  const index::ConvAxis& axis = tables.axes[2];
  const std::int64_t* const first = tables.numbers.data() + tables.first_pass[2];
  if (axis.classes != 1 || first[1] - first[0] != 1 || axis.step != 1) return 0;
  const index::ConvPass& pass = tables.passes[first[0]];
  const std::int64_t shared = axis.slots(positions, taps) - positions;
  const bool is_padded = axis.padding_mode == index::PaddingMode::zero && !pass.is_backward &&
                         pass.begin == 0 && pass.end >= positions && pass.source + shared <= 0 &&
                         pass.source + positions >= axis.sources;
  return is_padded ? shared : 0;
}

/// Positions of a run if planes are cut into fewer runs than boxes; otherwise 0.
std::int64_t run_of(const std::int64_t* positions, std::int64_t most, const std::int64_t* box) {
  const std::int64_t plane = positions[2] * positions[3];
  if (plane <= most || positions[2] <= 1) return 0;
  const std::int64_t boxes = ceil_divide(positions[2], box[2]) * ceil_divide(positions[3], box[3]);
  return ceil_divide(plane, most) < boxes ? most : 0;
}

/// Number of slots that threads note; 0 if the offsets in an array may not fit in a note.
std::int32_t notes_of(const pack::ConvSource& source, const ConvTables& tables,
                      const DeviceConvWindow& window) {
  if (window.entries.size > 1 && std::abs(source.batch_stride) > INT32_MAX) return 0;
  std::int64_t reach = (window.entries.size - 1) * std::abs(source.batch_stride);
  for (int d = 0; d < index::conv_dimensions; ++d) {
    const std::int64_t extent = std::max<std::int64_t>(1, tables.axes[d].sources);
    const std::int64_t stride = std::abs(source.space_strides[d]);
    if (extent > INT32_MAX || stride > INT32_MAX) return 0;
    reach += (extent - 1) * stride;
  }
  return tune::device_conv_has_registers && reach < INT32_MAX ? window.values / window.channels.size
                                                              : 0;
}

/// Scratch values for a number of notes, which are at the end of scratch.
std::int64_t note_values(std::int64_t notes, std::int64_t scalar_bytes) {
  return notes * sweep::device_conv_note_bytes / scalar_bytes;
}

/// The number of values that a team stages.
std::int64_t stage_values(std::int64_t scalar_bytes) {
  return tune::device_conv_window_stage / scalar_bytes;
}

/// Whether lines of a box begin with a pack of positions, and consist of full packs.
bool has_packs(const pack::ConvSource& array, const index::ConvAxis& line, std::int64_t length,
               std::int64_t scalar_bytes) {
  const std::int64_t together = 16 / scalar_bytes;
  const auto is_aligned = [&](std::int64_t step) { return step % together == 0; };
  return array.space_strides[2] == 1 && is_aligned(length) && is_aligned(line.results) &&
         is_aligned(array.batch_stride) && is_aligned(array.channel_stride) &&
         is_aligned(array.space_strides[0]) && is_aligned(array.space_strides[1]);
}

/// Slices of complete boxes, and enough partials to give enough items. Depends only on the problem.
void cut_device_slices(const ConvShape& shape, std::int64_t items, DeviceConvGradCut& cut) {
  const std::int64_t boxes = volume(cut.boxes, conv_box_dimensions);
  const std::int64_t wanted =
      ceil_divide(tune::device_conv_items, std::max<std::int64_t>(1, items));
  const std::int64_t length = std::clamp<std::int64_t>(boxes * cut.positions / wanted,
                                                       tune::device_conv_fewest_slice_positions,
                                                       tune::conv_slice_positions);
  cut.slice_boxes = std::max<std::int64_t>(1, length / cut.positions);
  cut.slices = std::max<std::int64_t>(1, ceil_divide(boxes, cut.slice_boxes));
  const std::int64_t weights =
      std::max<std::int64_t>(1, sweep::count_results(shape.by_weights, shape.tables.axes));
  cut.partials = std::clamp<std::int64_t>(
      std::min<std::int64_t>(wanted, tune::conv_slice_values / weights), 1, cut.slices);
}

}  // namespace

DeviceConvCut cut_conv_on_device(const ConvShape& shape, std::int64_t scalar_bytes) {
  const sweep::ConvProblem& problem = shape.problem;
  const ConvTables& tables = shape.tables;
  DeviceConvCut cut;
  std::int64_t positions[conv_box_dimensions] = {problem.batch};
  for (int d = 0; d < index::conv_dimensions; ++d) {
    positions[d + 1] = tables.axes[d].positions(0);
    cut.taps[d] = std::max<std::int64_t>(1, tables.most_taps[d]);
  }
  const std::int64_t half = half_columns(problem.output_channels, scalar_bytes);
  const std::int64_t panel =
      panel_of(problem.output_channels, half, volume(positions, conv_box_dimensions), scalar_bytes);
  const std::int64_t columns = thread_columns(panel, half);
  cut.columns = static_cast<std::int32_t>(columns);
  cut.panel = SmallDivisor(panel);
  cut.panels = ceil_divide(problem.output_channels, panel);
  cut.position_threads = SmallDivisor(team_threads(columns, scalar_bytes) / (panel / columns));
  std::int64_t box[conv_box_dimensions];
  std::int64_t most = std::int64_t{cut.position_threads.size} * thread_rows;
  fill(positions, conv_box_dimensions, most, box);
  const std::int64_t values = stage_values(scalar_bytes);
  const auto all_taps = [&] { return volume(cut.taps, index::conv_dimensions); };
  const auto values_of_channel = [&] {
    return window_values(tables, box, cut.taps) + all_taps() * panel;
  };
  while (values_of_channel() > values) {
    const bool has_many_taps = all_taps() > tune::device_conv_taps;
    if (has_many_taps || (all_taps() > 1 && most <= tune::device_conv_box)) {
      take_fewer(cut.taps);
    } else {
      most /= 2;
      fill(positions, conv_box_dimensions, most, box);
    }
  }
  const std::int64_t run = run_of(positions, most, box);
  if (run > 0) {
    std::int64_t lines[conv_box_dimensions] = {1, 1, lines_of_run(positions, run), positions[3]};
    if (window_values(tables, lines, cut.taps) <= 2 * window_values(tables, box, cut.taps) &&
        window_values(tables, lines, cut.taps) + all_taps() * panel <= values) {
      cut.run = static_cast<std::int32_t>(run);
      std::ranges::copy(lines, box);
    }
  }
  // Taps of one channel come before the next channel, so they cannot be cut if there are several
  // channels.
  bool has_all_taps = true;
  for (int d = 0; d < index::conv_dimensions; ++d) {
    has_all_taps = has_all_taps && cut.taps[d] >= tables.most_taps[d];
  }
  cut.channels =
      has_all_taps ? index::even_part(problem.channels, values / values_of_channel()) : 1;
  const std::int64_t shared =
      cut.run > 0 && has_all_taps ? shared_slots(tables, positions[3], cut.taps[2]) : 0;
  cut.window = device_window_of(tables, box, cut.taps, cut.channels, -shared);
  cut.window.is_by_channel = is_by_channel(problem.source);
  if (has_all_taps && !cut.window.is_by_channel && cut.channels < problem.channels) {
    const std::int32_t notes = notes_of(problem.source, tables, cut.window);
    const std::int64_t left = values - note_values(notes, scalar_bytes);
    if (notes > 0 && left >= values_of_channel()) {
      cut.channels = index::even_part(problem.channels, left / values_of_channel());
      cut.window = device_window_of(tables, box, cut.taps, cut.channels, -shared);
      cut.window.notes = notes;
    }
  }
  cut.items = problem.groups * cut.panels;
  for (int d = 0; d < conv_box_dimensions; ++d) {
    cut.box[d] = SmallDivisor(box[d]);
    cut.boxes[d] = ceil_divide(positions[d], box[d]);
    if (d == 2 && cut.run > 0) cut.boxes[d] = ceil_divide(positions[2] * positions[3], run);
    cut.items *= cut.boxes[d] * (d == 0 ? 1 : tables.axes[d - 1].classes);
  }
  return cut;
}

sweep::ConvCut packing_of(const DeviceConvCut& cut) {
  sweep::ConvCut packing;
  packing.panel = cut.panel.size;
  packing.panels = cut.panels;
  return packing;
}

std::int64_t packed_values(const ConvShape& shape, const DeviceConvCut& cut) {
  std::int64_t taps = 1;
  for (const index::ConvAxis& axis : shape.tables.axes) taps *= axis.taps;
  return shape.problem.groups * cut.panels * cut.panel.size * (1 + shape.problem.channels * taps);
}

DeviceConvGradCut cut_grad_weights_on_device(const ConvShape& shape, std::int64_t scalar_bytes) {
  const sweep::ConvWeightsProblem& problem = shape.by_weights;
  const index::ConvAxis* const axes = shape.tables.axes;
  DeviceConvGradCut cut;
  // Items are cut by halves, because this determines the bits.
  const std::int64_t half = half_columns(problem.output_channels, scalar_bytes);
  const std::int64_t panel = panel_of(problem.output_channels, half);
  const std::int64_t columns = thread_columns(panel, half);
  cut.columns = static_cast<std::int32_t>(columns);
  cut.panel = SmallDivisor(panel);
  cut.panels = ceil_divide(problem.output_channels, panel);
  cut.column_threads = SmallDivisor(panel / columns);
  // The pitch is the columns plus a pack, so that threads do not write to one bank.
  cut.pitch = static_cast<std::int32_t>(panel + (half == 1 ? 0 : 16 / scalar_bytes));
  const std::int64_t most_rows = item_threads / (panel / half) * thread_rows;
  const std::int64_t all_taps[] = {axes[0].taps, axes[1].taps, axes[2].taps};
  std::int64_t taps[index::conv_dimensions];
  fill(all_taps, index::conv_dimensions, most_rows, taps);
  cut.channels =
      index::even_part(problem.channels, most_rows / volume(taps, index::conv_dimensions));
  const std::int64_t positions[conv_box_dimensions] = {problem.batch, axes[0].results,
                                                       axes[1].results, axes[2].results};
  std::int64_t most = std::int64_t{item_threads} * thread_rows;
  fill(positions, conv_box_dimensions, most, cut.box);
  const std::int64_t place_values = ceil_divide(sizeof(std::int32_t), scalar_bytes);
  const auto values = [&] {
    return (window_values(shape.tables, cut.box, taps)) * cut.channels +
           volume(cut.box, conv_box_dimensions) * (cut.pitch + place_values) +
           note_values(cut.box[0] * window_slots(shape.tables, cut.box, taps), scalar_bytes);
  };
  // One cache line is reserved for each of the two parts after the window.
  const std::int64_t line_values = std::int64_t{2} * 64 / scalar_bytes;
  while (values() + line_values > stage_values(scalar_bytes)) {
    const std::int64_t of_taps = volume(taps, index::conv_dimensions);
    if (most > tune::device_conv_box || (cut.channels == 1 && of_taps == 1)) {
      most /= 2;
      fill(positions, conv_box_dimensions, most, cut.box);
    } else if (cut.channels > 1) {
      cut.channels = index::even_part(problem.channels, ceil_divide(cut.channels, 2));
    } else {
      take_fewer(taps);
    }
  }
  cut.rows = static_cast<std::int32_t>(cut.channels * volume(taps, index::conv_dimensions));
  cut.row_threads = SmallDivisor(ceil_divide(cut.rows, thread_rows));
  cut.positions = static_cast<std::int32_t>(volume(cut.box, conv_box_dimensions));
  cut.lanes =
      std::min(cut.positions, static_cast<std::int32_t>(team_threads(columns, scalar_bytes)) /
                                  (cut.row_threads.size * cut.column_threads.size));
  cut.window = device_window_of(shape.tables, cut.box, taps, cut.channels);
  // Neighboring threads read the taps of a line, and then those of the next line: if there is room,
  // the next line starts in the next of 32 banks.
  constexpr std::int64_t banks = 32;
  const std::int64_t padding = (taps[2] - cut.window.slots[2].size % banks + banks) % banks;
  const DeviceConvWindow padded =
      device_window_of(shape.tables, cut.box, taps, cut.channels, padding);
  const std::int64_t of_notes =
      note_values(cut.box[0] * window_slots(shape.tables, cut.box, taps), scalar_bytes);
  if (cut.positions * (cut.pitch + place_values) + padded.room() + of_notes + line_values <=
      stage_values(scalar_bytes)) {
    cut.window = padded;
  }
  cut.window.is_by_channel = is_by_channel(problem.source);
  // Sums of a team replace everything that is staged except notes.
  const std::int64_t sums = team_threads(columns, scalar_bytes) * columns * thread_rows;
  if (!cut.window.is_by_channel && of_notes + sums <= stage_values(scalar_bytes)) {
    cut.window.notes = notes_of(problem.source, shape.tables, cut.window);
  }
  cut.output_gradient_is_by_channel = is_by_channel(problem.output_gradient);
  cut.output_gradient_has_packs =
      has_packs(problem.output_gradient, axes[2], cut.box[3], scalar_bytes);
  cut.channel_blocks = ceil_divide(problem.channels, cut.channels);
  std::int64_t items = problem.groups * cut.panels * cut.channel_blocks;
  for (int d = 0; d < index::conv_dimensions; ++d) {
    cut.taps[d] = SmallDivisor(taps[d]);
    cut.tap_blocks[d] = ceil_divide(axes[d].taps, taps[d]);
    items *= cut.tap_blocks[d];
  }
  for (int d = 0; d < conv_box_dimensions; ++d) {
    cut.boxes[d] = ceil_divide(positions[d], cut.box[d]);
  }
  cut_device_slices(shape, items, cut);
  cut.items = cut.partials * items;
  return cut;
}

}  // namespace synelix::plan
