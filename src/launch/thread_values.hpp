// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>

#include <type_traits>

/// \file
/// Values that the threads of a team keep across passes and barriers, for example sums of a tile.
/// On a device they stay in the registers of each thread. A team of a host has fewer threads, so it
/// keeps the values of all device threads that its threads represent; a test's mock team keeps
/// those of all threads.
///
/// The passes here have exactly as many items as a device team has threads, and the same thread
/// always processes the same item.

namespace synelix::sweep {

/// Whether a team is a host team.
template <class Team>
constexpr bool is_team_of_host() {
  if constexpr (requires { typename Team::execution_space; }) {
    return std::is_same_v<typename Team::execution_space::memory_space, Kokkos::HostSpace>;
  } else {
    return false;
  }
}

/// Values of `threads` threads of a device, for all passes of a sweep. Not initialized.
template <class Value, int threads, class Team>
struct ThreadValues {
  /// The values of one thread; for a host team, of all threads.
  Value values[is_team_of_host<Team>() ? threads : 1];

  KOKKOS_INLINE_FUNCTION explicit ThreadValues(const Team&) {}
};
template <class Value, int threads, class Team>
  requires requires(const Team& team) { team.template registers<Value>(threads); }
struct ThreadValues<Value, threads, Team> {
  Value* values;  ///< of all threads, for as long as the mock team lives

  KOKKOS_INLINE_FUNCTION explicit ThreadValues(const Team& team)
      : values(team.template registers<Value>(threads)) {}
};

/// One pass: body(thread) by each thread.
template <int threads, class Team, class Body>
KOKKOS_INLINE_FUNCTION void for_each_thread(const Team& team, const Body& body) {
  if constexpr (requires { team.collect_threads(threads, body); }) {
    team.collect_threads(threads, body);
  } else if constexpr (is_team_of_host<Team>()) {
    for (int i = team.team_rank(); i < threads; i += team.team_size()) body(i);
  } else {
    body(static_cast<int>(team.team_rank()));
  }
}

/// One pass: body(thread, value) by each thread, with its kept value.
template <class Value, int threads, class Team, class Body>
KOKKOS_INLINE_FUNCTION void for_each_thread(const Team& team,
                                            ThreadValues<Value, threads, Team>& of_threads,
                                            const Body& body) {
  if constexpr (requires { team.template registers<Value>(threads); }) {
    Value* const values = of_threads.values;
    team.collect_threads(threads, [=](int thread) { body(thread, values[thread]); });
  } else if constexpr (is_team_of_host<Team>()) {
    for (int i = team.team_rank(); i < threads; i += team.team_size()) {
      body(i, of_threads.values[i]);
    }
  } else {
    body(static_cast<int>(team.team_rank()), of_threads.values[0]);
  }
}

}  // namespace synelix::sweep
