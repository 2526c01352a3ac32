// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <synelix/alignment.hpp>

#include "oracle/convolution.hpp"

#include <gmock/gmock.h>

#include <cstdint>

namespace alignment_tests {
namespace {

using namespace synelix;

TEST(Alignment, LagOffsetsOfTheSemantics) {
  static_assert(lag_offset(Causality::causal, Shift::automatic, 7) == -1);
  static_assert(lag_offset(Causality::causal, Shift::on, 7) == -1);
  static_assert(lag_offset(Causality::causal, Shift::off, 7) == 0);
  static_assert(lag_offset(Causality::anti_causal, Shift::automatic, 7) == 7);
  static_assert(lag_offset(Causality::anti_causal, Shift::off, 7) == 6);
  static_assert(lag_offset(Causality::acausal, Shift::automatic, 7) == 3);
  static_assert(lag_offset(Causality::acausal, Shift::off, 8) == 4);
  static_assert(is_shifted(Causality::causal, Shift::automatic));
  static_assert(!is_shifted(Causality::acausal, Shift::automatic));
}

TEST(Alignment, RangesHaveSizes) {
  static_assert(Range{2, 5}.size() == 3);
  static_assert(Range{5, 2}.size() == 0);
  static_assert(Range{} == Range{0, 0});
}

/// Valid samples by asking each one.
Range valid_by_asking(Epoch epoch, std::int64_t window, std::int64_t offset) {
  Range range{epoch.begin, epoch.begin};
  for (std::int64_t t = epoch.begin; t < epoch.end; ++t) {
    if (t + offset - (window - 1) < epoch.begin || t + offset >= epoch.end) continue;
    if (range.size() == 0) range.begin = t;
    range.end = t + 1;
  }
  return range;
}

TEST(Alignment, ValidSamplesAreThoseWithAWholeWindow) {
  for (std::int64_t begin : {0, 3}) {
    for (std::int64_t n = 0; n <= 12; ++n) {
      for (std::int64_t window = 1; window <= 8; ++window) {
        for (const auto causality :
             {Causality::causal, Causality::acausal, Causality::anti_causal}) {
          for (const auto shift : {Shift::automatic, Shift::off}) {
            const Epoch epoch{begin, begin + n};
            const std::int64_t offset = lag_offset(causality, shift, window);
            EXPECT_EQ(valid_samples(epoch, window, offset), valid_by_asking(epoch, window, offset))
                << "n " << n << " window " << window << " offset " << offset;
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace alignment_tests
