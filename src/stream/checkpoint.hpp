// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/convolve.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// \file
/// `Checkpoint`: how far a run has come, kept inside the file that it writes.
///
/// It lies in a range of the file that HDF5 has set aside and never touches: a head, which says
/// what the run computes, four slots, and a table of chunks. A slot lists the boxes that are
/// missing. After each block one of two slots is written in turn: enough where the process is
/// killed, since the kernel keeps what was written before. Two more are written once everything
/// before them has reached the disk: for the power to fail. Slots of the first kind count only as
/// long as the kernel that took them runs, which its boot id tells.

namespace synelix::stream {

/// How far a run has come.
struct Advance {
  std::vector<Block> unwritten;
  std::int64_t blocks = 0;  ///< written by all runs, each counted once
};

/// Where a chunk lies in the file, as it is stored.
struct StoredChunk {
  std::uint64_t address = 0;
  std::uint32_t bytes = 0;  ///< 0: not there yet
  std::uint32_t filter_mask = 0;
};

class Checkpoint {
 public:
  /// A checkpoint lies at a multiple of this.
  static constexpr std::int64_t alignment = 4096;
  /// Bytes for a head with this text and a table of so many chunks; a multiple of the alignment.
  static std::int64_t bytes_for(const std::string& text, std::int64_t chunks);

  /// The first checkpoint behind an address; nothing where there is none that is whole.
  /// \param name  of the file, for messages
  static std::optional<Checkpoint> find(int descriptor, std::int64_t address,
                                        const std::string& name);
  /// Writes the slots and then the head: from now on the run can be gone on with.
  static Checkpoint make(int descriptor, std::int64_t address, const std::string& name,
                         const std::string& text, std::int64_t chunks, const Advance& advance);

  /// What the run computes.
  [[nodiscard]] const std::string& text() const { return m_text; }
  /// The last advance that can be relied upon; nothing where the power failed before the first
  /// that reached the disk.
  [[nodiscard]] std::optional<Advance> load();
  /// Notes an advance. Everything before it is with the kernel already. \throws Error
  void save(const Advance& advance);
  /// Brings everything to the disk, and then notes the advance there. \throws Error
  void save_to_disk(const Advance& advance);

  /// Makes the file as long again as it was when the run began: HDF5 cuts what it does not use
  /// before it notes so. \throws Error
  void restore_length() const;

  /// \throws Error
  void write_chunk(std::int64_t index, const StoredChunk& chunk) const;
  [[nodiscard]] StoredChunk read_chunk(std::int64_t index) const;

  /// Whether `save` can note an advance with so many boxes.
  static bool has_room(const Advance& advance);

 private:
  Checkpoint(int descriptor, std::int64_t address, std::string name, std::string text);
  void write_slot(int& last, std::uint64_t boot, const Advance& advance);
  [[nodiscard]] std::int64_t slot_address(int slot) const;

  int m_descriptor;  ///< another's
  std::int64_t m_address;
  std::string m_name;
  std::string m_text;
  std::int64_t m_file_bytes = 0;
  std::uint64_t m_boot;
  std::uint64_t m_sequence = 0;
  int m_last_recent = 1;   ///< slot that was written last, of 0 and 1
  int m_last_on_disk = 3;  ///< of 2 and 3
};

}  // namespace synelix::stream
