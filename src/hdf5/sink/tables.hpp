// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hdf5/objects/h5_handles.hpp"
#include "hdf5/sink/checkpoint.hpp"
#include "streams/boxes.hpp"

#include <synelix/types/stream.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

/// \file
/// `Cells`: features cut into boxes of one shape; a checkpoint has a checksum for each.
///
/// `SumTable`: checksums of the values of written blocks, for files with unfiltered values.
///
/// A cell has a sum over its written values (`value_sum`), so blocks may cut it in any way. Each
/// sum has three versions, each with the number of its last block: the one for the last slot, the
/// one for the last slot on the disk, and the one that is being written.
///
/// `ChunkTable`: the places and checksums of the filtered chunks of features in their file. With it
/// a resumed run can use the chunks, even if HDF5's own index was not written when the process was
/// killed.
///
/// A cell is a chunk; or, if chunks are not ranges of flattened channels, all chunks of the same
/// rows and bases. Its chunks are recorded after all values of the cell are written; HDF5 does not
/// move them later. A run takes over only the chunks in the table.

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
  [[nodiscard]] Block everything() const {
    return {{0, m_extents.rows}, {0, m_extents.channels}, {0, m_extents.bases}};
  }
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

class SumTable {
 public:
  explicit SumTable(const FeaturesShape& shape);

  [[nodiscard]] const Cells& cells() const { return m_cells; }
  /// Bytes in the checkpoint.
  [[nodiscard]] std::int64_t bytes() const;
  /// Adds the values of a written block. \param number of the block
  void add(const Block& block, const void* values, std::int64_t number, const Checkpoint& to) const;
  /// Compares the written values with their sums. Reads cells through `read`, which throws on
  /// failure. \returns for each cell, whether its values are valid; its sum in the table is then
  /// that of the written values, and 0 otherwise
  using Read = std::function<void(const Block& cell, void* to)>;
  [[nodiscard]] std::vector<bool> verify(const Advance& advance, const Checkpoint& at,
                                         const Read& read) const;
  /// Resets the sums of the cells that intersect boxes.
  void clear(const std::vector<Block>& boxes, const Checkpoint& at) const;

 private:
  struct Version {
    std::int64_t number = 0;
    std::uint64_t sum = 0;
  };
  using Entry = std::array<Version, 3>;

  [[nodiscard]] static const Version& newest(const Entry& entry, std::int64_t number);
  [[nodiscard]] std::uint64_t sum_of(std::int64_t index, const Block& part, const Block& block,
                                     const void* values) const;
  template <class Change>
  void change(const Block& touched, const Checkpoint& at, const Change& change_entry) const;

  Cells m_cells;
  std::int64_t m_words;  ///< 32-bit words of a value
};

}  // namespace synelix::stream

namespace synelix::h5 {

class ChunkTable {
 public:
  ChunkTable(const FeaturesShape& shape, const BlockShape& chunk);

  [[nodiscard]] const stream::Cells& cells() const { return m_cells; }
  /// Bytes in the checkpoint.
  [[nodiscard]] std::int64_t bytes() const;
  /// The file whose chunks are recorded.
  struct Target {
    const Dataset& features;
    std::string failing;  ///< the text of an error
    int file;             ///< its descriptor
    const stream::Checkpoint& checkpoint;
  };
  /// Records the cells that a block completes. \param number  of the block
  void note(const Target& to, const Block& block, const std::vector<Block>& unwritten,
            std::int64_t number) const;
  /// Records these cells.
  void note_all(const Target& to, const std::vector<bool>& cells, std::int64_t number) const;

  /// The state of an earlier run in a file.
  struct Found {
    std::vector<bool> cells;      ///< for each, whether it is complete
    std::vector<bool> undamaged;  ///< false: it is recorded, but does not match its checksums
    std::int64_t damaged = 0;     ///< number of damaged cells
    std::int64_t bytes = 0;       ///< of the chunks of complete cells
  };
  [[nodiscard]] Found verify(int file, const stream::Advance& advance,
                             const stream::Checkpoint& from) const;
  /// Writes the chunks of these cells in the form stored in another file, and has HDF5 read each.
  void restore(int from_file, const stream::Checkpoint& from, const std::vector<bool>& cells,
               const Dataset& features, const std::string& failing) const;
  /// The records of a complete file, for a process that copies its chunks.
  struct Noted {
    std::int64_t chunks = 0;
    std::int64_t bytes = 0;        ///< of the stored chunks
    std::optional<Range> missing;  ///< rows of the first cell without a record
  };
  [[nodiscard]] Noted noted(const stream::Checkpoint& from) const;
  /// A chunk in its stored form.
  struct StoredChunk {
    std::vector<hsize_t> first;  ///< its first value
    std::uint32_t filter_mask = 0;
    const std::vector<char>& bytes;
  };
  /// Calls `visit(chunk)` for all chunks, one at a time. Stops at the first chunk that cannot be
  /// read or does not match its checksum, and returns its rows; returns nothing if there is none.
  [[nodiscard]] std::optional<Range> visit_stored(
      int file, const stream::Checkpoint& from,
      const std::function<void(const StoredChunk&)>& visit) const;

 private:
  /// The place of a stored chunk.
  struct Stored {
    std::uint64_t address = 0;
    std::uint32_t bytes = 0;  ///< 0: not written yet
    std::uint32_t filter_mask = 0;
    std::uint64_t sum = 0;    ///< of its bytes, and of the three members above
    std::int64_t number = 0;  ///< of the block that completed it
  };

  [[nodiscard]] std::vector<hsize_t> first_of(std::int64_t cell, std::int64_t chunk) const;
  [[nodiscard]] std::vector<Stored> read(std::int64_t cell, const stream::Checkpoint& from) const;
  [[nodiscard]] bool is_plausible(const Stored& chunk) const;
  [[nodiscard]] bool is_there(const Stored& chunk, int file, std::int64_t most_blocks) const;
  void note_cell(const Target& to, std::int64_t cell, std::int64_t number) const;

  std::vector<std::int64_t> m_extents;
  std::vector<std::int64_t> m_chunk;
  std::int64_t m_chunk_bytes;  ///< of an unfiltered chunk
  bool m_is_one;               ///< whether a cell is one chunk
  stream::Cells m_cells;
  std::int64_t m_chunks = 1;  ///< of a cell
};

}  // namespace synelix::h5
