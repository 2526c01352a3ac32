// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

/// \file
/// Passes of a team. A sweep is a chain of passes over virtual items with barriers between: on a
/// host the one thread of a team takes all items in turn, on a device each thread takes some. What
/// crosses a barrier lies in the workspace. A test's mock team takes the items of a pass in random
/// order, those of passes without a barrier between them mixed.

namespace synelix::sweep {

/// One pass: body(i) for i = 0, ..., count - 1, in any order.
template <class Team, class Body>
KOKKOS_INLINE_FUNCTION void for_each_item(const Team& team, std::int64_t count, const Body& body) {
  if constexpr (requires { team.collect(count, body); }) {
    team.collect(count, body);
  } else {
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, count), body);
  }
}

/// A value that bodies of passes refer to. A team of threads has run a pass when the call returns.
/// A mock team runs items later, also after the scope of the value if a test leaves out a barrier;
/// so it keeps a copy.
template <class Team, class Value>
KOKKOS_INLINE_FUNCTION const Value& kept_for_passes(const Team& team, const Value& value) {
  if constexpr (requires { team.keep(value); }) {
    return team.keep(value);
  } else {
    return value;  // NOLINT(bugprone-return-const-ref-from-parameter): outlives the pass
  }
}

/// What a launch asks for beside the scratch that a team needs: that of a team need not begin at a
/// cache line (on CUDA and HIP it begins 16 bytes behind one).
inline constexpr std::int64_t scratch_slack = 64;

/// Bytes of scratch that a team of CUDA has where nobody asks for more than 48 KiB, which Kokkos 4
/// never does: without what a launch asks for, and what Kokkos takes for each thread.
constexpr std::int64_t usual_scratch_bytes(int threads) {
  return std::int64_t{48} * 1024 - scratch_slack - (std::int64_t{threads} + 2) * 8;
}

/// Memory of the team for as long as it lives, from a cache line on: level-0 scratch. What a team
/// needs is the sum of all that it takes, each rounded up to whole lines.
template <class Value, class Team>
KOKKOS_INLINE_FUNCTION Value* team_memory(const Team& team, std::int64_t values) {
  return static_cast<Value*>(
      team.team_scratch(0).get_shmem_aligned(static_cast<std::size_t>(values) * sizeof(Value), 64));
}

/// The items of a whole that one of several teams takes: a contiguous share.
struct TeamShare {
  std::int64_t begin;
  std::int64_t end;
};

/// Share number `team` of `teams` of `items` items.
KOKKOS_INLINE_FUNCTION constexpr TeamShare team_share(std::int64_t items, std::int64_t team,
                                                      std::int64_t teams) {
  const std::int64_t each = items / teams;
  const std::int64_t more = items % teams;
  const std::int64_t begin = team * each + (team < more ? team : more);
  return {begin, begin + each + (team < more ? 1 : 0)};
}

/// A team's share of items, one after the other: all threads call body(i), which may have passes
/// and barriers.
template <class Team, class Body>
KOKKOS_INLINE_FUNCTION void for_each_team_item(const Team& team, std::int64_t items,
                                               std::int64_t teams, const Body& body) {
  const TeamShare share = team_share(items, team.league_rank(), teams);
  for (std::int64_t i = share.begin; i < share.end; ++i) body(i);
}

/// A team's share of items as one pass: each thread calls body(i) for some of them.
template <class Team, class Body>
KOKKOS_INLINE_FUNCTION void for_each_thread_item(const Team& team, std::int64_t items,
                                                 std::int64_t teams, const Body& body) {
  const TeamShare share = team_share(items, team.league_rank(), teams);
  for_each_item(team, share.end - share.begin, [=](std::int64_t i) { body(share.begin + i); });
}

/// A team's share of items, by one of its threads: body(i) in their order. On a host, where a team
/// is a thread with memory of its own.
template <class Team, class Body>
KOKKOS_INLINE_FUNCTION void for_each_of_share(const Team& team, std::int64_t items,
                                              std::int64_t teams, const Body& body) {
  const TeamShare share = team_share(items, team.league_rank(), teams);
  for_each_item(team, share.begin < share.end ? 1 : 0, [=](std::int64_t) {
    for (std::int64_t i = share.begin; i < share.end; ++i) body(i);
  });
}

}  // namespace synelix::sweep
