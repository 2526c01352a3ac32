// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "files/made_file.hpp"
#include "times/times.hpp"

#include <synelix/error.hpp>
#include <synelix/nwb.hpp>

#include <gmock/gmock.h>
#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

namespace nwb_intervals_tests {
namespace {

namespace sx = synelix;
using sx::Interval;
using sx::TimeBins;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::ThrowsMessage;

TEST(IntervalSets, OrderUnionAndIntersection) {
  namespace sets = sx;
  EXPECT_THAT(sets::ordered_intervals("x", {{5, 6}, {1, 2}, {3, 3}, {2, 3}}),
              ElementsAre(Interval{1, 2}, Interval{2, 3}, Interval{5, 6}));
  // overlap of less than 1e-9 s: rounding by the writer of the table
  EXPECT_THAT(sets::ordered_intervals("x", {{1, 2.0000000005}, {2, 3}}),
              ElementsAre(Interval{1, 2}, Interval{2, 3}));
  EXPECT_THAT(sets::ordered_intervals("x", {{2, 2.0000000005}, {2, 3}}),
              ElementsAre(Interval{2, 3}));  // nothing is left of the first
  EXPECT_THROW(sets::ordered_intervals("x", {{1, 2.000000002}, {2, 3}}), sx::Error);
  EXPECT_THAT([] { sets::ordered_intervals("x", {{1, 9}, {4, 5}}, {7, 3}); },
              ThrowsMessage<sx::Error>(HasSubstr("x[7] and [3]: 1 to 9 s and 4 to 5 s overlap. ")));
  EXPECT_THAT(sets::united({{4, 5}, {1, 3}, {2, 2.5}, {3, 4}, {7, 8}}),
              ElementsAre(Interval{1, 5}, Interval{7, 8}));
  EXPECT_THAT(sets::intersection({{0, 2}, {3, 6}, {8, 9}}, {{1, 4}, {5, 8}}),
              ElementsAre(Interval{1, 2}, Interval{3, 4}, Interval{5, 6}));
  EXPECT_THAT(sets::intersection({{0, 2}}, {}), IsEmpty());
  EXPECT_THAT(sets::intersection({{0, 2}}, {{2, 3}}), IsEmpty());
}

TEST(TimeBins, RestartAtEachInterval) {
  const TimeBins bins(0.1, {{1.0, 1.3}, {1.3, 1.349}, {2.04, 2.5}});
  EXPECT_EQ(bins.rows(), 3 + 0 + 5);  // 2.04 to 2.54: the last centre is at 2.49
  EXPECT_EQ(bins.without_rows(), 1);
  EXPECT_THAT(bins.epochs(), ElementsAre(sx::Epoch{0, 3}, sx::Epoch{3, 8}));
  EXPECT_THAT(bins.segments(),
              ElementsAre(sx::TimeSegment{0, 1.0, 10.0}, sx::TimeSegment{3, 2.04, 10.0}));
  EXPECT_EQ(bins.row_of(1.0), 0);
  EXPECT_EQ(bins.row_of(1.2999), 2);
  EXPECT_FALSE(bins.row_of(1.3));  // the next interval's, in which no bin is kept
  EXPECT_FALSE(bins.row_of(0.99));
  EXPECT_FALSE(bins.row_of(1.5));
  EXPECT_EQ(bins.row_of(2.04), 3);
  EXPECT_EQ(bins.row_of(2.5), 7);
  EXPECT_FALSE(bins.row_of(2.5000001));
}

TEST(TimeBins, WhereTwoTouchASpikeIsTheNextOnes) {
  const TimeBins bins(0.25, {{0.0, 0.625}, {0.625, 1.0}});
  EXPECT_EQ(bins.rows(), 2 + 2);  // the centre at 0.625 is not before the border
  EXPECT_EQ(bins.row_of(0.625), 2);
  EXPECT_FALSE(bins.row_of(0.62));  // in no kept bin
  const TimeBins alone(0.25, {{0.0, 0.625}});
  EXPECT_EQ(alone.rows(), 3);
  EXPECT_EQ(alone.row_of(0.625), 2);
}

TEST(TimeBins, TimesBeyondTheDigitsOfABinAreRefused) {
  EXPECT_THROW(TimeBins(1e-9, {{1e11, 1e11 + 1}}), sx::Error);
  EXPECT_THROW(TimeBins(1.0, {{-1e300, 1}}), sx::Error);
  EXPECT_THAT([] { TimeBins(1e-9, 0.0, 1e11); },
              ThrowsMessage<sx::Error>(HasSubstr("at most 2^53 bins")));
}

/// Two units and tables of intervals.
class NwbIntervals : public testing::Test {
 protected:
  NwbIntervals() {
    const made::File made(m_file);
    made.dataset("/units/id", {2}, std::vector<std::int64_t>{4, 9});
    made.dataset("/units/spike_times", {7},
                 std::vector<double>{-0.5, 0.05, 1.0, 1.25, 2.0, 0.1, 3});
    made.dataset("/units/spike_times_index", {2}, std::vector<std::uint8_t>{5, 7});
    made.dataset("/units/obs_intervals", {3, 2}, std::vector<double>{-1, 1.2, 1.0, 2.5, 0, 3});
    made.dataset("/units/obs_intervals_index", {2}, std::vector<std::uint8_t>{2, 3});
    made.dataset("/intervals/trials/start_time", {3}, std::vector<double>{2, 0, 1});
    made.dataset("/intervals/trials/stop_time", {3}, std::vector<double>{3, 1, 1.5});
    made.dataset("/intervals/trials/good", {3}, std::vector<std::int32_t>{1, 0, 1});
    made.dataset("/intervals/whole/start_time", {2}, std::vector<std::int32_t>{0, 2});
    made.dataset("/intervals/whole/stop_time", {2}, std::vector<std::int32_t>{1, 3});
    made.dataset("/intervals/none/start_time", {0}, std::vector<double>{});
    made.dataset("/intervals/none/stop_time", {0}, std::vector<double>{});
    made.dataset("/intervals/flat/start_time", {2, 2}, std::vector<double>{1, 3, 5, 7});
    made.dataset("/intervals/flat/stop_time", {2, 2}, std::vector<double>{2, 4, 6, 8});
    made.dataset("/intervals/lists/start_time", {2, 1}, std::vector<double>{1, 3});
    made.dataset("/intervals/lists/stop_time", {1, 2}, std::vector<double>{2, 4});
    made.dataset("/intervals/lists/good", {2, 1}, std::vector<std::int32_t>{0, 1});
    made.strings("/intervals/text/start_time", {"a"});
    made.strings("/intervals/text/stop_time", {"b"});
    made.dataset("/intervals/ids/id", {3}, std::vector<std::int64_t>{1, 2, 3});
    made.dataset("/intervals/ids/start_time", {2}, std::vector<double>{1, 3});
    made.dataset("/intervals/ids/stop_time", {2}, std::vector<double>{2, 4});
    m_before = sx::set_warning_handler(
        [this](std::string_view message) { m_warnings.emplace_back(message); });
  }
  ~NwbIntervals() override { sx::set_warning_handler(m_before); }

  std::vector<Interval> intervals(const std::string& name,
                                  const std::vector<sx::Condition>& where = {}) const {
    return sx::read_intervals({m_file, "/intervals/" + name}, where);
  }
  sx::Units units(const sx::UnitsOptions& options) const { return sx::read_units(m_file, options); }
  void expect_error(const std::string& name, const char* says,
                    const std::vector<sx::Condition>& where = {}) const {
    EXPECT_THAT([&] { intervals(name, where); }, ThrowsMessage<sx::Error>(HasSubstr(says)));
  }

  made::Folder m_folder;
  std::string m_file = m_folder / "x.nwb";
  std::vector<std::string> m_warnings;
  sx::WarningHandler m_before;
};

TEST_F(NwbIntervals, TablesAreReadInTheOrderOfTime) {
  EXPECT_THAT(intervals("trials"), ElementsAre(Interval{0, 1}, Interval{1, 1.5}, Interval{2, 3}));
  EXPECT_THAT(intervals("trials", {{"good", "1"}}), ElementsAre(Interval{1, 1.5}, Interval{2, 3}));
  EXPECT_THAT(intervals("trials", {{"start_time", "2"}}), ElementsAre(Interval{2, 3}));
  EXPECT_THAT(intervals("whole/"), ElementsAre(Interval{0, 1}, Interval{2, 3}));
  expect_error(
      "trials",
      "where good=2: there is no interval left. Give one of the values of the column: 0, 1.",
      {{"good", "2"}});
  expect_error("trials", "there is no column \"bad\". Give one of good, start_time, stop_time.",
               {{"bad", "2"}});
  expect_error("epochs",
               "/intervals/epochs: there is no such table. Give a table with start_time "
               "and stop_time; /intervals holds flat, ids, lists, none, text, trials, whole");
  expect_error("none", "this table holds no interval");
  expect_error("flat",
               "start_time: it holds float64 of extents (2, 2). Valid is a number for each");
  EXPECT_THAT(intervals("lists"), ElementsAre(Interval{1, 2}, Interval{3, 4}));
  EXPECT_THAT(intervals("lists", {{"good", "1"}}), ElementsAre(Interval{3, 4}));
  expect_error("text", "start_time: it holds string of extents (1,)");
  expect_error("ids",
               "start_time: it holds float64 of extents (2,). Valid is a number for each of "
               "the 3 intervals");
  EXPECT_THAT([&] { sx::read_intervals({m_file, "/units"}); },
              ThrowsMessage<sx::Error>(HasSubstr("no column start_time among id, obs_intervals")));
  EXPECT_THAT([&] { sx::read_intervals({m_file, ""}); },
              ThrowsMessage<sx::Error>(HasSubstr("no such table")));
}

TEST_F(NwbIntervals, BinsOfUnitsRestartAndOnlyTheirRowsAreThere) {
  const sx::Units found = units({.bin_seconds = 0.5, .intervals = {{1.9, 3.0}, {-1, 0.1}}});
  EXPECT_EQ(found.rows(), 2 + 2);
  EXPECT_EQ(found.start_seconds, -1);
  EXPECT_EQ(found.end_seconds, 3);
  EXPECT_THAT(found.events.shape().epochs, ElementsAre(sx::Epoch{0, 2}, sx::Epoch{2, 4}));
  const sx::SeriesDescription series = found.description();
  EXPECT_DOUBLE_EQ(series.seconds_of(1), -0.5);
  EXPECT_DOUBLE_EQ(series.seconds_of(3), 2.4);
  EXPECT_THAT(series.channel_ids, ElementsAre(4, 9));
  // -0.5 | 2.0 of the first; 3 of the second is after its last kept bin, 0.05 and 0.1 too
  EXPECT_EQ(found.spikes, 2);
  EXPECT_EQ(found.events.sample_indices()[0], 1);
  EXPECT_EQ(found.events.sample_indices()[1], 2);
}

TEST_F(NwbIntervals, TimesInMemoryMakeTheEventsOfTheFile) {
  const std::vector<std::vector<double>> times{{-0.5, 0.05, 1.0, 1.25, 2.0}, {0.1, 3}};
  const auto expect_same = [](const sx::Events& found, const sx::Events& wanted) {
    const std::int64_t count = wanted.shape().events;
    EXPECT_EQ(found.shape().samples, wanted.shape().samples);
    EXPECT_EQ(found.shape().epochs, wanted.shape().epochs);
    ASSERT_EQ(found.shape().events, count);
    EXPECT_TRUE(std::equal(wanted.begins(), wanted.begins() + 3, found.begins()));
    EXPECT_TRUE(std::equal(wanted.sample_indices(), wanted.sample_indices() + count,
                           found.sample_indices()));
  };
  for (const double bin : {0.001, 0.05, 0.3}) {
    SCOPED_TRACE(bin);
    const std::vector<Interval> some{{1.9, 3.0}, {-1, 1.1}};
    expect_same(sx::Events::from_times(times, TimeBins(bin, some)),
                units({.bin_seconds = bin, .intervals = some}).events);
    expect_same(sx::Events::from_times(times, TimeBins(bin, 0.0, 3.0)),
                units({.bin_seconds = bin}).events);
  }
}

TEST_F(NwbIntervals, WhatHasNoRowsOrSpikesIsSaid) {
  const sx::Units found = units({.bin_seconds = 0.5, .intervals = {{0, 0.2}, {1, 2}, {7, 8}}});
  EXPECT_EQ(found.rows(), 4);
  EXPECT_THAT(
      m_warnings,
      ElementsAre(HasSubstr("obs_intervals: in "), HasSubstr("1 of 3 intervals have no row"),
                  HasSubstr("1 of 3 intervals start behind the end of the recording, at 3")));
  EXPECT_THAT([&] { units({.bin_seconds = 0.5, .intervals = {{0, 0.2}}}); },
              ThrowsMessage<sx::Error>(HasSubstr("at most twice the longest interval")));
  EXPECT_THAT([&] { units({.bin_seconds = 0.5, .intervals = {{0, 2}, {1, 3}}}); },
              ThrowsMessage<sx::Error>(HasSubstr("intervals[0] and [1]")));
  EXPECT_THAT([&] { units({.bin_seconds = 0.5, .intervals = {{1, 1}}}); },
              ThrowsMessage<sx::Error>(HasSubstr("of no length")));
}

TEST_F(NwbIntervals, TimesWithoutObservationCanBeLeftOut) {
  const sx::Units all = units({.bin_seconds = 0.1, .unobserved = sx::Unobserved::leave_out});
  EXPECT_THAT(m_warnings, IsEmpty());
  EXPECT_EQ(all.start_seconds, 0);  // -1 to 2.5 of one, 0 to 3 of the other
  EXPECT_EQ(all.end_seconds, 2.5);
  EXPECT_EQ(all.rows(), 25);
  const sx::Units one = units({.bin_seconds = 0.1,
                               .unit_ids = {4},
                               .intervals = {{2.0, 3.0}},
                               .unobserved = sx::Unobserved::leave_out});
  EXPECT_EQ(one.rows(), 5);
  EXPECT_EQ(one.start_seconds, 2.0);
  const sx::Units silent = units({.bin_seconds = 0.1});
  EXPECT_EQ(silent.rows(), 30);
  EXPECT_THAT(m_warnings,
              ElementsAre(HasSubstr("obs_intervals: in 0.5 of 3 s one or more of the")));
  EXPECT_EQ(silent.counts.before, 1);
}

/// A table of trials in a separate file.
class IntervalRows : public NwbIntervals {
 protected:
  std::vector<Interval> rows(const std::vector<double>& starts, const std::vector<double>& stops,
                             const sx::IntervalsOptions& options = {},
                             const std::vector<sx::Condition>& where = {}) {
    const std::string file = m_folder / ("rows" + std::to_string(m_files++) + ".nwb");
    {
      const made::File made(file);
      made.dataset("/intervals/trials/start_time", {starts.size()}, starts);
      made.dataset("/intervals/trials/stop_time", {stops.size()}, stops);
      std::vector<std::int32_t> numbers(starts.size());
      std::iota(numbers.begin(), numbers.end(), 0);
      made.dataset("/intervals/trials/number", {numbers.size()}, numbers);
    }
    m_warnings.clear();
    return sx::read_intervals({file, "/intervals/trials"}, where, options);
  }

  int m_files = 0;
};

TEST_F(IntervalRows, ThatCannotBeUsedAreLeftOutOrRefused) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> starts{0, 10, nan, 20, 30};
  const std::vector<double> stops{5, 15, 25, nan, 29};
  EXPECT_THAT(rows(starts, stops), ElementsAre(Interval{0, 5}, Interval{10, 15}));
  EXPECT_THAT(m_warnings, ElementsAre(HasSubstr("3 of 5 rows are left out, row 2 first")));
  const sx::IntervalsOptions strict{.unusable = sx::UnusableIntervals::refuse};
  EXPECT_THAT([&] { rows(starts, stops, strict); },
              ThrowsMessage<sx::Error>(HasSubstr("[2]: nan to 25 s is not an interval of time. "
                                                 "Select other rows (--where), or leave "
                                                 "--strict-intervals out: such rows, 3 of 5")));
  EXPECT_THAT(rows(starts, stops, strict, {{"number", "1"}}), ElementsAre(Interval{10, 15}));
  EXPECT_THAT(m_warnings, IsEmpty());
  EXPECT_THAT([&] { rows({nan, 3}, {1, 2}); },
              ThrowsMessage<sx::Error>(HasSubstr("none of its 2 rows is an interval of time")));
  EXPECT_THROW(rows({0}, {1}, {.unusable = static_cast<sx::UnusableIntervals>(2)}), sx::Error);
}

TEST_F(IntervalRows, ThatOverlapAreJoinedOrKeptApart) {
  const sx::IntervalsOptions apart{.overlaps = sx::Overlaps::apart};
  EXPECT_THAT(rows({0, 4, 20}, {5, 9, 25}), ElementsAre(Interval{0, 9}, Interval{20, 25}));
  EXPECT_THAT(m_warnings, ElementsAre(HasSubstr("1 of 3 rows begin within another one and are "
                                                "joined with it. --overlaps apart")));
  EXPECT_THAT(rows({0, 4, 20}, {5, 9, 25}, apart),
              ElementsAre(Interval{0, 4}, Interval{4, 9}, Interval{20, 25}));
  EXPECT_THAT(m_warnings, ElementsAre(HasSubstr("which ends there")));
  EXPECT_THAT(rows({0, 1, 20}, {9, 3, 25}), ElementsAre(Interval{0, 9}, Interval{20, 25}));
  EXPECT_THAT(rows({0, 1, 20}, {9, 3, 25}, apart),
              ElementsAre(Interval{0, 1}, Interval{1, 3}, Interval{3, 9}, Interval{20, 25}));
  EXPECT_THAT(rows({0, 1, 2, 3}, {9, 8, 2.5, 4}, apart),
              ElementsAre(Interval{0, 1}, Interval{1, 2}, Interval{2, 2.5}, Interval{2.5, 3},
                          Interval{3, 4}, Interval{4, 8}, Interval{8, 9}));
  EXPECT_THAT(rows({0, 1, 2}, {1, 2, 3}),
              ElementsAre(Interval{0, 1}, Interval{1, 2}, Interval{2, 3}));
  EXPECT_THAT(m_warnings, IsEmpty());  // they touch
  EXPECT_THROW(rows({0}, {1}, {.overlaps = static_cast<sx::Overlaps>(2)}), sx::Error);
}

/// A unit whose recording starts in 2020, in seconds since 1970.
class FarUnits : public NwbIntervals {
 protected:
  FarUnits() {
    const made::File made(m_far);
    made.dataset("/units/id", {1}, std::vector<std::int64_t>{0});
    made.dataset("/units/spike_times", {3},
                 std::vector<double>{1.6e9 + 0.25, 1.6e9 + 0.5, 1.6e9 + 10});
    made.dataset("/units/spike_times_index", {1}, std::vector<std::uint8_t>{3});
  }

  std::string m_far = m_folder / "far.nwb";
};

TEST_F(FarUnits, HaveBinsFromTheStartOfTheRecording) {
  const sx::Units found = sx::read_units(m_far, {.bin_seconds = 0.1});
  EXPECT_EQ(found.start_seconds, 1.6e9 + 0.2);
  EXPECT_EQ(found.rows(), 98);
  EXPECT_EQ(found.spikes, 2 + 0);  // the last spike begins a bin that is not kept
  EXPECT_EQ(found.description().seconds_of(8), 1.6e9 + 1);
  EXPECT_THAT(found.events.shape().epochs, IsEmpty());
  EXPECT_THAT(m_warnings, ElementsAre(HasSubstr("bins begin at 1600000000.2 s, because the "
                                                "recording starts at 1600000000.25 s (its first "
                                                "spike). To begin elsewhere, give --from")));
}

TEST_F(FarUnits, BeginWhereTheCallerSays) {
  const sx::Units found = sx::read_units(m_far, {.bin_seconds = 0.1, .from_seconds = 1.6e9 + 0.45});
  EXPECT_EQ(found.start_seconds, 1.6e9 + 0.45);
  EXPECT_EQ(found.counts.before, 1);
  EXPECT_EQ(found.events.sample_indices()[0], 0);
  EXPECT_THAT(m_warnings, IsEmpty());
  const sx::Units later = units({.bin_seconds = 0.5, .from_seconds = 1.0});
  EXPECT_EQ(later.start_seconds, 1.0);
  EXPECT_EQ(later.rows(), 4);
  EXPECT_THAT([&] { units({.bin_seconds = 0.5, .from_seconds = 9.0}); },
              ThrowsMessage<sx::Error>(HasSubstr("bins start at 9 s")));
  EXPECT_THAT([&] { units({.bin_seconds = 0.5, .intervals = {{0, 1}}, .from_seconds = 0.0}); },
              ThrowsMessage<sx::Error>(HasSubstr("from_seconds: it is given beside intervals")));
  EXPECT_THAT([&] { units({.bin_seconds = 0.5, .from_seconds = std::nan("")}); },
              ThrowsMessage<sx::Error>(HasSubstr("from_seconds: nan is not a time")));
}

}  // namespace
}  // namespace nwb_intervals_tests
