// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hdf5/objects/chunk_pieces.hpp"
#include "streams/row_map.hpp"

#include <synelix/convolve.hpp>
#include <synelix/stream.hpp>
#include <synelix/time_bins.hpp>

#include <gmock/gmock.h>
#include <Kokkos_Core.hpp>

#include <cmath>

namespace stream_maps_tests {
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
  for (const auto& epochs : {sx::Epochs{}, {{3, 100}, {100, 101}, {150, 480}}}) {
    shape.epochs = epochs;
    for (const auto border : {sx::Border::nan, sx::Border::zero, sx::Border::valid}) {
      for (const std::int64_t every : {1, 4, 31}) {
        const sx::ConvolveOptions options{
            .border = border, .method = sx::Method::direct, .every = every};
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

TEST(SeriesDescription, CentersOfBins) {
  const synelix::SeriesDescription samples{.rate_hz = 1000.0, .start_seconds = 0.5};
  EXPECT_EQ(samples.center_of(3), samples.seconds_of(3));
  // The second segment starts at row 10, and bins restart there.
  const synelix::SeriesDescription bins{
      .rate_hz = 100.0, .segments = {{0, 0.25, 100.0}, {10, 7.0, 100.0}}, .bin_seconds = 0.01};
  const synelix::TimeBins same(0.01, {{0.25, 0.35}, {7.0, 7.2}});
  const std::vector<double> centers = same.centres();
  ASSERT_EQ(centers.size(), 30U);
  for (std::size_t t = 0; t < centers.size(); ++t) {
    EXPECT_EQ(bins.center_of(static_cast<std::int64_t>(t)), centers[t]) << t;
  }
  EXPECT_EQ(bins.center_of(10), 7.005);
}

TEST(SeriesDescription, TimesOfSamplesAndSamplesOfTimes) {
  const synelix::SeriesDescription even{.rate_hz = 1000.0, .start_seconds = 0.5};
  EXPECT_DOUBLE_EQ(even.seconds_of(250), 0.75);
  EXPECT_DOUBLE_EQ(even.seconds_of(-10), 0.49);
  for (std::int64_t t = 0; t < 5000; ++t) {
    ASSERT_EQ(even.sample_at(even.seconds_of(t)), t);
    ASSERT_EQ(even.sample_at(even.seconds_of(t) + 0.9e-6), t);  // within a thousandth of a sample
    ASSERT_EQ(even.sample_at(even.seconds_of(t) + 1.1e-6), t + 1);
    ASSERT_EQ(even.sample_at(even.seconds_of(t) - 0.9e-3), t);
  }
  EXPECT_EQ(even.sample_at(0.4), -100);
  EXPECT_EQ(even.sample_at(1e300), std::int64_t{1} << 53);

  // samples 0 to 9 from 0 s, 10 to 12 from 1 s, the rest from 5 s, at 10 Hz
  const synelix::SeriesDescription jumps{
      .rate_hz = 10.0, .segments = {{0, 0.0, 10.0}, {10, 1.05, 10.0}, {13, 5.0, 10.0}}};
  EXPECT_DOUBLE_EQ(jumps.seconds_of(9), 0.9);
  EXPECT_DOUBLE_EQ(jumps.seconds_of(10), 1.05);
  EXPECT_DOUBLE_EQ(jumps.seconds_of(13), 5.0);
  EXPECT_DOUBLE_EQ(jumps.seconds_of(23), 6.0);
  for (std::int64_t t = 0; t < 40; ++t) {
    ASSERT_EQ(jumps.sample_at(jumps.seconds_of(t)), t);
    ASSERT_EQ(jumps.sample_at(jumps.seconds_of(t) - 0.02), t);
  }
  for (const double gap : {1.3, 2.0, 4.99}) EXPECT_EQ(jumps.sample_at(gap), 13) << gap;
  EXPECT_EQ(jumps.sample_at(-0.2), -2);

  const synelix::SeriesDescription unknown;
  EXPECT_THROW((void)unknown.seconds_of(1), synelix::Error);
  EXPECT_THROW((void)unknown.sample_at(1.0), synelix::Error);
  EXPECT_THROW((void)even.sample_at(std::nan("")), synelix::Error);
}

}  // namespace
}  // namespace stream_maps_tests
