// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <synelix/error.hpp>
#include <synelix/series.hpp>
#include <synelix/time_bins.hpp>

#include <gmock/gmock.h>
#include <Kokkos_Core.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

// Spike times in seconds to events. The rules of bins are tested beside the file reader, which has
// the same (tests/nwb).

namespace time_bins_tests {
namespace {

using namespace synelix;
using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::ThrowsMessage;

std::vector<std::int64_t> samples_of(const Events& events, std::int64_t channel) {
  return {events.sample_indices() + events.begins()[channel],
          events.sample_indices() + events.begins()[channel + 1]};
}

TEST(TimeBins, HaveCentresAndNoEpochsWithoutIntervals) {
  const TimeBins bins(0.1, 0.0, 0.34);
  EXPECT_EQ(bins.rows(), 3);
  EXPECT_THAT(bins.centres(), ElementsAre(0.05, 0.15, 0.25));
  EXPECT_THAT(bins.epochs(), IsEmpty());
  EXPECT_THAT(bins.segments(), ElementsAre(TimeSegment{0, 0.0, 10.0}));
}

TEST(TimeBins, TakeIntervalsInAnyOrderEachAnEpoch) {
  const TimeBins bins(0.5, {{2.0, 3.0}, {0.25, 1.25}, {5.0, 5.0}});
  EXPECT_THAT(bins.centres(), ElementsAre(0.5, 1.0, 2.25, 2.75));
  EXPECT_THAT(bins.epochs(), ElementsAre(Epoch{0, 2}, Epoch{2, 4}));
}

TEST(TimeBins, RefuseWhatIsNoTime) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT([] { TimeBins(0.0, 0.0, 1.0); }, ThrowsMessage<Error>(HasSubstr("bin_seconds: 0")));
  EXPECT_THAT([&] { TimeBins(nan, 0.0, 1.0); }, ThrowsMessage<Error>(HasSubstr("bin_seconds")));
  EXPECT_THAT([&] { TimeBins(0.1, 0.0, nan); }, ThrowsMessage<Error>(HasSubstr("end_seconds")));
  EXPECT_THAT([] { TimeBins(0.1, 2.0, 1.0); }, ThrowsMessage<Error>(HasSubstr("end_seconds")));
  EXPECT_THAT([] { TimeBins(0.1, std::vector<Interval>()); },
              ThrowsMessage<Error>(HasSubstr("intervals: there is none")));
  EXPECT_THAT([] { TimeBins(0.1, {{0.0, 2.0}, {1.0, 3.0}}); },
              ThrowsMessage<Error>(HasSubstr("overlap")));
}

TEST(EventsFromTimes, CountsTimesOfEachChannelInBins) {
  const TimeBins bins(0.5, {{0.0, 1.0}, {2.0, 3.0}});
  const Events events = Events::from_times({{2.6, 0.1, 0.2, 1.7}, {}, {0.5, 3.0, -1.0, 9.0}}, bins);
  EXPECT_EQ(events.shape().samples, 4);
  EXPECT_EQ(events.shape().channels, 3);
  EXPECT_THAT(events.shape().epochs, ElementsAre(Epoch{0, 2}, Epoch{2, 4}));
  EXPECT_THAT(samples_of(events, 0), ElementsAre(0, 3));  // 1.7 is between the intervals
  EXPECT_THAT(samples_of(events, 1), IsEmpty());
  EXPECT_THAT(samples_of(events, 2), ElementsAre(1));  // 3.0 begins a bin that is not kept
  ASSERT_NE(events.counts(), nullptr);
  EXPECT_THAT(std::vector<float>(events.counts(), events.counts() + 3), ElementsAre(2, 1, 1));
}

TEST(EventsFromTimes, AreTheSameFromSpans) {
  const std::vector<double> times{0.3, 0.1};
  const std::span<const double> lists[] = {times, times};
  const TimeBins bins(0.1, 0.0, 1.0);
  const Events a = Events::from_times(lists, bins);
  const Events b = Events::from_times(std::vector<std::vector<double>>{times, times}, bins);
  EXPECT_THAT(samples_of(a, 1), ElementsAreArray(samples_of(b, 1)));
  EXPECT_THAT(a.shape().epochs, IsEmpty());
}

TEST(EventsFromTimes, RefusesTimesThatAreNotFinite) {
  const TimeBins bins(0.1, 0.0, 1.0);
  EXPECT_THAT([&] { (void)Events::from_times({{0.1}, {0.2, std::nan("")}}, bins); },
              ThrowsMessage<Error>(HasSubstr("times[1][1]: ")));
  EXPECT_THAT([&] { (void)Events::from_times(std::vector<std::vector<double>>(), bins); },
              ThrowsMessage<Error>(HasSubstr("trains: there is no channel")));
  EXPECT_THAT([&] { (void)Events::from_times({{0.1}}, TimeBins(5.0, 0.0, 1.0)); },
              ThrowsMessage<Error>(HasSubstr("bins: bins of 5 s are too long")));
}

}  // namespace
}  // namespace time_bins_tests
