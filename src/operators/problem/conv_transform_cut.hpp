// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "index/conv_axes.hpp"
#include "index/range.hpp"
#include "index/segment.hpp"
#include "lanes/instruction_set.hpp"
#include "spectral/levels.hpp"
#include "spectral/transform.hpp"

#include <cstddef>
#include <cstdint>

/// \file
/// The work items of a convolution operator of one dimension for transforms on a host, and the
/// layout of a team's memory. The choice counts bytes with the functions that place the pointers of
/// the sweep.

namespace synelix::sweep {

/// A series (batch, positions) cut into blocks with windows: block i of an entry has positions [i
/// rows, (i + 1) rows). Blocks of all entries are the lanes of packs.
struct ConvBlocks {
  std::int64_t window = 1;     ///< taps, and the positions between them
  std::int64_t rows = 1;       ///< positions of a block: its samples minus the window, plus one
  std::int64_t positions = 0;  ///< of an entry
  std::int64_t blocks = 0;     ///< of an entry
  std::int64_t packs = 0;

  /// A block: its entry of the batch and its positions; none after the last one.
  struct Block {
    std::int64_t entry;
    Range positions;
  };
  [[nodiscard]] SYNELIX_FUNCTION Block block(std::int64_t number, std::int64_t batch) const {
    if (number >= batch * blocks) return {0, {0, 0}};
    const std::int64_t begin = number % blocks * rows;
    return {number / blocks, {begin, index::smaller(begin + rows, positions)}};
  }
};

/// The layout of weights as spectra: (group, output channel or several, point, channel, part,
/// output channel).
struct ConvKernels {
  std::int64_t points = 0;
  std::int64_t channels = 0;
  std::int64_t output_channels = 0;
  std::int64_t results_at_once = 1;  ///< the most results that are summed together

  /// Number of output channels that are summed together, starting with o.
  [[nodiscard]] SYNELIX_FUNCTION std::int64_t results(std::int64_t o) const {
    return o / results_at_once * results_at_once + results_at_once <= output_channels
               ? results_at_once
               : 1;
  }
  /// Values from one point to the next, for this many results together.
  [[nodiscard]] SYNELIX_FUNCTION std::int64_t point(std::int64_t results) const {
    return channels * 2 * results;
  }
  /// The offset of the kernels of output channel o, or of the output channels summed together with
  /// it.
  [[nodiscard]] SYNELIX_FUNCTION std::int64_t offset(std::int64_t group, std::int64_t o) const {
    return (group * output_channels + o / results(o) * results(o)) * points * channels * 2;
  }
};

/// The work items of a convolution.
struct ConvFftCut {
  ConvBlocks blocks;
  ConvKernels kernels;
  index::ConvPass pass;
  bool is_first = true;  ///< whether results are stored; otherwise added
  std::int64_t items = 0;
};

/// The work items of a gradient by weights.
struct ConvFftWeightsCut {
  ConvBlocks blocks;
  std::int64_t packs = 1;            ///< the most that are transformed together
  std::int64_t runs = 1;             ///< runs of that many packs
  std::int64_t partials = 1;         ///< split-K: each has some of these runs
  std::int64_t output_channels = 1;  ///< the most of an item
  std::int64_t results_at_once = 1;  ///< channels that are summed together
  std::int64_t items = 0;
};

/// Number of values in a team's memory, for packs of this many lanes. A spectrum and a line have
/// one point more than needed, so that terms are not in the same sets of a cache.
struct ConvTransformSizes {
  std::int64_t lanes = 1;
  std::int64_t points = 0;         ///< of a transform: half the samples of a block
  std::int64_t stored_points = 0;  ///< of a transform between its passes

  template <class Scalar>
  SYNELIX_FUNCTION static constexpr ConvTransformSizes of(
      const spectral::Transform<Scalar>& transform, std::int64_t lanes) {
    return {lanes, transform.points, transform.stored_points()};
  }
  /// Samples of a block.
  [[nodiscard]] SYNELIX_FUNCTION constexpr std::int64_t length() const { return 2 * points; }
  [[nodiscard]] SYNELIX_FUNCTION constexpr std::int64_t spectrum_values() const {
    return (points + 1) * 2 * lanes;
  }
  /// Values of the points of a result. Before the transform, the samples of all lanes are stored
  /// here line by line; with short first passes, they take more memory than the points.
  [[nodiscard]] SYNELIX_FUNCTION constexpr std::int64_t points_values() const {
    return index::larger(2 * stored_points, line_step()) * lanes;
  }
  [[nodiscard]] SYNELIX_FUNCTION constexpr std::int64_t packed_values() const {
    return length() * lanes;
  }
  [[nodiscard]] SYNELIX_FUNCTION constexpr std::int64_t line_step() const { return length() + 16; }

  /// The most segments whose energies are summed (spectral/levels.hpp).
  [[nodiscard]] SYNELIX_FUNCTION constexpr std::int64_t segments() const {
    return index::smaller(length(), 128);
  }
  /// Samples of a segment, for windows of this length.
  [[nodiscard]] SYNELIX_FUNCTION constexpr std::int64_t segment(std::int64_t window) const {
    return index::larger(spectral::segment_of_window(window),
                         index::ceil_divide(length(), segments()));
  }
  /// (segment, lane), and (lane) twice.
  [[nodiscard]] SYNELIX_FUNCTION constexpr std::int64_t level_values() const {
    return (segments() + 2) * lanes;
  }
};

/// The energies of the samples of a pack of blocks.
template <class Scalar>
struct ConvLevels {
  Scalar* sums;   ///< (segment, lane)
  Scalar* total;  ///< (lane)
  Scalar* least;  ///< (lane): least energy of segments that are completely in a window
};

/// Memory of a team: its share of the workspace.
template <class Scalar>
struct ConvTransformTeamMemory {
  Scalar* points;  ///< of some results
  Scalar* packed;  ///< (sample, lane)
  Scalar* lines;   ///< of two lanes
  ConvLevels<Scalar> levels;
  Scalar* spectra;  ///< (spectrum)

  SYNELIX_FUNCTION ConvTransformTeamMemory(std::byte* memory, const ConvTransformSizes& how,
                                           std::int64_t results)
      : points(reinterpret_cast<Scalar*>(memory)),
        packed(points + results * how.points_values()),
        lines(packed + how.packed_values()),
        levels{lines + 2 * how.length(), lines + 2 * how.length() + how.segments() * how.lanes,
               lines + 2 * how.length() + (how.segments() + 1) * how.lanes},
        spectra(lines + 2 * how.length() + how.level_values()) {}
  static std::int64_t bytes(const ConvTransformSizes& how, std::int64_t results,
                            std::int64_t spectra) {
    return (results * how.points_values() + how.packed_values() + 2 * how.length() +
            how.level_values() + spectra * how.spectrum_values()) *
           std::int64_t{sizeof(Scalar)};
  }
};

}  // namespace synelix::sweep
