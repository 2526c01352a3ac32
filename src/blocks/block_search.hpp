// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tune/staging.hpp"

#include <synelix/alignment.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>

/// \file
/// The search for the best blocks within a budget of the host and of a device that they go through.
/// The caller gives the memory and the cost of a block.

namespace synelix::blocks {

/// Bytes that blocks use or may use: on the host, and on a device that they go through.
struct Budgets {
  std::int64_t host = 0;
  std::int64_t device = 0;
};

/// An unlimited budget.
inline constexpr std::int64_t no_limit = std::numeric_limits<std::int64_t>::max();

constexpr bool is_inside(Budgets taken, Budgets room) {
  return taken.host <= room.host && taken.device <= room.device;
}

/// The extents of a block other than its rows.
struct Sides {
  std::int64_t channels = 1;
  std::int64_t bases = 1;
};

/// The last n of [first, last] for which `holds` is true. It must be true for `first` and for all n
/// up to the result.
template <class Holds>
std::int64_t last_that(std::int64_t first, std::int64_t last, const Holds& holds) {
  std::int64_t beyond = std::max(first, last) + 1;
  while (beyond - first > 1) {
    const std::int64_t middle = first + (beyond - first) / 2;
    (holds(middle) ? first : beyond) = middle;
  }
  return first;
}

/// The longest range of rows from rows.begin on that fits; one row always does.
template <class Fits>
Range leading_rows(Range rows, const Fits& fits) {
  if (fits(rows)) return rows;
  return {rows.begin, last_that(rows.begin + 1, rows.end - 1,
                                [&](std::int64_t end) { return fits({rows.begin, end}); })};
}

/// The cheapest of the examined blocks; of equal ones the first.
template <class Blocks>
class Cheapest {
 public:
  void look_at(const Blocks& blocks, double cost) {
    if (cost >= m_cost) return;
    m_blocks = blocks;
    m_cost = cost;
  }
  [[nodiscard]] const std::optional<Blocks>& best() const { return m_blocks; }

 private:
  std::optional<Blocks> m_blocks;
  double m_cost = std::numeric_limits<double>::infinity();
};

/// The best blocks within both budgets; no value if none fit. Channels and bases are halved from
/// `most` down to `least`, each time with as many rows as fit.
/// \param sizes  of a problem, for a number of slots and a workspace: `sizes.most_rows(sides,
///               room)` are the blocks with the most rows, no value if one row does not fit;
///               `sizes.cost(blocks)` in any unit
template <class Sizes>
auto best_blocks(const Sizes& sizes, Sides most, Sides least, Budgets room) {
  Cheapest<typename decltype(sizes.most_rows(most, room))::value_type> cheapest;
  for (Sides sides = most;; sides.channels = (sides.channels + 1) / 2) {
    for (sides.bases = most.bases;; sides.bases = (sides.bases + 1) / 2) {
      if (const auto blocks = sizes.most_rows(sides, room)) {
        cheapest.look_at(*blocks, sizes.cost(*blocks));
      }
      if (sides.bases == least.bases) break;
    }
    if (sides.channels == least.channels) break;
  }
  return cheapest.best();
}

/// Whether a search continues.
enum class SearchState : std::uint8_t { good_enough, may_be_better };

/// The cheapest blocks for any number of slots, tried from the most slots down.
/// \param device_bytes  the budget of the device, all workspaces together get a fraction of it
/// \param look  `look(slots, share, cheapest)` examines blocks in this many slots, each with a
///              workspace of at most `share` bytes, or the least one
template <class Blocks, class Look>
std::optional<Blocks> best_in_slots(std::int64_t device_bytes, std::int64_t part_of_workspaces,
                                    const Look& look) {
  Cheapest<Blocks> cheapest;
  for (std::int64_t slots = tune::staging_slots; slots > 0; --slots) {
    const std::int64_t share = device_bytes / part_of_workspaces / slots;
    if (look(slots, share, cheapest) == SearchState::good_enough) break;
  }
  return cheapest.best();
}

/// The least budget that works: `works`, the budget of the smallest blocks, does, and `refused`
/// does not. Other cuts may need less: if one byte less is enough, the least is searched for.
template <class IsEnough>
std::int64_t least_budget(std::int64_t refused, std::int64_t works, const IsEnough& is_enough) {
  if (works - 1 <= refused || !is_enough(works - 1)) return works;
  return last_that(refused, works - 1, [&](std::int64_t budget) { return !is_enough(budget); }) + 1;
}

}  // namespace synelix::blocks
