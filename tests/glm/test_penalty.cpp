// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "glm/penalty/bound_penalty.hpp"

#include <synelix/error.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace penalty_tests {
namespace {

namespace glm = synelix::glm;
using synelix::Strength;
using testing::ElementsAre;
using testing::HasSubstr;

const glm::PenaltyShape shape{4, 2, 1, {}};

std::string message_of(const synelix::Penalty& penalty, std::int64_t target = 0) {
  try {
    glm::bind(penalty, shape, target);
  } catch (const synelix::Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(Penalty, BindsStrengthsOfEachKind) {
  EXPECT_TRUE(glm::bind(synelix::NoPenalty{}, shape, 0).ridge.empty());
  EXPECT_TRUE(glm::bind(synelix::Lasso{0.0}, shape, 0).is_smooth());
  EXPECT_THAT(glm::bind(synelix::Ridge{0.5}, shape, 1).ridge, ElementsAre(0.5, 0.5, 0.5, 0.5));
  const Strength each({1, 2, 3, 4}, Strength::Per::coefficient);
  EXPECT_THAT(glm::bind(synelix::Ridge{each}, shape, 1).ridge, ElementsAre(1, 2, 3, 4));
  const Strength of_target({5, 6}, Strength::Per::target);
  EXPECT_THAT(glm::bind(synelix::Lasso{of_target}, shape, 1).l1, ElementsAre(6, 6, 6, 6));
  const Strength both({1, 2, 3, 4, 5, 6, 7, 8}, Strength::Per::coefficient_of_target);
  EXPECT_THAT(glm::bind(synelix::Lasso{both}, shape, 1).l1, ElementsAre(2, 4, 6, 8));
  const glm::BoundPenalty net = glm::bind(synelix::ElasticNet{2.0, 0.25}, shape, 0);
  EXPECT_THAT(net.ridge, ElementsAre(1.5, 1.5, 1.5, 1.5));
  EXPECT_THAT(net.l1, ElementsAre(0.5, 0.5, 0.5, 0.5));
}

TEST(Penalty, BindsGroupsWithTheRootsOfTheirSizes) {
  const synelix::GroupLasso penalty{Strength({1, 2}, Strength::Per::group), {0, 0, -1, 1}};
  const glm::BoundPenalty one = glm::bind(penalty, shape, 1);
  EXPECT_THAT(one.groups, ElementsAre(0, 0, -1, 1));
  EXPECT_THAT(one.group_strengths, ElementsAre(std::sqrt(2.0), 2.0));
  const glm::BoundPenalty all = glm::bind(penalty, shape, glm::all_targets);
  EXPECT_THAT(all.groups, ElementsAre(0, 0, -1, 1, 2, 2, -1, 3));
  const synelix::GroupLasso across{1.0, {0, 0, 1, 2, -1, -1, 1, -1}};
  EXPECT_TRUE(glm::reaches_across_targets(across, shape));
  EXPECT_FALSE(glm::reaches_across_targets(penalty, shape));
  EXPECT_THAT(glm::bind(across, shape, glm::all_targets).groups,
              ElementsAre(0, 1, -1, 1, 0, 2, -1, -1));
  EXPECT_THAT(message_of(across), HasSubstr("several targets"));
}

TEST(Penalty, MasksHoldCoefficients) {
  const std::vector<std::uint8_t> mask = {1, 0, 0, 1, 1, 1, 1, 0};
  EXPECT_THAT(glm::bind(synelix::NoPenalty{}, {4, 2, 1, mask}, 1).is_free, ElementsAre(0, 1, 1, 0));
  const std::vector<std::uint8_t> two = {1, 0, 0, 1, 1, 1, 1, 2};
  EXPECT_THROW(glm::bind(synelix::NoPenalty{}, {4, 2, 1, two}, 1), synelix::Error);
  EXPECT_THROW(glm::bind(synelix::NoPenalty{}, {3, 2, 1, mask}, 1), synelix::Error);
}

TEST(Penalty, RefusesWhatItCannotServe) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(message_of(synelix::Ridge{-1.0}), HasSubstr("penalty.strength: -1 is not"));
  EXPECT_THAT(message_of(synelix::Ridge{nan}), HasSubstr("penalty.strength: nan is not"));
  EXPECT_THAT(message_of(synelix::Ridge{Strength({1, 2}, Strength::Per::coefficient)}),
              HasSubstr("2 numbers do not match the 4"));
  EXPECT_THAT(message_of(synelix::Ridge{Strength({1, 2}, Strength::Per::group)}),
              HasSubstr("needs a penalty with groups"));
  EXPECT_THAT(message_of(synelix::ElasticNet{1.0, 0.0}), HasSubstr("penalty.ratio: 0 is not"));
  EXPECT_THAT(message_of(synelix::ElasticNet{1.0, 1.5}), HasSubstr("penalty.ratio: 1.5 is not"));
  EXPECT_THAT(message_of(synelix::GroupLasso{1.0, {0, 0, 2, 2}}),
              HasSubstr("group 1 of 3 has no coefficient"));
  EXPECT_THAT(message_of(synelix::GroupLasso{1.0, {0, 0, -2, 1}}),
              HasSubstr("-2 is not the number of a group"));
  EXPECT_THAT(message_of(synelix::GroupLasso{1.0, {0, 0, 1}}), HasSubstr("3 values match neither"));
}

TEST(Penalty, ValueAndViolation) {
  glm::BoundPenalty net{{2, 2}, {1, 1}, {}, {}, {}};
  const std::vector<double> b = {3, 0};
  EXPECT_EQ(net.value(b), 9 + 3);
  EXPECT_EQ(net.violation(b, std::vector<double>{-7, 0.5}), 0);
  EXPECT_EQ(net.violation(b, std::vector<double>{-7, -1.5}), 0.5);
  EXPECT_EQ(net.violation(b, std::vector<double>{-5, 0}), 2);
  glm::BoundPenalty groups{{}, {}, {0, 0, 1, 1}, {5, 1}, {}};
  const std::vector<double> c = {3, 4, 0, 0};
  EXPECT_EQ(groups.value(c), 25);
  EXPECT_EQ(groups.violation(c, std::vector<double>{-3, -4, 0.6, 0.8}), 0);
  EXPECT_EQ(groups.violation(c, std::vector<double>{-3, -4, 3, 4}), 4);
  EXPECT_TRUE(std::isnan(net.violation(b, std::vector<double>{std::nan(""), 0})));
}

TEST(Penalty, GroupsOfChannels) {
  std::vector<synelix::Term> terms(2);
  terms[0].columns = {0, 4};
  terms[0].channels = 2;
  terms[0].bases = 2;
  terms[1].columns = {4, 7};
  terms[1].channels = 1;
  terms[1].bases = 3;
  EXPECT_THAT(synelix::groups_of_channels(terms), ElementsAre(0, 0, 1, 1, 2, 2, 2));
}

}  // namespace
}  // namespace penalty_tests
