// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/types/hdf5.hpp>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

/// \file
/// `Shares`: the rows of an output, cut into runs. One process at a time writes a run. A part of n
/// is a consecutive set of shares, so a run with another number of parts can resume the output.
///
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

struct Shares {
  std::int64_t rows = 0;
  std::int64_t step = 1;   ///< all borders except the last are multiples of it
  std::int64_t count = 0;  ///< at most the number of steps of rows

  /// If there are enough rows, shares begin at multiples of 1 MiB of the file, so that no kernel
  /// page and no stripe of a parallel file system has two writers; otherwise at page borders. The
  /// times of 512 rows are a page.
  static Shares of(std::int64_t rows, std::int64_t row_bytes, std::int64_t parts) {
    constexpr std::int64_t page = 4096;
    constexpr std::int64_t least = 64;  // so that parts may become more later
    constexpr std::int64_t for_each_part = 4;
    constexpr std::int64_t most = 65536;                       // 32 MiB of ledger
    constexpr std::int64_t most_rows = std::int64_t{1} << 31;  // of a share: slots have 32 bits
    const std::int64_t enough = std::max({std::clamp(for_each_part * parts, least, most), parts,
                                          (rows + most_rows - 1) / most_rows});
    // The same number for each part, so that parts differ by at most one step.
    const std::int64_t wanted = (enough + parts - 1) / parts * parts;
    for (const std::int64_t unit : {mebibytes(1), page}) {
      const std::int64_t step = std::max<std::int64_t>(unit / std::gcd(unit, row_bytes), 512);
      const std::int64_t steps = (rows + step - 1) / step;
      if (steps >= for_each_part * parts) return {rows, step, std::min(wanted, steps)};
    }
    return {rows, 1, std::min(wanted, rows)};
  }

  [[nodiscard]] Range rows_of(std::int64_t share) const {
    return {border(share), border(share + 1)};
  }

  /// The shares of a part; empty if there are more parts than shares.
  [[nodiscard]] Range shares_of(const OutputPart& part) const {
    return {count * part.number / part.of, count * (part.number + 1) / part.of};
  }

  [[nodiscard]] std::int64_t border(std::int64_t share) const {
    const std::int64_t steps = (rows + step - 1) / step;
    return std::min(rows, steps * share / count * step);
  }
};

/// The progress of a share.
struct ShareState {
  std::vector<Block> unwritten;  ///< numbered in all rows of the features
  std::int64_t blocks = 0;
  std::uint64_t sum = 0;  ///< `value_sum` of the written values
};

/// The state of a share without any written value.
inline ShareState nothing_of(const Block& share) {
  return {.unwritten = {share}, .blocks = 0, .sum = 0};
}

/// "3 to 7", from the first row to the last.
inline std::string rows_text(Range rows) {
  return std::to_string(rows.begin) + " to " + std::to_string(rows.end - 1);
}

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

/// The numbers on which all processes have to agree, as they are in the file.
struct LedgerNumbers {
  std::int64_t values_at = 0;
  std::int64_t times_at = 0;
  std::int64_t channels = 0;
  std::int64_t bases = 0;
  std::int64_t file_bytes = 0;
  std::uint64_t frame = 0;  ///< checksum of HDF5's own records
  Shares shares;
};

struct LedgerFacts : LedgerNumbers {
  std::string text;  ///< the fingerprint
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
