// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "machine/budget.hpp"
#include "types/checks.hpp"
#include "types/number_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

// Common properties of the messages of all operations.

namespace messages_tests {
namespace {

namespace sx = synelix;
using testing::ThrowsMessage;

TEST(Messages, WriteExtentsAsNumPyDoes) {
  EXPECT_EQ(sx::extents_text(std::vector<std::int64_t>{}), "()");
  EXPECT_EQ(sx::extents_text(std::vector<std::int64_t>{7}), "(7,)");
  EXPECT_EQ(sx::extents_text(std::vector<std::int64_t>{3, -4, 5}), "(3, -4, 5)");
}

TEST(Messages, RefuseABudgetWithTheLeastThatWorks) {
  EXPECT_THAT([] { sx::refuse_budget("host_budget", -3, 4096, " for tables"); },
              ThrowsMessage<sx::Error>("host_budget: -3 bytes are not enough. Give at least 4096 "
                                       "bytes for tables."));
  EXPECT_THAT([] { sx::refuse_budget("budget", 0, 1); },
              ThrowsMessage<sx::Error>("budget: 0 bytes are not enough. Give at least 1 byte."));
}

TEST(Messages, ABudgetHasRoomForSomeTeams) {
  EXPECT_EQ(sx::teams_within(1000, 100, 300, 8), 3);
  EXPECT_EQ(sx::teams_within(1000, 100, 300, 2), 2);
  EXPECT_EQ(sx::teams_within(400, 100, 300, 8), 1);
  EXPECT_EQ(sx::teams_within(100, 100, 0, 8), 8);  // teams without memory of their own
  EXPECT_THAT([] { (void)sx::teams_within(399, 100, 300, 8); },
              ThrowsMessage<sx::Error>("budget: 399 bytes are not enough. Give at least 400 "
                                       "bytes."));
}

TEST(Messages, NameTheValuesOfOptions) {
  EXPECT_STREQ(sx::known_name(sx::Border::valid), "valid");
  EXPECT_STREQ(sx::known_name(static_cast<sx::Border>(77)), "unknown");
  EXPECT_STREQ(sx::name_of(sx::Method::events), "events");
  EXPECT_STREQ(sx::name_of(sx::InstructionSet::plain), "plain");
  EXPECT_STREQ(sx::name_of(sx::StagingReason::asked_for), "asked for");
  EXPECT_STREQ(sx::file_name_of(sx::Causality::anti_causal), "anti-causal");
  EXPECT_STREQ(sx::file_name_of(sx::Causality::acausal), "acausal");
}

}  // namespace
}  // namespace messages_tests
