// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "glm/pass/segmented_pass.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

// One tree of blocks, whatever the order in which they come.

namespace sum_nodes_tests {
namespace {

using synelix::glm::SumNodes;
using testing::DoubleEq;
using testing::ElementsAre;

/// Numbers whose sum depends on the order.
std::vector<double> block(std::int64_t k) {
  std::mt19937 random(static_cast<unsigned>(k));
  std::normal_distribution<double> normal;
  const double first = normal(random);
  return {first * static_cast<double>(1LL << (random() % 40)), normal(random)};
}

std::vector<double> sum_of(const std::vector<std::int64_t>& order) {
  SumNodes nodes;
  for (const std::int64_t k : order) EXPECT_TRUE(nodes.add({k, 0, block(k)}));
  EXPECT_EQ(nodes.missing(std::ssize(order)), std::ssize(order));
  return nodes.total(2);
}

TEST(SumNodes, AnyOrderGivesTheSameBits) {
  std::mt19937 random(7);
  for (const std::int64_t count : {1, 2, 3, 7, 64, 1000}) {
    std::vector<std::int64_t> order(static_cast<std::size_t>(count));
    std::iota(order.begin(), order.end(), 0);
    const std::vector<double> expected = sum_of(order);
    bool differs = false;  // from the sum in order; otherwise this test proves nothing
    std::vector<double> in_order{0, 0};
    for (const std::int64_t k : order) {
      in_order[0] += block(k)[0];
      in_order[1] += block(k)[1];
    }
    differs = in_order != expected;
    EXPECT_TRUE(differs || count < 64);
    for (int round = 0; round < 5; ++round) {
      std::shuffle(order.begin(), order.end(), random);
      EXPECT_EQ(sum_of(order), expected) << count << " blocks";
    }
  }
}

TEST(SumNodes, ChildrenAreAddedLeftToRight) {
  SumNodes nodes;
  for (const std::int64_t k : {0, 1, 2}) ASSERT_TRUE(nodes.add({k, 0, {k == 2 ? 1.0 : 1e16}}));
  ASSERT_EQ(nodes.nodes().size(), 2U);
  EXPECT_EQ(nodes.nodes()[0].level, 1);
  EXPECT_EQ(nodes.total(1), std::vector<double>{2e16 + 1.0});
}

TEST(SumNodes, NeighborsHoldFewNodes) {
  SumNodes nodes;
  for (std::int64_t k = 5; k < 1005; ++k) {
    ASSERT_TRUE(nodes.add({k, 0, {1.0}}));
    EXPECT_LE(nodes.nodes().size(), 20U);
  }
  EXPECT_EQ(nodes.missing(1005), 0);
}

TEST(SumNodes, WhatIsThereIsRefused) {
  SumNodes nodes;
  ASSERT_TRUE(nodes.add({4, 2, {1.0}}));
  for (const std::int64_t k : {4, 5, 7}) EXPECT_FALSE(nodes.add({k, 0, {1.0}}));
  EXPECT_FALSE(nodes.add({0, 3, {1.0}}));
  EXPECT_TRUE(nodes.add({3, 0, {1.0}}));
  EXPECT_TRUE(nodes.add({8, 0, {1.0}}));
  EXPECT_EQ(nodes.total(1), std::vector<double>{3.0});
  EXPECT_EQ(nodes.missing(9), 0);
}

TEST(SumNodes, NothingIsZero) { EXPECT_THAT(SumNodes().total(2), ElementsAre(0.0, 0.0)); }

}  // namespace
}  // namespace sum_nodes_tests
