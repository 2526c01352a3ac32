// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "warp.hpp"

#include "counts.hpp"
#include "lanes.hpp"
#include "settings.hpp"
#include "team.hpp"

#include <algorithm>
#include <cstring>
#include <random>

namespace emulator {
namespace {

constexpr std::size_t cache_line = 64;

u32 special_value(const Warp& warp, Special special, int lane) {
  const Team& team = *warp.team;
  const u32 thread = warp.thread(lane), bit = 1U << lane;
  const auto number = static_cast<u32>(team.number);
  switch (special) {
    case Special::tid_x:
      return thread % team.block.x;
    case Special::tid_y:
      return thread / team.block.x % team.block.y;
    case Special::tid_z:
      return thread / team.block.x / team.block.y;
    case Special::ntid_x:
      return team.block.x;
    case Special::ntid_y:
      return team.block.y;
    case Special::ntid_z:
      return team.block.z;
    case Special::ctaid_x:
      return number % team.grid.x;
    case Special::ctaid_y:
      return number / team.grid.x % team.grid.y;
    case Special::ctaid_z:
      return number / team.grid.x / team.grid.y;
    case Special::nctaid_x:
      return team.grid.x;
    case Special::nctaid_y:
      return team.grid.y;
    case Special::nctaid_z:
      return team.grid.z;
    case Special::laneid:
      return static_cast<u32>(lane);
    case Special::warpid:
      return static_cast<u32>(warp.number);
    case Special::nwarpid:
      return static_cast<u32>(team.warps.size());
    case Special::lanemask_eq:
      return bit;
    case Special::lanemask_le:
      return bit | (bit - 1);
    case Special::lanemask_lt:
      return bit - 1;
    case Special::lanemask_ge:
      return ~(bit - 1);
    case Special::lanemask_gt:
      return ~(bit | (bit - 1));
    case Special::dynamic_smem_size:
      return static_cast<u32>(team.dynamic_bytes);
    case Special::total_smem_size:
      return static_cast<u32>(team.shared_end);
    case Special::nsmid:
      return static_cast<u32>(settings().multiprocessors);
    case Special::smid:
    case Special::gridid:
      return 0;
  }
  return 0;
}

u64 slot_value(const Warp& warp, const Frame& frame, const Slot& slot, int lane) {
  switch (slot.content) {
    case Content::special:
      return special_value(warp, slot.special, lane);
    case Content::shared:
      return shared_address(*warp.team->kernel, slot.name) + slot.addend;
    case Content::local:
      return frame.local_begin[static_cast<std::size_t>(lane)] + slot.value + slot.addend;
    default:
      return slot.value;
  }
}

void fill_slot(Warp& warp, const Frame& frame, const Slot& slot) {
  if (slot.row == Row::mask) {
    *row<u32>(frame.rows, slot.offset) = slot.value != 0 ? all_lanes : 0;
    return;
  }
  const bool differs = slot.content == Content::special || slot.content == Content::local;
  u64 value = slot_value(warp, frame, slot, 0);
  for (int lane = 0; lane < lanes_of_warp; ++lane) {
    if (differs && lane > 0) value = slot_value(warp, frame, slot, lane);
    if (slot.row == Row::wide)
      row<u64>(frame.rows, slot.offset)[lane] = value;
    else
      row<u32>(frame.rows, slot.offset)[lane] = static_cast<u32>(value);
  }
}

Frame& spare_frame(Warp& warp, const Function& function, bool& is_new) {
  auto& spare = warp.spare_frames;
  const auto found = std::find_if(spare.begin(), spare.end(), [&](const auto& frame) {
    return frame->function_id == function.id;
  });
  is_new = found == spare.end();
  if (is_new) {
    auto made = std::make_unique<Frame>();
    made->memory = std::make_unique<unsigned char[]>(function.frame_bytes + cache_line);
    const auto begin = reinterpret_cast<std::uintptr_t>(made->memory.get());
    made->rows = made->memory.get() + (cache_line - begin % cache_line) % cache_line;
    warp.frames.push_back(std::move(made));
  } else {
    warp.frames.push_back(std::move(*found));
    spare.erase(found);
  }
  return *warp.frames.back();
}

std::mt19937& random_numbers() {
  static std::mt19937 made(settings().seed);
  return made;
}

/// The fragment that runs next, or -1.
int choose(const Warp& warp) {
  const auto& all = warp.fragments;
  const Settings& s = settings();
  int best = -1, count = 0;
  for (int k = 0; k < static_cast<int>(all.size()); ++k) {
    const Fragment& f = all[static_cast<std::size_t>(k)];
    if (f.state != State::ready) continue;
    ++count;
    if (s.order == Order::random) {
      if (random_numbers()() % static_cast<unsigned>(count) == 0) best = k;
      continue;
    }
    if (best < 0) {
      best = k;
      if (warp.rotates) return best;  // the one that waits longest
      continue;
    }
    const Fragment& b = all[static_cast<std::size_t>(best)];
    if (s.apart) {
      const bool is_before = std::countr_zero(f.lanes) < std::countr_zero(b.lanes);
      if (is_before == (s.order == Order::forward)) best = k;
    } else if (f.frame->depth != b.frame->depth) {
      if (f.frame->depth > b.frame->depth) best = k;
    } else if (f.frame == b.frame && f.next < b.next) {
      best = k;
    }
  }
  return best;
}

/// Joins the fragments at the same place, and finds the place where the next other one waits.
void join(Warp& warp) {
  auto& all = warp.fragments;
  warp.stop = warp.frame->function->code.data() + warp.frame->function->code.size() + 1;
  if (settings().apart) return;
  for (std::size_t k = 0; k < all.size();) {
    const Fragment& f = all[k];
    if (f.state != State::ready || f.frame != warp.frame || f.next < warp.next) {
      ++k;
    } else if (f.next == warp.next) {
      warp.active |= f.lanes;
      all.erase(all.begin() + static_cast<std::ptrdiff_t>(k));
    } else {
      warp.stop = std::min(warp.stop, f.next);
      ++k;
    }
  }
}

bool pick(Warp& warp) {
  const int chosen = choose(warp);
  if (chosen < 0) return false;
  warp.rotates = false;
  const Fragment f = warp.fragments[static_cast<std::size_t>(chosen)];
  warp.fragments.erase(warp.fragments.begin() + chosen);
  warp.frame = f.frame;
  warp.rows = f.frame->rows;
  warp.next = f.next;
  warp.active = f.lanes;
  join(warp);
  if (settings().order == Order::random) {
    const u32 some = warp.active & static_cast<u32>(random_numbers()());
    if (some != 0 && some != warp.active) {
      warp.fragments.push_back({warp.frame, warp.next, warp.active & ~some});
      warp.active = some;
    }
  }
  return true;
}

template <bool counts>
void run_fragment(Warp& warp) {
  u64 budget = warp.budget, executed = 0;
  while (warp.next < warp.stop && budget > 0) {
    const Instruction& i = *warp.next++;
    --budget;
    const u32 lanes = warp.active & (mask_at(warp, i.predicate) ^ i.invert);
    executed += i.counts * static_cast<unsigned>(std::popcount(warp.active));
    if constexpr (counts) {
      warp.team->counts->issued += i.counts;
      auto& executed_here = warp.frame->function->executed;
      if (!executed_here.empty()) {
        const auto number = static_cast<std::size_t>(&i - warp.frame->function->code.data());
        executed_here[number] += i.counts * static_cast<unsigned>(std::popcount(warp.active));
        warp.frame->function->issued[number] += i.counts;
      }
      if (i.is_multiply_add) {
        warp.team->counts->multiply_adds += static_cast<u64>(std::popcount(lanes));
      }
    }
    if (lanes != 0) i.run(warp, i, lanes);
  }
  warp.budget = budget;
  warp.instructions += executed;
}

}  // namespace

Frame& enter_frame(Warp& warp, const Function& function, std::uint32_t lanes) {
  bool is_new = false;
  Frame* caller = warp.frames.empty() ? nullptr : warp.frame;
  Frame& frame = spare_frame(warp, function, is_new);
  frame.function = &function;
  frame.function_id = function.id;
  frame.caller = caller;
  frame.depth = caller != nullptr ? caller->depth + 1 : 0;
  frame.lanes = lanes;
  frame.parameter_stride = (function.parameter_bytes - function.uniform_bytes + 15) / 16 * 16;
  frame.parameters.assign(frame.parameter_stride * lanes_of_warp, 0);
  for (std::size_t lane = 0; lane < lanes_of_warp; ++lane) {
    const std::size_t before =
        caller != nullptr ? caller->local_begin[lane] + caller->function->local_bytes : 0;
    frame.local_begin[lane] = (before + 15) / 16 * 16;
    const std::size_t end = frame.local_begin[lane] + function.local_bytes;
    if (warp.local[lane].size() < end) warp.local[lane].resize(end);
  }
  for (const u32 slot : function.filled) {
    const Slot& s = function.slots[slot];
    if (is_new || s.content != Content::constant) fill_slot(warp, frame, s);
  }
  warp.frame = &frame;
  warp.rows = frame.rows;
  return frame;
}

void start(Warp& warp, const Function& kernel, std::uint32_t threads) {
  for (auto& frame : warp.frames) {
    if (warp.spare_frames.size() < 64) warp.spare_frames.push_back(std::move(frame));
  }
  warp.frames.clear();
  warp.fragments.clear();
  warp.carry = 0;
  warp.sync = 0;
  warp.rotates = false;
  warp.instructions = 0;
  const u32 lanes = threads >= lanes_of_warp ? all_lanes : (1U << threads) - 1;
  warp.unused = ~lanes;
  Frame& frame = enter_frame(warp, kernel, lanes);
  const Instruction* first = kernel.code.data();
  if (!settings().apart) {
    warp.fragments.push_back({&frame, first, lanes});
    return;
  }
  for (int lane = 0; lane < lanes_of_warp; ++lane) {
    if ((lanes >> lane & 1) != 0) warp.fragments.push_back({&frame, first, 1U << lane});
  }
}

bool run(Warp& warp) {
  bool any = false;
  const u64 slice = settings().slice;
  for (u64 left = slice; left > 0 && pick(warp);) {
    any = true;
    const u64 granted = settings().order == Order::random ? 1 + random_numbers()() % left : left;
    warp.budget = granted;
    if (warp.team->counts != nullptr)
      run_fragment<true>(warp);
    else
      run_fragment<false>(warp);
    left -= granted - warp.budget;
    warp.rotates = warp.budget == 0;
    if (warp.active != 0) warp.fragments.push_back({warp.frame, warp.next, warp.active});
  }
  return any;
}

void leave(Warp& warp, std::uint32_t lanes) {
  warp.active &= ~lanes;
  if (warp.active == 0) warp.stop = nullptr;
}

void branch(Warp& warp, std::uint32_t lanes, const Instruction* target) {
  if (const u32 rest = warp.active & ~lanes; rest != 0) {
    warp.fragments.push_back({warp.frame, warp.next, rest});
    warp.active = lanes;
    warp.stop = nullptr;
  }
  warp.next = target;
}

}  // namespace emulator
