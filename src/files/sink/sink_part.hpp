// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "files/hdf5/feature_datasets.hpp"
#include "files/part/output_file.hpp"
#include "files/shares/part_files.hpp"
#include "files/shares/parts_output.hpp"
#include "files/sink/checkpoint.hpp"
#include "files/sink/chunk_table.hpp"
#include "files/sink/sum_table.hpp"

#include <synelix/types/hdf5.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

/// \file
/// `Hdf5Sink::Opened`: the file that a sink writes, and its checkpoint: begun anew, gone on with,
/// or found finished.

namespace synelix {

namespace stream {

/// The chunk that a run has chosen, as its checkpoint says.
std::string chunk_text(const BlockShape& chunk);

/// A row of chunks that stays in HDF5's cache until each is whole, and the two buffers that a chunk
/// passes through on its way through a filter.
std::int64_t own_bytes_of_filter(const FeaturesShape& shape, const BlockShape& chunk,
                                 const BlockShape& block);

}  // namespace stream

struct Hdf5Sink::Opened {
  using Clock = std::chrono::steady_clock;

  /// \param path  of the output; a part with a filter is a file beside it
  Opened(FilePath path, Hdf5SinkOptions given);

  /// Notes what is written; of a part with a filter, the rows that its file has.
  void describe(const FeaturesDescription& wanted, Range rows);
  /// Begins one part of an output that several processes write.
  void begin_part();
  /// Begins one that has a file of its own.
  void begin_part_file();
  /// Which parts of the output are there.
  [[nodiscard]] PartsDescription described_part_files() const;
  /// Filtered chunks have no place that is known before, so that each part has a file.
  [[nodiscard]] bool has_part_file() const { return options.part && is_filtered(); }
  [[nodiscard]] bool is_filtered() const {
    return options.output.filter.compression != Compression::none;
  }
  void find_chunk();
  /// The same of the shares of an output that several processes write.
  void find_shares();
  [[nodiscard]] stream::Shares shares_of(const FeaturesShape& shape) const;
  /// Whether FILE holds the whole dataset already. \throws Error where it holds another in its
  /// place
  [[nodiscard]] bool is_there(const h5::OutputFile& of) const;
  /// Takes over what the run before has left; false where that is nothing. \throws Error where it
  /// cannot be gone on with; FILE.part then stays as it is
  bool resume();
  void begin_anew();
  /// Notes a block that HDF5 has written.
  void note(const Block& block, const void* values);
  /// Notes on the disk that all blocks are written: a power cut may take the new name back. In the
  /// file of a part, also the checksum of what stands beside its rows, which whoever joins it asks.
  void note_end();
  void drop() noexcept;

  Hdf5SinkOptions options;
  FilePath output;       ///< FILE
  OutputPart this_part;  ///< where there are parts
  h5::OutputFile file;
  std::optional<BlockShape> chunk_before;  ///< of the run that is resumed
  std::optional<stream::Shares> shares_before;
  FeaturesDescription description;  ///< of the rows of this file, in its numbering
  FeaturesShape all;                ///< of the whole output
  BlockShape chunk_wanted;          ///< may have more rows than there are
  Range rows;                       ///< of the whole output, that this file has
  h5::FeatureDatasets datasets;
  std::optional<h5::ChunkTable> chunks;      ///< where they are filtered
  std::optional<stream::SumTable> sums;      ///< where they are not
  std::optional<stream::PartsOutput> parts;  ///< where other processes write FILE.part as well
  std::optional<stream::Checkpoint> checkpoint;
  stream::Advance advance;
  stream::Advance noted;      ///< in the checkpoint
  Clock::time_point on_disk;  ///< when a checkpoint has last reached the disk
  std::optional<std::int64_t> blocks_before;
  bool is_finished = false;
  bool is_part_finished = false;                    ///< the file of this part
  std::optional<PartsDescription> part_files = {};  ///< after the end of a part
  bool has_name_on_disk = false;                    ///< of FILE.part
  std::vector<Range> coordinates = {};              ///< places of what stands beside a part's rows

 private:
  [[nodiscard]] Fingerprint fingerprint_of_datasets() const;
  [[nodiscard]] Fingerprint fingerprint_of_part() const;
  [[nodiscard]] std::int64_t cache_bytes() const;
  [[nodiscard]] std::int64_t search_from() const;
  [[nodiscard]] bool is_input(const std::string& name) const;
  [[nodiscard]] std::vector<std::string> names_of_own_change(const std::string& name_of_file,
                                                             const Fingerprint& wanted) const;
  void require_same_run(const h5::OutputFile& whole) const;
  [[nodiscard]] bool is_part_there() const;
  [[nodiscard]] std::string remedy() const;
  [[nodiscard]] Block everything() const;
  [[nodiscard]] std::int64_t table_bytes() const;
  std::optional<stream::Checkpoint> find_checkpoint();
  void go_on(stream::Checkpoint& found);
  [[nodiscard]] h5::ChunkTable::Found sound_chunks(const stream::Checkpoint& found);
  void rebuild(const stream::Checkpoint& found, const h5::ChunkTable::Found& before);
  void require_room(std::int64_t bytes, const std::string& part) const;
  void set_unwritten(std::vector<Block> boxes);
  void warn_of(const std::vector<Block>& damaged, std::int64_t number, std::int64_t of) const;
  [[nodiscard]] std::optional<std::uint64_t> frame(const stream::Checkpoint& of,
                                                   std::int64_t file_bytes) const;
  [[nodiscard]] stream::Advance to_note() const;
  void save();
};

}  // namespace synelix
