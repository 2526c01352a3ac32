// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "stream/channel_boxes.hpp"
#include "stream/row_map.hpp"

#include <synelix/convolve.hpp>

#include <gmock/gmock.h>

namespace {

namespace sx = synelix;
using Space = Kokkos::DefaultHostExecutionSpace;

TEST(RowMap, AgreesWithThePublicFunctionsAndThePlan) {
  sx::SeriesShape shape;
  shape.samples = 500;
  shape.channels = 2;
  constexpr std::int64_t window = 23;
  const sx::FilterBank<float, Space> bank(
      Space(), sx::evaluate_taps(sx::CustomTaps{window, 1, std::vector<double>(window, 1.0)}));
  for (const auto& epochs : {std::vector<sx::Epoch>{}, {{3, 100}, {100, 101}, {150, 480}}}) {
    shape.epochs = epochs;
    for (const auto border : {sx::Border::nan, sx::Border::zero, sx::Border::valid}) {
      for (const std::int64_t every : {1, 4, 31}) {
        const sx::ConvolveOptions options{.border = border, .every = every};
        const sx::stream::RowMap map(shape, window, options);
        const auto expected = sx::feature_samples(shape, window, options);
        ASSERT_EQ(map.rows(), sx::feature_rows(shape, window, options));
        std::vector<std::int64_t> samples(expected.size());
        map.samples_of({0, map.rows()}, samples.data());
        EXPECT_EQ(samples, expected);
        const sx::ConvolvePlan<float, Space> plan(Space(), shape, bank, options);
        for (std::int64_t begin = 0; begin < map.rows(); begin += 7) {
          for (std::int64_t end = begin + 1; end <= map.rows(); end += 13) {
            EXPECT_EQ(map.samples_for({begin, end}), plan.samples_for({begin, end}))
                << begin << " to " << end << " every " << every;
          }
        }
      }
    }
  }
}

TEST(ChannelBoxes, CoverEveryRangeOnceAndInOrder) {
  const std::vector<std::int64_t> extents = {3, 4, 5};
  for (std::int64_t begin = 0; begin < 60; ++begin) {
    for (std::int64_t end = begin + 1; end <= 60; ++end) {
      std::vector<std::int64_t> covered;
      for (const auto& box : sx::stream::channel_boxes(extents, {begin, end})) {
        std::int64_t counted = 0;
        for (std::int64_t i = 0; i < box.count[0]; ++i) {
          for (std::int64_t j = 0; j < box.count[1]; ++j) {
            for (std::int64_t k = 0; k < box.count[2]; ++k, ++counted) {
              covered.push_back((box.start[0] + i) * 20 + (box.start[1] + j) * 5 + box.start[2] +
                                k);
            }
          }
        }
        EXPECT_EQ(counted, box.channels);
      }
      ASSERT_EQ(covered.size(), static_cast<std::size_t>(end - begin)) << begin << " to " << end;
      for (std::size_t i = 0; i < covered.size(); ++i) {
        ASSERT_EQ(covered[i], begin + static_cast<std::int64_t>(i)) << begin << " to " << end;
      }
    }
  }
}

}  // namespace
