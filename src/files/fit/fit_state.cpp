// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "files/fit/fit_state.hpp"

#include "files/part/descriptor_io.hpp"
#include "files/sink/fingerprint_text.hpp"
#include "streams/checksum.hpp"

#include <synelix/error.hpp>

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>
#include <utility>

namespace synelix::h5 {
namespace {

/// The last character is the version of the format.
constexpr std::string_view magic = "Synelix fit 1";
constexpr std::int64_t page = 4096;
constexpr const char* begin_anew =
    "Start a run without resume, which begins anew and replaces this file";

/// An entry as it lies in the file.
struct Record {
  std::array<char, 16> name = {};
  std::uint64_t checksum = 0;  ///< of what follows
  std::array<std::uint64_t, 5> numbers = {};
};

std::uint64_t checksum_of(const Record& record) {
  return stream::Checksum().add(record.numbers.data(), sizeof(record.numbers)).value();
}

std::int64_t entry_address(int number) { return FitState::address + number * page; }

/// Where states begin.
constexpr std::int64_t first_state = FitState::address + 2 * page;

std::int64_t whole_pages(std::int64_t bytes) { return (bytes + page - 1) / page * page; }

}  // namespace

FitState::FitState(int descriptor, std::string name, std::string fingerprint)
    : m_descriptor(descriptor), m_name(std::move(name)), m_fingerprint(std::move(fingerprint)) {}

std::optional<FitState::Entry> FitState::read_entry(int number) const {
  Record record;
  if (!stream::read_at(m_descriptor, entry_address(number), &record, sizeof(record))) {
    return std::nullopt;
  }
  const std::string_view name(record.name.data(), magic.size());
  if (name.substr(0, magic.size() - 1) != magic.substr(0, magic.size() - 1)) return std::nullopt;
  if (name != magic) {
    throw Error(m_name, "its state was written by another version of synelix", begin_anew);
  }
  if (record.checksum != checksum_of(record)) return std::nullopt;
  const auto& numbers = record.numbers;
  return Entry{numbers[0], static_cast<std::int64_t>(numbers[1]),
               static_cast<std::int64_t>(numbers[2]), static_cast<std::int64_t>(numbers[3]),
               numbers[4]};
}

void FitState::write_entry(int number, const Entry& entry) const {
  Record record;
  std::copy(magic.begin(), magic.end(), record.name.begin());
  record.numbers = {entry.sequence, static_cast<std::uint64_t>(entry.address),
                    static_cast<std::uint64_t>(entry.fingerprint_bytes),
                    static_cast<std::uint64_t>(entry.state_bytes), entry.checksum};
  record.checksum = checksum_of(record);
  stream::write_at(m_descriptor, entry_address(number), &record, sizeof(record), m_name);
}

/// Fingerprint and state. \throws Error where they are damaged
std::vector<std::byte> FitState::read(const Entry& entry) const {
  struct stat now = {};
  const std::int64_t bytes = entry.fingerprint_bytes + entry.state_bytes;
  std::vector<std::byte> all;
  const bool is_inside = fstat(m_descriptor, &now) == 0 && entry.address >= first_state &&
                         entry.fingerprint_bytes >= 0 && entry.state_bytes >= 0 &&
                         entry.address + bytes <= now.st_size;
  if (is_inside) {
    all.resize(static_cast<std::size_t>(bytes));
    if (stream::read_at(m_descriptor, entry.address, all.data(), all.size()) &&
        stream::Checksum().add(all.data(), all.size()).value() == entry.checksum) {
      return all;
    }
  }
  throw Error(m_name, "the state of the fit that it holds is damaged", begin_anew);
}

bool FitState::find() {
  for (const int number : {0, 1}) {
    const std::optional<Entry> entry = read_entry(number);
    if (!entry || (m_last && m_last->sequence > entry->sequence)) continue;
    m_last = entry;
    m_last_number = number;
  }
  if (!m_last) return false;
  const std::vector<std::byte> all = read(*m_last);
  const std::string found(reinterpret_cast<const char*>(all.data()),
                          static_cast<std::size_t>(m_last->fingerprint_bytes));
  require_same(m_name, fingerprint_from(found), fingerprint_from(m_fingerprint), begin_anew);
  return true;
}

std::int64_t FitState::bytes() const { return m_last ? m_last->state_bytes : 0; }

std::vector<std::byte> FitState::load() const {
  if (!m_last) return {};
  std::vector<std::byte> all = read(*m_last);
  all.erase(all.begin(), all.begin() + m_last->fingerprint_bytes);
  return all;
}

void FitState::save(std::span<const std::byte> state) {
  Entry next{.sequence = m_last ? m_last->sequence + 1 : 1,
             .address = first_state,
             .fingerprint_bytes = static_cast<std::int64_t>(m_fingerprint.size()),
             .state_bytes = static_cast<std::int64_t>(state.size()),
             .checksum = stream::Checksum()
                             .add(m_fingerprint.data(), m_fingerprint.size())
                             .add(state.data(), state.size())
                             .value()};
  const std::int64_t bytes = next.fingerprint_bytes + next.state_bytes;
  if (m_last && m_last->address < next.address + bytes) {  // before the last one, or behind it
    next.address = m_last->address + whole_pages(m_last->fingerprint_bytes + m_last->state_bytes);
  }
  stream::write_at(m_descriptor, next.address, m_fingerprint.data(), m_fingerprint.size(), m_name);
  stream::write_at(m_descriptor, next.address + next.fingerprint_bytes, state.data(), state.size(),
                   m_name);
  stream::sync_data(m_descriptor, m_name);
  const int number = 1 - m_last_number;
  write_entry(number, next);
  m_last = next;
  m_last_number = number;
}

}  // namespace synelix::h5
