// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "choose/conv_fft.hpp"

#include "index/segment.hpp"
#include "spectral/arguments.hpp"
#include "spectral/transform.hpp"
#include "tune/conv.hpp"
#include "tune/steps.hpp"

#include <algorithm>

namespace synelix::chooser {
namespace {

using index::ceil_divide;

double real(std::int64_t n) { return static_cast<double>(n); }

/// What a transform of a pack of blocks takes.
double transform_nanoseconds(const ConvLine& line, std::int64_t points) {
  const tune::PointFactor* entry = tune::point_factors;
  while (entry->points < points) ++entry;
  return real(points) * entry->factor * tune::steps_of(line.lanes * line.scalar_bytes).fft_point *
         tune::conv_transform;
}

/// Packs that a gradient by weights transforms together, and what slices they are cut into.
void cut_slices(const ConvLine& line, ConvFftShape& shape) {
  const std::int64_t spectrum =
      (shape.points + 1) * 2 * line.lanes * std::int64_t{line.scalar_bytes};
  const std::int64_t most = std::clamp<std::int64_t>(
      tune::conv_run_bytes / ((line.channels + 1) * spectrum), 1, tune::conv_run_packs);
  shape.run_packs = std::clamp<std::int64_t>(shape.packs / tune::conv_fewest_slices, 1, most);
  shape.runs = std::max<std::int64_t>(1, ceil_divide(shape.packs, shape.run_packs));
  const std::int64_t weights =
      std::max<std::int64_t>(1, line.groups * line.columns * line.channels * line.taps);
  shape.slices = std::clamp<std::int64_t>(tune::conv_slice_values / weights, 1,
                                          std::min<std::int64_t>(shape.runs, tune::conv_slices));
  const std::int64_t parts =
      ceil_divide(tune::conv_fewest_items, std::max<std::int64_t>(1, shape.slices * line.groups));
  shape.item_columns = std::max<std::int64_t>(1, ceil_divide(line.columns, parts));
}

ConvFftShape shape_of(const ConvLine& line, std::int64_t points) {
  ConvFftShape shape;
  shape.points = points;
  shape.rows = 2 * points - line.window + 1;
  shape.blocks = ceil_divide(line.positions, shape.rows);
  shape.packs = ceil_divide(line.batch * shape.blocks, line.lanes);
  const std::int64_t terms_together = line.is_by_weights ? line.channels : line.columns;
  const bool has_terms = line.is_by_weights || line.channels >= tune::conv_fewest_terms;
  shape.together = has_terms && terms_together >= spectral::most_results_together
                       ? spectral::most_results_together
                       : 1;
  const double transform = transform_nanoseconds(line, points);
  const double pairs = real(line.channels * line.columns);
  const double product = real(points) * pairs * tune::conv_product;
  double packs = real(shape.packs) * (real(line.channels + line.columns) * transform + product);
  if (line.is_by_weights) {
    cut_slices(line, shape);
    const double parts = real(ceil_divide(line.columns, shape.item_columns));
    packs += real(shape.runs) * pairs * transform +
             real(shape.packs) * (parts - 1) * real(line.channels) * transform;
  } else {
    packs += pairs / real(line.lanes) * transform + real(points) * pairs * tune::conv_written;
  }
  shape.nanoseconds = real(line.groups) * packs;
  return shape;
}

}  // namespace

ConvFftShape shape_conv_fft(const ConvLine& line) {
  std::int64_t points = spectral::fewest_points;
  while (2 * points < line.window) points *= 2;
  ConvFftShape best = shape_of(line, points);
  // Beyond 16 windows next to nothing is left to be won.
  while (points < 8 * line.window) {
    points *= 2;
    const ConvFftShape shape = shape_of(line, points);
    if (shape.nanoseconds < best.nanoseconds) best = shape;
  }
  return best;
}

double direct_conv_nanoseconds(const ConvLine& line) {
  const bool is_depthwise = line.channels == 1 && line.columns == 1;
  const double packs =
      is_depthwise && !line.is_by_weights
          ? real(line.groups) / real(line.lanes) * tune::conv_each
          : real(line.groups) * real(line.channels * ceil_divide(line.columns, line.lanes));
  return real(line.batch) * real(line.positions) * real(line.taps) * packs *
         tune::conv_multiply_add;
}

}  // namespace synelix::chooser
