// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>

#include <type_traits>

/// \file
/// What the threads of a team keep from pass to pass, barriers between: sums of a tile. On a device
/// it stays in the registers of each thread. A team of a host, which has fewer threads, keeps the
/// values of all threads of a device that its threads stand for; a test's mock team keeps those of
/// all threads.
///
/// The passes here are of exactly as many items as a team of a device has threads, and an item is
/// always the same thread's.

namespace synelix::sweep {

/// Whether a team is one of a host.
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
  /// Of one thread; or of all of them, for a team of a host.
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

/// One pass: body(thread, value) by each thread, with what it keeps.
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
