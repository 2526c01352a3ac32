// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "oracle/refusals.hpp"
#include "types/events.hpp"

#include <synelix/series.hpp>

#include <gmock/gmock.h>
#include <Kokkos_Core.hpp>

#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace series_tests {
namespace {

using namespace synelix;
using oracle::expect_refused;
using testing::ElementsAre;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

TEST(Series, FlattensChannelsAroundTheSampleAxis) {
  const std::vector<float> data(120);
  const StridedSeries series(Strided(data.data(), {4, 5, 6}), {.sample_axis = 1, .epochs = {}});
  EXPECT_EQ(series.shape().samples, 5);
  EXPECT_EQ(series.shape().channels, 24);
  EXPECT_EQ(series.shape().type, StoredType::float32);
  EXPECT_FALSE(series.shape().has_events);
  EXPECT_EQ(series.sample_axis(), 1);
}

TEST(Series, HoldsItsView) {
  using View = Kokkos::View<double**, Kokkos::LayoutLeft, Kokkos::HostSpace>;
  View view("view", 10, 3);
  const Series<View> series(view);
  const double* const data = view.data();
  view = View();
  EXPECT_EQ(series.view().data(), data);
  EXPECT_EQ(series.view().use_count(), 1);
  EXPECT_EQ(series.data().data, data);
  EXPECT_EQ(Series<View>::rank, 2);
}

TEST(Series, RefusesWhatCannotBeRead) {
  const std::vector<float> data(100);
  const auto refused = [&](Strided array, SeriesOptions options, const std::string& argument,
                           const std::string& found, const std::string& allowed) {
    expect_refused([&] { StridedSeries(array, options); }, argument, found, allowed);
  };
  const Strided good(data.data(), {10, 10});
  refused(Strided(data.data(), {1, 1, 1, 1, 1, 1, 1, 1}), {}, "series", "8 dimensions", "1 to 7");
  refused(Strided(), {}, "series", "0 dimensions", "1 to 7");
  refused(good, {.sample_axis = 2}, "sample_axis", "2", "0 to 1, for a series of 2 dimensions");
  refused(good, {.sample_axis = -1}, "sample_axis", "-1", "0 to 1");
  refused(Strided(data.data(), {10, 0}), {}, "series", "extent 0 of dimension 1", "at least one");
  refused(Strided(data.data(), {0}), {}, "series", "extent 0 of dimension 0", "empty array");
  refused(Strided(static_cast<float*>(nullptr), {10}), {}, "series", "a null pointer", "memory");
}

TEST(Series, RefusesEpochsThatAreNotSortedDisjointRangesWithin) {
  const std::vector<float> data(100);
  const auto refused = [&](Epochs epochs, const std::string& argument, const std::string& found,
                           const std::string& allowed) {
    SeriesOptions options;
    options.epochs = epochs;
    expect_refused([&] { StridedSeries(Strided(data.data(), {100}), options); }, argument, found,
                   allowed);
    expect_refused([&] { Events(100, {{}}, epochs); }, argument, found, allowed);
  };
  refused({{-1, 5}}, "epochs[0]", "[-1, 5)", "from 0 to 100");
  refused({{0, 101}}, "epochs[0]", "[0, 101)", "from 0 to 100");
  refused({{0, 5}, {9, 7}}, "epochs[1]", "[9, 7)", "from 5 to 100");
  refused({{0, 5}, {4, 7}}, "epochs[1]", "[4, 7)", "from 5 to 100");
  refused({{50, 60}, {0, 10}}, "epochs[1]", "[0, 10)", "from 60 to 100");
  SeriesOptions options;
  options.epochs = {{0, 0}, {0, 5}, {5, 5}, {5, 100}};
  const StridedSeries series(Strided(data.data(), {100}), options);
  EXPECT_EQ(series.shape().epochs, (Epochs{{0, 5}, {5, 100}})) << "empty ones are none";
  refused({{0, 0}, {5, 5}}, "epochs", "none of the 2 epochs holds a sample",
          "at least one that holds");
  // A selection that came out empty is not one of everything.
  const std::vector<Epoch> selected;
  refused(selected, "epochs", "the list is empty", "at least one epoch");
  EXPECT_THROW((void)Events(100, {{}}).with_epochs(selected), Error);
  EXPECT_THROW(Events::from_unsorted(100, {{3, 1}}, selected), Error);
  EXPECT_THROW(require_valid({.samples = 100, .channels = 1, .epochs = selected}), Error);
  EXPECT_TRUE(Epochs(selected).is_nothing());
  EXPECT_TRUE(Epochs(Epochs(selected).list()).is_nothing());
  Epochs grown;
  EXPECT_TRUE(grown.is_everything());
  grown.push_back({0, 5});
  EXPECT_FALSE(grown.is_everything());
  EXPECT_EQ(grown, (Epochs{{0, 5}}));
  EXPECT_NE(Epochs(), Epochs(selected)) << "everything is not nothing";
  for (const Epochs& all : {Epochs(), SeriesOptions().epochs, series.shape().epochs}) {
    EXPECT_FALSE(all.is_nothing());
    EXPECT_NO_THROW(Events(100, {{}}, all));
  }
}

TEST(Series, RefusesScalingsThatDoNotFit) {
  const std::vector<std::int16_t> data(20);
  const Strided array(data.data(), {10, 2});
  const auto refused = [&](const PerChannel& scale, const PerChannel& offset,
                           const std::string& argument, const std::string& found,
                           const std::string& allowed) {
    expect_refused([&] { StridedSeries{scaled(array, scale, offset)}; }, argument, found, allowed);
  };
  constexpr double infinity = std::numeric_limits<double>::infinity();
  refused(nan, 0, "scaled", "nan", "a finite scale");
  refused(1, infinity, "scaled", "inf", "a finite offset");
  const std::vector<double> three{1.0, 2.0, 3.0};
  refused(three, 0, "scale", "3 numbers", "each of the 2 channels");
  refused(1, std::span(three).first(1), "offset", "1 numbers", "each of the 2 channels");
  refused(std::span(three).first(0), 0, "scale", "0 numbers", "each of the 2 channels");
  const std::vector<double> strays{1.0, nan};
  refused(strays, 0, "scale[1]", "nan", "finite");
  refused(1, strays, "offset[1]", "nan", "finite");
}

TEST(Series, ShapesFilledInByHandAreRefusedLikewise) {
  const auto refused = [&](const Scaling& scaling, const std::string& argument,
                           const std::string& found, const std::string& allowed) {
    const SeriesShape shape{
        .samples = 10, .channels = 2, .type = StoredType::int16, .epochs = {}, .scaling = scaling};
    expect_refused([&] { require_valid(shape); }, argument, found, allowed);
  };
  Scaling scaling;
  scaling.scale = nan;
  refused(scaling, "scaling.scale", "nan", "finite");
  scaling = {};
  scaling.offset = std::numeric_limits<double>::infinity();
  refused(scaling, "scaling.offset", "inf", "finite");
  scaling = {};
  scaling.channel_scale = {1.0, 2.0, 3.0};
  refused(scaling, "scaling.channel_scale", "3 values", "each of the 2 channels");
  scaling = {};
  scaling.channel_offset = {1.0};
  refused(scaling, "scaling.channel_offset", "1 values", "each of the 2 channels");
  scaling = {};
  scaling.channel_scale = {1.0, nan};
  refused(scaling, "scaling.channel_scale[1]", "nan", "finite");
}

TEST(Events, HoldsTrainsOneAfterTheOther) {
  const Events events(100, {{{3, 7, 99}, {1, 2, 1}}, {}, {{0}, {}}}, {{0, 50}, {60, 100}});
  EXPECT_EQ(events.shape().samples, 100);
  EXPECT_EQ(events.shape().channels, 3);
  EXPECT_EQ(events.shape().events, 4);
  EXPECT_TRUE(events.shape().has_events);
  EXPECT_THAT(std::vector(events.begins(), events.begins() + 4), ElementsAre(0, 3, 3, 4));
  EXPECT_THAT(std::vector(events.sample_indices(), events.sample_indices() + 4),
              ElementsAre(3, 7, 99, 0));
  EXPECT_THAT(std::vector(events.counts(), events.counts() + 4), ElementsAre(1, 2, 1, 1));
  EXPECT_EQ(events.bytes(), 3 * 64) << "three lists in whole cache lines";
}

TEST(Events, KeepsNoCountsWhereAllAreOne) {
  const Events events(10, {{{3}, {1}}, {{4}, {}}});
  EXPECT_EQ(events.counts(), nullptr);
  EXPECT_EQ(events.bytes(), 2 * 64);
}

TEST(Events, CopiesLieInMemoryOfTheSpace) {
  using Space = Kokkos::DefaultExecutionSpace;
  const Space exec;
  const Epochs epochs{{0, 50}, {60, 100}};
  for (const std::vector<float>& counts : {std::vector<float>{}, std::vector<float>{1, 2, 1}}) {
    const Events events(100, {{{3, 7, 99}, counts}, {}, {{0}, {}}}, epochs);
    EXPECT_TRUE(events.is_on_host());
    const Events near = copy_events(exec, events);
    EXPECT_STREQ(near.memory_space(), Space::memory_space::name());
    EXPECT_EQ(near.bytes(), events.bytes());
    EXPECT_EQ(near.shape().events, 4);
    EXPECT_EQ(near.shape().epochs, epochs);
    EXPECT_NE(near.begins(), events.begins());
    EXPECT_EQ(near.counts() == nullptr, counts.empty());
    if (!near.is_on_host()) {
      expect_refused([&] { copy_events(exec, near); }, "events", near.memory_space(), "host");
      continue;
    }
    EXPECT_THAT(std::vector(near.begins(), near.begins() + 4), ElementsAre(0, 3, 3, 4));
    EXPECT_THAT(std::vector(near.sample_indices(), near.sample_indices() + 4),
                ElementsAre(3, 7, 99, 0));
    if (near.counts() != nullptr) {
      EXPECT_THAT(std::vector(near.counts(), near.counts() + 4), ElementsAre(1, 2, 1, 1));
    }
  }
}

TEST(Events, SortsAndAddsUp) {
  const Events events = Events::from_unsorted(10, {{7, 3, 7, 7, 0}, {}});
  EXPECT_THAT(std::vector(events.sample_indices(), events.sample_indices() + 3),
              ElementsAre(0, 3, 7));
  EXPECT_THAT(std::vector(events.counts(), events.counts() + 3), ElementsAre(1, 1, 3));
}

TEST(Events, WithOtherEpochsShareTheirLists) {
  const Events events = Events::from_unsorted(10, {{7, 3, 7, 7, 0}, {}}, {{0, 4}});
  const Events cut = events.with_epochs({{2, 5}, {6, 6}, {7, 10}});
  EXPECT_EQ(cut.shape().epochs, (Epochs{{2, 5}, {7, 10}}));
  EXPECT_EQ(events.shape().epochs, (Epochs{{0, 4}}));
  EXPECT_EQ(cut.sample_indices(), events.sample_indices());
  EXPECT_EQ(cut.counts(), events.counts());
  EXPECT_EQ(cut.shape().events, 3);
  EXPECT_TRUE(cut.with_epochs({}).shape().epochs.empty());
  expect_refused([&] { (void)events.with_epochs({{0, 11}}); }, "epochs[0]", "[0, 11)", "to 10");
}

TEST(Events, AreFilledInPlaceAsTheyWereCounted) {
  const auto filled = [](std::int64_t events, bool has_counts,
                         const std::vector<std::int64_t>& samples) {
    EventsBuilder builder(10, 2, events, has_counts);
    for (const std::int64_t sample : samples) builder.count(sample);
    builder.end_channel();
    builder.count(9);  // the sample of another channel's last event is no other event of it
    builder.end_channel();
    return builder.finish({{0, 5}});
  };
  const Events events = filled(3, true, {4, 4, 9});
  EXPECT_THAT(std::vector(events.begins(), events.begins() + 3), ElementsAre(0, 2, 3));
  EXPECT_THAT(std::vector(events.sample_indices(), events.sample_indices() + 3),
              ElementsAre(4, 9, 9));
  EXPECT_THAT(std::vector(events.counts(), events.counts() + 3), ElementsAre(2, 1, 1));
  EXPECT_EQ(events.shape().epochs, (Epochs{{0, 5}}));
  EXPECT_EQ(filled(2, false, {4}).counts(), nullptr);
  // If a source changes between the count and the filling, no foreign memory is overwritten.
  for (const auto& samples : std::vector<std::vector<std::int64_t>>{{4, 5, 6}, {4}, {5, 4}}) {
    expect_refused([&] { (void)filled(3, true, samples); }, "events",
                   "other events than the 3 that were counted", "while it is read");
  }
  expect_refused([&] { (void)filled(3, false, {4, 4, 5}); }, "events", "other events than the 3",
                 "while it is read");
}

TEST(Events, RefusesTrainsThatAreNotAscendingWithin) {
  const auto refused = [&](const Events::Train& train, const std::string& argument,
                           const std::string& found, const std::string& allowed) {
    expect_refused([&] { Events(10, {{}, train}); }, argument, found, allowed);
  };
  refused({{3, 3}, {}}, "trains[1].samples[1]", "3", "from 4 to 9");
  refused({{3, 2}, {}}, "trains[1].samples[1]", "2", "ascending");
  refused({{-1}, {}}, "trains[1].samples[0]", "-1", "from 0 to 9");
  refused({{10}, {}}, "trains[1].samples[0]", "10", "from 0 to 9");
  refused({{1, 2}, {1}}, "trains[1].counts", "1 counts", "each of the 2 samples");
  refused({{1}, {std::numeric_limits<float>::infinity()}}, "trains[1].counts[0]", "inf", "finite");
  expect_refused([] { Events(0, {{}}); }, "samples", "0", "1 to 2^61");
  expect_refused([] { Events(10, std::vector<Events::Train>{}); }, "trains", "no channel",
                 "at least one");
  expect_refused([] { (void)Events::from_unsorted(10, {{11, 2}}); }, "trains[0].samples[1]", "11",
                 "from 3 to 9");
}

}  // namespace
}  // namespace series_tests
