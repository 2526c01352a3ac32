// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

/// \file
/// Passes of a team. A sweep is a sequence of passes over virtual items, separated by barriers. On
/// a host the single thread of a team processes all items in turn; on a device each thread
/// processes some. Data that cross a barrier are in the workspace. A test's mock team processes the
/// items of a pass in random order, and mixes those of passes without a barrier between them.

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

/// A value that bodies of passes reference. A team of threads has run a pass when the call returns.
/// A mock team runs items later; if a test removes a barrier, also after the end of the value's
/// scope. So it keeps a copy.
template <class Team, class Value>
KOKKOS_INLINE_FUNCTION const Value& kept_for_passes(const Team& team, const Value& value) {
  if constexpr (requires { team.keep(value); }) {
    return team.keep(value);
  } else {
    return value;  // NOLINT(bugprone-return-const-ref-from-parameter): outlives the pass
  }
}

/// Extra scratch of a launch beyond the needs of a team: the scratch of a team need not begin at a
/// cache line (on CUDA and HIP it begins 16 bytes after one).
inline constexpr std::int64_t scratch_slack = 64;

/// Scratch bytes of a CUDA team without a request for more than 48 KiB, which Kokkos 4 never makes:
/// without the extra scratch of a launch, and Kokkos' own memory for each thread.
constexpr std::int64_t usual_scratch_bytes(int threads) {
  return std::int64_t{48} * 1024 - scratch_slack - (std::int64_t{threads} + 2) * 8;
}

/// Memory of the team for its lifetime, aligned to a cache line: level-0 scratch. A team needs the
/// sum of all such memory, each rounded up to full cache lines.
template <class Value, class Team>
KOKKOS_INLINE_FUNCTION Value* team_memory(const Team& team, std::int64_t values) {
  return static_cast<Value*>(
      team.team_scratch(0).get_shmem_aligned(static_cast<std::size_t>(values) * sizeof(Value), 64));
}

/// A contiguous share of items for one of several teams.
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

/// A team's share of items in turn: all threads call body(i), which may have passes and barriers.
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

/// A team's share of items, by one of its threads: body(i) in their order. For a host, where a team
/// is one thread with its own memory.
template <class Team, class Body>
KOKKOS_INLINE_FUNCTION void for_each_of_share(const Team& team, std::int64_t items,
                                              std::int64_t teams, const Body& body) {
  const TeamShare share = team_share(items, team.league_rank(), teams);
  for_each_item(team, share.begin < share.end ? 1 : 0, [=](std::int64_t) {
    for (std::int64_t i = share.begin; i < share.end; ++i) body(i);
  });
}

template <class Scalar>
KOKKOS_INLINE_FUNCTION constexpr bool is_finite(Scalar value) {
  return value - value == Scalar(0);
}

}  // namespace synelix::sweep
