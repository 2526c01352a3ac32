// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Shuffles, votes, matches and reductions: lanes that wait for each other and read each other's
/// values.
#include "faults.hpp"
#include "lanes.hpp"
#include "opcode.hpp"
#include "team.hpp"
#include "types.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <string_view>

namespace emulator {
namespace {

enum class Exchange : u8 {
  sync,
  up,
  down,
  bfly,
  idx,  // shuffles
  all,
  any,
  uni,
  ballot,  // votes
  match_any,
  match_all,
  add,
  min,
  max,
  conjunction,
  disjunction,
  exclusive,  // reductions
};

/// Lanes that take part, their instructions and frames.
struct Meeting {
  std::array<const Instruction*, lanes_of_warp> instruction{};
  std::array<unsigned char*, lanes_of_warp> rows{};
  u32 here = 0, members = 0;
};

u32 member_operand(const Instruction& i) {
  const auto kind = static_cast<Exchange>(i.mode);
  return kind == Exchange::sync ? i.from[0] : kind <= Exchange::idx ? i.from[3] : i.from[1];
}

u32 narrow_at(const Meeting& m, int lane, u32 offset) {
  return row<const u32>(m.rows[static_cast<std::size_t>(lane)], offset)[lane];
}

u64 compared_at(const Meeting& m, int lane) {
  const auto k = static_cast<std::size_t>(lane);
  const Instruction& i = *m.instruction[k];
  return i.vector == 2 ? row<const u64>(m.rows[k], i.from[0])[lane] : narrow_at(m, lane, i.from[0]);
}

bool vote_of(const Meeting& m, int lane) {
  const auto k = static_cast<std::size_t>(lane);
  const u32 mask = *row<const u32>(m.rows[k], m.instruction[k]->from[0]);
  return (mask >> lane & 1) != 0;
}

void put_narrow(const Meeting& m, int lane, u32 value) {
  const auto k = static_cast<std::size_t>(lane);
  row<u32>(m.rows[k], m.instruction[k]->to[0])[lane] = value;
}

void put_bit(const Meeting& m, int lane, u32 offset, bool value) {
  u32& mask = *row<u32>(m.rows[static_cast<std::size_t>(lane)], offset);
  mask = (mask & ~(1U << lane)) | static_cast<u32>(value) << lane;
}

template <class Visit>
void for_each_lane(u32 lanes, Visit visit) {
  for (; lanes != 0; lanes &= lanes - 1) visit(std::countr_zero(lanes));
}

/// The lane that a shuffle reads, and whether it is in the segment.
int source_of(const Instruction& i, int lane, int b, int c, bool& is_in) {
  const int clamp = c & 31, segment = c >> 8 & 31;
  const int most = (lane & segment) | (clamp & ~segment), least = lane & segment;
  int from = lane;
  switch (static_cast<Exchange>(i.mode)) {
    case Exchange::up:
      from = lane - b, is_in = from >= most;
      break;
    case Exchange::down:
      from = lane + b, is_in = from <= most;
      break;
    case Exchange::bfly:
      from = lane ^ b, is_in = from <= most;
      break;
    default:
      from = least | (b & ~segment), is_in = from <= most;
      break;
  }
  return is_in ? from : lane;
}

void shuffle(Warp& warp, const Meeting& m) {
  std::array<u32, lanes_of_warp> values{};
  for_each_lane(m.here, [&](int lane) {
    const auto k = static_cast<std::size_t>(lane);
    values[k] = narrow_at(m, lane, m.instruction[k]->from[0]);
  });
  // All are read before the first is written: results may be sources.
  std::array<u32, lanes_of_warp> made{};
  u32 inside = 0;
  for_each_lane(m.here, [&](int lane) {
    const Instruction& i = *m.instruction[static_cast<std::size_t>(lane)];
    bool is_in = false;
    int from = source_of(i, lane, static_cast<int>(narrow_at(m, lane, i.from[1]) & 31),
                         static_cast<int>(narrow_at(m, lane, i.from[2])), is_in);
    if ((m.here >> from & 1) == 0) {
      if ((m.members >> from & 1) == 0) {
        report("shuffle from a thread outside the mask", warp, i,
               thread_name(warp, lane) + " reads lane " + std::to_string(from));
      }
      from = lane;
    }
    made[static_cast<std::size_t>(lane)] = values[static_cast<std::size_t>(from)];
    inside |= static_cast<u32>(is_in) << lane;
  });
  for_each_lane(m.here, [&](int lane) {
    const auto k = static_cast<std::size_t>(lane);
    put_narrow(m, lane, made[k]);
    put_bit(m, lane, m.instruction[k]->to[1], (inside >> lane & 1) != 0);
  });
}

void vote(const Meeting& m) {
  u32 ballot = 0;
  for_each_lane(m.here, [&](int lane) { ballot |= static_cast<u32>(vote_of(m, lane)) << lane; });
  for_each_lane(m.here, [&](int lane) {
    const Instruction& i = *m.instruction[static_cast<std::size_t>(lane)];
    switch (static_cast<Exchange>(i.mode)) {
      case Exchange::ballot:
        put_narrow(m, lane, ballot);
        break;
      case Exchange::all:
        put_bit(m, lane, i.to[0], ballot == m.here);
        break;
      case Exchange::any:
        put_bit(m, lane, i.to[0], ballot != 0);
        break;
      default:
        put_bit(m, lane, i.to[0], ballot == 0 || ballot == m.here);
        break;
    }
  });
}

void match(const Meeting& m) {
  std::array<u32, lanes_of_warp> same{};
  for_each_lane(m.here, [&](int lane) {
    for_each_lane(m.here, [&](int other) {
      const bool is_same = compared_at(m, lane) == compared_at(m, other);
      same[static_cast<std::size_t>(lane)] |= static_cast<u32>(is_same) << other;
    });
  });
  for_each_lane(m.here, [&](int lane) {
    const Instruction& i = *m.instruction[static_cast<std::size_t>(lane)];
    const u32 mask = same[static_cast<std::size_t>(lane)];
    if (static_cast<Exchange>(i.mode) == Exchange::match_any) return put_narrow(m, lane, mask);
    put_narrow(m, lane, mask == m.here ? mask : 0);
    put_bit(m, lane, i.to[1], mask == m.here);
  });
}

u32 reduced(Exchange kind, bool is_signed, u32 a, u32 b) {
  const bool is_less = is_signed ? static_cast<s32>(a) < static_cast<s32>(b) : a < b;
  switch (kind) {
    case Exchange::add:
      return a + b;
    case Exchange::min:
      return is_less ? a : b;
    case Exchange::max:
      return is_less ? b : a;
    case Exchange::conjunction:
      return a & b;
    case Exchange::disjunction:
      return a | b;
    default:
      return a ^ b;
  }
}

/// Vector 3: of signed values.
void reduce(const Meeting& m) {
  const Instruction& i = *m.instruction[static_cast<std::size_t>(std::countr_zero(m.here))];
  bool is_first = true;
  u32 all = 0;
  for_each_lane(m.here, [&](int lane) {
    const u32 value = narrow_at(m, lane, m.instruction[static_cast<std::size_t>(lane)]->from[0]);
    all = is_first ? value : reduced(static_cast<Exchange>(i.mode), i.vector == 3, all, value);
    is_first = false;
  });
  for_each_lane(m.here, [&](int lane) { put_narrow(m, lane, all); });
}

void meet(Warp& warp, const std::vector<Fragment*>& parts, u32 members) {
  Meeting m;
  m.members = members;
  const Instruction& first = *parts[0]->waits;
  for (const Fragment* part : parts) {
    m.here |= part->lanes;
    for_each_lane(part->lanes, [&](int lane) {
      m.instruction[static_cast<std::size_t>(lane)] = part->waits;
      m.rows[static_cast<std::size_t>(lane)] = part->frame->rows;
    });
    if (part->waits != &first) {
      report("shuffle or vote of a warp at different places", warp, *part->waits,
             "and at PTX line " + std::to_string(first.line));
    }
  }
  const auto kind = static_cast<Exchange>(first.mode);
  if ((members & warp.unused) != 0 && kind != Exchange::sync) {
    report("shuffle or vote with threads that have ended", warp, first,
           "mask of lanes " + std::to_string(members));
  }
  if (kind == Exchange::sync) {
  } else if (kind <= Exchange::idx) {
    shuffle(warp, m);
  } else if (kind <= Exchange::ballot) {
    vote(m);
  } else if (kind <= Exchange::match_all) {
    match(m);
  } else {
    reduce(m);
  }
  ++warp.sync;
}

/// Lanes with one mask have come: the exchange runs if they are all, or else they wait.
void arrive(Warp& warp, const Instruction& i, u32 lanes, u32 members) {
  if ((lanes & ~members) != 0) {
    report("thread outside its own mask", warp, i,
           thread_name(warp, std::countr_zero(lanes & ~members)) + ", mask of lanes " +
               std::to_string(members));
  }
  const u32 wanted = members & ~warp.unused;
  Fragment f{warp.frame, warp.next, lanes, State::at_warp, &i, members};
  if ((lanes & wanted) == wanted) return meet(warp, {&f}, members);
  warp.fragments.push_back(f);
  leave(warp, lanes);
  if (release_members(warp)) warp.stop = nullptr;
}

void run_exchange(Warp& warp, const Instruction& i, u32 lanes) {
  const auto* members = source<u32>(warp, member_operand(i));
  while (lanes != 0) {
    const u32 wanted = members[std::countr_zero(lanes)];
    u32 same = 0;
    for_each_lane(lanes,
                  [&](int lane) { same |= static_cast<u32>(members[lane] == wanted) << lane; });
    lanes &= ~same;
    arrive(warp, i, same, wanted);
  }
}

Shape find_reduction(const Opcode& opcode, Instruction& i) {
  constexpr std::array<std::string_view, 6> names = {"add", "min", "max", "and", "or", "xor"};
  for (std::size_t k = 0; k < names.size(); ++k) {
    if (opcode.parts.size() != 4 || opcode.parts[1] != "sync" || opcode.parts[2] != names[k])
      continue;
    i.mode = static_cast<u8>(static_cast<std::size_t>(Exchange::add) + k);
    i.vector = opcode.type() == "s32" ? 3 : 1;
    const bool is_known =
        opcode.type() == "s32" || opcode.type() == "u32" || opcode.type() == "b32";
    return {is_known ? run_exchange : nullptr, "n=nn"};
  }
  return {};
}

Shape with_mode(Instruction& i, Exchange kind, const char* rows) {
  i.mode = static_cast<u8>(kind);
  return {run_exchange, rows};
}

}  // namespace

bool release_members(Warp& warp) {
  bool any = false;
  for (std::size_t k = 0; k < warp.fragments.size(); ++k) {
    if (warp.fragments[k].state != State::at_warp) continue;
    const u32 members = warp.fragments[k].members;
    std::vector<Fragment*> parts;
    u32 here = 0;
    for (Fragment& f : warp.fragments) {
      if (f.state != State::at_warp || f.members != members) continue;
      parts.push_back(&f);
      here |= f.lanes;
    }
    const u32 wanted = members & ~warp.unused;
    if ((here & wanted) != wanted) continue;
    meet(warp, parts, members);
    for (Fragment* part : parts) part->state = State::ready;
    any = true;
  }
  return any;
}

Shape find_warp_wide(const Opcode& opcode, Instruction& i) {
  const std::string& name = opcode.name();
  if (name == "bar" && opcode.text == "bar.warp.sync") return with_mode(i, Exchange::sync, "=n");
  if (!opcode.has("sync")) return {};
  if (name == "shfl" && opcode.type() == "b32") {
    if (opcode.has("up")) return with_mode(i, Exchange::up, "nm=nnnn");
    if (opcode.has("down")) return with_mode(i, Exchange::down, "nm=nnnn");
    if (opcode.has("bfly")) return with_mode(i, Exchange::bfly, "nm=nnnn");
    if (opcode.has("idx")) return with_mode(i, Exchange::idx, "nm=nnnn");
  }
  if (name == "vote") {
    if (opcode.has("all")) return with_mode(i, Exchange::all, "m=mn");
    if (opcode.has("any")) return with_mode(i, Exchange::any, "m=mn");
    if (opcode.has("uni")) return with_mode(i, Exchange::uni, "m=mn");
    if (opcode.has("ballot")) return with_mode(i, Exchange::ballot, "n=mn");
  }
  if (name == "match") {
    const bool is_wide = opcode.type() == "b64";
    i.vector = is_wide ? 2 : 1;
    if (opcode.has("any")) return with_mode(i, Exchange::match_any, is_wide ? "n=wn" : "n=nn");
    if (opcode.has("all")) return with_mode(i, Exchange::match_all, is_wide ? "nm=wn" : "nm=nn");
  }
  if (name == "redux") return find_reduction(opcode, i);
  return {};
}

}  // namespace emulator
