// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "launch/team.hpp"
#include "launch/workspace.hpp"

#include <Kokkos_Core.hpp>

#include <chrono>
#include <cstdint>

/// \file
/// Sweeps of a host with breaks. A watched sweep is launched repeatedly. Each launch ends soon
/// after its time is over, and the next one continues where each team stopped. Teams keep their
/// memory and their items, so a break changes no bit. `plan::Watched` makes the launches.

namespace synelix::sweep {

/// The turns of one launch. Null: not watched, and the launch does everything.
struct TeamTurns {
  TeamTurn* turns = nullptr;
  std::chrono::steady_clock::time_point end = {};

  [[nodiscard]] KOKKOS_FUNCTION bool are_over() const {
    KOKKOS_IF_ON_HOST((return std::chrono::steady_clock::now() >= end;))
    KOKKOS_IF_ON_DEVICE((return false;))
  }
};

/// Turns of a launch that ends at `end`.
inline TeamTurns turns_until(TeamTurn* turns, TurnEnd end) {
  using Clock = std::chrono::steady_clock;
  const std::chrono::nanoseconds time(end.nanoseconds);
  return {turns, Clock::time_point(std::chrono::duration_cast<Clock::duration>(time))};
}

/// The break that an item with several steps may take between them.
class Pause {
 public:
  KOKKOS_FUNCTION Pause() : m_turn(nullptr), m_turns(nullptr) {}
  KOKKOS_FUNCTION Pause(TeamTurn& turn, const TeamTurns& turns) : m_turn(&turn), m_turns(&turns) {}

  /// The step at which the item continues; 0 at its beginning.
  [[nodiscard]] KOKKOS_FUNCTION std::int64_t first_step() const {
    return m_turn != nullptr ? m_turn->step : 0;
  }
  /// Whether to interrupt the item before this step.
  [[nodiscard]] KOKKOS_FUNCTION bool is_before(std::int64_t step) const {
    if (m_turn == nullptr || !m_turns->are_over()) return false;
    m_turn->step = step;
    return true;
  }

 private:
  TeamTurn* m_turn;
  const TeamTurns* m_turns;
};

/// The rest of a share, item after item, until the time is over: body(i, pause) returns whether
/// item i is done.
template <class Body>
KOKKOS_FUNCTION void take_turn(const TeamTurns& turns, TeamTurn& turn, TeamShare share,
                               const Body& body) {
  const Pause pause(turn, turns);
  while (share.begin + turn.items < share.end) {
    if (!body(share.begin + turn.items, pause)) return;
    ++turn.items;
    turn.step = 0;
    if (turns.are_over()) return;
  }
}

/// `for_each_of_share` with breaks between items of several steps: body(i, pause) returns whether
/// item i is done.
template <class Team, class Body>
KOKKOS_INLINE_FUNCTION void for_each_of_share_in_steps(const Team& team, std::int64_t items,
                                                       std::int64_t teams, const TeamTurns& turns,
                                                       const Body& body) {
  if (turns.turns == nullptr) {
    return for_each_of_share(team, items, teams,
                             [=](std::int64_t i) { static_cast<void>(body(i, Pause())); });
  }
  const std::int64_t rank = team.league_rank();
  const TeamShare share = team_share(items, rank, teams);
  for_each_item(team, 1, [=](std::int64_t) { take_turn(turns, turns.turns[rank], share, body); });
}

/// `for_each_of_share` with breaks between items.
template <class Team, class Body>
KOKKOS_INLINE_FUNCTION void for_each_of_share(const Team& team, std::int64_t items,
                                              std::int64_t teams, const TeamTurns& turns,
                                              const Body& body) {
  if (turns.turns == nullptr) return for_each_of_share(team, items, teams, body);
  for_each_of_share_in_steps(team, items, teams, turns, [=](std::int64_t i, const Pause&) {
    body(i);
    return true;
  });
}

}  // namespace synelix::sweep
