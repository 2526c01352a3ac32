// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hdf5/objects/feature_datasets.hpp"
#include "hdf5/objects/output_file.hpp"
#include "hdf5/shares/part_files.hpp"
#include "hdf5/shares/parts_output.hpp"
#include "hdf5/sink/checkpoint.hpp"
#include "hdf5/sink/tables.hpp"

#include <synelix/types/hdf5.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// \file
/// `Hdf5Sink::Opened`: the file that a sink writes, and its checkpoint: begun anew, resumed, or
/// found finished.

namespace synelix {

namespace stream {

/// The chunk shape of a run, in the form of its checkpoint.
std::string chunk_text(const BlockShape& chunk);

/// Memory of filters: a row of chunks that stays in HDF5's cache until each is complete, and the
/// two buffers that a chunk passes through in a filter.
std::int64_t own_bytes_of_filter(const FeaturesShape& shape, const BlockShape& chunk,
                                 const BlockShape& block);

}  // namespace stream

struct Hdf5Sink::Opened {
  using Clock = std::chrono::steady_clock;

  /// \param path of the output; a part with a filter is a separate file beside it
  Opened(FilePath path, Hdf5SinkOptions given);

  /// Sets the description of the output; for a part with a filter, also the rows of its file.
  void describe(const FeaturesDescription& wanted, Range rows);
  /// Begins one part of an output that several processes write.
  void begin_part();
  /// Begins a part with its own file.
  void begin_part_file();
  /// Describes the existing parts of the output.
  [[nodiscard]] PartsDescription described_part_files() const;
  /// The place of a filtered chunk is not known in advance, so each part has its own file.
  [[nodiscard]] bool has_part_file() const { return options.part && is_filtered(); }
  [[nodiscard]] bool is_filtered() const {
    return options.output.filter.compression != Compression::none;
  }
  void find_chunk();
  /// The same for the shares of an output that several processes write.
  void find_shares();
  [[nodiscard]] stream::Shares shares_of(const FeaturesShape& shape) const;
  /// Whether FILE already has the complete dataset. \throws Error if it has another one in its
  /// place
  [[nodiscard]] bool is_there(const h5::OutputFile& of) const;
  /// Takes over the data of an earlier run; false if there are none. \throws Error if it cannot be
  /// resumed; FILE.part is not changed then
  bool resume();
  void begin_anew();
  /// Records a block that HDF5 has written.
  void note(const Block& block, const void* values);
  /// Records on the disk that all blocks are written, because a power failure may undo the rename.
  /// In the file of a part, it also records the checksum of the datasets beside its rows, which is
  /// checked when parts are joined.
  void note_end();
  void drop() noexcept;

  Hdf5SinkOptions options;
  FilePath output;       ///< FILE
  OutputPart this_part;  ///< if there are parts
  h5::OutputFile file;
  std::optional<BlockShape> chunk_before;  ///< chunk of the run that is resumed
  std::optional<stream::Shares> shares_before;
  FeaturesDescription description;  ///< of the rows of this file, numbered from its first
  FeaturesShape all;                ///< of the complete output
  BlockShape chunk_wanted;          ///< may have more rows than there are
  Range rows;                       ///< rows of the complete output in this file
  h5::FeatureDatasets datasets;
  std::optional<h5::ChunkTable> chunks;      ///< for filtered chunks
  std::optional<stream::SumTable> sums;      ///< for other chunks
  std::optional<stream::PartsOutput> parts;  ///< if other processes write FILE.part, too
  std::optional<stream::Checkpoint> checkpoint;
  stream::Advance advance;
  stream::Advance noted;      ///< the advance in the checkpoint
  Clock::time_point on_disk;  ///< the last time that a checkpoint reached the disk
  std::optional<std::int64_t> blocks_before;
  bool is_finished = false;
  bool is_part_finished = false;                    ///< the file of this part
  std::optional<PartsDescription> part_files = {};  ///< after the end of a part
  bool has_name_on_disk = false;                    ///< of FILE.part
  std::vector<Range> coordinates = {};              ///< places of the datasets beside a part's rows

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
