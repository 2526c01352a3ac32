// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Registers whose values are never needed at the same time share a row of the frame, so that
/// the rows of a warp stay in the processor's caches: PTX has a register for nearly each result.
#include "binder.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

namespace emulator {
namespace {

constexpr std::uint32_t row_align = 64;
constexpr std::uint32_t first_row = sink_offset + 256;

std::uint32_t bytes_of(Row row) { return row == Row::wide ? 256 : row == Row::narrow ? 128 : 4; }

/// From the first to the last instruction that needs a register.
struct Life {
  std::int32_t first = std::numeric_limits<std::int32_t>::max(), last = -1;
  int writes = 0;
  bool begins_with_value = false;  ///< its first instruction writes it in all lanes that come by
};

struct Loop {
  std::int32_t first, last;
};

void meet(Life& life, std::int32_t at, bool writes, bool in_all_lanes) {
  if (life.last < 0) life.begins_with_value = writes && in_all_lanes;
  if (life.last == at && !writes) life.begins_with_value = false;
  life.first = std::min(life.first, at);
  life.last = std::max(life.last, at);
  life.writes += writes ? 1 : 0;
}

std::vector<Life> find_lives(const Function& function) {
  std::vector<Life> lives(function.slots.size());
  for (std::size_t k = 0; k < function.code.size(); ++k) {
    const Instruction& i = function.code[k];
    const auto at = static_cast<std::int32_t>(k);
    const bool in_all_lanes = i.predicate == Binder::always;
    for (const std::uint32_t slot : i.from) meet(lives[slot], at, false, true);
    meet(lives[i.base], at, false, true);
    meet(lives[i.predicate], at, false, true);
    for (const std::uint32_t slot : i.to) meet(lives[slot], at, true, in_all_lanes);
  }
  return lives;
}

std::vector<Loop> find_loops(const Function& function) {
  std::vector<Loop> loops;
  for (std::size_t k = 0; k < function.code.size(); ++k) {
    const Instruction& i = function.code[k];
    const auto at = static_cast<std::int32_t>(k);
    if (i.target < 0) {
      for (const std::int32_t target : function.tables[static_cast<std::size_t>(-1 - i.target)]) {
        if (target <= at) loops.push_back({target, at});
      }
    } else if (i.target > 0 && i.target - 1 <= at) {
      loops.push_back({i.target - 1, at});
    }
  }
  std::sort(loops.begin(), loops.end(),
            [](const Loop& a, const Loop& b) { return a.last - a.first < b.last - b.first; });
  return loops;
}

/// A value that enters or leaves a loop, or is used across iterations, is needed in the entire
/// loop.
void extend(std::vector<Life>& lives, const std::vector<Loop>& loops) {
  for (bool changed = true; changed;) {
    changed = false;
    for (const Loop& loop : loops) {
      for (Life& life : lives) {
        if (life.last < loop.first || life.first > loop.last) continue;
        const bool is_within = life.first >= loop.first && life.last <= loop.last;
        if (is_within && life.begins_with_value && life.writes == 1) continue;
        if (life.first <= loop.first && life.last >= loop.last) continue;
        life.first = std::min(life.first, loop.first);
        life.last = std::max(life.last, loop.last);
        changed = true;
      }
    }
  }
}

}  // namespace

void lay_out_frame(Function& function) {
  auto& slots = function.slots;
  std::uint32_t end = first_row, mask = 4, masks_end = row_align;  // masks are close together
  const auto place = [&](Row row) {
    if (row == Row::mask) {
      if (mask == masks_end) mask = end, masks_end = end += row_align;
      return std::exchange(mask, mask + 4);
    }
    return std::exchange(end, end + bytes_of(row));
  };
  slots[Binder::sink].offset = sink_offset;
  slots[Binder::always].offset = 0;
  std::vector<Life> lives = find_lives(function);
  extend(lives, find_loops(function));
  std::vector<std::uint32_t> begins;
  for (std::uint32_t k = 0; k < slots.size(); ++k) {
    if (slots[k].content != Content::variable) {
      function.filled.push_back(k);
      if (k > Binder::always) slots[k].offset = place(slots[k].row);
    } else if (k > Binder::always && lives[k].last >= 0) {
      begins.push_back(k);
    }
  }
  std::sort(begins.begin(), begins.end(),
            [&](std::uint32_t a, std::uint32_t b) { return lives[a].first < lives[b].first; });
  std::array<std::vector<std::uint32_t>, 4> free;
  std::vector<std::uint32_t> used;  // a heap, by the end of life
  const auto ends_later = [&](std::uint32_t a, std::uint32_t b) {
    return lives[a].last > lives[b].last;
  };
  for (const std::uint32_t k : begins) {
    while (!used.empty() && lives[used.front()].last < lives[k].first) {
      std::pop_heap(used.begin(), used.end(), ends_later);
      free[static_cast<std::size_t>(slots[used.back()].row)].push_back(slots[used.back()].offset);
      used.pop_back();
    }
    auto& rows = free[static_cast<std::size_t>(slots[k].row)];
    if (rows.empty()) rows.push_back(place(slots[k].row));
    slots[k].offset = rows.back();
    rows.pop_back();
    used.push_back(k);
    std::push_heap(used.begin(), used.end(), ends_later);
  }
  function.frame_bytes = (end + row_align - 1) / row_align * row_align;
  for (Instruction& i : function.code) {
    i.predicate = slots[i.predicate].offset;
    for (std::uint32_t& slot : i.to) slot = slots[slot].offset;
    for (std::uint32_t& slot : i.from) slot = slots[slot].offset;
    i.base = slots[i.base].offset;
  }
}

}  // namespace emulator
