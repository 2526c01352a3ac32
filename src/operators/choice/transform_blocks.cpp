// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "operators/choice/transform_blocks.hpp"

#include "index/segment.hpp"
#include "spectral/arguments.hpp"
#include "spectral/transform.hpp"
#include "tune/conv_sizes.hpp"
#include "tune/steps.hpp"

#include <algorithm>

namespace synelix::chooser {
namespace {

using index::ceil_divide;

double real(std::int64_t n) { return static_cast<double>(n); }

/// Time of a transform of a pack of blocks.
double transform_nanoseconds(const ConvLine& line, std::int64_t points) {
  const tune::PointFactor* entry = tune::point_factors;
  while (entry->points < points) ++entry;
  return real(points) * entry->factor * tune::steps_of(line.lanes * line.scalar_bytes).fft_point *
         tune::conv_transform;
}

/// Cuts the packs of a gradient by weights into runs that are transformed together, and into
/// split-K partials.
void cut_partials(const ConvLine& line, std::int64_t spectrum, ConvFftShape& shape) {
  const std::int64_t most = std::clamp<std::int64_t>(
      tune::conv_run_bytes / ((line.channels + 1) * spectrum), 1, tune::conv_run_packs);
  shape.run_packs = std::clamp<std::int64_t>(shape.packs, 1, most);
  shape.runs = std::max<std::int64_t>(1, ceil_divide(shape.packs, shape.run_packs));
  const std::int64_t weights =
      std::max<std::int64_t>(1, line.groups * line.output_channels * line.channels * line.taps);
  shape.partials = std::clamp<std::int64_t>(tune::conv_slice_values / weights, 1,
                                            std::min<std::int64_t>(shape.runs, tune::conv_slices));
}

/// Blocks of 2 `points` samples.
ConvFftShape shape_of(const ConvLine& line, std::int64_t points) {
  ConvFftShape shape;
  shape.points = points;
  shape.rows = 2 * points - line.window + 1;
  shape.blocks = ceil_divide(line.positions, shape.rows);
  shape.packs = ceil_divide(line.batch * shape.blocks, line.lanes);
  const std::int64_t results = line.is_by_weights ? line.channels : line.output_channels;
  const bool has_terms = line.is_by_weights || line.channels >= tune::conv_fewest_terms;
  if (has_terms && results >= spectral::most_results_together) {
    shape.results_at_once = spectral::most_results_together;
  }
  const std::int64_t spectrum = points * 2 * line.lanes * std::int64_t{line.scalar_bytes};
  const std::int64_t pairs = line.channels * line.output_channels;
  const double transform = transform_nanoseconds(line, points);
  const double products = real(points) * real(pairs);
  double nanoseconds = real(shape.packs) * (real(line.channels + line.output_channels) * transform +
                                            products * tune::conv_product);
  if (line.is_by_weights) {
    cut_partials(line, spectrum, shape);
    nanoseconds += real(shape.runs) * real(pairs) * transform;
    shape.bytes = shape.partials * line.groups * pairs * line.taps * line.scalar_bytes +
                  ((line.channels + 1) * shape.run_packs + shape.results_at_once + 1) * spectrum;
  } else {
    const std::int64_t kernels = line.groups * pairs * points * 2 * line.scalar_bytes;
    nanoseconds += real(pairs) / real(line.lanes) * transform + products * tune::conv_written;
    if (kernels > tune::conv_near_bytes) {
      nanoseconds += real(shape.packs) * products * tune::conv_far_product;
    }
    shape.bytes = kernels + (line.channels + shape.results_at_once + 1) * spectrum;
  }
  shape.nanoseconds = real(line.groups) * nanoseconds;
  return shape;
}

bool is_better(const ConvFftShape& a, const ConvFftShape& b) {
  const bool is_moderate = a.bytes <= tune::conv_most_bytes;
  if (is_moderate != (b.bytes <= tune::conv_most_bytes)) return is_moderate;
  return is_moderate ? a.nanoseconds < b.nanoseconds : a.bytes < b.bytes;
}

/// Time of direct sums.
double direct_nanoseconds(const ConvLine& line) {
  const bool is_depthwise = line.channels == 1 && line.output_channels == 1;
  const double term = is_depthwise
                          ? tune::conv_each * real(line.scalar_bytes)
                          : tune::conv_multiply_add *
                                real(line.channels * ceil_divide(line.output_channels, line.lanes));
  return real(line.batch) * real(line.positions) * real(line.groups) *
         (real(line.taps) * term + real(line.output_channels) * tune::conv_result);
}

}  // namespace

ConvFftShape shape_conv_fft(const ConvLine& line) {
  std::int64_t points = spectral::fewest_points;
  while (2 * points < line.window) points *= 2;
  ConvFftShape best = shape_of(line, points);
  // More than 16 windows gain almost nothing.
  while (points < 8 * line.window) {
    points *= 2;
    const ConvFftShape shape = shape_of(line, points);
    if (is_better(shape, best)) best = shape;
  }
  return best;
}

std::int64_t item_output_channels(const ConvLine& line, const ConvFftShape& shape,
                                  std::int64_t teams) {
  const std::int64_t items = shape.partials * line.groups;
  if (items >= teams) return line.output_channels;
  const std::int64_t parts = ceil_divide(tune::conv_team_items * teams, items);
  return ceil_divide(line.output_channels, std::min(parts, line.output_channels));
}

bool prefers_fft(const ConvLine& line, const ConvFftShape& shape) {
  return line.taps >= tune::conv_fewest_taps && shape.bytes <= tune::conv_most_bytes &&
         shape.nanoseconds < direct_nanoseconds(line);
}

}  // namespace synelix::chooser
