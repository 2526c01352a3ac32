// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "lanes/access.hpp"
#include "spectral/arguments.hpp"

#include <cstdint>

/// \file
/// The shapes of lines for packs of some width: constexpr, without memory.

namespace synelix::spectral {

/// For transforms of at most this many points, each line has its own copy of spectra, so that all
/// data of one line stay in a first-level cache. Larger ones process the lines block by block.
inline constexpr std::int64_t most_points_of_narrow_lines = 256;

constexpr int next_power_of_two(std::int64_t value) {
  int power = 1;
  while (power < value) power *= 2;
  return power;
}

/// Lines of a pack of `lanes` channels x `bases`, for transforms of `points`; without tables. Lines
/// whose products are summed over several `parts` read the spectra of each part in place.
template <class Scalar>
constexpr Lines<Scalar> lines_of(std::int64_t bases, int lanes, std::int64_t points,
                                 std::int64_t parts = 1) {
  Lines<Scalar> lines;
  lines.bases = bases;
  const std::int64_t channels = bases % lanes == 0   ? 1
                                : lanes % bases == 0 ? lanes / bases
                                                     : (lanes + bases - 2) / bases + 1;
  const int fewest = lanes >= 8 ? lanes / 8 : lanes;
  const int width = next_power_of_two(channels > fewest ? channels : fewest);
  const bool is_narrow = 2 * width <= lanes && points <= most_points_of_narrow_lines && parts == 1;
  lines.width = is_narrow ? width : lanes;
  lines.kernel_period = lanes;
  if (lanes >= 8 && lines.width < lanes && lanes % bases == 0 &&
      ((8 * width == lanes && 2 * bases == lanes) || (4 * width == lanes && 4 * bases == lanes))) {
    lines.kernel_period = static_cast<int>(bases);
  }
  lines.kernel_row = lines.kernel_period < lanes ? bases
                     : lanes % bases == 0        ? lanes
                                                 : bases + lanes;
  // One cache line more, so that the spectra of all lines are not in the same cache sets.
  lines.line_step = lines.width == lanes ? 0 : points * 2 * lines.width + lanes;
  return lines;
}

/// Number of values of the spectra of a pack of channels.
template <class Scalar>
constexpr std::int64_t spectra_values(const Lines<Scalar>& lines, int lanes, std::int64_t points) {
  if (lines.width == lanes) return points * 2 * lanes;
  const std::int64_t together = lanes / (2 * lines.width);
  return (lines.bases + together - 1) / together * together * lines.line_step;
}

/// Stride between the spectra, or the kernels, of parts: a little more than their values, so that
/// the points of a leaf are not in the same cache sets for all parts.
constexpr std::int64_t part_step(std::int64_t values, int lanes, std::int64_t parts) {
  constexpr std::int64_t points_of_leaf = 16;
  return parts > 1 ? values + points_of_leaf * 2 * lanes : values;
}

/// Number of values of the kernels of all lines.
template <class Scalar>
constexpr std::int64_t kernel_values(const Lines<Scalar>& lines, std::int64_t points) {
  return points * 2 * lines.kernel_row;
}

/// Number of lane numbers in the tables of the lines.
template <class Scalar>
constexpr std::int64_t line_numbers(const Lines<Scalar>& lines, int lanes) {
  const std::int64_t together = lines.width < lanes ? lanes / (2 * lines.width) : 1;
  return lines.bases * 2 * lanes + (lines.bases + together - 1) / together * lanes;
}

/// The lines with their tables at `memory`.
template <class Scalar>
constexpr Lines<Scalar> bind(Lines<Scalar> lines, int lanes,
                             const lanes::LaneNumberOf<Scalar>* memory) {
  lines.expand = memory;
  lines.compact = memory + lines.bases * 2 * lanes;
  return lines;
}

/// Computes the tables.
template <class Scalar>
constexpr void fill_tables(const Lines<Scalar>& lines, int lanes,
                           lanes::LaneNumberOf<Scalar>* memory) {
  using Number = lanes::LaneNumberOf<Scalar>;
  const bool is_whole = lines.width == lanes;
  const auto first_channel = [&](std::int64_t line) {
    return is_whole ? 0 : line * lanes / lines.bases;
  };
  for (std::int64_t line = 0; line < lines.bases; ++line) {
    for (int lane = 0; lane < lanes; ++lane) {
      const std::int64_t channel = (line * lanes + lane) / lines.bases - first_channel(line);
      memory[lane] = static_cast<Number>(channel);
      memory[lanes + lane] = static_cast<Number>(is_whole ? channel : lines.width + channel);
    }
    memory += 2 * lanes;
  }
  if (is_whole) return;
  const int size = 2 * lines.width;
  for (std::int64_t line = 0; line < lines.bases; line += lanes / size) {
    for (int i = 0; i < lanes; ++i) {
      std::int64_t channel = first_channel(line + i / size) + i % lines.width;
      if (channel >= lanes) channel = lanes - 1;  // never expanded
      const bool is_imaginary = i % size >= lines.width;
      memory[i] = static_cast<Number>(is_imaginary ? lanes + channel : channel);
    }
    memory += lanes;
  }
}

}  // namespace synelix::spectral
