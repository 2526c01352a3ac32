// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "access.hpp"

#include "counts.hpp"
#include "faults.hpp"
#include "lanes.hpp"
#include "team.hpp"

#include <algorithm>
#include <bit>

namespace emulator {
namespace {

struct Range {
  u64 low = ~u64{0}, high = 0, bits = 0;
  u64 gaps = 0;  ///< 0: each lane follows the one before
};

void find_addresses(const Warp& warp, const Instruction& i, Access& access) {
  const auto offset = static_cast<u64>(i.offset);
  if (i.base_row == Row::none) {
    access.address.fill(offset);
  } else if (i.base_row == Row::narrow) {
    const auto* base = row<const u32>(warp.rows, i.base);
    EMULATOR_EACH_LANE
    for (std::size_t k = 0; k < lanes_of_warp; ++k)
      access.address[k] = base[k] + static_cast<u32>(offset);
  } else {
    const auto* base = row<const u64>(warp.rows, i.base);
    EMULATOR_EACH_LANE
    for (std::size_t k = 0; k < lanes_of_warp; ++k) access.address[k] = base[k] + offset;
  }
}

Range find_range(const Access& access, u32 lanes, std::size_t bytes) {
  Range range;
  if (lanes == all_lanes) {
    const u64 first = access.address[0];
    for (std::size_t k = 0; k < lanes_of_warp; ++k) {
      const u64 address = access.address[k];
      range.low = std::min(range.low, address);
      range.high = std::max(range.high, address);
      range.bits |= address;
      range.gaps |= address - first - k * bytes;
    }
    return range;
  }
  range.gaps = 1;
  for (std::size_t k = 0; k < lanes_of_warp; ++k) {
    const bool is_in = (lanes >> k & 1) != 0;
    const u64 address = access.address[k];
    range.low = std::min(range.low, is_in ? address : ~u64{0});
    range.high = std::max(range.high, is_in ? address : u64{0});
    range.bits |= is_in ? address : 0;
  }
  return range;
}

Space space_of(u64 address) {
  const u64 window = address & window_mask;
  return window == shared_window  ? Space::shared
         : window == local_window ? Space::local
         : window == param_window ? Space::param
                                  : Space::global;
}

const char* name_of(Purpose purpose) {
  return purpose.is_atomic ? "atomic access" : purpose.writes ? "write" : "read";
}

std::string sized(Purpose purpose, std::size_t bytes, const Warp& warp, int lane) {
  return std::string(name_of(purpose)) + " of " + std::to_string(bytes) + " bytes by " +
         thread_name(warp, lane);
}

unsigned char* find_local(const Warp& warp, const Instruction& i, u64 address, std::size_t bytes,
                          int lane, Purpose purpose) {
  const auto& local = warp.local[static_cast<std::size_t>(lane)];
  const u64 at = address & ~window_mask;
  const Frame& frame = *warp.frame;  // those of its callers are before
  const u64 end = frame.local_begin[static_cast<std::size_t>(lane)] + frame.function->local_bytes;
  if (at + bytes <= end) return const_cast<unsigned char*>(local.data()) + at;
  report("local memory out of bounds", warp, i,
         sized(purpose, bytes, warp, lane) + " at byte " + std::to_string(at) + " of " +
             std::to_string(end));
  return nullptr;
}

unsigned char* find_shared(const Warp& warp, const Instruction& i, u64 address, std::size_t bytes,
                           int lane, Purpose purpose) {
  Team& team = *warp.team;
  const u64 at = address & ~window_mask;
  if (at >= shared_begin && at + bytes <= team.shared_end) {
    return team.shared.data() + (at - shared_begin);
  }
  report("shared memory out of bounds", warp, i,
         sized(purpose, bytes, warp, lane) + " at byte " +
             std::to_string(static_cast<s64>(at - shared_begin)) + " of " +
             std::to_string(team.shared_end - shared_begin));
  return nullptr;
}

/// Parameters by an address; those of a kernel come first.
unsigned char* find_parameter(const Warp& warp, const Instruction& i, u64 address,
                              std::size_t bytes, int lane, Purpose purpose) {
  Frame& frame = *warp.frame;
  const Function& f = *frame.function;
  const u64 at = address & ~window_mask;
  if (at + bytes <= f.uniform_bytes && !purpose.writes) {
    if (at + bytes <= warp.team->parameters->size()) {
      return const_cast<unsigned char*>(warp.team->parameters->data()) + at;
    }
  } else if (at >= f.uniform_bytes && at + bytes <= f.parameter_bytes) {
    return frame.parameters.data() + static_cast<std::size_t>(lane) * frame.parameter_stride +
           (at - f.uniform_bytes);
  }
  report("parameters out of bounds", warp, i,
         sized(purpose, bytes, warp, lane) + " at byte " + std::to_string(at));
  return nullptr;
}

bool may_touch(const Allocation* a, u64 address, std::size_t bytes) {
  if (a == nullptr || !a->is_live || !memory().holds(address)) return false;
  const u64 offset = memory().offset_of(address);
  if (offset < a->begin || offset + bytes > a->begin + a->bytes) return false;
  return memory().is_device(address) || a->kind == Kind::pinned || a->kind == Kind::managed;
}

unsigned char* find_global(const Warp& warp, const Instruction& i, u64 address, std::size_t bytes,
                           int lane, Purpose purpose) {
  Team& team = *warp.team;
  if (!may_touch(team.last, address, bytes)) {
    const Allocation* found = memory().find(address);
    team.last = may_touch(found, address, bytes) ? found : nullptr;
    if (team.last == nullptr) {
      const bool is_freed = found != nullptr && !found->is_live;
      report(is_freed ? "use of freed memory" : "memory out of bounds", warp, i,
             sized(purpose, bytes, warp, lane) + " at " + memory().describe(address));
      return nullptr;
    }
  }
  if (i.space == Space::constant && purpose.writes) {
    report("write to constants", warp, i, memory().describe(address));
    return nullptr;
  }
  return memory().backing(address);
}

unsigned char* find_place(const Warp& warp, const Instruction& i, Space space, u64 address,
                          std::size_t bytes, int lane, Purpose purpose) {
  if (address % bytes != 0) {
    report("misaligned access", warp, i,
           sized(purpose, bytes, warp, lane) + " at address " +
               std::to_string(address & ~window_mask));
    return nullptr;
  }
  switch (space) {
    case Space::local:
      return find_local(warp, i, address, bytes, lane, purpose);
    case Space::shared:
      return find_shared(warp, i, address, bytes, lane, purpose);
    case Space::param:
      return find_parameter(warp, i, address, bytes, lane, purpose);
    default:
      return find_global(warp, i, address, bytes, lane, purpose);
  }
}

/// All lanes inside one allocation, or inside the team's shared memory: one check for them.
bool reach_together(Warp& warp, const Instruction& i, std::size_t bytes, const Range& range,
                    Purpose purpose, Access& access) {
  if (range.bits % bytes != 0) return false;
  std::uintptr_t first = 0;  // inactive lanes may have any address
  if (access.space == Space::shared) {
    const u64 low = range.low & ~window_mask, high = range.high & ~window_mask;
    if (low < shared_begin || high + bytes > warp.team->shared_end) return false;
    first = reinterpret_cast<std::uintptr_t>(warp.team->shared.data()) + (low - shared_begin);
  } else if (access.space == Space::global || access.space == Space::constant) {
    Team& team = *warp.team;
    if (!may_touch(team.last, range.low, bytes)) team.last = memory().find(range.low, false);
    if (!may_touch(team.last, range.low, bytes) || !may_touch(team.last, range.high, bytes)) {
      return false;
    }
    if (i.space == Space::constant && purpose.writes) return false;
    first = reinterpret_cast<std::uintptr_t>(memory().backing(range.low));
  } else {
    return false;
  }
  EMULATOR_EACH_LANE
  for (std::size_t k = 0; k < lanes_of_warp; ++k) {
    access.place[k] = reinterpret_cast<unsigned char*>(first + (access.address[k] - range.low));
  }
  return true;
}

void reach_each(Warp& warp, const Instruction& i, u32 lanes, std::size_t bytes, Purpose purpose,
                Access& access) {
  for (u32 left = lanes; left != 0; left &= left - 1) {
    const auto k = static_cast<std::size_t>(std::countr_zero(left));
    access.place[k] =
        find_place(warp, i, access.space, access.address[k], bytes, static_cast<int>(k), purpose);
    if (access.place[k] == nullptr) access.lanes &= ~(1U << k);
  }
}

}  // namespace

void reach(Warp& warp, const Instruction& i, std::uint32_t lanes, std::size_t bytes,
           Purpose purpose, Access& access) {
  access.lanes = lanes;
  access.space = i.space;
  find_addresses(warp, i, access);
  const Range range = find_range(access, lanes, bytes);

  if (i.space == Space::generic) {
    access.space = space_of(range.low);
    if (space_of(range.high) != access.space) {  // lanes in different memories: one at a time
      for (u32 left = lanes; left != 0; left &= left - 1) {
        const auto k = static_cast<std::size_t>(std::countr_zero(left));
        Access one = access;
        one.space = space_of(access.address[k]);
        one.lanes = 1U << k;
        reach_each(warp, i, one.lanes, bytes, purpose, one);
        access.place[k] = one.place[k];
        access.lanes &= ~(1U << k) | one.lanes;
        if (one.lanes != 0) check_order(warp, i, one, bytes, purpose);
      }
      return;
    }
  }
  // In other memories, the same address is a separate place for each lane.
  const bool is_common = access.space == Space::shared || access.space == Space::global ||
                         access.space == Space::constant;
  access.is_broadcast = is_common && range.low == range.high;
  access.is_contiguous = is_common && range.gaps == 0;
  if (!reach_together(warp, i, bytes, range, purpose, access)) {
    reach_each(warp, i, lanes, bytes, purpose, access);
  }
  if (access.lanes == 0) return;
  if (access.space == Space::shared || access.space == Space::global) {
    check_order(warp, i, access, bytes, purpose);
  }
  if (warp.team->counts != nullptr) {
    count_access(*warp.team->counts, access, bytes, purpose.writes);
  }
}

}  // namespace emulator
