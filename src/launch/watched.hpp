// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "launch/team_turn.hpp"

#include <synelix/choice.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

/// \file
/// `Watched`: the launches of a call that its caller watches. It asks the caller between them, on
/// the caller's thread and outside of parallel regions.

namespace synelix::plan {

/// The steady clock, without <chrono>, which takes a compiler longer than most files that wait.
std::int64_t steady_nanoseconds();

class Watched {
 public:
  /// Short for whoever waits, long beside a launch: 40 ms.
  static constexpr std::int64_t usual_nanoseconds = 40'000'000;

  /// \param items        of all sweeps of the call, for progress; 0: unknown
  /// \param nanoseconds  from one question to the next; tests give 0
  Watched(std::string verb, Watch watch, std::int64_t items,
          std::int64_t nanoseconds = usual_nanoseconds);

  /// \throws Cancelled where watch.cancel asks for it
  void look() const;

  /// Asks the caller, where some time has passed since the last question. \throws as `look`, what
  /// watch.progress throws, and StateError inside of it
  void ask();

  /// Tells the caller how far the call is.
  void tell();

  /// Launches until so many items are done, and asks between the launches.
  /// \param start  start(turns, end) launches the sweep and waits for it; `turns` has one of each
  ///               team, which takes no other item once `end` is over
  template <class Start>
  void run(std::int64_t items, std::int64_t teams, const Start& start) {
    m_turns.assign(static_cast<std::size_t>(teams), {});
    const std::int64_t before = m_done;
    while (m_done < before + items) {
      ask();
      start(m_turns.data(), sweep::TurnEnd{std::max(m_next, steady_nanoseconds())});
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
  std::int64_t m_time;   ///< in nanoseconds, as those that follow
  std::int64_t m_begin;  ///< of the steady clock
  std::int64_t m_next;
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
