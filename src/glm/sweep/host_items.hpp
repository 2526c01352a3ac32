// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "launch/team.hpp"
#include "launch/team_turns.hpp"

#include <Kokkos_Core.hpp>

#include <cstdint>

/// \file
/// Items of work of a host that are independent of each other, and their sweep.

namespace synelix::sweep {

/// What a team does. The items of one team come one after the other, so memory of a team serves
/// all of them.
class HostItems {
 public:
  virtual ~HostItems() = default;
  virtual void run(std::int64_t item, std::int64_t team) const = 0;
};

/// The same items with breaks. An item of this is all that is left of a team's items, until the
/// time is over.
class HostItemsWithBreaks final : public HostItems {
 public:
  HostItemsWithBreaks(const HostItems& items, std::int64_t count, std::int64_t teams,
                      const TeamTurns& turns)
      : m_items(items), m_count(count), m_teams(teams), m_turns(turns) {}
  void run(std::int64_t rank, std::int64_t team) const override {
    TeamTurn& turn = m_turns.turns[rank];
    for (std::int64_t i = rank + turn.items * m_teams; i < m_count; i += m_teams) {
      m_items.run(i, team);
      ++turn.items;
      if (m_turns.are_over()) return;
    }
  }

 private:
  const HostItems& m_items;
  std::int64_t m_count;
  std::int64_t m_teams;
  TeamTurns m_turns;
};

/// Team t takes items t, t + teams, ...: items that lie together are often alike in length.
struct HostItemsSweep {
  const HostItems* items;
  std::int64_t count;
  std::int64_t teams;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    for_each_item(team, 1, [&](std::int64_t) {
      const std::int64_t rank = team.league_rank();
      for (std::int64_t i = rank; i < count; i += teams) {
        KOKKOS_IF_ON_HOST((items->run(i, rank);))
      }
    });
  }
};

}  // namespace synelix::sweep
