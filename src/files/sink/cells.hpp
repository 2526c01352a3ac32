// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "streams/boxes.hpp"

#include <synelix/types/stream.hpp>

#include <algorithm>
#include <cstdint>
#include <vector>

/// \file
/// `Cells`: features cut into boxes of one shape; a checkpoint has a checksum for each.

namespace synelix::stream {

class Cells {
 public:
  Cells(const FeaturesShape& shape, const BlockShape& step)
      : m_extents{shape.rows, shape.channels, shape.bases},
        m_step{std::clamp<std::int64_t>(step.rows, 1, std::max<std::int64_t>(shape.rows, 1)),
               std::clamp<std::int64_t>(step.channels, 1, shape.channels),
               std::clamp<std::int64_t>(step.bases, 1, shape.bases)},
        m_across{steps_in(m_extents.rows, m_step.rows),
                 steps_in(m_extents.channels, m_step.channels),
                 steps_in(m_extents.bases, m_step.bases)} {}

  /// The number of cells; the last index is the cell of the last rows, channels and bases.
  [[nodiscard]] std::int64_t count() const {
    return m_across.rows * m_across.channels * m_across.bases;
  }
  [[nodiscard]] const BlockShape& extents() const { return m_extents; }
  [[nodiscard]] const BlockShape& step() const { return m_step; }
  /// The number of values of a cell; cells at the ends have fewer.
  [[nodiscard]] std::int64_t values() const { return m_step.rows * m_step.channels * m_step.bases; }

  [[nodiscard]] Block cell(std::int64_t index) const {
    const std::int64_t basis = index % m_across.bases;
    const std::int64_t rest = index / m_across.bases;
    return {range(rest / m_across.channels, m_step.rows, m_extents.rows),
            range(rest % m_across.channels, m_step.channels, m_extents.channels),
            range(basis, m_step.bases, m_extents.bases)};
  }

  /// Calls `visit(index)` for all cells that intersect a block, in ascending order. It builds no
  /// list, whose memory would grow with the features.
  template <class Visit>
  void visit_touched(const Block& block, const Visit& visit) const {
    const Range rows = steps_of(block.rows, m_step.rows);
    const Range channels = steps_of(block.channels, m_step.channels);
    const Range bases = steps_of(block.bases, m_step.bases);
    for (std::int64_t r = rows.begin; r < rows.end; ++r) {
      for (std::int64_t c = channels.begin; c < channels.end; ++c) {
        for (std::int64_t b = bases.begin; b < bases.end; ++b) {
          visit((r * m_across.channels + c) * m_across.bases + b);
        }
      }
    }
  }

  /// Boxes that contain the cells missing from a list.
  struct LeftOut {
    std::vector<Block> boxes;
    bool is_exact = true;  ///< they contain no other cell
  };

  /// The cells that are not listed (one entry for each cell), as few boxes. If there are more than
  /// `most`, runs of rows of all channels and bases instead, at most `most`. So the memory does not
  /// grow with the damage.
  [[nodiscard]] LeftOut left_out(const std::vector<bool>& listed, std::size_t most) const {
    std::vector<Block> boxes;
    for (std::int64_t c = 0; c < m_across.channels; ++c) {
      for (std::int64_t b = 0; b < m_across.bases; ++b) {
        std::int64_t last = -2;
        for (std::int64_t r = 0; r < m_across.rows; ++r) {
          const std::int64_t index = (r * m_across.channels + c) * m_across.bases + b;
          if (listed[static_cast<std::size_t>(index)]) continue;
          const Block box = cell(index);
          if (r == last + 1) {
            boxes.back().rows.end = box.rows.end;
          } else if (boxes.size() == most) {
            return {runs_left_out(listed, most), false};
          } else {
            boxes.push_back(box);
          }
          last = r;
        }
      }
    }
    return {merged(std::move(boxes)), true};
  }

 private:
  /// Runs of rows that contain all unlisted cells; runs with the smallest gaps between them are
  /// joined.
  [[nodiscard]] std::vector<Block> runs_left_out(const std::vector<bool>& listed,
                                                 std::size_t most) const {
    std::vector<Range> runs;
    const std::int64_t across = m_across.channels * m_across.bases;
    for (std::int64_t r = 0; r < m_across.rows; ++r) {
      const auto first = listed.begin() + r * across;
      if (std::find(first, first + across, false) == first + across) continue;
      const Range rows = range(r, m_step.rows, m_extents.rows);
      if (!runs.empty() && runs.back().end == rows.begin) {
        runs.back().end = rows.end;
      } else {
        runs.push_back(rows);
      }
      // Halves the runs whenever there are too many: a closed gap is among the smallest so far.
      if (runs.size() == 2 * most) runs = with_fewer_gaps(std::move(runs), most);
    }
    runs = with_fewer_gaps(std::move(runs), most);
    std::vector<Block> boxes;
    boxes.reserve(runs.size());
    for (const Range rows : runs) {
      boxes.push_back({rows, {0, m_extents.channels}, {0, m_extents.bases}});
    }
    return boxes;
  }

  static std::int64_t steps_in(std::int64_t extent, std::int64_t step) {
    return (extent + step - 1) / step;
  }
  static Range steps_of(Range range, std::int64_t step) {
    return {range.begin / step, range.size() > 0 ? steps_in(range.end, step) : range.begin / step};
  }
  static Range range(std::int64_t index, std::int64_t step, std::int64_t extent) {
    return {index * step, std::min((index + 1) * step, extent)};
  }

  BlockShape m_extents;
  BlockShape m_step;
  BlockShape m_across;
};

}  // namespace synelix::stream
