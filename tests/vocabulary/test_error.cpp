// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <synelix/error.hpp>

#include <gmock/gmock.h>

#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace error_tests {
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

TEST(Error, SaysItsKindAndItsArgument) {
  const Error error("epochs[3]", "[5, 2) is out of order", "Use ascending ranges");
  EXPECT_EQ(error.kind(), ErrorKind::argument);
  EXPECT_EQ(error.argument(), "epochs[3]");
  const Error copy = error;  // as a handler that takes its value has
  EXPECT_EQ(copy.argument(), "epochs[3]");
  EXPECT_EQ(Error("all: in one").argument(), "");
  EXPECT_EQ(Error("all: in one").problem(), "");
  EXPECT_EQ(Error("all: in one").remedy(), "");
  EXPECT_EQ(BudgetError("budget", "1 byte is not enough", "").kind(), ErrorKind::budget);
  EXPECT_EQ(BudgetError("budget", "1 byte is not enough", "").least_bytes(), 0);
  EXPECT_EQ(BudgetError("budget", "x", "Give at least 12 bytes", 12).least_bytes(), 12);
  EXPECT_EQ(FileError("in.h5: cannot be read").kind(), ErrorKind::file);
  EXPECT_EQ(FileError("in.h5", "this is a folder", "Give a file").argument(), "in.h5");
  EXPECT_EQ(StateError("convolve", "Kokkos is not running", "").kind(), ErrorKind::state);
  EXPECT_EQ(Cancelled("convolve: cancelled").kind(), ErrorKind::cancelled);
  EXPECT_THROW(throw BudgetError("budget", "x", ""), Error);
}

TEST(Error, HasItsPartsForProgramsWithOtherWords) {
  const Error error("method", "fft is slow. Or not", "Use automatic, or direct", Remedy::automatic);
  const Error copy = error;
  EXPECT_EQ(copy.problem(), "fft is slow. Or not");
  EXPECT_EQ(copy.remedy(), "Use automatic, or direct");
  EXPECT_EQ(copy.remedy_id(), Remedy::automatic);
  EXPECT_EQ(copy.kind(), ErrorKind::argument);
  EXPECT_EQ(Error("window", "0 is below 1", "").remedy(), "");
  EXPECT_EQ(Error("window", "0 is below 1", "").remedy_id(), Remedy::any);
  EXPECT_EQ(FileError("f.h5", "it exists", "Give a new name", Remedy::replace_file).remedy_id(),
            Remedy::replace_file);
  const OverlapError overlap("features", "series", "Use memory of its own");
  EXPECT_STREQ(overlap.what(),
               "features: its memory overlaps that of series. Use memory of its own.");
  EXPECT_EQ(overlap.other(), "series");
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

/// An argument may be the name of a file from a language whose texts hold any byte.
TEST(Error, ShowsANulAsAQuestionMark) {
  const Error error(std::string_view("a\0b.h5", 6), std::string_view("no\0t", 4), "Give another");
  EXPECT_EQ(error.argument(), "a?b.h5");
  EXPECT_EQ(error.problem(), "no?t");
  EXPECT_EQ(error.remedy(), "Give another");
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
}  // namespace error_tests
