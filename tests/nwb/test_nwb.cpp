// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "files/made_file.hpp"
#include "made_units.hpp"
#include "times/times.hpp"

#include <synelix/error.hpp>
#include <synelix/nwb.hpp>

#include <gmock/gmock.h>
#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

namespace nwb_tests {
namespace {

namespace sx = synelix;
using made::read;
using made::train;
using made::UnitsFile;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

synelix::Bins bins_to(double end, double bin) { return {0.0, end, synelix::meant_period(bin)}; }

TEST(Bins, EdgesAreExactAndSpikesOnThemBelongToTheBinThatBegins) {
  for (const double bin : {0.001, 0.01, 0.0005, 0.003, 1.0 / 30000}) {
    const synelix::Bins bins = bins_to(1200.0, bin);
    for (const std::int64_t k : {std::int64_t{0}, std::int64_t{1}, std::int64_t{7},
                                 std::int64_t{4093}, bins.count() - 2}) {
      const double edge = bins.edge(k);
      const auto edges_a_second = std::round(1 / bin);
      const bool is_frame = bin < 1e-4;
      EXPECT_EQ(edge, is_frame ? static_cast<double>(k) / edges_a_second
                               : std::round(static_cast<double>(k) * bin * 1e9) / 1e9);
      EXPECT_EQ(bins.bin_of(edge), k) << bin;
      EXPECT_EQ(bins.bin_of(std::nextafter(bins.edge(k + 1), 0.0)), k) << bin;
    }
    EXPECT_LE(bins.edge(bins.count() - 1) + bin / 2, 1200.0);
    EXPECT_GT(bins.edge(bins.count()) + bin / 2, 1200.0);
    EXPECT_FALSE(bins.bin_of(-1e-9));
    EXPECT_FALSE(bins.bin_of(1200.1));
  }
}

TEST(Bins, DividingWouldPutThemElsewhere) {
  // every multiple of 1 ms up to 100 s, as a 30 kHz clock gives it: k * 30 / 30000
  const synelix::Bins bins = bins_to(100.0, 0.001);
  int moved = 0;
  for (std::int64_t k = 0; k < 100'000; ++k) {
    const double time = static_cast<double>(k * 30) / 30000.0;
    ASSERT_EQ(bins.bin_of(time), k);
    if (static_cast<std::int64_t>(std::floor(time / 0.001)) != k) ++moved;
  }
  std::cout << moved << " of 100000 spikes on edges would be moved by dividing\n";
  EXPECT_GT(moved, 0);
}

TEST(Bins, TheLastBinIsKeptUpToItsCentre) {
  EXPECT_EQ(bins_to(0.0949, 0.01).count(), 9);
  EXPECT_EQ(bins_to(0.0951, 0.01).count(), 10);
  EXPECT_EQ(bins_to(0.5, 1.0).count(), 1);
  EXPECT_EQ(bins_to(0.4, 1.0).count(), 0);
}

TEST(Nwb, SpikesOnBinEdges) {
  const made::Folder folder;
  UnitsFile().write(folder / "x.nwb");
  const sx::Units units = read(folder / "x.nwb", 0.001);
  EXPECT_THAT(units.ids, ElementsAre(7, 3, 12));
  EXPECT_EQ(units.end_seconds, 0.0049);
  EXPECT_EQ(units.rows(), 5);
  EXPECT_EQ(units.spikes, 7);
  using Pairs = std::vector<std::pair<std::int64_t, float>>;
  EXPECT_EQ(train(units, 0), (Pairs{{0, 1}, {1, 2}, {4, 1}}));
  EXPECT_EQ(train(units, 1), Pairs{});
  EXPECT_EQ(train(units, 2), (Pairs{{0, 1}, {2, 2}}));
  EXPECT_EQ(units.events.shape().events, 5);
}

TEST(Nwb, RepeatedIdsAreNumberedAndTimesAreTimes) {
  const made::Folder folder;
  const std::string file = folder / "x.nwb";
  UnitsFile same;
  same.ids = {7, 3, 7};
  same.write(file);
  EXPECT_THAT(read(file, 0.001).ids, ElementsAre(0, 1, 2));
  for (const double time : {1e12, -1e300, std::numeric_limits<double>::infinity()}) {
    UnitsFile late;
    late.times[4] = time;
    late.write(file);
    EXPECT_THAT([&] { read(file, 0.001); },
                ThrowsMessage<sx::Error>(AllOf(HasSubstr("spike_times[4]"), HasSubstr("unit 12"),
                                               HasSubstr("year 10000"))));
  }
}

TEST(Nwb, SpikesBeforeTimeZeroAreSaidToBeDropped) {
  const made::Folder folder;
  UnitsFile made;
  made.times = {-0.5, -0.001, 0.0015, 0.0049, -1e-9, 0.002, 0.0021};
  made.write(folder / "x.nwb");
  const sx::Units units = read(folder / "x.nwb", 0.001);
  EXPECT_EQ(units.spikes, 4);
  EXPECT_EQ(units.counts.all, 7);
  EXPECT_EQ(units.counts.before, 3);
  const sx::Units all =
      sx::read_units(folder / "x.nwb", {.bin_seconds = 0.001, .intervals = {{-1.0, 0.005}}});
  EXPECT_EQ(all.counts.before, 0);
}

TEST(Nwb, SpikesAfterTheLastKeptBinDoNotCount) {
  const made::Folder folder;
  UnitsFile made;
  made.times.back() = 0.0104;  // the last spike is the end: bin 10 has its centre at 0.0105
  made.write(folder / "x.nwb");
  const sx::Units units = read(folder / "x.nwb", 0.001);
  EXPECT_EQ(units.rows(), 10);
  EXPECT_EQ(units.spikes, 6);
}

TEST(Nwb, TheEndIsTheLatestOfSpikesEpochsAndObservation) {
  const made::Folder folder;
  {
    const made::File made(folder / "x.nwb");
    UnitsFile().write(made);
    made.dataset("/intervals/epochs/stop_time", {2}, std::vector<double>{0.02, 0.01});
    made.dataset("/intervals/epochs/start_time", {2}, std::vector<double>{0.0, 0.01});
  }
  EXPECT_EQ(read(folder / "x.nwb", 0.001).rows(), 20);
  {
    const made::File made(folder / "y.nwb");
    UnitsFile().write(made);
    made.dataset("/units/obs_intervals", {3, 2}, std::vector<double>{0, 0.03, 0, 0.01, 0, 0.04});
    made.dataset("/units/obs_intervals_index", {3}, std::vector<std::uint8_t>{1, 2, 3});
  }
  // the end does not depend on the requested units
  EXPECT_EQ(read(folder / "y.nwb", 0.001, {}, {3}).rows(), 40);
}

TEST(Nwb, IndexOfEveryUnsignedType) {
  const made::Folder folder;
  const UnitsFile made;
  const auto check = [&]<class Index>(Index) {
    const std::string name = folder / ("index" + std::to_string(sizeof(Index)) + ".nwb");
    {
      const made::File file(name);
      file.dataset("/units/id", {3}, made.ids);
      file.dataset("/units/spike_times", {7}, made.times);
      file.dataset("/units/spike_times_index", {3}, std::vector<Index>{4, 4, 7});
    }
    EXPECT_EQ(read(name, 0.001).spikes, 7);
  };
  check(std::uint8_t{});
  check(std::uint16_t{});
  check(std::int32_t{});
  check(std::uint64_t{});
}

TEST(Nwb, UnitsAreSelectedById) {
  const made::Folder folder;
  UnitsFile().write(folder / "x.nwb");
  const sx::Units units = read(folder / "x.nwb", 0.001, {}, {12, 7});
  EXPECT_THAT(units.ids, ElementsAre(12, 7));
  EXPECT_EQ(train(units, 1).size(), 3U);
  EXPECT_THAT(
      [&] { read(folder / "x.nwb", 0.001, {}, {8}); },
      ThrowsMessage<sx::Error>(HasSubstr(
          "unit_ids: the file has no unit 8. Give ids of the file's 3 units: from 3 to 12")));
  EXPECT_THAT(
      [&] { read(folder / "x.nwb", 0.001, {}, {7, 7}); },
      ThrowsMessage<sx::Error>(HasSubstr("unit_ids: 7 is there twice. Give each id once.")));
}

TEST(Nwb, UnitsAreSelectedByColumn) {
  const made::Folder folder;
  const std::string file = folder / "x.nwb";
  {
    const made::File made(file);
    UnitsFile().write(made);
    const hid_t enumeration = H5Tenum_create(H5T_NATIVE_INT8);
    std::int8_t member = 0;
    H5Tenum_insert(enumeration, "FALSE", &member);
    member = 1;
    H5Tenum_insert(enumeration, "TRUE", &member);
    const std::int8_t values[3] = {1, 0, 0};
    made.raw("/units/kept", {3}, values, enumeration, enumeration);
    H5Tclose(enumeration);
    const hid_t text = H5Tcopy(H5T_C_S1);
    H5Tset_size(text, 4);
    made.raw("/units/area", {3}, "CA1\0CA3\0CA1", text, text);
    H5Tclose(text);
    made.raw("/units/group", {3}, nullptr, H5T_STD_REF_OBJ, H5T_STD_REF_OBJ);
    made.dataset("/units/wave", {3, 2}, std::vector<float>(6));
  }
  const auto ids = [&](const std::vector<sx::Condition>& where) {
    return read(file, 0.001, where).ids;
  };
  EXPECT_THAT(ids({{"quality", "good"}}), ElementsAre(7, 12));
  EXPECT_THAT(ids({{"quality", "good"}, {"shank", "1"}}), ElementsAre(12));
  EXPECT_THAT(ids({{"depth", "0.001"}}), ElementsAre(12));
  EXPECT_THAT(ids({{"depth", "20"}}), ElementsAre(3));
  EXPECT_THAT(ids({{"kept", "true"}}), ElementsAre(7));
  EXPECT_THAT(ids({{"kept", "False"}}), ElementsAre(3, 12));
  EXPECT_THAT(ids({{"area", "CA1"}}), ElementsAre(7, 12));
  EXPECT_THAT(ids({{"tags", "b"}}), ElementsAre(7));
  EXPECT_THAT(ids({{"id", "12"}}), ElementsAre(12));

  const auto expect_error = [&](const sx::Condition& condition, const char* text) {
    EXPECT_THAT([&] { ids({condition}); }, ThrowsMessage<sx::Error>(HasSubstr(text)));
  };
  expect_error(
      {"quality", "bad"},
      "where quality=bad: there is no unit left. Give one of the values of the column: \"good\", "
      "\"noise\"");
  expect_error(
      {"shank", "one"},
      "where shank: \"one\" is not a whole number. Give a whole number: the column holds int32");
  expect_error({"depth", "5x"}, "where depth: \"5x\" is not a number. Give a number");
  expect_error({"kept", "maybe"},
               "where kept: \"maybe\" is neither true nor false. Give true or false");
  expect_error({"size", "1"},
               "where: there is no column \"size\". Give one of area, depth, group, id");
  expect_error({"group", "x"},
               "its entries are of type reference. Give a column of text, numbers or booleans");
  expect_error({"wave", "1"}, "its extents are (3, 2). Give a column of one dimension");
}

void expect_error(const std::string& file, const testing::Matcher<std::string>& message,
                  double bin = 0.001) {
  EXPECT_THAT([&] { read(file, bin); }, ThrowsMessage<sx::Error>(message));
}

TEST(Nwb, FilesThatLie) {
  const made::Folder folder;
  const std::string file = folder / "x.nwb";
  UnitsFile made;
  made.ends = {4, 4, 9};
  made.write(file);
  expect_error(file,
               HasSubstr("spike_times_index[2]: the end 9 goes down, or beyond the 7 entries of "
                         "spike_times. Valid are 4 to 7."));
  made.ends = {4, 3, 7};
  made.write(file);
  expect_error(file, AllOf(HasSubstr("spike_times_index[1]: the end 3 goes down"),
                           HasSubstr("Valid are 4 to 7.")));
  made.ends = {4, 7};
  made.write(file);
  expect_error(file,
               HasSubstr("it holds uint8 of extents (2,). Valid is an integer for each of the 3"));
  made.ends = {4, 4, 7};
  made.times[2] = std::numeric_limits<double>::quiet_NaN();
  made.write(file);
  expect_error(file, HasSubstr("spike_times[2]: the time nan of unit 7 is not a time of a spike. "
                               "Valid are finite numbers"));
  made.times[2] = std::numeric_limits<double>::infinity();
  made.write(file);
  expect_error(file, HasSubstr("spike_times[2]: the time inf"));
  made.times[2] = 1e300;
  made.write(file);
  expect_error(file, AllOf(HasSubstr("spike_times[2]: the time 1e+300"), HasSubstr("year 10000")));
  made.times[2] = 2e11;
  made.write(file);
  EXPECT_THAT([&] { read(file, 1e-9); },
              ThrowsMessage<sx::Error>(
                  AllOf(HasSubstr("it has an end at 2"), HasSubstr("at most 2^53 bins"))));
  {
    const made::File lying(file);
    lying.dataset("/units/id", {3}, made.ids);
    lying.dataset("/units/spike_times", {7}, std::vector<float>(7));
    lying.dataset("/units/spike_times_index", {3}, std::vector<std::int32_t>{-1, 4, 7});
  }
  expect_error(
      file, AllOf(HasSubstr("spike_times_index[0]: the end -1 "), HasSubstr("Valid are 0 to 7.")));
}

TEST(Nwb, UnsortedAndNegativeSpikes) {
  const made::Folder folder;
  UnitsFile made;
  made.times = {0.0049, -0.5, 0.0005, 0.001, 0.0, 0.002, 0.0021};
  made.write(folder / "x.nwb");
  const sx::Units units = read(folder / "x.nwb", 0.001);
  using Pairs = std::vector<std::pair<std::int64_t, float>>;
  EXPECT_EQ(train(units, 0), (Pairs{{0, 1}, {1, 1}, {4, 1}}));
  EXPECT_EQ(units.spikes, 6);
  EXPECT_EQ(units.first_spike_seconds, -0.5);  // where pynapple's count(bin) would start
  EXPECT_EQ(units.start_seconds, 0.0);
  EXPECT_EQ(units.description().bin_seconds, 0.001);
}

TEST(Nwb, TheFirstSpikeIsThatOfTheSelectedUnits) {
  const made::Folder folder;
  UnitsFile().write(folder / "x.nwb");
  EXPECT_EQ(read(folder / "x.nwb", 0.001).first_spike_seconds, 0.0);  // of unit 12
  EXPECT_EQ(read(folder / "x.nwb", 0.001, {}, {7, 3}).first_spike_seconds, 0.0005);
  const sx::Units silent =
      sx::read_units(folder / "x.nwb", {.bin_seconds = 0.001, .unit_ids = {3}});
  EXPECT_EQ(silent.first_spike_seconds, std::nullopt);
}

TEST(Nwb, ABinHoldsAsManySpikesAsAFloatCounts) {
  const made::Folder folder;
  const std::string file = folder / "many.nwb";
  constexpr std::int64_t most = std::int64_t{1} << 24;
  for (const std::int64_t spikes : {most, most + 1}) {
    {
      const made::File made(file);
      const hsize_t extents[] = {static_cast<hsize_t>(spikes) + 1};
      made.dataset("/units/id", {1}, std::vector<std::int64_t>{4});
      made.dataset("/units/spike_times_index", {1}, std::vector<std::int64_t>{spikes + 1});
      // Times that were not written are 0.
      const hid_t space = H5Screate_simple(1, extents, nullptr);
      const hid_t list = made::chunked({1 << 16}, 0);
      const hid_t times = H5Dcreate2(made.id(), "/units/spike_times", H5T_NATIVE_DOUBLE, space,
                                     H5P_DEFAULT, list, H5P_DEFAULT);
      const hsize_t last[] = {static_cast<hsize_t>(spikes)};
      H5Sselect_elements(space, H5S_SELECT_SET, 1, last);
      const hid_t one = H5Screate(H5S_SCALAR);
      const double end = 1.0;
      H5Dwrite(times, H5T_NATIVE_DOUBLE, one, space, H5P_DEFAULT, &end);
      H5Sclose(one);
      H5Dclose(times);
      H5Pclose(list);
      H5Sclose(space);
    }
    if (spikes == most) {
      EXPECT_EQ(train(read(file, 0.5), 0)[0], std::pair(std::int64_t{0}, 16777216.0F));
    } else {
      expect_error(
          file, HasSubstr("there are more than 2^24 spikes of unit 4 in bin 0. Give shorter bins"),
          0.5);
    }
  }
}

TEST(Nwb, FilesWithoutUnits) {
  const made::Folder folder;
  const std::string file = folder / "x.nwb";
  made::File(file).group("/acquisition");
  expect_error(file, HasSubstr("this is not an NWB file: neither nwb_version nor /units is there"));
  made::File(file).dataset("/units/id", {2}, std::vector<std::int64_t>{0, 1});
  expect_error(file,
               HasSubstr("without the column spike_times. Give a file with spike_times and "));
  {
    const made::File made(file);
    made.dataset("/units/id", {1}, std::vector<std::int64_t>{0});
    made.dataset("/units/spike_times", {2}, std::vector<std::int64_t>{0, 1});
    made.dataset("/units/spike_times_index", {1}, std::vector<std::uint8_t>{2});
  }
  expect_error(file, HasSubstr("it holds int64 of extents (2,). Valid are floating-point seconds"));
  expect_error(folder / "missing.nwb", HasSubstr("No such file or directory"));
  UnitsFile().write(file);
  expect_error(file,
               HasSubstr("bin_seconds: 0.000000 is not a width of a bin. Give at least 1e-9."), 0);
  expect_error(file, HasSubstr("bin_seconds: nan"), std::nan(""));
  expect_error(file, HasSubstr("at most twice the recording, which ends at 0.0049"), 0.1);
}

TEST(Nwb, TheRecordingA8604HasPynapplesCounts) {
  const char* const folder = std::getenv("SYNELIX_TEST_DATA");
  if (folder == nullptr) GTEST_SKIP() << "SYNELIX_TEST_DATA does not name a folder with A8604.nwb";
  const std::string file = std::string(folder) + "/A8604.nwb";
  const sx::Units coarse = read(file, 0.01);
  EXPECT_EQ(coarse.rows(), 108'753);
  EXPECT_EQ(coarse.ids.size(), 3U);
  EXPECT_EQ(coarse.spikes, 21'354);
  EXPECT_DOUBLE_EQ(coarse.end_seconds, 1087.5289);
  const sx::Units fine = read(file, 0.001);
  EXPECT_EQ(fine.rows(), 1'087'529);
  EXPECT_EQ(fine.spikes, 21'354);
  for (std::int64_t c = 0; c < 3; ++c) {
    float counted = 0;
    for (const auto& [sample, count] : train(fine, c)) counted += count;
    EXPECT_EQ(counted, (std::vector<float>{11020, 4690, 5644})[static_cast<std::size_t>(c)]);
  }
}

}  // namespace
}  // namespace nwb_tests
