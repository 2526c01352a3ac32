// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <synelix/error.hpp>

#include <gmock/gmock.h>

#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace synelix;
using testing::ElementsAre;

TEST(Error, NamesArgumentProblemAndRemedy) {
  EXPECT_STREQ(Error("epochs[3]", "[5, 2) is out of order", "Use ascending ranges").what(),
               "epochs[3]: [5, 2) is out of order. Use ascending ranges.");
  EXPECT_STREQ(Error("epochs[3]", "[5, 2) is out of order", "").what(),
               "epochs[3]: [5, 2) is out of order.");
  EXPECT_STREQ(Error("all in one").what(), "all in one");
  EXPECT_THROW(throw Error("x"), std::runtime_error);
}

TEST(Warnings, GoToTheHandlerThatIsSet) {
  std::vector<std::string> texts;
  EXPECT_NO_THROW(warn("nobody listens"));
  const WarningHandler none =
      set_warning_handler([&](std::string_view text) { texts.emplace_back(text); });
  EXPECT_FALSE(none);
  warn("first");
  const WarningHandler before = set_warning_handler({});
  warn("second");
  before("third");
  EXPECT_THAT(texts, ElementsAre("first", "third"));
}

TEST(Warnings, MaySetAnotherHandlerFromWithinOne) {
  int calls = 0;
  set_warning_handler([&](std::string_view) {
    ++calls;
    set_warning_handler({});
  });
  warn("once");
  warn("never");
  EXPECT_EQ(calls, 1);
}

TEST(Warnings, ComeFromManyThreads) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([] {
      for (int k = 0; k < 200; ++k) {
        set_warning_handler([](std::string_view) {});
        warn("from a thread");
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_TRUE(set_warning_handler({}));
}

}  // namespace
