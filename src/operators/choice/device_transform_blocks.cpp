// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "operators/choice/device_transform_blocks.hpp"

#include "index/segment.hpp"
#include "operators/problem/device_conv_fft_cut.hpp"
#include "spectral/stages.hpp"
#include "tune/conv_sizes.hpp"
#include "tune/device_conv.hpp"
#include "tune/tiles.hpp"

#include <algorithm>

namespace synelix::chooser {
namespace {

using index::ceil_divide;

double count(std::int64_t n) { return static_cast<double>(n); }

/// Distance between taps in positions.
std::int64_t spacing_of(const ConvLine& line) {
  return line.taps > 1 ? (line.window - 1) / (line.taps - 1) : 1;
}

/// Number of spectra of a block that a team holds.
std::int64_t spectra_of(const ConvLine& line, const DeviceConvFftShape& shape) {
  return line.is_by_weights ? shape.channels * (1 + shape.results) : shape.results;
}

sweep::DeviceConvFftScratch scratch_of(const ConvLine& line, const DeviceConvFftShape& shape) {
  return {line.scalar_bytes, shape.points, shape.lanes, spectra_of(line, shape),
          line.is_by_weights ? sweep::most_slice_packs : 0};
}

/// Cost of a point of a block in all passes of a transform, and of loading its samples.
double transform_of(const DeviceConvFftShape& shape) {
  return spectral::shape_of<float>(shape.points).passes * tune::device_fft_pass;
}
double taken_in(const DeviceConvFftShape& shape) {
  return transform_of(shape) + 2 * tune::device_fft_sample;
}
double given_out(const DeviceConvFftShape& shape) {
  return transform_of(shape) + 2 * tune::device_fft_result;
}

/// Slices of full packs, and enough partials to give enough items.
void cut_device_partials(const ConvLine& line, DeviceConvFftShape& shape) {
  const std::int64_t items = line.groups * shape.parts *
                             ceil_divide(line.channels, shape.channels) *
                             ceil_divide(line.output_channels, shape.results);
  const std::int64_t wanted =
      ceil_divide(tune::device_conv_items, std::max<std::int64_t>(1, items));
  const std::int64_t most = std::min<std::int64_t>(
      sweep::most_slice_packs,
      std::max<std::int64_t>(1, tune::conv_slice_positions / (shape.rows * shape.lanes)));
  shape.slice_packs = std::clamp<std::int64_t>(shape.packs / wanted, 1, most);
  shape.slices = std::max<std::int64_t>(1, ceil_divide(shape.packs, shape.slice_packs));
  const std::int64_t weights =
      std::max<std::int64_t>(1, line.groups * line.output_channels * line.channels * line.taps);
  shape.partials = std::clamp<std::int64_t>(
      std::min<std::int64_t>(wanted, tune::conv_slice_values / weights), 1, shape.slices);
}

/// Instructions of one group, without the spectra of weights.
double instructions_of(const ConvLine& line, const DeviceConvFftShape& shape) {
  const double result_blocks = count(ceil_divide(line.output_channels, shape.results));
  const double pairs = count(line.output_channels * line.channels * shape.parts);
  const double points = count(shape.points);
  const double of_pack = count(shape.lanes) * points;
  if (line.is_by_weights) {
    const double channel_blocks = count(ceil_divide(line.channels, shape.channels));
    const double transforms =
        count(line.channels) * result_blocks + count(line.output_channels) * channel_blocks;
    return count(shape.packs) * of_pack *
               (transforms * count(shape.parts) * taken_in(shape) +
                pairs * tune::device_fft_product) +
           count(shape.slices) * pairs * points * given_out(shape);
  }
  const double terms = count(line.channels * shape.parts);
  return count(shape.packs) * of_pack *
         (result_blocks * terms * taken_in(shape) + pairs * tune::device_fft_product +
          count(line.output_channels) * given_out(shape));
}

/// Increases the cost for threads without a butterfly, and for teams that run alone on a core.
double weighted(const ConvLine& line, const DeviceConvFftShape& shape, double instructions) {
  const std::int64_t threads = shape.lanes * shape.points / 16;
  if (threads < tune::device_fft_fewest) {
    instructions *= count(tune::device_fft_fewest) / count(threads);
  }
  for (std::int64_t bytes = scratch_of(line, shape).bytes(); bytes > tune::device_fft_bytes;
       bytes /= 2) {
    instructions *= tune::device_fft_alone;
  }
  return instructions;
}

void finish(const ConvLine& line, DeviceConvFftShape& shape) {
  if (line.is_by_weights) {
    cut_device_partials(line, shape);
    shape.bytes = shape.partials * line.groups * line.output_channels * line.channels * line.taps *
                  line.scalar_bytes;
  } else {
    shape.bytes = line.groups * line.output_channels * line.channels * shape.parts * shape.points *
                  2 * line.scalar_bytes;
  }
  double instructions = weighted(line, shape, instructions_of(line, shape));
  if (!line.is_by_weights) {
    instructions += count(line.output_channels * line.channels * shape.parts) *
                    count(shape.points) * taken_in(shape);
  }
  shape.instructions = count(line.groups) * instructions;
}

/// Visits the numbers of channels that items may have; each part is about 1.5 times the previous
/// one.
template <class Visit>
void for_each_size(std::int64_t channels, const Visit& visit) {
  const std::int64_t most = std::min<std::int64_t>(channels, tune::device_fft_results);
  for (std::int64_t size = 1; size < most; size += (size + 1) / 2) {
    visit(index::even_part(channels, size));
  }
  visit(index::even_part(channels, most));
}

bool is_better_on_device(const DeviceConvFftShape& a, const DeviceConvFftShape& b) {
  if (b.points == 0) return true;
  const bool is_moderate = a.bytes <= tune::conv_most_bytes;
  if (is_moderate != (b.bytes <= tune::conv_most_bytes)) return is_moderate;
  return is_moderate ? a.instructions < b.instructions : a.bytes < b.bytes;
}

}  // namespace

DeviceConvFftShape shape_device_conv_fft(const ConvLine& line, std::int64_t scratch_bytes) {
  DeviceConvFftShape best;
  const auto consider = [&](DeviceConvFftShape shape) {
    if (scratch_of(line, shape).bytes() > scratch_bytes) return;
    finish(line, shape);
    if (is_better_on_device(shape, best)) best = shape;
  };
  const auto consider_parts = [&](std::int64_t points, std::int64_t parts) {
    DeviceConvFftShape shape;
    shape.points = points;
    shape.part_taps = ceil_divide(line.taps, parts);
    shape.parts = ceil_divide(line.taps, shape.part_taps);
    shape.window = (shape.part_taps - 1) * spacing_of(line) + 1;
    shape.rows = 2 * points - shape.window + 1;
    shape.blocks = ceil_divide(line.positions, shape.rows);
    const std::int64_t blocks = line.batch * shape.blocks;
    for (shape.lanes = 1;
         shape.lanes * points <= std::int64_t{16} * tune::device_fft_team || shape.lanes == 1;
         shape.lanes *= 2) {
      if (shape.lanes > 1 && shape.lanes / 2 >= blocks) break;
      shape.packs = ceil_divide(blocks, shape.lanes);
      for_each_size(line.output_channels, [&](std::int64_t results) {
        shape.results = results;
        if (!line.is_by_weights) return consider(shape);
        for_each_size(line.channels, [&](std::int64_t channels) {
          shape.channels = channels;
          consider(shape);
        });
      });
    }
  };
  for (std::int64_t points = spectral::fewest_stage_points; points <= spectral::most_stage_points;
       points *= 2) {
    if (!spectral::has_stages(points)) continue;
    // Parts that leave at least half of a block to its positions; or no parts.
    const std::int64_t taps = (points - 1) / spacing_of(line) + 1;
    const std::int64_t parts = ceil_divide(line.taps, taps);
    consider_parts(points, parts);
    if (parts > 1 && line.window <= 2 * points) consider_parts(points, 1);
    // More than 16 windows gain almost nothing.
    if (points >= 8 * line.window && best.points > 0) break;
  }
  return best;
}

bool prefers_device_fft(const ConvLine& line, const DeviceConvFftShape& shape) {
  const bool is_narrow = tune::device_conv_is_narrow(line.output_channels, line.scalar_bytes);
  const double direct = count(line.batch) * count(line.positions) * count(line.groups) *
                        count(line.channels) * count(line.output_channels) * count(line.taps) *
                        (is_narrow ? tune::device_conv_narrow : tune::device_conv_wide);
  return line.taps >= tune::conv_fewest_taps && shape.points > 0 &&
         shape.bytes <= tune::conv_most_bytes && shape.instructions < direct;
}

}  // namespace synelix::chooser
