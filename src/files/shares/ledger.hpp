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
/// `Ledger`: which rows of a FILE.part are written, by whom, and whose turn it is, where several
/// processes write it.
///
/// It lies in a range of the file that HDF5 has set aside and never touches:
///
///     head     what is computed, where values and times lie, how rows are cut into shares; written
///              once, before the file is called FILE.part
///     end      when all shares were found whole; written by the process that then gives the file
///              its final name
///     records  512 bytes for each share: three slots that say what is written, and a word of who
///              has written it and how that ended
///
/// A process locks the records of its shares while it writes or checks them, and writes nothing
/// else of the ledger. A slot counts as one of a `Checkpoint` does: always where its values had
/// reached the disk before, else while the kernel runs that took it. The third is free for the
/// next.

namespace synelix::stream {

/// How far a share is.
struct ShareState {
  std::vector<Block> unwritten;  ///< of all rows of the features
  std::int64_t blocks = 0;
  std::uint64_t sum = 0;  ///< `value_sum` of what is written
};

/// How a process has ended, as far as its word says.
enum class Ending : std::uint32_t { none, running, finished, failed };

/// What a process says of itself.
struct ShareWord {
  Ending ending = Ending::none;
  std::string host;
  std::int64_t process = 0;
  std::int64_t seconds = 0;  ///< since 1970
  std::string failure;
};

/// What all processes have to agree on.
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

  /// The ledger of a file; nothing where it has none. \throws Error where it is damaged, or of
  /// another version of the format
  static std::optional<Ledger> find(int descriptor, const std::string& name);
  /// Writes the head; the records are zeros.
  static Ledger make(int descriptor, std::int64_t address, const std::string& name,
                     const LedgerFacts& facts);

  [[nodiscard]] const LedgerFacts& facts() const { return m_facts; }
  [[nodiscard]] Block rows_of(std::int64_t share) const;
  /// The range of the file that it takes, and of it, the records.
  [[nodiscard]] Range range() const;
  [[nodiscard]] Range records() const;

  /// Refuses a file that has a ledger: what processes write together is no other run's to replace.
  /// \throws Error
  static void refuse(int descriptor, const std::string& name);

  /// Locks shares, all or none; false where another process has one of them. \throws Error where
  /// the file system has no locks, here and in `lock_name`
  [[nodiscard]] bool lock(Range shares) const;
  void unlock(Range shares) const;
  [[nodiscard]] bool is_locked(std::int64_t share) const;
  /// Waits for the right to give the file its final name. It ends with the descriptor, if not
  /// before.
  void lock_name() const;
  void unlock_name() const;

  /// Which slots count: those that can be relied upon, or the newest of all, to look at.
  enum class Trust : std::uint8_t { reliable, newest };
  /// What is written of a share. Where no slot is whole but there were some, nothing is, and
  /// `is_damaged` is set.
  [[nodiscard]] ShareState load(std::int64_t share, Trust trust, bool* is_damaged = nullptr) const;
  /// Whether all rows of a share are there, and its process has said that it is done.
  [[nodiscard]] bool is_finished(std::int64_t share) const;
  /// Whether a state fits a slot.
  [[nodiscard]] static bool has_room(const ShareState& state) {
    return state.unwritten.size() <= most_boxes;
  }
  /// Notes a state whose values are with the kernel; or on the disk. \throws Error
  void save(std::int64_t share, const ShareState& state, bool is_on_disk);

  /// Whether the system tells kernels apart: else all that counts is on the disk.
  [[nodiscard]] bool knows_kernel() const { return m_boot != 0; }

  [[nodiscard]] ShareWord word(std::int64_t share) const;
  /// \throws Error
  void say(std::int64_t share, const ShareWord& word) const;

  /// When all shares were found whole, in seconds since 1970; nothing before. What is written then
  /// does not change any more.
  [[nodiscard]] std::optional<std::int64_t> whole_since() const;
  /// \throws Error
  void say_whole(std::int64_t seconds) const;

 private:
  /// A block that cuts channels and bases leaves three boxes of one.
  static constexpr std::size_t most_boxes = 3;
  struct Head;
  struct End;
  struct Slot;
  struct Word;
  struct Record;

  Ledger(int descriptor, std::int64_t address, std::string name, LedgerFacts facts);
  static std::int64_t head_bytes(const std::string& text);
  [[nodiscard]] std::int64_t address_of(std::int64_t share) const;
  [[nodiscard]] std::int64_t address_of_end() const;
  [[nodiscard]] Range records_of(Range shares) const;
  [[noreturn]] void fail_to_lock() const;

  int m_descriptor;  ///< another's
  std::int64_t m_address;
  std::string m_name;
  LedgerFacts m_facts;
  std::uint64_t m_boot;
};

}  // namespace synelix::stream
