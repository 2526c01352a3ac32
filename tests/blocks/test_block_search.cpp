// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "blocks/block_search.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <random>
#include <vector>

// The search for blocks, against one that tries everything.

namespace block_search_tests {
namespace {

using namespace synelix::blocks;
using testing::ElementsAre;

struct Block {
  std::int64_t rows = 0;
  Sides sides;
};

/// Blocks that take their values and a halo, and cost their halo and a price for each.
struct Problem {
  std::int64_t rows;
  std::int64_t halo;
  double price;

  [[nodiscard]] Budgets bytes(const Block& block) const {
    const std::int64_t columns = block.sides.channels * block.sides.bases;
    return {(block.rows + halo) * columns, 2 * block.rows * columns + halo};
  }
  [[nodiscard]] bool fits(const Block& block, Budgets room) const {
    return is_inside(bytes(block), room);
  }
  [[nodiscard]] std::optional<Block> most_rows(Sides sides, Budgets room) const {
    const std::int64_t most =
        last_that(0, rows, [&](std::int64_t n) { return n == 0 || fits({n, sides}, room); });
    if (most == 0) return std::nullopt;
    return Block{most, sides};
  }
  [[nodiscard]] double cost(const Block& block) const {
    const auto columns = static_cast<double>(block.sides.channels * block.sides.bases);
    return (static_cast<double>(block.rows + halo) + price / columns) /
           static_cast<double>(block.rows);
  }
};

std::vector<std::int64_t> halvings(std::int64_t most, std::int64_t least) {
  std::vector<std::int64_t> result{most};
  while (result.back() > least) result.push_back((result.back() + 1) / 2);
  return result;
}

TEST(BlockSearch, FindsTheCheapestBlocksInsideBothBudgets) {
  std::mt19937_64 random(7);
  const auto upto = [&](std::int64_t most) {
    return 1 + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most));
  };
  int found = 0;
  int refused = 0;
  for (int k = 0; k < 400; ++k) {
    const Problem problem{upto(50), upto(40), static_cast<double>(upto(200))};
    const Sides most{upto(20), upto(6)};
    const Sides least = k % 2 == 0 ? Sides{1, 1} : most;
    const Budgets room{upto(2000), upto(3000)};
    double cheapest = std::numeric_limits<double>::infinity();
    for (const std::int64_t channels : halvings(most.channels, least.channels)) {
      for (const std::int64_t bases : halvings(most.bases, least.bases)) {
        for (std::int64_t rows = 1; rows <= problem.rows; ++rows) {
          const Block block{rows, {channels, bases}};
          if (problem.fits(block, room)) cheapest = std::min(cheapest, problem.cost(block));
        }
      }
    }
    const auto best = best_blocks(problem, most, least, room);
    ASSERT_EQ(best.has_value(), cheapest < std::numeric_limits<double>::infinity()) << k;
    ++(best ? found : refused);
    if (!best) continue;
    EXPECT_TRUE(problem.fits(*best, room)) << k;
    EXPECT_EQ(problem.cost(*best), cheapest) << k;
  }
  EXPECT_GT(found, 50);
  EXPECT_GT(refused, 20);
}

TEST(BlockSearch, SharesTheDeviceAmongFewerSlotsUntilBlocksAreGoodEnough) {
  std::vector<std::int64_t> slots_seen;
  std::vector<std::int64_t> shares_seen;
  const auto search = [&](std::int64_t good_enough) {
    slots_seen.clear();
    shares_seen.clear();
    return best_in_slots<std::int64_t>(
        1200, 4, [&](std::int64_t slots, std::int64_t share, Cheapest<std::int64_t>& cheapest) {
          slots_seen.push_back(slots);
          shares_seen.push_back(share);
          if (slots < 3) cheapest.look_at(slots, 1.0);
          return slots == good_enough ? SearchState::good_enough : SearchState::may_be_better;
        });
  };
  EXPECT_EQ(search(0), 2) << "of equal ones the first";
  EXPECT_THAT(slots_seen, ElementsAre(3, 2, 1));
  EXPECT_THAT(shares_seen, ElementsAre(100, 150, 300));
  EXPECT_EQ(search(2), 2);
  EXPECT_THAT(slots_seen, ElementsAre(3, 2));
  EXPECT_EQ(search(3), std::nullopt);
}

TEST(BlockSearch, TakesTheRowsThatGoTogether) {
  for (std::int64_t begin = 0; begin < 4; ++begin) {
    for (std::int64_t end = begin + 1; end < 20; ++end) {
      for (std::int64_t most = 0; most < 25; ++most) {
        const auto fits = [&](synelix::Range rows) {
          EXPECT_EQ(rows.begin, begin);
          return rows.size() <= most;
        };
        const synelix::Range found = leading_rows({begin, end}, fits);
        EXPECT_EQ(found.begin, begin);
        EXPECT_EQ(found.size(), std::clamp<std::int64_t>(most, 1, end - begin));
      }
    }
  }
}

TEST(BlockSearch, FindsTheLeastBudgetThatWorks) {
  for (std::int64_t border = -3; border < 40; ++border) {
    const auto is_enough = [&](std::int64_t budget) { return budget >= border; };
    for (std::int64_t refused = -5; refused < border; ++refused) {
      for (std::int64_t works = border; works < 45; ++works) {
        EXPECT_EQ(least_budget(refused, works, is_enough), border);
      }
    }
  }
  // If one byte less than the smallest blocks need is not enough, the search ends.
  EXPECT_EQ(least_budget(0, 10, [](std::int64_t budget) { return budget == 5; }), 10);
}

}  // namespace
}  // namespace block_search_tests
