// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "crash/disk.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace crash {
namespace {

constexpr std::int64_t sector_bytes = 512;
constexpr std::int64_t page_bytes = 4096;

/// A number by chance that follows from its arguments (the finaliser of SplitMix64).
std::uint64_t chance(std::uint64_t seed, std::uint64_t first, std::uint64_t second = 0) {
  std::uint64_t x = seed + 0x9e3779b97f4a7c15U * (first + 1) + 0xd1b54a32d192ed03U * (second + 1);
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31U);
}

bool changes_data(Kind kind) { return kind == Kind::write || kind == Kind::truncate; }
bool changes_names(Kind kind) {
  return kind == Kind::create || kind == Kind::rename || kind == Kind::link || kind == Kind::unlink;
}

/// A run up to its interruption, and its data on the disk.
class Interrupted {
 public:
  Interrupted(const Trace& trace, std::size_t events, Loss loss, std::uint64_t seed)
      : m_trace(trace), m_events(events), m_loss(loss), m_seed(seed) {
    find_pending();
    find_last_there();
  }

  [[nodiscard]] Files files() const {
    std::vector<std::string> bytes(static_cast<std::size_t>(m_trace.files_after(m_events)));
    std::size_t file = 0;
    for (const auto& [name, contents] : m_trace.before) bytes[file++] = contents;
    for (std::size_t i = 0; i < m_events; ++i) {
      const Event& event = m_trace.events[i];
      if (!changes_data(event.kind)) continue;
      std::string& of_file = bytes[static_cast<std::size_t>(event.file)];
      if (event.kind == Kind::write) {
        write(i, of_file);
      } else if (!m_is_pending[i] || is_there(i, 0)) {
        of_file.resize(static_cast<std::size_t>(event.offset), '\0');
      }
    }
    Files found;
    for (const auto& [name, number] : m_trace.names_after(names_kept())) {
      found[name] = bytes[static_cast<std::size_t>(number)];
    }
    return found;
  }

 private:
  void find_pending() {
    m_is_pending.assign(m_events, true);
    std::vector<bool> is_synced(static_cast<std::size_t>(m_trace.files_after(m_events)), false);
    bool are_names_synced = false;
    for (std::size_t i = m_events; i-- > 0;) {
      const Event& event = m_trace.events[i];
      if (event.kind == Kind::sync_names) are_names_synced = true;
      if (event.kind == Kind::sync) is_synced[static_cast<std::size_t>(event.file)] = true;
      if (changes_names(event.kind)) m_is_pending[i] = !are_names_synced;
      if (changes_data(event.kind)) {
        m_is_pending[i] = !is_synced[static_cast<std::size_t>(event.file)];
      }
      if (changes_data(event.kind) && m_is_pending[i]) m_pending.push_back(i);
    }
    if (!m_pending.empty()) {
      m_chosen = m_pending[chance(m_seed, m_events, 7) % m_pending.size()];
    }
  }

  /// Finds the last write to each sector that is on the disk.
  void find_last_there() {
    for (const std::size_t i : m_pending) {
      const Event& event = m_trace.events[i];
      if (event.kind != Kind::write) continue;
      for (std::int64_t s = first_sector(event); s <= last_sector(event); ++s) {
        if (!is_there(i, s)) continue;
        std::size_t& last = m_last_there[key(event.file, s)];
        last = std::max(last, i + 1);
      }
    }
  }

  /// Whether a pending change of data is on the disk.
  [[nodiscard]] bool is_there(std::size_t event, std::int64_t sector) const {
    const auto part = static_cast<std::uint64_t>(sector);
    switch (m_loss) {
      case Loss::process:
      case Loss::names:
      case Loss::nothing:
        return true;
      case Loss::everything:
      case Loss::data:
        return false;
      case Loss::writes:
        return chance(m_seed, event) % 2 == 0;
      case Loss::sectors:
        return chance(m_seed, event, part) % 2 == 0;
      case Loss::pages:
        return chance(m_seed, event, part / (page_bytes / sector_bytes)) % 2 == 0;
      case Loss::one_write:
        return event != m_chosen;
      case Loss::all_but_one:
        return event == m_chosen;
    }
    return true;
  }

  /// After how many events the names are those on the disk.
  [[nodiscard]] std::size_t names_kept() const {
    std::vector<std::size_t> moments;  // after each change that may be lost
    std::size_t durable = 0;
    for (std::size_t i = 0; i < m_events; ++i) {
      if (!changes_names(m_trace.events[i].kind)) continue;
      if (m_is_pending[i]) {
        moments.push_back(i + 1);
      } else {
        durable = i + 1;
      }
    }
    switch (m_loss) {
      case Loss::process:
      case Loss::data:
      case Loss::nothing:
        return m_events;
      case Loss::everything:
      case Loss::names:
        return durable;
      default:
        break;
    }
    const std::uint64_t drawn = chance(m_seed, m_events, 11);
    if (moments.empty() || drawn % 2 == 0) return m_events;
    const std::size_t kept = drawn / 2 % (moments.size() + 1);
    return kept == 0 ? durable : moments[kept - 1];
  }

  void write(std::size_t i, std::string& of_file) const {
    const Event& event = m_trace.events[i];
    const auto begin = static_cast<std::size_t>(event.offset);
    const std::size_t end = begin + event.bytes.size();
    if (!m_is_pending[i]) {
      if (of_file.size() < end) of_file.resize(end, '\0');
      of_file.replace(begin, event.bytes.size(), event.bytes);
      return;
    }
    for (std::int64_t s = first_sector(event); s <= last_sector(event); ++s) {
      const auto last = m_last_there.find(key(event.file, s));
      if (last == m_last_there.end() || last->second <= i) continue;
      const std::size_t from = std::max(begin, static_cast<std::size_t>(s * sector_bytes));
      const std::size_t to = std::min(end, static_cast<std::size_t>((s + 1) * sector_bytes));
      if (of_file.size() < to) of_file.resize(to, '\0');
      of_file.replace(from, to - from, event.bytes, from - begin, to - from);
    }
    // The length may be on the disk before the data: the bytes between are zeros.
    const bool has_length =
        m_loss != Loss::everything && m_loss != Loss::data && chance(m_seed, i, 13) % 2 == 0;
    if (has_length && of_file.size() < end) of_file.resize(end, '\0');
  }

  static std::int64_t first_sector(const Event& event) { return event.offset / sector_bytes; }
  static std::int64_t last_sector(const Event& event) {
    return (event.offset + static_cast<std::int64_t>(event.bytes.size()) - 1) / sector_bytes;
  }
  static std::uint64_t key(int file, std::int64_t sector) {
    return (static_cast<std::uint64_t>(file) << 40U) | static_cast<std::uint64_t>(sector);
  }

  const Trace& m_trace;
  std::size_t m_events;
  Loss m_loss;
  std::uint64_t m_seed;
  std::vector<bool> m_is_pending;
  std::vector<std::size_t> m_pending;  ///< changes of data that may be lost
  std::size_t m_chosen = 0;            ///< one of them
  std::unordered_map<std::uint64_t, std::size_t> m_last_there;  ///< of a sector; counted from 1
};

}  // namespace

const char* name_of(Loss loss) {
  switch (loss) {
    case Loss::process:
      return "process";
    case Loss::everything:
      return "everything";
    case Loss::data:
      return "data";
    case Loss::names:
      return "names";
    case Loss::nothing:
      return "nothing";
    case Loss::writes:
      return "writes";
    case Loss::sectors:
      return "sectors";
    case Loss::pages:
      return "pages";
    case Loss::one_write:
      return "one-write";
    case Loss::all_but_one:
      return "all-but-one";
  }
  return "";
}

Files files_left(const Trace& trace, std::size_t events, Loss loss, std::uint64_t seed) {
  return Interrupted(trace, events, loss, seed).files();
}

}  // namespace crash
