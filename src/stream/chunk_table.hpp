// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "stream/checkpoint.hpp"
#include "stream/h5_handles.hpp"

#include <synelix/stream.hpp>

#include <cstdint>
#include <string>
#include <vector>

/// \file
/// `ChunkTable`: where the filtered chunks of features lie in their file, so that a run that goes
/// on can take them, whatever HDF5 knew of them when it was killed.

namespace synelix::h5 {

class ChunkTable {
 public:
  ChunkTable(const FeaturesShape& shape, const BlockShape& chunk);

  /// Number of chunks.
  [[nodiscard]] std::int64_t chunks() const;
  /// The block with all of each chunk that it touches.
  [[nodiscard]] Block hull(const Block& block) const;
  /// Notes where the chunks of these rows lie.
  void note(const Dataset& features, const std::string& failing, Range rows,
            const stream::Checkpoint& to) const;
  /// Writes the chunks that are there completely, as they are stored in another file.
  void restore(int from_file, const stream::Checkpoint& from, const std::vector<Block>& unwritten,
               const Dataset& features, const std::string& failing) const;

 private:
  [[nodiscard]] std::int64_t index_of(const hsize_t* first) const;
  [[nodiscard]] std::vector<hsize_t> first_of(std::int64_t index) const;
  [[nodiscard]] Block block_of(const std::vector<hsize_t>& first) const;

  FeaturesShape m_shape;
  std::vector<std::int64_t> m_extents;
  std::vector<std::int64_t> m_chunk;
};

}  // namespace synelix::h5
