// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "files/made_file.hpp"
#include "files/made_values.hpp"
#include "hdf5/source/signal_attributes.hpp"

#include <synelix/error.hpp>
#include <synelix/hdf5.hpp>
#include <synelix/nwb.hpp>

#include <gmock/gmock.h>
#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

namespace nwb_signals_tests {
namespace {

namespace sx = synelix;
using made::all_of;
using made::at;
using made::numbers;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

sx::TimestampsFit fit(const std::vector<double>& times) {
  return sx::stream::fit_timestamps(
      "times", static_cast<std::int64_t>(times.size()), [&](sx::Range samples, double* to) {
        ASSERT_LE(samples.size(), sx::stream::timestamps_together);
        std::copy(times.begin() + samples.begin, times.begin() + samples.end, to);
      });
}

void expect_refused(const std::vector<double>& times, const testing::Matcher<std::string>& says) {
  EXPECT_THAT([&] { fit(times); }, ThrowsMessage<sx::Error>(says));
}

std::vector<double> even(std::size_t samples, double rate, double start = 0.0) {
  std::vector<double> times(samples);
  for (std::size_t t = 0; t < samples; ++t) times[t] = start + static_cast<double>(t) / rate;
  return times;
}

TEST(TimestampsFit, EvenTimesGiveTheirRate) {
  for (const double rate : {0.5, 30.0, 1250.0, 30'000.0, 29'999.9541}) {
    for (const std::size_t samples : {2U, 3U, 1000U, 200'000U}) {
      const auto found = fit(even(samples, rate, 1234.5));
      EXPECT_NEAR(found.rate_hz / rate, 1.0, 1e-6) << rate << ", " << samples;
      ASSERT_EQ(found.segments.size(), 1U);
      EXPECT_NEAR(found.segments[0].start_seconds, 1234.5, 1e-9);
      EXPECT_LT(found.most_deviation, 1e-6 * rate);
    }
  }
}

TEST(TimestampsFit, TheLineIsThatOfLeastSquares) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> jitter(-0.24, 0.24);
  std::vector<double> times = even(150'000, 100.3, -7.0);
  for (double& time : times) time += jitter(random) / 100.3;
  const auto found = fit(times);
  // the closed form of one line, in long double
  const auto n = static_cast<long double>(times.size());
  long double sum = 0;
  long double weighted = 0;
  for (std::size_t t = 0; t < times.size(); ++t) {
    sum += times[t];
    weighted += static_cast<long double>(t) * times[t];
  }
  const long double slope = (weighted - (n - 1) / 2 * sum) / (n * (n * n - 1) / 12);
  const long double start = sum / n - slope * (n - 1) / 2;
  EXPECT_NEAR(found.rate_hz * static_cast<double>(slope), 1.0, 1e-12);
  EXPECT_NEAR(found.segments[0].start_seconds, static_cast<double>(start), 1e-9);
  EXPECT_GT(found.most_deviation, 0.23);
  EXPECT_LT(found.most_deviation, 0.25);
}

TEST(TimestampsFit, HalfASampleIsTheBorder) {
  // one late sample of many hardly moves the line
  for (const double late : {0.45, 0.499, -0.45, -0.499}) {
    std::vector<double> times = even(20'000, 10.0);
    times[12'345] += late / 10.0;
    EXPECT_NEAR(fit(times).most_deviation, std::abs(late), 1e-3);
  }
  // three consecutive late ones keep the differences below 1.5 periods: no jump
  for (const double late : {0.49, 0.51}) {
    std::vector<double> times = even(20'000, 10.0);
    for (const std::size_t t : {5000U, 5001U, 5002U}) times[t] += late / 10.0;
    times[4999] += 0.1 / 10.0;
    if (late < 0.5) {
      EXPECT_NEAR(fit(times).most_deviation, late, 1e-3);
    } else {
      expect_refused(times, AllOf(HasSubstr("times[5000]: the time is 500.05"),
                                  HasSubstr("expected"), HasSubstr("within half a sample")));
    }
  }
}

TEST(TimestampsFit, OneAndAHalfPeriodsAreTheBorderOfAJump) {
  for (const double gap : {1.49, 1.51, 2.0, 1e6}) {
    std::vector<double> times = even(1000, 100.0);
    for (std::size_t t = 600; t < times.size(); ++t) times[t] += (gap - 1.0) / 100.0;
    const auto found = fit(times);
    ASSERT_EQ(found.segments.size(), gap > 1.5 ? 2U : 1U) << gap;
    if (gap < 1.5) {
      EXPECT_GT(found.most_deviation, 0.2);
      continue;
    }
    EXPECT_EQ(found.segments[1].first_sample, 600);
    EXPECT_NEAR(found.segments[1].start_seconds, times[600], 1e-9);
    EXPECT_NEAR(found.rate_hz, 100.0, 1e-6);
    EXPECT_EQ(found.segments[1].rate_hz, found.rate_hz);
  }
}

TEST(TimestampsFit, ManySegmentsShareOneRate) {
  std::vector<double> times;
  std::mt19937_64 random(9);
  double start = 0;
  std::vector<std::int64_t> firsts;
  for (int i = 0; i < 400; ++i) {
    firsts.push_back(static_cast<std::int64_t>(times.size()));
    for (const double time : even(1 + random() % 700, 30.0, start)) times.push_back(time);
    start = times.back() + 0.06 + static_cast<double>(random() % 100);
  }
  const auto found = fit(times);
  ASSERT_EQ(found.segments.size(), firsts.size());
  for (std::size_t i = 0; i < firsts.size(); ++i) {
    ASSERT_EQ(found.segments[i].first_sample, firsts[i]);
    ASSERT_NEAR(found.segments[i].start_seconds, times[static_cast<std::size_t>(firsts[i])], 1e-6);
  }
  EXPECT_NEAR(found.rate_hz, 30.0, 1e-6);
}

TEST(TimestampsFit, WhatIsNoRateIsRefusedAtItsFirstSample) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  const auto with = [](std::size_t place, double value) {
    std::vector<double> times = even(100'000, 10.0);
    times[place] = value;
    return times;
  };
  for (const std::size_t place : {0U, 1U, 50U, 70'000U, 99'999U}) {
    const std::string name = "times[" + std::to_string(place) + "]";
    expect_refused(with(place, nan), HasSubstr(name + ": it is not a number"));
    expect_refused(with(place, std::numeric_limits<double>::infinity()), HasSubstr(name));
  }
  expect_refused(with(70'000, 6999.85),
                 HasSubstr("times[70000]: the time 6999.85 s comes after 6999.9 s"));
  expect_refused({1.0, 1.0, 1.0, 1.0}, HasSubstr("stand still"));
  expect_refused({3.0, 2.0}, HasSubstr("times[1]: the time 2 s comes after 3 s"));
  expect_refused({nan, nan}, HasSubstr("times[0]"));
  // a rate that changes is not one rate
  std::vector<double> times = even(2000, 10.0);
  for (std::size_t t = 1000; t < 2000; ++t) {
    times[t] = times[999] + static_cast<double>(t - 999) / 10.1;
  }
  expect_refused(times, HasSubstr("expected. Give times within half a sample of a rate"));
  // every other difference a jump: no recording with gaps
  times.clear();
  for (int t = 0; t < 4'500'000; ++t) times.push_back(t + 10.0 * (t / 3));
  expect_refused(times, AllOf(HasSubstr("jump 1048576"), HasSubstr("fewer jumps")));
}

/// A series of NWB with 100 samples of 4 channels.
struct MadeSeries {
  std::vector<double> times = {};
  std::vector<double> conversions = {};
  bool has_starting_time = false;
  double start = 0;
  double rate = 100;
  std::string unit = "seconds";
  void write(const std::string& name) const {
    const made::File made(name);
    made.dataset("/acquisition/raw/data", {100, 4}, numbers<std::int16_t>(400));
    made.number("/acquisition/raw/data", "conversion", 0.5);
    made.number("/acquisition/raw/data", "offset", 3.0);
    if (!times.empty()) {
      made.dataset("/acquisition/raw/timestamps", {times.size()}, times);
      made.text("/acquisition/raw/timestamps", "unit", unit);
    }
    if (!conversions.empty()) {
      made.dataset("/acquisition/raw/channel_conversion", {conversions.size()}, conversions);
    }
    if (!has_starting_time) return;
    made.dataset("/acquisition/raw/starting_time", {}, std::vector<double>{start});
    made.number("/acquisition/raw/starting_time", "rate", rate);
    made.text("/acquisition/raw/starting_time", "unit", unit);
  }
};

TEST(NwbSignal, ASeriesIsItsDataWithConversionAndTimes) {
  const made::Folder folder;
  const std::string file = folder / "x.nwb";
  std::vector<double> times = even(100, 20.0, 5.0);
  for (std::size_t t = 30; t < 100; ++t) times[t] += 10;
  MadeSeries{.times = times, .conversions = {1, 2, 3, 4}}.write(file);
  for (const char* const name :
       {"/acquisition/raw", "/acquisition/raw/", "/acquisition/raw/data"}) {
    sx::Hdf5Source source(at(file, name));
    EXPECT_EQ(all_of<std::int16_t>(source), numbers<std::int16_t>(400));
    EXPECT_THAT(source.shape().scaling.channel_scale, ElementsAre(0.5, 1, 1.5, 2));
    EXPECT_EQ(source.shape().scaling.offset, 3.0);
    EXPECT_THAT(source.shape().epochs, ElementsAre(sx::Epoch{0, 30}, sx::Epoch{30, 100}));
    const auto series = source.description();
    EXPECT_NEAR(series.rate_hz.value(), 20.0, 1e-9);
    EXPECT_NEAR(series.seconds_of(29), 6.45, 1e-9);
    EXPECT_NEAR(series.seconds_of(30), 16.5, 1e-9);
    ASSERT_TRUE(source.timestamps_fit());
    EXPECT_EQ(source.timestamps_fit()->segments.size(), 2U);
  }
  sx::Hdf5Source part(at(file, "/acquisition/raw"),
                      {.samples = sx::Range{20, 60}, .channels = sx::Range{1, 3}});
  EXPECT_THAT(part.shape().scaling.channel_scale, ElementsAre(1, 1.5));
  EXPECT_THAT(part.shape().epochs, ElementsAre(sx::Epoch{0, 10}, sx::Epoch{10, 40}));
  EXPECT_NEAR(part.description().seconds_of(0), 6.0, 1e-9);
  EXPECT_NEAR(part.description().seconds_of(10), 16.5, 1e-9);
  const sx::Hdf5Source epochs(at(file, "/acquisition/raw"), {.epochs = {{10, 40}, {50, 60}}});
  EXPECT_THAT(epochs.shape().epochs,
              ElementsAre(sx::Epoch{10, 30}, sx::Epoch{30, 40}, sx::Epoch{50, 60}));
  const sx::Hdf5Source ignored(at(file, "/acquisition/raw"),
                               {.timestamps = sx::Timestamps::ignore});
  EXPECT_TRUE(ignored.shape().epochs.empty());
  EXPECT_FALSE(ignored.description().rate_hz);
}

TEST(NwbSignal, AFitThatIsKnownIsTaken) {
  const made::Folder folder;
  const std::string file = folder / "x.nwb";
  std::vector<double> times = even(100, 20.0, 5.0);
  for (std::size_t t = 30; t < 100; ++t) times[t] += 10;
  MadeSeries{.times = times}.write(file);
  const sx::Hdf5Source first(at(file, "/acquisition/raw"));
  const sx::TimestampsFit known = first.timestamps_fit().value();
  MadeSeries{.times = std::vector<double>(100, -1.0)}.write(file);  // these cannot be fitted
  const sx::Hdf5Source other(at(file, "/acquisition/raw"), {.timestamps_fit = known});
  EXPECT_EQ(other.shape().epochs, first.shape().epochs);
  EXPECT_EQ(other.description().rate_hz, first.description().rate_hz);
  EXPECT_EQ(other.description().start_seconds, first.description().start_seconds);
  EXPECT_EQ(other.description().segments.size(), 2U);
  EXPECT_EQ(other.timestamps_fit()->most_deviation, known.most_deviation);

  const auto expect_error = [&](const auto& change) {
    sx::TimestampsFit changed = known;
    change(changed);
    EXPECT_THAT(
        [&] {
          const sx::Hdf5Source none(at(file, "/acquisition/raw"), {.timestamps_fit = changed});
        },
        ThrowsMessage<sx::Error>(
            AllOf(HasSubstr("timestamps_fit: "), HasSubstr("not a fit of 100 timestamps"))));
  };
  expect_error([](auto& fit) { fit.segments.clear(); });
  expect_error([](auto& fit) { fit.segments[0].first_sample = 1; });
  expect_error([](auto& fit) { fit.segments[1].first_sample = 100; });
  expect_error([](auto& fit) { fit.segments[1].first_sample = 0; });
  expect_error([](auto& fit) { fit.segments[1].start_seconds = 4; });
  expect_error([](auto& fit) { fit.segments[1].rate_hz = 21; });
  expect_error([](auto& fit) { fit.rate_hz = 0; });
  expect_error([](auto& fit) { fit.most_deviation = 0.6; });
}

TEST(NwbSignal, IntervalsAreTheSeries) {
  const made::Folder folder;
  const std::string file = folder / "x.nwb";
  std::vector<double> times = even(100, 20.0);
  for (std::size_t t = 30; t < 100; ++t) times[t] += 10;  // 0 to 1.45, 11.5 to 14.95
  MadeSeries{.times = times}.write(file);
  std::vector<std::string> warnings;
  const auto before =
      sx::set_warning_handler([&](std::string_view message) { warnings.emplace_back(message); });
  // out of order; on samples, between them, over the jump, after the end
  sx::Hdf5Source source(
      at(file, "/acquisition/raw"),
      {.intervals = {{12.0, 12.2}, {0.1, 0.3}, {0.31, 0.39}, {1.4, 11.6}, {99, 100}, {14.9, 16}}});
  sx::set_warning_handler(before);
  EXPECT_THAT(warnings, ElementsAre(HasSubstr("1 of 6 intervals hold no sample of")));
  EXPECT_THAT(source.shape().epochs,
              ElementsAre(sx::Epoch{0, 5}, sx::Epoch{5, 6}, sx::Epoch{6, 8}, sx::Epoch{8, 11},
                          sx::Epoch{11, 16}, sx::Epoch{16, 18}));
  EXPECT_EQ(source.shape().samples, 18);
  const std::vector<int> rows = {2, 3, 4, 5, 6, 7, 28, 29, 30, 31, 32, 40, 41, 42, 43, 44, 98, 99};
  const auto all = numbers<std::int16_t>(400);
  const auto read = all_of<std::int16_t>(source);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const auto row = static_cast<std::size_t>(rows[r]);
    for (std::size_t c = 0; c < 4; ++c) ASSERT_EQ(read[4 * r + c], all[4 * row + c]) << r;
    EXPECT_NEAR(source.description().seconds_of(static_cast<std::int64_t>(r)), times[row], 1e-9);
  }
  std::vector<std::int16_t> block(6 * 2);  // a block that begins and ends within intervals
  source.read({3, 9}, {1, 3}, block.data());
  for (std::size_t r = 0; r < 6; ++r) EXPECT_EQ(block[2 * r], read[4 * (r + 3) + 1]);

  const sx::Hdf5Source without_stops(
      at(file, "/acquisition/raw"),
      {.intervals = {{12.0, 12.2}, {0.1, 0.3}, {1.4, 11.6}, {14.9, 16}},
       .interval_stop = sx::IntervalStop::excluded});
  EXPECT_THAT(without_stops.shape().epochs,
              ElementsAre(sx::Epoch{0, 4}, sx::Epoch{4, 6}, sx::Epoch{6, 8}, sx::Epoch{8, 12},
                          sx::Epoch{12, 14}));
  const sx::Hdf5Source touching(at(file, "/acquisition/raw"),
                                {.intervals = {{0.1, 0.3}, {0.3, 0.5}}});
  EXPECT_THAT(touching.shape().epochs, ElementsAre(sx::Epoch{0, 4}, sx::Epoch{4, 9}));

  const auto expect_error = [&](const sx::Hdf5SourceOptions& options, const char* says) {
    EXPECT_THAT([&] { const sx::Hdf5Source none(at(file, "/acquisition/raw"), options); },
                ThrowsMessage<sx::Error>(HasSubstr(says)));
  };
  expect_error({.intervals = {{1, 2}, {4, 6}, {1.5, 3}}},
               "intervals[0] and [2]: 1 to 2 s and 1.5 to 3 s overlap. Give intervals that do not "
               "overlap.");
  expect_error({.intervals = {{2, 1}}}, "intervals[0]: 2 to 1 s is not an interval");
  expect_error({.intervals = {{5, 6}}}, "none of them holds a sample of");
  expect_error({.epochs = {{0, 5}}, .intervals = {{0, 1}}}, "they are given beside epochs");
  expect_error({.intervals = {{0, 1}}, .timestamps = sx::Timestamps::ignore},
               "a recording without a rate");
  expect_error({.samples = sx::Range{0, 10}, .intervals = {{12, 13}}},
               "none of them holds a sample");
}

TEST(NwbSignal, WhatStandsBesideTheDataIsChecked) {
  const made::Folder folder;
  const std::string file = folder / "x.nwb";
  const auto expect_error = [&](const MadeSeries& made, const testing::Matcher<std::string>& says) {
    made.write(file);
    EXPECT_THAT([&] { const sx::Hdf5Source source(at(file, "/acquisition/raw")); },
                ThrowsMessage<sx::Error>(says));
  };
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  expect_error({.times = even(99, 20)},
               AllOf(HasSubstr("/acquisition/raw/timestamps: it holds float64 of extents (99,)"),
                     HasSubstr("one for each of the 100 samples")));
  expect_error({.conversions = {1, 2, 3}}, HasSubstr("channel_conversion: it holds float64 of"));
  expect_error({.conversions = {1, 2, nan, 1}},
               HasSubstr("channel_conversion[2]: nan is not a factor"));
  expect_error({.has_starting_time = true, .rate = 0},
               HasSubstr("starting_time, attribute rate: 0 is not a rate"));
  expect_error({.has_starting_time = true, .rate = nan},
               HasSubstr("starting_time, attribute rate: nan is not a rate"));
  expect_error({.has_starting_time = true, .start = nan},
               HasSubstr("starting_time: nan is not a time"));
  // both: they may say the same, within half a sample everywhere
  expect_error(
      {.times = even(100, 20, 5.0), .has_starting_time = true, .start = 5.026, .rate = 20},
      HasSubstr("starting_time: it makes 5.026 s for sample 0, where timestamps beside it"));
  expect_error({.times = even(100, 20), .has_starting_time = true, .start = 0, .rate = 20.2},
               HasSubstr("for sample 99"));
  MadeSeries{.times = even(100, 20, 5.0), .has_starting_time = true, .start = 5.024, .rate = 20}
      .write(file);
  EXPECT_NEAR(sx::Hdf5Source(at(file, "/acquisition/raw")).description().start_seconds, 5.0, 1e-9);
  // neither: no rate
  MadeSeries{}.write(file);
  EXPECT_FALSE(sx::Hdf5Source(at(file, "/acquisition/raw")).description().rate_hz);
  {
    const made::File made(file);
    made.dataset("/raw/data", {3, 2}, numbers<float>(6));
    made.dataset("/raw/starting_time", {1000}, std::vector<double>(1000));
    made.number("/raw/starting_time", "rate", 5.0);
    made.dataset("/text/data", {3}, numbers<float>(3));
    made.strings("/text/timestamps", {"a", "b", "c"});
    made.dataset("/one/data", {1, 2}, numbers<float>(2));
    made.dataset("/one/timestamps", {1}, std::vector<double>{4.5});
    made.dataset("/empty/other", {3}, numbers<float>(3));
    made.dataset("/axis/data", {3, 2}, numbers<float>(6));
    made.dataset("/axis/channel_conversion", {2}, std::vector<float>{1, 2});
    made.number("/axis/channel_conversion", "axis", 0.0);
  }
  const auto expect_found = [&](const char* path, const char* says) {
    EXPECT_THAT([&] { const sx::Hdf5Source source(at(file, path)); },
                ThrowsMessage<sx::Error>(HasSubstr(says)));
  };
  expect_found("/raw", "starting_time: it holds float64 of extents (1000,). Write one number");
  expect_found("/text", "timestamps: it holds string of extents (3,)");
  expect_found("/empty", "this is a group. Give a dataset; the group holds other");
  expect_found("/axis", "axis: 0 is not the dimension of the channels, which is 1");
  const sx::Hdf5Source one(at(file, "/one"));
  EXPECT_FALSE(one.description().rate_hz);
  EXPECT_EQ(one.description().start_seconds, 4.5);
}

TEST(NwbSignal, TimesAreInSeconds) {
  const made::Folder folder;
  const std::string file = folder / "x.nwb";
  MadeSeries stamped{.times = even(100, 20)};
  MadeSeries started{.has_starting_time = true, .rate = 20};
  const auto open = [&](const MadeSeries& made) {
    made.write(file);
    const sx::Hdf5Source source(at(file, "/acquisition/raw"));
  };
  for (const char* const unit : {"seconds", "Seconds", "s", "sec", ""}) {
    SCOPED_TRACE(unit);
    stamped.unit = started.unit = unit;
    EXPECT_NO_THROW(open(stamped));
    EXPECT_NO_THROW(open(started));
  }
  for (const char* const unit : {"milliseconds", "ms", "samples"}) {
    stamped.unit = started.unit = unit;
    const std::string says = std::string(", attribute unit: times in ") + unit +
                             " are not read. Write the times in seconds";
    EXPECT_THAT([&] { open(stamped); }, ThrowsMessage<sx::Error>(HasSubstr("timestamps" + says)));
    EXPECT_THAT([&] { open(started); },
                ThrowsMessage<sx::Error>(HasSubstr("starting_time" + says)));
  }
}

TEST(NwbSignal, DescribeNamesSignalsAndIntervalsAndWhatIsWrong) {
  const made::Folder folder;
  const std::string file = folder / "x.nwb";
  {
    const made::File made(file);
    made.dataset("/acquisition/a/data", {100, 4}, numbers<std::int16_t>(400));
    std::vector<double> times = even(100, 20.0);
    made.dataset("/acquisition/a/timestamps", {100}, times);
    made.dataset("/processing/behavior/b/data", {100}, numbers<float>(100));
    times[50] = times[49] - 1;
    made.dataset("/processing/behavior/b/timestamps", {100}, times);
    made.dataset("/intervals/trials/start_time", {2}, std::vector<double>{3, 1});
    made.dataset("/intervals/trials/stop_time", {2}, std::vector<double>{4, 2});
    made.dataset("/intervals/trials/tags", {3}, std::vector<std::int32_t>{1, 2, 3});
    made.dataset("/intervals/trials/tags_index", {2}, std::vector<std::uint8_t>{1, 3});
    made.dataset("/intervals/broken/start_time", {2}, std::vector<double>{3, 1});
    made.dataset("/intervals/broken/stop_time", {1}, std::vector<double>{4});
    H5Lcreate_soft("/acquisition", made.id(), "/acquisition/cycle", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_hard(made.id(), "/acquisition", made.id(), "/acquisition/a/hard", H5P_DEFAULT,
                   H5P_DEFAULT);
  }
  const sx::NwbDescription found = sx::describe_nwb(file);
  ASSERT_EQ(found.signals.size(), 2U);
  EXPECT_EQ(found.signals[0].path, "/acquisition/a");
  EXPECT_EQ(found.signals[0].type, "int16");
  EXPECT_NEAR(found.signals[0].times.rate_hz.value(), 20, 1e-9);
  EXPECT_EQ(found.signals[0].refusal, "");
  EXPECT_THAT(found.signals[1].refusal, HasSubstr("timestamps[50]"));
  ASSERT_EQ(found.intervals.size(), 2U);
  EXPECT_THAT(found.intervals[0].refusal, HasSubstr("stop_time"));
  EXPECT_EQ(found.intervals[1].path, "/intervals/trials");
  EXPECT_THAT(found.intervals[1].columns, ElementsAre("start_time", "stop_time", "tags"));
  EXPECT_THAT(found.intervals[1].intervals, ElementsAre(sx::Interval{1, 2}, sx::Interval{3, 4}));
}

}  // namespace
}  // namespace nwb_signals_tests
