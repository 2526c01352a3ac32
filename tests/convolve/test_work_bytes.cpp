// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "convolve/choice/calibration.hpp"
#include "convolve/choice/choose.hpp"

#include <synelix/error.hpp>

#include <gmock/gmock.h>

#include <cstdint>
#include <string>
#include <vector>

// The evaluation of times that a calibration measured with several sizes, and the sizes of a
// choice.

namespace work_bytes_tests {
namespace {

using namespace synelix;

/// Times of some sizes for two problems, each of three runs, over those of the library's own.
std::vector<chooser::RunTimes> times_of(const std::vector<double>& first,
                                        const std::vector<double>& second) {
  std::vector<chooser::RunTimes> problems(2);
  for (const double ratio : first) problems[0].push_back({ratio, 2 * ratio, 3 * ratio});
  for (const double ratio : second) problems[1].push_back({ratio, 2 * ratio, 3 * ratio});
  return problems;
}

TEST(WorkBytes, TakeTheLibrarysPlaceWhereTheyWinClearly) {
  EXPECT_EQ(chooser::best_of(times_of({1, 0.8, 0.9}, {1, 0.9, 0.7})), 2U) << "on the mean";
  EXPECT_EQ(chooser::best_of(times_of({1, 0.98, 1.2}, {1, 0.99, 1.3})), 0U) << "noise";
  EXPECT_EQ(chooser::best_of(times_of({1, 0.5}, {1, 1.05})), 0U) << "one problem loses";
  EXPECT_EQ(chooser::best_of(times_of({1, 0.5}, {1, 1.0})), 1U);
  // One run that was disturbed, of the size or of the library's own, changes nothing.
  EXPECT_DOUBLE_EQ(chooser::ratio_of({0.8, 80, 0.8}, {1, 1, 1}), 0.8);
  EXPECT_DOUBLE_EQ(chooser::ratio_of({0.8, 0.8, 0.8}, {1, 50, 1}), 0.8);
}

TEST(WorkBytes, OutOfRangeAreRefused) {
  for (const NamedBytes& size : all_work_bytes) {
    for (const std::int64_t bad : {std::int64_t{-1}, most_work_bytes + 1}) {
      ConvolveOptions options;
      options.machine.bytes.*size.value = bad;
      try {
        chooser::check_options({}, options);
        FAIL() << size.name;
      } catch (const Error& error) {
        EXPECT_EQ(error.argument(), std::string("machine.bytes.") + size.name);
      }
    }
  }
}

}  // namespace
}  // namespace work_bytes_tests
