// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "blocks/in_flight.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cstddef>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

// Which block is started, waited for and handed on, and when.

namespace in_flight_tests {
namespace {

using synelix::blocks::InFlight;
using testing::ElementsAre;

TEST(InFlight, StartsInAFreeSlotAndHandsOnTheOldest) {
  for (std::size_t slots = 1; slots <= 4; ++slots) {
    std::set<std::size_t> taken;
    std::set<std::size_t> waited_for;
    std::vector<int> handed_on;
    std::size_t most_taken = 0;
    InFlight<int> in_flight(
        slots, [&](std::size_t slot) { EXPECT_TRUE(waited_for.insert(slot).second); },
        [&](int item, std::size_t slot) {
          EXPECT_EQ(waited_for.erase(slot), 1U);
          EXPECT_EQ(taken.erase(slot), 1U);
          handed_on.push_back(item);
        });
    for (int item = 0; item < 11; ++item) {
      in_flight.add(item, [&](std::size_t slot) {
        EXPECT_LT(slot, slots);
        EXPECT_TRUE(taken.insert(slot).second) << "a slot that is still in flight";
        most_taken = std::max(most_taken, taken.size());
      });
      EXPECT_EQ(taken.size(), std::min(slots - 1, static_cast<std::size_t>(item) + 1))
          << "all slots but one go on";
    }
    EXPECT_EQ(most_taken, slots);
    in_flight.finish();
    EXPECT_TRUE(taken.empty());
    ASSERT_EQ(handed_on.size(), 11U);
    for (int item = 0; item < 11; ++item) {
      EXPECT_EQ(handed_on[static_cast<std::size_t>(item)], item);
    }
  }
}

TEST(InFlight, WaitsForWhatFailedAndHandsNothingOn) {
  std::vector<std::size_t> waited_for;
  int handed_on = 0;
  const auto fail = [&] {
    InFlight<std::string> in_flight(
        3,
        [&](std::size_t slot) {
          waited_for.push_back(slot);
          throw std::runtime_error("a device that is lost");
        },
        [&](const std::string&, std::size_t) { ++handed_on; });
    in_flight.add("first", [](std::size_t) {});
    in_flight.add("second", [](std::size_t) { throw std::runtime_error("what went wrong"); });
  };
  EXPECT_THAT(fail, testing::ThrowsMessage<std::runtime_error>("what went wrong"));
  EXPECT_THAT(waited_for, ElementsAre(0U, 1U)) << "the failed one may use its buffers";
  EXPECT_EQ(handed_on, 0);
}

}  // namespace
}  // namespace in_flight_tests
