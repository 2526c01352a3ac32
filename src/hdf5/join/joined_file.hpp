// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hdf5/objects/feature_datasets.hpp"
#include "hdf5/objects/h5_file.hpp"
#include "hdf5/objects/output_file.hpp"
#include "hdf5/shares/part_files.hpp"
#include "hdf5/sink/checkpoint.hpp"
#include "hdf5/sink/tables.hpp"

#include <synelix/types/hdf5.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

/// \file
/// `PartSource`: the file of a finished part, open for reading. `JoinedFile`: the output that is
/// joined from the files of its parts.

namespace synelix::h5 {

struct PartSource {
  /// \throws Error if it is not a part file, or is damaged
  explicit PartSource(const std::string& of_file);

  [[nodiscard]] ChunkTable::Noted noted() const { return table->noted(checkpoint); }
  /// As in `ChunkTable`. \throws Error if a chunk does not match its checksum
  void visit_stored(const std::function<void(const ChunkTable::StoredChunk&)>& visit) const;
  /// \throws Error if times, centers of bins, channels or terms do not match their checksum
  void require_coordinates() const;

  std::string name;
  stream::Descriptor opened;
  stream::Checkpoint checkpoint;
  stream::PartFacts facts;
  SourceFile file;
  Dataset features;
  CoordinatePaths paths;
  Dataset time;
  Dataset centers;  ///< of the bins of rows; not open if rows are not bins
  std::vector<std::int64_t> extents;
  std::vector<std::int64_t> chunk;
  std::unique_ptr<const ChunkTable> table;
};

class JoinedFile {
 public:
  /// Makes FILE.part with all datasets of part 0 except rows. \throws Error
  JoinedFile(const FilePath& path, Existing existing, const PartSource& first);

  /// Copies the chunks and the times of a part. `copied(bytes)` is called before each chunk with
  /// the bytes of the previous one, and may throw. \throws Error
  void add(const PartSource& part, const std::function<void(std::int64_t bytes)>& copied);
  /// Writes everything to the disk and gives the file its final name. \throws Error
  void commit();

  [[nodiscard]] const std::vector<std::int64_t>& extents() const { return m_extents; }

 private:
  void require_alike(const PartSource& part) const;
  void add_times(const Dataset& from, const Dataset& to, const PartSource& part) const;

  OutputFile m_file;
  std::string m_first;  ///< name of part 0
  std::vector<std::int64_t> m_extents;
  std::vector<std::int64_t> m_chunk;
  Dataset m_features;
  Dataset m_time;
  Dataset m_centers;  ///< not open: rows are not bins
};

}  // namespace synelix::h5
