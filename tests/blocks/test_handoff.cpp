// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "blocks/handoff.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <thread>
#include <vector>

// Values that one thread passes to another: in order, the rest at the end, nothing after a stop.

namespace handoff_tests {
namespace {

using synelix::blocks::Handoff;

TEST(Handoff, GivesAllInOrderUntilItsEnd) {
  Handoff<int> handoff;
  std::vector<int> taken;
  std::thread taker([&] {
    while (const std::optional<int> item = handoff.take()) taken.push_back(*item);
  });
  for (int i = 0; i < 1000; ++i) handoff.give(i);
  handoff.end();
  taker.join();
  ASSERT_EQ(taken.size(), 1000U);
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(taken[static_cast<std::size_t>(i)], i);
}

TEST(Handoff, GivesNothingOnceItIsStopped) {
  Handoff<int> handoff;
  handoff.give(1);
  handoff.give(2);
  EXPECT_EQ(handoff.take(), 1);
  handoff.stop();
  handoff.give(3);
  EXPECT_EQ(handoff.take(), std::nullopt);
}

TEST(Handoff, AStopReleasesWhoeverWaits) {
  Handoff<int> handoff;
  std::thread taker([&] { EXPECT_EQ(handoff.take(), std::nullopt); });
  handoff.stop();
  taker.join();
}

}  // namespace
}  // namespace handoff_tests
