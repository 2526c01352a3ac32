// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "files/hdf5/h5_handles.hpp"
#include "files/sink/cells.hpp"
#include "files/sink/checkpoint.hpp"

#include <synelix/types/stream.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

/// \file
/// `ChunkTable`: the places and checksums of the filtered chunks of features in their file. With it
/// a resumed run can use the chunks, even if HDF5's own index was not written when the process was
/// killed.
///
/// A cell is a chunk; or, if chunks are not ranges of flattened channels, all chunks of the same
/// rows and bases. Its chunks are recorded after all values of the cell are written; HDF5 does not
/// move them later. A run takes over only the chunks in the table.

namespace synelix::h5 {

class ChunkTable {
 public:
  ChunkTable(const FeaturesShape& shape, const BlockShape& chunk);

  [[nodiscard]] const stream::Cells& cells() const { return m_cells; }
  /// Bytes in the checkpoint.
  [[nodiscard]] std::int64_t bytes() const;
  /// Records the cells that a block completes. \param number  of the block
  void note(const Dataset& features, const std::string& failing, const Block& block,
            const std::vector<Block>& unwritten, std::int64_t number, int file,
            const stream::Checkpoint& to) const;

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
  /// Records these cells.
  void note_all(const std::vector<bool>& cells, const Dataset& features, const std::string& failing,
                std::int64_t number, int file, const stream::Checkpoint& to) const;

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
  void note_cell(std::int64_t cell, const Dataset& features, const std::string& failing,
                 std::int64_t number, int file, const stream::Checkpoint& to) const;

  std::vector<std::int64_t> m_extents;
  std::vector<std::int64_t> m_chunk;
  std::int64_t m_chunk_bytes;  ///< of an unfiltered chunk
  bool m_is_one;               ///< whether a cell is one chunk
  stream::Cells m_cells;
  std::int64_t m_chunks = 1;  ///< of a cell
};

}  // namespace synelix::h5
