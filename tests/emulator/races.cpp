// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Races and unwritten values: a shadow of each four bytes records their last accesses. Barriers
/// order the threads of a team, synchronizations order the threads of a warp, and only the end of a
/// launch orders teams.
#include "access.hpp"
#include "faults.hpp"
#include "lanes.hpp"
#include "settings.hpp"
#include "team.hpp"

#include <algorithm>
#include <bit>

namespace emulator {
namespace {

// Flags of a write: it was atomic. Of reads: all of them were atomic; several threads of one
// warp, threads of several warps.
constexpr u8 atomic = 1, by_warp = 2, by_warps = 4;

/// Common data of all lanes of an access.
struct Moment {
  Moment(const Warp& w, const Instruction& i, Purpose p, bool shared)
      : warp(w), instruction(i), purpose(p), is_shared(shared) {
    const Team& team = *w.team;
    epoch = team.epoch;
    first_epoch = team.first_epoch;
    const bool ignores_teams = shared || team.wrote_atomically;
    oldest = ignores_teams ? team.first_epoch : team.launch_epoch;
    finds_races = settings().races;
    finds_unknown = settings().unknown && (!shared || settings().unknown_shared);
  }

  /// Whether an access of that epoch is ordered with the present one, for any thread.
  bool is_before(u32 other) const {
    return other < epoch && (other >= first_epoch || other < oldest);
  }

  const Warp& warp;
  const Instruction& instruction;
  Purpose purpose;
  bool is_shared, finds_races, finds_unknown;
  u32 epoch, first_epoch, oldest;
};

/// One thread's access to four bytes, or to a part of them.
struct Touch {
  u64 address;
  int lane;
  u16 thread;
  u8 mask;
};

std::string place_of(const Moment& moment, u64 address) {
  return moment.is_shared ? "shared byte " + std::to_string((address & ~window_mask) - shared_begin)
                          : memory().describe(address);
}

bool is_ordered_source(const Module& module, std::uint32_t line) {
  const std::string& parts = settings().ordered_sources;
  if (parts.empty()) return false;
  const std::string path = module.path_of_line(line);
  for (std::size_t begin = 0; begin < parts.size();) {
    const std::size_t end = std::min(parts.find(':', begin), parts.size());
    if (end > begin && path.find(parts.substr(begin, end - begin)) != std::string::npos)
      return true;
    begin = end + 1;
  }
  return false;
}

struct Earlier {
  const char* what;
  u32 thread, epoch, line;
};

void report_race(const Moment& moment, const Touch& t, const Earlier& earlier) {
  const Team& team = *moment.warp.team;
  const Module& module = *team.kernel->module;
  const bool between_teams = earlier.epoch < moment.first_epoch;
  const char* now = moment.purpose.writes ? "write" : "read";
  if (is_ordered_source(module, earlier.line) &&
      is_ordered_source(module, moment.instruction.line)) {
    return;
  }
  report(std::string(between_teams ? "race between teams" : "race") +
             (moment.is_shared ? " in shared memory" : " in global memory"),
         moment.warp, moment.instruction,
         std::string(now) + " by " + thread_name(moment.warp, t.lane) + ", " + earlier.what +
             " by thread " + std::to_string(earlier.thread) + " of team " +
             std::to_string(between_teams ? team_of_epoch(earlier.epoch) : team.number) + " at " +
             module.where_of_line(earlier.line) + "; " + place_of(moment, t.address),
         std::to_string(earlier.line) + now + earlier.what);
}

/// Of accesses that no barrier orders: those of one thread, and of a warp that synchronized.
bool is_ordered_in_warp(const Moment& moment, u32 thread, u16 sync, u16 me) {
  if (thread == me) return true;
  return thread / lanes_of_warp == me / lanes_of_warp && sync != moment.warp.sync;
}

[[gnu::noinline]] void check_against_write(const Moment& moment, const Touch& t, Trace write) {
  const bool was_atomic = (write.flags & atomic) != 0;
  if ((write.mask & t.mask) == 0 || (moment.purpose.is_atomic && was_atomic)) return;
  const bool same_epoch = write.epoch == moment.epoch;
  if (same_epoch && is_ordered_in_warp(moment, write.thread, write.sync, t.thread)) return;
  const char* what = was_atomic ? "atomic write" : "write";
  report_race(moment, t, {what, write.thread, write.epoch, write.line});
}

[[gnu::noinline]] void check_against_reads(const Moment& moment, const Touch& t, Trace read) {
  if ((read.mask & t.mask) == 0) return;
  if (moment.purpose.is_atomic && (read.flags & atomic) != 0) return;
  if (read.epoch == moment.epoch && (read.flags & by_warps) == 0) {
    const bool same_warp = read.thread / lanes_of_warp == t.thread / lanes_of_warp;
    if (same_warp && read.sync != moment.warp.sync) return;
    if ((read.flags & by_warp) == 0 && read.thread == t.thread) return;
  }
  report_race(moment, t, {"read", read.thread, read.epoch, read.line});
}

[[gnu::noinline]] void report_unknown(const Moment& moment, const Touch& t) {
  const bool writes = moment.purpose.writes;
  if (writes && !(moment.purpose.is_atomic && moment.purpose.returns)) return;
  report(writes             ? "atomic on what nothing wrote"
         : moment.is_shared ? "read of shared memory that nothing wrote"
                            : "read of memory that nothing wrote",
         moment.warp, moment.instruction,
         place_of(moment, t.address) + " by " + thread_name(moment.warp, t.lane));
}

/// The records of a warp's threads: they differ only in their number.
struct Prints {
  explicit Prints(const Moment& m)
      : epoch(m.epoch),
        first_epoch(m.first_epoch),
        oldest(m.oldest),
        line(m.instruction.line),
        sync(m.warp.sync),
        first_thread(static_cast<u16>(m.warp.thread(0))),
        is_atomic(m.purpose.is_atomic),
        finds_unknown(m.finds_unknown) {}

  Trace of(u16 thread, u8 mask, u8 flags, u16 known) const {
    return {epoch, line, thread, sync, mask, flags, known};
  }
  bool is_before(u32 other) const {
    return other < epoch && (other >= first_epoch || other < oldest);
  }

  u32 epoch, first_epoch, oldest, line;
  u16 sync, first_thread;
  bool is_atomic, finds_unknown;
};

Trace joined_reads(const Prints& now, Trace before, u16 thread, u8 mask) {
  const bool same_warp = before.thread / lanes_of_warp == thread / lanes_of_warp;
  const u8 more = before.thread == thread   ? 0
                  : !same_warp              ? by_warps
                  : before.sync == now.sync ? by_warp
                                            : 0;
  const u8 kept = now.is_atomic ? before.flags : before.flags & static_cast<u8>(~atomic);
  return now.of(thread, before.mask | mask, kept | more, 0);
}

/// Another read of values that the entire team or this warp has already read adds no record.
bool is_read_already(const Prints& now, Trace before, u16 thread, u8 mask) {
  if (before.epoch != now.epoch || (before.mask & mask) != mask || before.flags & atomic) {
    return false;
  }
  const bool same_warp = before.thread / lanes_of_warp == thread / lanes_of_warp;
  return (before.flags & by_warps) != 0 ||
         ((before.flags & by_warp) != 0 && same_warp && before.sync == now.sync);
}

/// The rare part of a check: something may be wrong. Not in the loop, whose registers it would
/// take.
template <bool writes>
[[gnu::noinline, gnu::cold]] void examine(const Moment& moment, u64 address, int lane, u8 mask,
                                          Trace write, Trace read) {
  const Touch t{address, lane, static_cast<u16>(moment.warp.thread(lane)), mask};
  if (moment.finds_unknown && (write.known & mask) != mask) report_unknown(moment, t);
  if (!moment.is_before(write.epoch)) check_against_write(moment, t, write);
  if (writes && !moment.is_before(read.epoch)) check_against_reads(moment, t, read);
}

/// One thread's access to a word, or to the bytes of the mask.
template <bool writes>
[[gnu::always_inline]] inline void check_word(const Moment& moment, const Prints& now, u64 address,
                                              int lane, u8 mask, Shadow& s) {
  const Trace write = s.write, read = s.read;
  const auto thread = static_cast<u16>(now.first_thread + lane);
  const bool is_known = !now.finds_unknown || (write.known & mask) == mask;
  bool is_sound = is_known && now.is_before(write.epoch);
  if (writes) is_sound = is_sound && now.is_before(read.epoch);
  if (!is_sound) [[unlikely]]
    examine<writes>(moment, address, lane, mask, write, read);
  if (writes) {
    const bool adds = write.epoch == now.epoch && write.thread == thread;
    const u8 both = adds ? write.mask | mask : mask;
    s.write = now.of(thread, both, now.is_atomic ? atomic : 0, write.known | mask);
  } else if (read.epoch != now.epoch) {
    s.read = now.of(thread, mask, now.is_atomic ? atomic : 0, 0);
  } else if (!is_read_already(now, read, thread, mask)) {
    s.read = joined_reads(now, read, thread, mask);
  }
}

/// Of lanes in a row that read the same address, the first and the last leave all traces.
bool is_between_equals(const Access& access, std::size_t lane) {
  const u32 three = 7;
  if (lane == 0 || lane + 1 >= lanes_of_warp) return false;
  return (access.lanes >> (lane - 1) & three) == three &&
         access.address[lane - 1] == access.address[lane + 1] &&
         access.address[lane - 1] == access.address[lane];
}

template <bool writes, bool is_part>
void check_lanes(const Moment& moment, const Access& access, u32 lanes, std::size_t bytes) {
  const u64 first = access.address[static_cast<std::size_t>(std::countr_zero(lanes))];
  const Prints now(moment);
  Shadow* const shadow =
      moment.is_shared
          ? &moment.warp.team->shared_shadow[((first & ~window_mask) - shared_begin) / 4]
          : memory().shadow_of(first);
  const auto first_word = static_cast<std::int64_t>(first / 4);
  for (; lanes != 0; lanes &= lanes - 1) {
    const int lane = std::countr_zero(lanes);
    u64 address = access.address[static_cast<std::size_t>(lane)];
    if (!writes && is_between_equals(access, static_cast<std::size_t>(lane))) continue;
    Shadow* word = shadow + (static_cast<std::int64_t>(address / 4) - first_word);
    if (is_part) {
      const auto mask = static_cast<u8>(((1U << bytes) - 1) << (address % 4));
      check_word<writes>(moment, now, address, lane, mask, *word);
      continue;
    }
    for (const u64 end = address + bytes; address < end; address += 4) {
      check_word<writes>(moment, now, address, lane, 15, *word++);
    }
  }
}

template <bool writes>
void check_lanes(const Moment& moment, const Access& access, u32 lanes, std::size_t bytes) {
  if (bytes < 4) return check_lanes<writes, true>(moment, access, lanes, bytes);
  check_lanes<writes, false>(moment, access, lanes, bytes);
}

/// Without races, only whether values are known matters.
void check_known(const Moment& moment, const Access& access, std::size_t bytes) {
  for (u32 lanes = access.lanes; lanes != 0; lanes &= lanes - 1) {
    const int lane = std::countr_zero(lanes);
    const u64 address = access.address[static_cast<std::size_t>(lane)];
    for (u64 at = address; at < address + bytes; at += 4) {
      Trace& write =
          moment.is_shared
              ? moment.warp.team->shared_shadow[((at & ~window_mask) - shared_begin) / 4].write
              : memory().shadow_of(at)->write;
      const u32 here = bytes < 4 ? ((1U << bytes) - 1) << (at % 4) : 15U;
      const Touch t{at, lane, 0, static_cast<u8>(here)};
      if (moment.finds_unknown && (write.known & here) != here) report_unknown(moment, t);
      if (moment.purpose.writes) write.known |= static_cast<u16>(here);
    }
  }
}

}  // namespace

void check_order(Warp& warp, const Instruction& i, const Access& access, std::size_t bytes,
                 Purpose purpose) {
  if (access.space != Space::shared && access.space != Space::global) return;
  const bool is_shared = access.space == Space::shared;
  if (!is_shared && purpose.writes && purpose.is_atomic) warp.team->wrote_atomically = true;
  const Moment moment(warp, i, purpose, is_shared);
  if (!moment.finds_races) return check_known(moment, access, bytes);
  u32 lanes = access.lanes;
  if (purpose.writes) return check_lanes<true>(moment, access, lanes, bytes);
  // One read by the entire warp: two lanes leave the same records as all of them.
  if (access.is_broadcast) lanes = (lanes & (0U - lanes)) | std::bit_floor(lanes);
  check_lanes<false>(moment, access, lanes, bytes);
}

}  // namespace emulator
