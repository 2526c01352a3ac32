// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "launch/team_turn.hpp"

#include <synelix/choice.hpp>
#include <synelix/error.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

/// \file
/// `Watched`: the launches of a call that its caller watches. It asks the caller between them, on
/// the caller's thread and outside of parallel regions.

namespace synelix::plan {

class Watched {
 public:
  using Clock = std::chrono::steady_clock;
  /// Short for whoever waits, long beside a launch.
  static constexpr std::chrono::nanoseconds usual_time = std::chrono::milliseconds(40);

  /// \param items  of all sweeps of the call, for progress; 0: unknown
  /// \param time   from one question to the next; tests give 0
  Watched(std::string verb, Watch watch, std::int64_t items,
          std::chrono::nanoseconds time = usual_time)
      : m_verb(std::move(verb)),
        m_watch(std::move(watch)),
        m_items(items),
        m_time(time),
        m_begin(Clock::now()),
        m_next(m_begin + time) {}

  /// \throws Cancelled where watch.cancel asks for it
  void look() const {
    if (m_watch.cancel == nullptr || !m_watch.cancel->load()) return;
    std::string parts = std::to_string(m_done);
    if (m_items > 0) parts += " of " + std::to_string(m_items);
    throw Cancelled(m_verb + ": cancelled after " + parts + " parts");
  }

  /// Asks the caller, where some time has passed since the last question. \throws as `look`, what
  /// watch.progress throws, and StateError inside of it
  void ask() {
    if (m_is_telling) {
      throw StateError(m_verb,
                       "a progress function called back into the computation that reports to it",
                       "Make that call after this one has returned");
    }
    if (Clock::now() < m_next) return;
    look();
    tell();
  }

  /// Tells the caller how far the call is.
  void tell() {
    if (m_watch.progress) {
      const std::chrono::duration<double> seconds = Clock::now() - m_begin;
      m_is_telling = true;
      try {
        m_watch.progress({m_done, m_items, seconds.count()});
      } catch (...) {
        m_is_telling = false;
        throw;
      }
      m_is_telling = false;
    }
    m_next = Clock::now() + m_time;
  }

  /// Launches until so many items are done, and asks between the launches.
  /// \param start  start(turns, end) launches the sweep and waits for it; `turns` has one of each
  ///               team, which takes no other item once `end` is over
  template <class Start>
  void run(std::int64_t items, std::int64_t teams, const Start& start) {
    m_turns.assign(static_cast<std::size_t>(teams), {});
    const std::int64_t before = m_done;
    while (m_done < before + items) {
      ask();
      start(m_turns.data(), std::max(m_next, Clock::now()));
      m_done = before;
      for (const sweep::TeamTurn& turn : m_turns) m_done += turn.items;
    }
  }

  /// Counts items that were done elsewhere.
  void count(std::int64_t items) { m_done += items; }

 private:
  std::string m_verb;
  Watch m_watch;
  std::int64_t m_items;
  std::int64_t m_done = 0;
  bool m_is_telling = false;
  std::chrono::nanoseconds m_time;
  Clock::time_point m_begin;
  Clock::time_point m_next;
  std::vector<sweep::TeamTurn> m_turns;
};

/// A call that its caller may watch: run(watched) makes its launches, and waits for the result;
/// null where nobody watches. \throws Cancelled where watch.cancel asks for it
template <class Run>
void run_watched(const char* verb, const Watch& watch, std::int64_t items, const Run& run) {
  if (!watch.is_set()) return run(static_cast<Watched*>(nullptr));
  Watched watched(verb, watch, items);
  watched.look();
  run(&watched);
  watched.tell();
}

}  // namespace synelix::plan
