// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "launch/workspace.hpp"

#include <synelix/choice.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

/// \file
/// `Watched`: the launches of a call that its caller watches. Between launches it calls the
/// caller's functions, on the caller's thread and outside of parallel regions.

namespace synelix::plan {

/// The steady clock, without <chrono>, which takes longer to compile than most files that wait.
std::int64_t steady_nanoseconds();

class Watched {
 public:
  /// 40 ms is short for a user, and long compared with a launch.
  static constexpr std::int64_t usual_nanoseconds = 40'000'000;

  /// \param items        of all sweeps of the call, for progress; 0: unknown
  /// \param nanoseconds between calls of the caller's functions; 0 in tests
  Watched(std::string verb, Watch watch, std::int64_t items,
          std::int64_t nanoseconds = usual_nanoseconds);

  /// \throws Cancelled if watch.cancel requests it
  void look() const;

  /// Calls the caller's functions if enough time has passed since the last call. \throws as `look`,
  /// exceptions of watch.progress, and StateError inside of it
  void ask();

  /// Reports the progress to the caller.
  void tell();

  /// Launches until a number of items is done, with calls of `ask` between the launches.
  /// \param start  start(turns, end) launches the sweep and waits for it; `turns` has one entry for
  ///        each team, which starts no item after `end`
  template <class Start>
  void in_turns(std::int64_t items, std::int64_t teams, const Start& start) {
    m_turns.assign(static_cast<std::size_t>(teams), {});
    const std::int64_t before = m_done;
    while (m_done < before + items) {
      ask();
      start(m_turns.data(), sweep::TurnEnd{std::max(m_next, steady_nanoseconds())});
      m_done = before;
      for (const sweep::TeamTurn& turn : m_turns) m_done += turn.items;
    }
  }

  /// Counts items that were processed elsewhere.
  void count(std::int64_t items) { m_done += items; }

 private:
  std::string m_verb;
  Watch m_watch;
  std::int64_t m_items;
  std::int64_t m_done = 0;
  bool m_is_telling = false;
  std::int64_t m_time;   ///< in nanoseconds, as those that follow
  std::int64_t m_begin;  ///< of the steady clock
  std::int64_t m_next;
  std::vector<sweep::TeamTurn> m_turns;
};

/// A call that its caller may watch: run(watched) makes its launches, and waits for the result;
/// null if not watched. \throws Cancelled if watch.cancel requests it
template <class Run>
void run_watched(const char* verb, const Watch& watch, std::int64_t items, const Run& run) {
  if (!watch.is_set()) return run(static_cast<Watched*>(nullptr));
  Watched watched(verb, watch, items);
  watched.look();
  run(&watched);
  watched.tell();
}

}  // namespace synelix::plan
