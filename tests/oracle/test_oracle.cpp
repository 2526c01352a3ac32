// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "oracle/array.hpp"
#include "oracle/convolution.hpp"
#include "oracle/matchers.hpp"

#include <gmock/gmock.h>

#include <unistd.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

// The oracle against numbers worked out by hand, and the matchers against arrays with one fault.

namespace oracle_tests {
namespace {

using namespace oracle;
using testing::HasSubstr;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

/// x = 1..8, B = (1, 2, 3, 4): the example of the semantics page.
Problem example(Causality causality, Shift shift) {
  return {.samples = 8,
          .window = 4,
          .x = {1, 2, 3, 4, 5, 6, 7, 8},
          .taps = {1, 2, 3, 4},
          .epochs = {},
          .causality = causality,
          .shift = shift};
}

void expect_features(const Problem& problem, const std::vector<double>& expected) {
  EXPECT_TRUE(
      agree(convolve(problem).values, expected, {static_cast<std::int64_t>(expected.size())}, 0.0));
}

TEST(Oracle, GivesTheExampleByHand) {
  expect_features(example(Causality::causal, Shift::automatic),
                  {nan, nan, nan, nan, 20, 30, 40, 50});
  expect_features(example(Causality::causal, Shift::off), {nan, nan, nan, 20, 30, 40, 50, 60});
  expect_features(example(Causality::anti_causal, Shift::on), {30, 40, 50, 60, nan, nan, nan, nan});
  expect_features(example(Causality::anti_causal, Shift::off), {20, 30, 40, 50, 60, nan, nan, nan});
  expect_features(example(Causality::acausal, Shift::automatic),
                  {nan, 20, 30, 40, 50, 60, nan, nan});
}

TEST(Oracle, BordersEpochsAndEvery) {
  Problem problem = example(Causality::causal, Shift::off);
  problem.border = Border::zero;
  expect_features(problem, {1, 4, 10, 20, 30, 40, 50, 60});
  problem.border = Border::valid;
  expect_features(problem, {20, 30, 40, 50, 60});
  problem.every = 2;  // rows 0, 2, 4, 6
  expect_features(problem, {30, 50});
  problem.every = 1;
  problem.epochs = {{1, 5}, {6, 8}};
  expect_features(problem, {30});
  problem.border = Border::zero;
  expect_features(problem, {nan, 2, 7, 16, 30, nan, 7, 22});
}

TEST(Matchers, AcceptWhatIsEqual) {
  EXPECT_TRUE(agree<double>({1.0, nan, -infinity}, {1.5, nan, -infinity}, {3}, 0.5));
  EXPECT_TRUE(same_bits<float>({1.0F, -0.0F}, {1.0F, -0.0F}, {2}));
}

TEST(Matchers, NameTheWorstPlaces) {
  const auto result = agree<double>({1.0, 2.0, 3.0, 4.0}, {1.0, 2.5, 3.0, 5.0}, {2, 2}, 0.25);
  ASSERT_FALSE(result);
  const std::string text = result.message();
  EXPECT_THAT(text, HasSubstr("2 of 4 values differ"));
  EXPECT_THAT(text, HasSubstr("at (1, 1): found 4, expected 5, off by 1"));
  EXPECT_LT(text.find("(1, 1)"), text.find("(0, 1)")) << "the worst comes first";
}

TEST(Matchers, RefuseAnotherPatternOfNonFiniteValues) {
  EXPECT_FALSE(agree<double>({nan}, {0.0}, {1}, infinity));
  EXPECT_FALSE(agree<double>({0.0}, {nan}, {1}, infinity));
  EXPECT_FALSE(agree<double>({infinity}, {-infinity}, {1}, infinity));
  EXPECT_FALSE(agree<double>({nan}, {infinity}, {1}, infinity));
  EXPECT_FALSE(agree<double>({1.0}, {1.0, 1.0}, {2}, 1.0));
}

TEST(Matchers, SeeASingleBit) {
  EXPECT_FALSE(same_bits<float>({0.0F}, {-0.0F}, {1}));
  const std::vector<float> a(100, 0.1F);
  std::vector<float> b = a;
  b[42] = std::nextafter(b[42], 1.0F);
  EXPECT_THAT(same_bits(a, b, {10, 10}).message(), HasSubstr("at (4, 2)"));
  EXPECT_NE(hash_of(a), hash_of(b));
  EXPECT_EQ(hash_of(a), hash_of(std::vector<float>(100, 0.1F)));
}

TEST(Array, PlacesValuesAndSeesDamage) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 20; ++round) {
    Array<float> array({3, 4, 2}, random_placement(3, Signs::any, random), -1);
    for (int i = 0; i < 24; ++i) array.at(i) = static_cast<float>(i);
    const auto values = array.values();
    for (int i = 0; i < 24; ++i)
      ASSERT_EQ(values[static_cast<std::size_t>(i)], static_cast<float>(i));
    EXPECT_EQ(array.damaged(), 0);
  }
  for (int round = 0; round < 8; ++round) {
    Array<float> row({4}, right_placement(1), -1);
    auto* const first = static_cast<float*>(row.output().data);
    // A page that nothing may access is at one end, and values that show damage at the other.
    const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
    const bool is_first_guarded = reinterpret_cast<std::uintptr_t>(first) % page == 0;
    if (!is_first_guarded) {
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(first + 4) % page, 0U);
    }
    first[is_first_guarded ? 4 : -1] = 7;
    EXPECT_EQ(row.damaged(), 1);
  }
  EXPECT_EQ(position({5, 2, 3}, 0, 4, 5), 29);
  EXPECT_EQ(position({2, 5, 3}, 1, 4, 5), 1 * 15 + 4 * 3 + 2);
  EXPECT_EQ(position({2, 3, 5}, 2, 4, 5), 29);
}

}  // namespace
}  // namespace oracle_tests
