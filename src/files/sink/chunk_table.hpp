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
/// `ChunkTable`: where the filtered chunks of features lie in their file, and their checksums, so
/// that a run that goes on can take them, whatever HDF5 knew of them when it was killed.
///
/// A cell is a chunk; or, where chunks are no ranges of flattened channels, all chunks of the same
/// rows and bases. Its chunks are noted once all values of the cell are written, and HDF5 moves
/// them no more. What a run takes over is what the table lists, and nothing else.

namespace synelix::h5 {

class ChunkTable {
 public:
  ChunkTable(const FeaturesShape& shape, const BlockShape& chunk);

  [[nodiscard]] const stream::Cells& cells() const { return m_cells; }
  /// Bytes in the checkpoint.
  [[nodiscard]] std::int64_t bytes() const;
  /// Notes the cells of a block that are whole now. \param number  of the block
  void note(const Dataset& features, const std::string& failing, const Block& block,
            const std::vector<Block>& unwritten, std::int64_t number, int file,
            const stream::Checkpoint& to) const;

  /// What a file holds of a run before.
  struct Found {
    std::vector<bool> cells;      ///< for each, whether all of it is there
    std::vector<bool> undamaged;  ///< false: it is noted, but does not match its checksums
    std::int64_t damaged = 0;     ///< their number
    std::int64_t bytes = 0;       ///< of the chunks of cells that are there
  };
  [[nodiscard]] Found verify(int file, const stream::Advance& advance,
                             const stream::Checkpoint& from) const;
  /// Writes the chunks of these cells, as they are stored in another file, and has HDF5 read each.
  void restore(int from_file, const stream::Checkpoint& from, const std::vector<bool>& cells,
               const Dataset& features, const std::string& failing) const;
  /// What is noted of a file that is whole, for whoever copies its chunks.
  struct Noted {
    std::int64_t chunks = 0;
    std::int64_t bytes = 0;        ///< of the chunks, as they are stored
    std::optional<Range> missing;  ///< rows of the first cell that is not noted
  };
  [[nodiscard]] Noted noted(const stream::Checkpoint& from) const;
  /// A chunk as it is stored.
  struct StoredChunk {
    std::vector<hsize_t> first;  ///< its first value
    std::uint32_t filter_mask = 0;
    const std::vector<char>& bytes;
  };
  /// Calls `visit(chunk)` for all chunks, one at a time. The rows of the first that cannot be read
  /// or does not match its checksum, at which it stops; nothing where all do.
  [[nodiscard]] std::optional<Range> visit_stored(
      int file, const stream::Checkpoint& from,
      const std::function<void(const StoredChunk&)>& visit) const;
  /// Notes these cells.
  void note_all(const std::vector<bool>& cells, const Dataset& features, const std::string& failing,
                std::int64_t number, int file, const stream::Checkpoint& to) const;

 private:
  /// Where a chunk lies, as it is stored.
  struct Stored {
    std::uint64_t address = 0;
    std::uint32_t bytes = 0;  ///< 0: not there yet
    std::uint32_t filter_mask = 0;
    std::uint64_t sum = 0;    ///< of its bytes, and of the three above
    std::int64_t number = 0;  ///< of the block that made it whole
  };

  [[nodiscard]] std::vector<hsize_t> first_of(std::int64_t cell, std::int64_t chunk) const;
  [[nodiscard]] std::vector<Stored> read(std::int64_t cell, const stream::Checkpoint& from) const;
  [[nodiscard]] bool is_plausible(const Stored& chunk) const;
  [[nodiscard]] bool is_there(const Stored& chunk, int file, std::int64_t most_blocks) const;
  void note_cell(std::int64_t cell, const Dataset& features, const std::string& failing,
                 std::int64_t number, int file, const stream::Checkpoint& to) const;

  std::vector<std::int64_t> m_extents;
  std::vector<std::int64_t> m_chunk;
  std::int64_t m_chunk_bytes;  ///< of one that no filter has made smaller
  bool m_is_one;               ///< whether a cell is one chunk
  stream::Cells m_cells;
  std::int64_t m_chunks = 1;  ///< of a cell
};

}  // namespace synelix::h5
