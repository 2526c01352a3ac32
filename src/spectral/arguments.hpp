// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "lanes/access.hpp"
#include "spectral/transform.hpp"

#include <cstdint>

/// \file
/// The arguments of the passes of a transform. A block is stored as points while it is transformed:
/// a pack of real parts, then one of imaginary parts. Memory is aligned to the pack, except
/// samples, kernels and results.

namespace synelix::spectral {

/// How the spectra of a pack of channels and the spectra of the filters become outputs. The outputs
/// of a pack of channels are (channel, basis), basis fastest: as many packs as there are bases, the
/// lines. All inverse passes run on lines, so results have the layout of features.
template <class Scalar>
struct Lines {
  std::int64_t bases = 0;
  /// The number of channels in a line's own copy of spectra, (point, real and imaginary part,
  /// channel); or the lanes of a pack: then spectra are stored once, for all lines.
  int width = 0;
  std::int64_t line_step = 0;  ///< values from the spectra of one line to those of the next
  /// The period with which a line repeats values of the kernels; or the lanes.
  int kernel_period = 0;
  std::int64_t kernel_row = 0;  ///< values of the real parts of a point; the imaginary ones follow
  /// (line, real and imaginary part, lane): the number of the value of a point's spectra for a lane
  const lanes::LaneNumberOf<Scalar>* expand = nullptr;
  /// (pack, lane): the permutation of a point, both packs, to packs of (line, part, channel)
  const lanes::LaneNumberOf<Scalar>* compact = nullptr;

  /// The offset of a line's kernels in a row.
  [[nodiscard]] SYNELIX_INLINE constexpr std::int64_t kernel_offset(std::int64_t line,
                                                                    int lanes) const {
    return kernel_period < lanes ? 0 : line * lanes % bases;
  }
};

/// The first pass: samples to points.
template <class Scalar>
struct FirstPass {
  const Transform<Scalar>* transform;
  const Scalar* samples;  ///< row r at samples + r row_step
  std::int64_t row_step;
  Scalar* points;
  std::int64_t begin;  ///< columns [begin, end)
  std::int64_t end;
  Scalar* energy = nullptr;  ///< a pack, to which the squares of all samples are added; or null
};

/// Sums of the squares of the samples of a pack of lanes, segment by segment (spectral/levels.hpp).
template <class Scalar>
struct Energies {
  const Scalar* samples;  ///< (row, lane)
  std::int64_t rows;
  std::int64_t segment;       ///< rows of one
  std::int64_t summed;        ///< rows of one that are summed: the first ones
  Scalar* sums;               ///< (segment, lane)
  bool is_added;              ///< whether sums are added to the stored ones
  Scalar* least = nullptr;    ///< (lane): the smallest sum of neighboring segments; or null
  std::int64_t together = 0;  ///< number of neighboring segments; 0 if windows contain no complete
                              ///< segment
  std::int64_t begin = 0;     ///< the first of all these segments
  std::int64_t end = 0;       ///< one past the last of them
};

/// The smallest square of the samples of each lane that is not 0.
template <class Scalar>
struct SmallestSquare {
  const Scalar* samples;  ///< (row, lane)
  std::int64_t rows;
  Scalar none;       ///< where all are 0
  Scalar* smallest;  ///< (lane)
};

/// The other forward passes, of one block of the first pass.
template <class Scalar>
struct ForwardBlock {
  const Transform<Scalar>* transform;
  const Lines<Scalar>* lines;
  Scalar* points;
  Scalar* spectra;
  std::int64_t block;
};

/// The product with the kernels and all inverse passes except the last, of one block and some
/// lines.
template <class Scalar>
struct InverseBlock {
  static constexpr int most_parts = 16;

  const Transform<Scalar>* transform;
  const Lines<Scalar>* lines;
  int parts;                          ///< products that are summed
  const Scalar* spectra[most_parts];  ///< of each part
  const Scalar* kernels;              ///< (part, point, real and imaginary part, basis)
  std::int64_t kernel_step;           ///< values from one part to the next
  Scalar* points;
  std::int64_t line;  ///< the first
  std::int64_t block;
  std::int64_t line_count = 1;
  std::int64_t line_step = 0;  ///< values from the points of one line to those of the next
};

/// All inverse passes of lines [begin, end), for transforms of two passes of 16 points. Rows
/// [first_row, end_row) of line i are stored past the caches, starting at to[i], which is aligned
/// to the pack.
template <class Scalar>
struct StreamedLines {
  const Transform<Scalar>* transform;
  const Lines<Scalar>* lines;
  const Scalar* spectra;
  const Scalar* kernels;
  Scalar* points;
  std::int64_t begin;
  std::int64_t end;
  Scalar* const* to;
  std::int64_t row_step;
  std::int64_t first_row;
  std::int64_t end_row;
};

/// Whether a kernel has a number for all lanes, or one for each.
enum class KernelKind : std::uint8_t { numbers, packs };

/// The number of results whose sums are in registers together; the alternative is one.
inline constexpr int most_results_together = 4;

/// Sums of products of spectra with kernels for 1 or `most_results_together` results, and all
/// inverse passes except the last, of one block. The kernel of a term and a point is the real parts
/// of all results, then the imaginary ones. For packs, results are `kernel_result` values apart,
/// each a pack of real parts and one of imaginary parts.
template <class Scalar>
struct SumsBlock {
  const Transform<Scalar>* transform;
  KernelKind kind;
  int results;
  std::int64_t terms;
  const Scalar* spectra;      ///< (term, point, real and imaginary part, lane)
  std::int64_t spectra_term;  ///< values from one term to the next
  const Scalar* kernels;
  std::int64_t kernel_point;  ///< values from one point to the next
  std::int64_t kernel_term;
  std::int64_t kernel_result;
  Scalar* points;
  std::int64_t result_step;  ///< values from the points of one result to those of the next
  std::int64_t block;
};

/// The place of lanes [first, first + count) of a line when results are staged: lane i of column j
/// and row group k is at stage + k group_step + (j - begin) step + offset + i.
struct Piece {
  std::int32_t first;
  std::int32_t count;
  std::int64_t offset;
  std::int64_t step;
};

/// The last inverse pass: points to rows. Column j has the rows j + k columns, k = 0, 1, ..., of
/// which those in [first_row, end_row) are needed.
template <class Scalar>
struct LastPass {
  const Transform<Scalar>* transform;
  const Scalar* points;
  std::int64_t begin;  ///< columns [begin, end)
  std::int64_t end;
  std::int64_t first_row;
  std::int64_t end_row;
  Scalar* to;             ///< row first_row, or the stage
  std::int64_t row_step;  ///< or from one row group of the stage to the next
  const Piece* pieces;    ///< null: full lines are stored past the caches in their rows
  int piece_count;
  /// A pack: 0 is added if all rows of the columns are finite, otherwise NaN. Null: they are not
  /// tested.
  Scalar* probe;
};

}  // namespace synelix::spectral
