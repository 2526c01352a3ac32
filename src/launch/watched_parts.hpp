// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/choice.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

/// \file
/// Watched calls on arrays in memory: rows are computed in parts, with calls of the caller's
/// functions between them.

namespace synelix::plan {

/// The facts that determine how many rows are computed together.
struct RowsInParts {
  std::int64_t rows = 0;
  std::int64_t together = 1;  ///< rows of a work item, or of all items in flight
  double seconds = 0;         ///< predicted for all rows
};

/// The parts in which rows are computed; one part if nothing is watched. The time of each part
/// determines the length of the next one; results have the same bits for any parts.
///
///     RowParts parts("convolve", sizes, watch);
///     while (const auto rows = parts.next()) ...  // computes these rows, and waits for them
class RowParts {
 public:
  /// \param watch  null: not watched. Like the verb, it must outlive the object.
  RowParts(const char* verb, const RowsInParts& sizes, const Watch* watch)
      : m_verb(verb),
        m_sizes(sizes),
        m_watch(watch != nullptr && watch->is_set() ? watch : nullptr) {
    m_length = m_watch == nullptr ? sizes.rows
                                  : whole_items(static_cast<double>(sizes.rows) * aim_seconds /
                                                std::max(sizes.seconds, 1e-9));
  }

  /// The next rows to compute, once the rows before are complete; nothing after the last part.
  /// \throws Cancelled if the watch requests it
  std::optional<Range> next() {
    if (m_watch != nullptr && m_part.end > 0) end_part();
    if (m_part.end == m_sizes.rows) return std::nullopt;
    if (m_watch != nullptr && m_watch->cancel != nullptr && m_watch->cancel->load()) {
      throw Cancelled(std::string(m_verb) + ": cancelled after " + std::to_string(m_part.end) +
                      " of " + std::to_string(m_sizes.rows) + " rows");
    }
    m_part = {m_part.end, std::min(m_sizes.rows, m_part.end + m_length)};
    m_part_begin = Clock::now();
    return m_part;
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr double aim_seconds = 0.04;  // short for a user, long compared with a launch

  static double seconds_since(Clock::time_point begin) {
    return std::chrono::duration<double>(Clock::now() - begin).count();
  }
  [[nodiscard]] std::int64_t whole_items(double rows) const {
    const auto most = static_cast<double>(m_sizes.rows);
    const auto few = static_cast<std::int64_t>(std::clamp(rows, 1.0, std::max(1.0, most)));
    return (few + m_sizes.together - 1) / m_sizes.together * m_sizes.together;
  }
  void end_part() {
    const double factor = aim_seconds / std::max(seconds_since(m_part_begin), 1e-9);
    m_length = whole_items(static_cast<double>(m_length) * std::clamp(factor, 0.25, 4.0));
    if (m_watch->progress) {
      m_watch->progress({m_part.end, m_sizes.rows, seconds_since(m_begin)});
    }
  }

  const char* m_verb;
  RowsInParts m_sizes;
  const Watch* m_watch;
  std::int64_t m_length;
  Range m_part{0, 0};
  Clock::time_point m_begin = Clock::now();
  Clock::time_point m_part_begin = m_begin;
};

}  // namespace synelix::plan
