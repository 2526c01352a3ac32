// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/types/convolve.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// \file
/// `Checkpoint`: the progress of a run, stored inside the file that it writes.
///
/// It is in a range of the file that HDF5 has reserved and never touches:
///
///     head    what the run computes; it is written first
///     frame   a checksum of HDF5's own records, after they are complete; nothing is valid before
///     slots   four; each has the number of written blocks, and the missing boxes
///     table   checksums of the values (`SumTable`), or places and checksums of stored chunks
///             (`ChunkTable`)
///
/// After each block, one of two slots is written in turn. This suffices if the process is killed,
/// since the kernel keeps earlier writes. Two more are written after everything before them has
/// reached the disk, for a power failure. Slots of the first kind are valid only while the same
/// kernel runs, which its boot id shows. An entry of the table has the number of the block that
/// changed it: it is valid only if the slot counts at least that many blocks.

namespace synelix::stream {

/// The progress of a run.
struct Advance {
  std::vector<Block> unwritten;
  std::int64_t blocks = 0;  ///< blocks written by all runs, each counted once
};

class Checkpoint {
 public:
  /// The address of a checkpoint is a multiple of this.
  static constexpr std::int64_t alignment = 4096;
  /// The largest number of boxes of an advance that fits in a slot.
  static constexpr std::int64_t most_boxes = 80;
  /// Bytes for a head with this text and a table of `table_bytes`; a multiple of the alignment.
  static std::int64_t bytes_for(const std::string& text, std::int64_t table_bytes);

  /// The first checkpoint after an address; nothing if there is none.
  /// \param name  of the file, for messages
  /// \throws Error if it is damaged, or of another version of the format
  static std::optional<Checkpoint> find(int descriptor, std::int64_t address,
                                        const std::string& name);
  /// Writes the head and a first slot. The run cannot be resumed before `confirm`.
  static Checkpoint make(int descriptor, std::int64_t address, const std::string& name,
                         const std::string& text, std::int64_t table_bytes, const Advance& advance);

  /// The description of what the run computes.
  [[nodiscard]] const std::string& text() const { return m_text; }
  /// The range of the file that the checkpoint takes.
  [[nodiscard]] Range range() const;

  /// Makes the run resumable. \param file_bytes  length of the file
  /// \param frame  checksum of HDF5's own records
  void confirm(std::int64_t file_bytes, std::uint64_t frame);
  /// The checksum given to `confirm`; nothing if the run ended before.
  [[nodiscard]] std::optional<std::uint64_t> frame() const { return m_frame; }

  /// The last reliable advance; nothing if the machine stopped before the first one reached the
  /// disk. \throws Error if no slot is valid
  [[nodiscard]] std::optional<Advance> load();
  /// Saves an advance of at most `most_boxes` boxes. Everything before it must already be with the
  /// kernel. \throws Error
  void save(const Advance& advance);
  /// Syncs everything to the disk, and then saves the advance there. \throws Error
  void save_to_disk(const Advance& advance);
  /// The number of blocks of the last saved advance, and of the last one on the disk.
  [[nodiscard]] std::int64_t blocks_noted() const { return m_blocks_noted; }
  [[nodiscard]] std::int64_t blocks_on_disk() const { return m_blocks_on_disk; }

  [[nodiscard]] std::int64_t file_bytes() const { return m_file_bytes; }
  /// Restores the file's length at the beginning of the run: HDF5 truncates unused space before it
  /// records that. \throws Error
  void restore_length() const;

  /// \throws Error
  void write_table(std::int64_t offset, const void* from, std::size_t bytes) const;
  void read_table(std::int64_t offset, void* to, std::size_t bytes) const;

 private:
  Checkpoint(int descriptor, std::int64_t address, std::string name, std::string text,
             std::int64_t table_bytes);
  void write_slot(int& last, std::uint64_t boot, const Advance& advance);
  void read_frame();
  [[nodiscard]] std::int64_t frame_address() const;
  [[nodiscard]] std::int64_t slot_address(int slot) const;

  int m_descriptor;  ///< not owned
  std::int64_t m_address;
  std::string m_name;
  std::string m_text;
  std::int64_t m_table_bytes;
  std::optional<std::uint64_t> m_frame;
  std::int64_t m_file_bytes = 0;
  std::uint64_t m_boot;
  std::uint64_t m_sequence = 0;
  std::int64_t m_blocks_noted = 0;
  std::int64_t m_blocks_on_disk = 0;
  int m_last_recent = 1;   ///< the last written slot, of 0 and 1
  int m_last_on_disk = 3;  ///< the same, of 2 and 3
};

/// The text of the checkpoint of a file after an address; nothing if there is none, or it cannot be
/// read.
std::optional<std::string> checkpoint_text(const std::string& file, std::int64_t address = 0);

/// Whether a file without a checkpoint was left by a run that ended while it made FILE.part. Such a
/// file has HDF5's first records and the mark of `PartFile`, and otherwise only bytes of FILE if
/// the run was to append to it. \param copied  the file that is appended to; empty: none
bool holds_nothing_yet(int descriptor, const std::string& copied);

}  // namespace synelix::stream
