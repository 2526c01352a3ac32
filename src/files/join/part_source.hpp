// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "files/hdf5/h5_file.hpp"
#include "files/part/descriptor.hpp"
#include "files/shares/part_files.hpp"
#include "files/sink/checkpoint.hpp"
#include "files/sink/chunk_table.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

/// \file
/// `PartSource`: the file of a finished part, open for reading.

namespace synelix::h5 {

class PartSource {
 public:
  /// \throws Error if it is not a part file, or is damaged
  explicit PartSource(std::string name);

  [[nodiscard]] const std::string& name() const { return m_name; }
  [[nodiscard]] const stream::PartFacts& facts() const { return m_facts; }
  [[nodiscard]] const SourceFile& file() const { return m_file; }
  [[nodiscard]] const Dataset& features() const { return m_features; }
  [[nodiscard]] const Dataset& time() const { return m_time; }
  /// Centers of the bins of rows; not open if rows are not bins.
  [[nodiscard]] const Dataset& centers() const { return m_centers; }
  /// Paths of the times of rows, and of the channels or the terms of a design.
  [[nodiscard]] const std::string& time_path() const { return m_time_path; }
  [[nodiscard]] const std::string& beside_path() const { return m_beside_path; }
  [[nodiscard]] const std::vector<std::int64_t>& extents() const { return m_extents; }
  [[nodiscard]] const std::vector<std::int64_t>& chunk() const { return m_chunk; }
  [[nodiscard]] ChunkTable::Noted noted() const { return m_table->noted(m_checkpoint); }
  /// As in `ChunkTable`. \throws Error if a chunk does not match its checksum
  void visit_stored(const std::function<void(const ChunkTable::StoredChunk&)>& visit) const;
  /// \throws Error if times, centers of bins, channels or terms do not match their checksum
  void require_coordinates() const;
  [[nodiscard]] int descriptor() const { return m_opened.number(); }

 private:
  std::string m_name;
  stream::Descriptor m_opened;
  stream::Checkpoint m_checkpoint;
  stream::PartFacts m_facts;
  SourceFile m_file;
  Dataset m_features;
  Dataset m_time;
  Dataset m_centers;
  std::string m_time_path;
  std::string m_beside_path;
  std::vector<std::int64_t> m_extents;
  std::vector<std::int64_t> m_chunk;
  std::unique_ptr<const ChunkTable> m_table;
};

}  // namespace synelix::h5
