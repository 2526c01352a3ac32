// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hdf5/shares/ledger.hpp"

#include "part_files/descriptor.hpp"
#include "part_files/records.hpp"

#include <synelix/error.hpp>

#include <cerrno>
#include <cstring>
#include <limits>
#include <utility>

namespace synelix::stream {
namespace {

constexpr RecordFormat ledger_format{
    "Synelix ledger 2", "ledger",
    "End the run with the version of synelix that began it, or remove this file to begin anew",
    true};

/// As much of a text as fits, with a terminator; UTF-8 characters are not split.
template <std::size_t size>
void put_text(std::array<char, size>& to, const std::string& text) {
  std::size_t count = std::min(text.size(), size - 1);
  const auto is_inside = [&] { return (static_cast<unsigned char>(text[count]) & 0xc0U) == 0x80U; };
  while (count > 0 && count < text.size() && is_inside()) --count;
  std::copy_n(text.begin(), count, to.begin());
}

template <std::size_t size>
std::string text_in(const std::array<char, size>& from) {
  return {from.begin(), std::find(from.begin(), from.end(), '\0')};
}

}  // namespace

struct Ledger::Head {
  std::array<char, ledger_format.name.size()> name = {};
  std::uint64_t checksum = 0;  ///< of the following members, and of the text after the record
  std::int64_t text_bytes = 0;
  LedgerNumbers numbers;
  /// Whether numbers that are computed from these fit their type.
  [[nodiscard]] bool is_plausible() const {
    constexpr std::int64_t most_rows = std::int64_t{1} << 45;
    constexpr std::int64_t most_shares = 1 << 17;
    const auto& [rows, step, shares] = numbers.shares;
    return rows >= 0 && rows <= most_rows && step >= 1 && step <= most_rows && shares >= 0 &&
           shares <= most_shares && (shares > 0 || rows == 0) && numbers.channels >= 1 &&
           numbers.bases >= 1;
  }
};

struct Ledger::End {
  std::uint64_t checksum = 0;  ///< of the following members
  std::int64_t seconds = 0;
};

struct Ledger::Slot {
  std::uint64_t checksum = 0;  ///< of the following members
  std::uint64_t sum = 0;
  std::uint64_t boot = 0;  ///< of the kernel that received this; or on_disk
  std::uint32_t sequence = 0;
  std::uint32_t blocks = 0;
  /// Rows from the first of the share, channels, bases: begin and end of each. An empty box is all
  /// zeros.
  std::array<std::array<std::uint32_t, 6>, most_boxes> boxes = {};

  [[nodiscard]] bool is_whole() const {
    return sequence > 0 && checksum == checksum_of_record(*this);
  }
};

struct Ledger::Status {
  std::uint64_t checksum = 0;  ///< of the following members
  std::int64_t seconds = 0;
  std::int64_t process = 0;
  Ending ending = Ending::none;
  std::uint32_t free = 0;
  std::array<char, 48> host = {};
  std::array<char, 120> failure = {};
};

struct Ledger::Record {
  std::array<Slot, 3> slots = {};
  Status status = {};
};

Ledger::Ledger(int descriptor, std::int64_t address, std::string name, LedgerFacts facts)
    : m_descriptor(descriptor),
      m_address(address),
      m_name(std::move(name)),
      m_facts(std::move(facts)),
      m_boot(boot_of_kernel()) {
  static_assert(sizeof(Slot) == 104 && sizeof(Status) == 200 && sizeof(Record) == record_bytes);
}

std::int64_t Ledger::head_bytes(const std::string& text) {
  return whole_pages(static_cast<std::int64_t>(sizeof(Head) + text.size() + sizeof(End)));
}

std::int64_t Ledger::bytes_for(const std::string& text, const Shares& shares) {
  return head_bytes(text) + whole_pages(shares.count * record_bytes);
}

Range Ledger::range() const {
  return {m_address, m_address + bytes_for(m_facts.text, m_facts.shares)};
}

Range Ledger::records() const {
  const std::int64_t begin = address_of(0);
  return {begin, begin + m_facts.shares.count * record_bytes};
}

std::int64_t Ledger::address_of(std::int64_t share) const {
  return m_address + head_bytes(m_facts.text) + share * record_bytes;
}

std::int64_t Ledger::address_of_end() const {
  return address_of(0) - static_cast<std::int64_t>(sizeof(End));
}

Range Ledger::records_of(Range shares) const {
  return {address_of(shares.begin), address_of(shares.end)};
}

Block Ledger::rows_of(std::int64_t share) const {
  return {m_facts.shares.rows_of(share), {0, m_facts.channels}, {0, m_facts.bases}};
}

std::optional<Ledger> Ledger::find(int descriptor, const std::string& name) {
  auto found = find_head<Head>(descriptor, 0, name, ledger_format);
  if (!found) return std::nullopt;
  if (!found->is_sound || !found->head.is_plausible()) {
    throw FileError(name, "its damaged ledger has a head that does not match its checksum",
                    "Remove this file to begin anew");
  }
  return Ledger(descriptor, found->address, name, {found->head.numbers, std::move(found->text)});
}

Ledger Ledger::make(int descriptor, std::int64_t address, const std::string& name,
                    const LedgerFacts& facts) {
  Ledger made(descriptor, address, name, facts);
  Head head;
  head.numbers = facts;
  std::string bytes = bytes_of_head(head, ledger_format.name, facts.text,
                                    static_cast<std::size_t>(head_bytes(facts.text)));
  write_at(descriptor, address, bytes.data(), bytes.size(), name);
  bytes.assign(page_bytes, '\0');
  for (std::int64_t at = made.records().begin; at < made.range().end; at += page_bytes) {
    write_at(descriptor, at, bytes.data(), bytes.size(), name);
  }
  return made;
}

void Ledger::refuse(int descriptor, const std::string& name) {
  if (!find(descriptor, name)) return;
  throw FileError(name, "this output is written in parts",
                  "Give a part, such as 0/1 (--part), to go on with it; or remove this file to "
                  "begin anew");
}

bool Ledger::lock(Range shares) const {
  if (shares.size() == 0) return true;
  const ByteLock lock = lock_bytes(m_descriptor, records_of(shares));
  if (lock == ByteLock::unknown) fail_to_lock();
  return lock == ByteLock::taken;
}

void Ledger::unlock(Range shares) const {
  if (shares.size() > 0) unlock_bytes(m_descriptor, records_of(shares));
}

void Ledger::fail_to_lock() const {
  throw FileError(m_name,
                  std::string("its file system has no locks between processes (") +
                      std::strerror(errno) + "), so two of them could write the same rows",
                  "Run without a part, or write to a file system that has locks");
}

bool Ledger::is_locked(std::int64_t share) const {
  const std::int64_t begin = address_of(share);
  return are_locked(m_descriptor, {begin, begin + record_bytes});
}

void Ledger::lock_name() const {
  const Range byte{m_address, m_address + 1};
  if (wait_for_bytes(m_descriptor, byte) != ByteLock::taken) fail_to_lock();
}
void Ledger::unlock_name() const { unlock_bytes(m_descriptor, {m_address, m_address + 1}); }

bool Ledger::is_finished(std::int64_t share) const {
  return status(share).ending == Ending::finished && load(share, Trust::reliable).unwritten.empty();
}

ShareState Ledger::load(std::int64_t share, Trust trust, bool* is_damaged) const {
  const Block all = rows_of(share);
  ShareState state = nothing_of(all);
  std::array<Slot, 3> slots;
  const bool is_read = read_at(m_descriptor, address_of(share), slots.data(), sizeof(slots));
  const Slot* latest = nullptr;
  bool is_any_whole = false;
  for (const Slot& slot : slots) {
    if (!slot.is_whole()) continue;
    is_any_whole = true;
    const bool counts =
        trust == Trust::newest || slot.boot == on_disk || (knows_kernel() && slot.boot == m_boot);
    if (counts && (latest == nullptr || slot.sequence > latest->sequence)) latest = &slot;
  }
  if (is_damaged != nullptr) {
    const std::array<char, sizeof(slots)> nothing = {};
    *is_damaged = !is_read ||
                  (!is_any_whole && std::memcmp(slots.data(), nothing.data(), sizeof(slots)) != 0);
  }
  if (latest == nullptr) return state;
  state = {.unwritten = {}, .blocks = latest->blocks, .sum = latest->sum};
  for (const auto& box : latest->boxes) {
    const Block found{
        {all.rows.begin + box[0], all.rows.begin + box[1]}, {box[2], box[3]}, {box[4], box[5]}};
    if (found.rows.size() > 0) state.unwritten.push_back(found);
  }
  return state;
}

void Ledger::save(std::int64_t share, const ShareState& state, bool is_on_disk) {
  const std::int64_t address = address_of(share);
  std::array<Slot, 3> slots;
  if (!read_at(m_descriptor, address, slots.data(), sizeof(slots))) slots = {};
  const auto newest = [&](bool of_disk) {
    const Slot* found = nullptr;
    for (const Slot& slot : slots) {
      if (!slot.is_whole() || (of_disk && slot.boot != on_disk)) continue;
      if (found == nullptr || slot.sequence > found->sequence) found = &slot;
    }
    return found;
  };
  const Slot* const last = newest(false);
  const Slot* const last_on_disk = newest(true);
  const auto next = std::find_if(slots.begin(), slots.end(), [&](const Slot& slot) {
    return &slot != last && &slot != last_on_disk;
  });
  Slot slot;
  slot.sum = state.sum;
  slot.boot = is_on_disk ? on_disk : m_boot;
  slot.sequence = (last == nullptr ? 0 : last->sequence) + 1;
  slot.blocks = static_cast<std::uint32_t>(
      std::min<std::int64_t>(state.blocks, std::numeric_limits<std::uint32_t>::max()));
  const std::int64_t first = rows_of(share).rows.begin;
  for (std::size_t i = 0; i < state.unwritten.size(); ++i) {
    const Block& box = state.unwritten[i];
    const std::array<std::int64_t, 6> sides = {box.rows.begin - first, box.rows.end - first,
                                               box.channels.begin,     box.channels.end,
                                               box.bases.begin,        box.bases.end};
    std::transform(sides.begin(), sides.end(), slot.boxes[i].begin(),
                   [](std::int64_t side) { return static_cast<std::uint32_t>(side); });
  }
  slot.checksum = checksum_of_record(slot);
  write_at(m_descriptor, address + (next - slots.begin()) * static_cast<std::int64_t>(sizeof(Slot)),
           &slot, sizeof(slot), m_name);
}

ShareStatus Ledger::status(std::int64_t share) const {
  Status status;
  if (!read_at(m_descriptor,
               address_of(share) + static_cast<std::int64_t>(offsetof(Record, status)), &status,
               sizeof(status)) ||
      status.ending == Ending::none || status.checksum != checksum_of_record(status)) {
    return {};
  }
  return {status.ending, text_in(status.host), status.process, status.seconds,
          text_in(status.failure)};
}

void Ledger::write_status(std::int64_t share, const ShareStatus& said) const {
  Status status;
  status.seconds = said.seconds;
  status.process = said.process;
  status.ending = said.ending;
  put_text(status.host, said.host);
  put_text(status.failure, said.failure);
  status.checksum = checksum_of_record(status);
  write_at(m_descriptor, address_of(share) + static_cast<std::int64_t>(offsetof(Record, status)),
           &status, sizeof(status), m_name);
}

std::optional<std::int64_t> Ledger::complete_since() const {
  End end;
  if (!read_at(m_descriptor, address_of_end(), &end, sizeof(end)) || end.seconds == 0 ||
      end.checksum != checksum_of_record(end)) {
    return std::nullopt;
  }
  return end.seconds;
}

void Ledger::mark_complete(std::int64_t seconds) const {
  End end;
  end.seconds = seconds;
  end.checksum = checksum_of_record(end);
  write_at(m_descriptor, address_of_end(), &end, sizeof(end), m_name);
}

}  // namespace synelix::stream
