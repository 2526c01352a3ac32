// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "files/shares/shares.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// \file
/// `Ledger`: the state of a FILE.part that several processes write: which rows are written, by
/// which process, and which shares are locked.
///
/// It is in a range of the file that HDF5 has reserved and never touches:
///
///     head     what is computed, the places of values and times, and the shares of rows; written
///              once, before the file is renamed to FILE.part
///     end      the time when all shares were found complete; written by the process that then
///              gives the file its final name
///     records  512 bytes for each share: three slots with the written boxes, and a status: which
///              process wrote them, and how that process ended
///
/// A process locks the records of its shares while it writes or checks them, and writes no other
/// part of the ledger. A slot is valid as in a `Checkpoint`: always if its values had reached the
/// disk before, otherwise only while the kernel that received it runs. The third slot is free for
/// the next state.

namespace synelix::stream {

/// The progress of a share.
struct ShareState {
  std::vector<Block> unwritten;  ///< numbered in all rows of the features
  std::int64_t blocks = 0;
  std::uint64_t sum = 0;  ///< `value_sum` of the written values
};

/// How a process ended, according to its status record.
enum class Ending : std::uint32_t { none, running, finished, failed };

/// The status that a process writes about itself.
struct ShareStatus {
  Ending ending = Ending::none;
  std::string host;
  std::int64_t process = 0;
  std::int64_t seconds = 0;  ///< since 1970
  std::string failure;
};

/// The facts on which all processes have to agree.
struct LedgerFacts {
  std::string text;  ///< the fingerprint
  std::int64_t values_at = 0;
  std::int64_t times_at = 0;
  std::int64_t channels = 0;
  std::int64_t bases = 0;
  std::int64_t file_bytes = 0;
  std::uint64_t frame = 0;  ///< checksum of HDF5's own records
  Shares shares;
};

class Ledger {
 public:
  static constexpr std::int64_t record_bytes = 512;
  static std::int64_t bytes_for(const std::string& text, const Shares& shares);

  /// Finds the ledger of a file; nothing if it has none. \throws Error if it is damaged, or of
  /// another version of the format
  static std::optional<Ledger> find(int descriptor, const std::string& name);
  /// Writes the head; the records are zeros.
  static Ledger make(int descriptor, std::int64_t address, const std::string& name,
                     const LedgerFacts& facts);

  [[nodiscard]] const LedgerFacts& facts() const { return m_facts; }
  [[nodiscard]] Block rows_of(std::int64_t share) const;
  /// The range of the file with the ledger, and the part of it with the records.
  [[nodiscard]] Range range() const;
  [[nodiscard]] Range records() const;

  /// Throws if a file has a ledger: another run must not replace a file that processes write
  /// together.
  /// \throws Error
  static void refuse(int descriptor, const std::string& name);

  /// Locks shares, all or none; false if another process has locked one of them. \throws Error if
  /// the file system has no locks, here and in `lock_name`
  [[nodiscard]] bool lock(Range shares) const;
  void unlock(Range shares) const;
  [[nodiscard]] bool is_locked(std::int64_t share) const;
  /// Waits for the right to give the file its final name. The right ends when the descriptor is
  /// closed, if not before.
  void lock_name() const;
  void unlock_name() const;

  /// Which slots are used: only reliable ones, or the newest one, to inspect it.
  enum class Trust : std::uint8_t { reliable, newest };
  /// The state of a share. If there were slots but none is valid, nothing is written, and
  /// `is_damaged` is set.
  [[nodiscard]] ShareState load(std::int64_t share, Trust trust, bool* is_damaged = nullptr) const;
  /// Whether all rows of a share are written, and its process has reported that it is done.
  [[nodiscard]] bool is_finished(std::int64_t share) const;
  /// Whether a state fits in a slot.
  [[nodiscard]] static bool has_room(const ShareState& state) {
    return state.unwritten.size() <= most_boxes;
  }
  /// Saves a state whose values are with the kernel, or on the disk. \throws Error
  void save(std::int64_t share, const ShareState& state, bool is_on_disk);

  /// Whether the system reports a boot id. If not, only states on the disk are valid.
  [[nodiscard]] bool knows_kernel() const { return m_boot != 0; }

  [[nodiscard]] ShareStatus status(std::int64_t share) const;
  /// \throws Error
  void write_status(std::int64_t share, const ShareStatus& status) const;

  /// The time at which all shares were found complete, in seconds since 1970; nothing before. After
  /// it is set, the written data no longer change.
  [[nodiscard]] std::optional<std::int64_t> complete_since() const;
  /// \throws Error
  void mark_complete(std::int64_t seconds) const;

 private:
  /// A block that cuts channels and bases splits a box into three.
  static constexpr std::size_t most_boxes = 3;
  struct Head;
  struct End;
  struct Slot;
  struct Status;
  struct Record;

  Ledger(int descriptor, std::int64_t address, std::string name, LedgerFacts facts);
  static std::int64_t head_bytes(const std::string& text);
  [[nodiscard]] std::int64_t address_of(std::int64_t share) const;
  [[nodiscard]] std::int64_t address_of_end() const;
  [[nodiscard]] Range records_of(Range shares) const;
  [[noreturn]] void fail_to_lock() const;

  int m_descriptor;  ///< not owned
  std::int64_t m_address;
  std::string m_name;
  LedgerFacts m_facts;
  std::uint64_t m_boot;
};

}  // namespace synelix::stream
