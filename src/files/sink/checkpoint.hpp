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
/// `Checkpoint`: how far a run has come, kept inside the file that it writes.
///
/// It lies in a range of the file that HDF5 has set aside and never touches:
///
///     head    what the run computes; the first thing that is written
///     frame   a checksum of HDF5's own records, once they are complete; nothing counts before
///     slots   four; each says how many blocks are written, and which boxes are missing
///     table   checksums of the values (`SumTable`), or places and checksums of stored chunks
///             (`ChunkTable`)
///
/// After each block one of two slots is written in turn: enough where the process is killed, since
/// the kernel keeps what was written before. Two more are written once everything before them has
/// reached the disk: for the power to fail. Slots of the first kind count only as long as the
/// kernel that took them runs, which its boot id tells. An entry of the table has the number of the
/// block that changed it: it counts only where the slot counts at least as many blocks.

namespace synelix::stream {

/// How far a run has come.
struct Advance {
  std::vector<Block> unwritten;
  std::int64_t blocks = 0;  ///< written by all runs, each counted once
};

class Checkpoint {
 public:
  /// A checkpoint lies at a multiple of this.
  static constexpr std::int64_t alignment = 4096;
  /// Boxes of an advance that fit a slot.
  static constexpr std::int64_t most_boxes = 80;
  /// Bytes for a head with this text and a table of so many bytes; a multiple of the alignment.
  static std::int64_t bytes_for(const std::string& text, std::int64_t table_bytes);

  /// The first checkpoint behind an address; nothing where there is none.
  /// \param name  of the file, for messages
  /// \throws Error where it is damaged, or of another version of the format
  static std::optional<Checkpoint> find(int descriptor, std::int64_t address,
                                        const std::string& name);
  /// Writes the head and a first slot. Nothing can be gone on with before `confirm`.
  static Checkpoint make(int descriptor, std::int64_t address, const std::string& name,
                         const std::string& text, std::int64_t table_bytes, const Advance& advance);

  /// What the run computes.
  [[nodiscard]] const std::string& text() const { return m_text; }
  /// The range of the file that it takes.
  [[nodiscard]] Range range() const;

  /// From now on the run can be gone on with. \param file_bytes  length of the file
  /// \param frame  checksum of HDF5's own records
  void confirm(std::int64_t file_bytes, std::uint64_t frame);
  /// What `confirm` has noted; nothing where the run has ended before.
  [[nodiscard]] std::optional<std::uint64_t> frame() const { return m_frame; }

  /// The last advance that can be relied upon; nothing where the machine stopped before the first
  /// that reached the disk. \throws Error where no slot is whole
  [[nodiscard]] std::optional<Advance> load();
  /// Notes an advance of at most `most_boxes` boxes. Everything before it is with the kernel
  /// already. \throws Error
  void save(const Advance& advance);
  /// Brings everything to the disk, and then notes the advance there. \throws Error
  void save_to_disk(const Advance& advance);
  /// Blocks of the advance that was noted last, by any means, and on the disk.
  [[nodiscard]] std::int64_t blocks_noted() const { return m_blocks_noted; }
  [[nodiscard]] std::int64_t blocks_on_disk() const { return m_blocks_on_disk; }

  [[nodiscard]] std::int64_t file_bytes() const { return m_file_bytes; }
  /// Makes the file as long again as it was when the run began: HDF5 cuts what it does not use
  /// before it notes so. \throws Error
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

  int m_descriptor;  ///< another's
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
  int m_last_recent = 1;   ///< slot that was written last, of 0 and 1
  int m_last_on_disk = 3;  ///< of 2 and 3
};

/// Whether a file without a checkpoint is what a run leaves that was ended while it made FILE.part:
/// HDF5's first records, the mark of `PartFile` and nothing else, but for bytes of FILE, which the
/// run was to append to. \param copied  the file that is appended to; empty: none
bool holds_nothing_yet(int descriptor, const std::string& copied);

}  // namespace synelix::stream
