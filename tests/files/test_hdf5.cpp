// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "files/made_file.hpp"
#include "files/made_values.hpp"

#include <synelix/hdf5.hpp>

#include <gmock/gmock.h>
#include <Kokkos_Core.hpp>

#include <fstream>

namespace hdf5_tests {
namespace {

namespace sx = synelix;
using made::all_of;
using made::at;
using made::numbers;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;
using testing::ThrowsMessage;

TEST(FilePath, SplitsAtTheLastColonSlash) {
  const auto path = sx::parse_file_path("a:/b/c.h5:/x/y");
  EXPECT_EQ(path.file, "a:/b/c.h5");
  EXPECT_EQ(path.dataset, "/x/y");
  EXPECT_EQ(sx::to_string(path), "a:/b/c.h5:/x/y");
  EXPECT_EQ(sx::parse_file_path("file.nwb").dataset, "");
  EXPECT_EQ(sx::to_string(sx::parse_file_path("file.nwb")), "file.nwb");
  EXPECT_THAT([] { sx::parse_file_path("x.h5:/"); },
              ThrowsMessage<sx::Error>(HasSubstr(
                  "file: \"x.h5:/\" names no dataset of a file. Give FILE or FILE:/dataset.")));
  EXPECT_THROW(sx::parse_file_path(":/x"), sx::Error);
  EXPECT_THROW(sx::parse_file_path(""), sx::Error);
}

TEST(Filter, ReadsWhatItNames) {
  EXPECT_EQ(sx::parse_filter("none").compression, sx::Compression::none);
  EXPECT_EQ(sx::parse_filter("deflate:3").compression, sx::Compression::deflate);
  EXPECT_EQ(sx::parse_filter("shuffle,deflate:9").level, 9);
  for (const char* const wrong : {"", "gzip", "deflate", "deflate:0", "deflate:10", "deflate:1x",
                                  "shuffle", "shuffle,none"}) {
    EXPECT_THAT([&] { sx::parse_filter(wrong); },
                ThrowsMessage<sx::Error>(HasSubstr("none, deflate:N or shuffle,deflate:N")))
        << wrong;
  }
}

TEST(Hdf5, AFolderOfPluginsComesBehindTheOthers) {
  const made::Folder folder;
  unsigned before = 0;
  unsigned after = 0;
  ASSERT_GE(H5PLsize(&before), 0);
  sx::append_plugin_folder(folder / "plugins");
  ASSERT_GE(H5PLsize(&after), 0);
  ASSERT_EQ(after, before + 1);
  std::string last(1000, ' ');
  const auto length = H5PLget(before, last.data(), last.size());
  ASSERT_GE(length, 0);
  last.resize(static_cast<std::size_t>(length));
  EXPECT_EQ(last, folder / "plugins");
  EXPECT_EQ(H5PLremove(before), 0);
  EXPECT_THAT([] { sx::append_plugin_folder(""); },
              ThrowsMessage<sx::Error>(HasSubstr("folder: its name is empty")));
}

TEST(Hdf5, ErrorsOfFilesSayTheirKind) {
  const made::Folder folder;
  const auto kind_of = [](const auto& call) {
    try {
      call();
    } catch (const sx::Error& error) {
      return error.kind();
    }
    return sx::ErrorKind::cancelled;  // nothing was thrown
  };
  EXPECT_EQ(kind_of([&] { sx::Hdf5Source(at(folder / "none.h5", "/x")); }), sx::ErrorKind::file);
  EXPECT_EQ(kind_of([&] { sx::Hdf5Source(at(folder / "", "/x")); }), sx::ErrorKind::file);
  EXPECT_EQ(kind_of([] { sx::parse_filter("gzip"); }), sx::ErrorKind::argument);
}

TEST(Hdf5, NothingIsPrintedAndTheProgramsHandlerStays) {
  const made::Folder folder;
  H5E_auto2_t before = nullptr;
  H5E_auto2_t after = nullptr;
  void* data = nullptr;
  H5Eget_auto2(H5E_DEFAULT, &before, &data);
  testing::internal::CaptureStderr();
  std::ofstream(folder / "text.h5") << "no HDF5 file";
  EXPECT_THROW(const sx::Hdf5Source source(at(folder / "text.h5", "/x")), sx::Error);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  H5Eget_auto2(H5E_DEFAULT, &after, &data);
  EXPECT_EQ(before, after);
}

TEST(Hdf5Matrix, BanksAndEpochsGoThroughFiles) {
  const made::Folder folder;
  const sx::Taps taps =
      sx::evaluate_taps(sx::RaisedCosineLog{.bases = 4, .width = 2.0}, std::int64_t{20});
  sx::write_bank(at(folder / "bank.h5", "/bank"), taps, {.history = "made here"});
  const sx::CustomTaps read = sx::read_bank(at(folder / "bank.h5", "/bank"));
  EXPECT_EQ(read.window, 20);
  EXPECT_EQ(read.bases, 4);
  EXPECT_EQ(read.taps, taps.values);
  EXPECT_THAT(
      sx::describe_file(at(folder / "bank.h5", "/bank")).datasets.at(0).attributes,
      AllOf(Contains(Pair("basis", "RaisedCosineLog")), Contains(Pair("basis_width", "2"))));
  const std::string file = folder / "x.h5";
  {
    const made::File made(file);
    made.dataset("/epochs", {2, 2}, std::vector<std::int64_t>{0, 5, 7, (1LL << 53) + 1});
    made.dataset("/wrong", {2, 3}, numbers<std::int64_t>(6));
    made.dataset("/floats", {2, 2}, numbers<double>(4));
    made.dataset("/cube", {1, 1, 1}, numbers<double>(1));
    made.dataset("/column", {3}, std::vector<float>{1, 2, 3});
    made.raw("/none", {0, 2}, nullptr, H5T_NATIVE_FLOAT, H5T_NATIVE_FLOAT);
    made.strings("/text", {"a"});
  }
  EXPECT_THAT(sx::read_epochs(at(file, "/epochs")),
              ElementsAre(sx::Range{0, 5}, sx::Range{7, (1LL << 53) + 1}));
  EXPECT_THAT([&] { sx::read_epochs(at(file, "/wrong")); },
              ThrowsMessage<sx::Error>(AllOf(HasSubstr("it holds int64 of extents (2, 3)"),
                                             HasSubstr("Give integers of extents (E, 2)"))));
  EXPECT_THAT([&] { sx::read_epochs(at(file, "/floats")); },
              ThrowsMessage<sx::Error>(HasSubstr("it holds float64 of extents (2, 2)")));
  EXPECT_EQ(sx::read_bank(at(file, "/column")).window, 3);
  EXPECT_THAT([&] { sx::read_matrix(at(file, "/cube")); },
              ThrowsMessage<sx::Error>(HasSubstr("Give numbers of 1 or 2 dimensions")));
  EXPECT_THAT([&] { sx::read_matrix(at(file, "/text")); },
              ThrowsMessage<sx::Error>(HasSubstr("it holds string of extents (1,)")));
  EXPECT_THAT([&] { sx::read_bank(at(file, "/none")); },
              ThrowsMessage<sx::Error>(HasSubstr("its extents are (0, 2). Give at least one")));
}

TEST(Hdf5SeriesWriter, WritesBlockByBlock) {
  const made::Folder folder;
  const auto values = numbers<std::uint8_t>(1000 * 3);
  sx::SeriesShape shape;
  shape.samples = 1000;
  shape.channels = 3;
  shape.type = sx::StoredType::uint8;
  {
    sx::Hdf5SeriesWriter writer(at(folder / "x.h5", "/spikes"), shape, 1000.0);
    for (std::int64_t t = 0; t < 1000; t += 300) {
      writer.write({t, std::min<std::int64_t>(t + 300, 1000)}, values.data() + t * 3);
    }
    EXPECT_THAT(folder.names(), ElementsAre("x.h5.part"));
    writer.finish();
  }
  sx::Hdf5Source source(at(folder / "x.h5", "/spikes"));
  EXPECT_EQ(all_of<std::uint8_t>(source), values);
  EXPECT_EQ(source.description().rate_hz, 1000.0);
  {
    const sx::Hdf5SeriesWriter writer(at(folder / "y.h5", "/spikes"), shape, {});
  }
  EXPECT_THAT(folder.names(), ElementsAre("x.h5"));
}

TEST(Hdf5SeriesWriter, WritesTimesAndIdsBesideIt) {
  const made::Folder folder;
  const auto values = numbers<std::uint8_t>(10 * 2);
  sx::SeriesShape shape;
  shape.samples = 10;
  shape.channels = 2;
  shape.type = sx::StoredType::uint8;
  sx::SeriesDescription series;
  series.rate_hz = 100;
  series.start_seconds = 1;
  series.segments = {{0, 1.0, 100.0}, {6, 5.0, 100.0}};
  series.channel_ids = {7, 3};
  for (const char* const name : {"/means", "/more"}) {
    sx::Hdf5SeriesWriter writer(at(folder / "x.h5", name), series, shape,
                                {.existing = sx::Existing::append});
    writer.write({0, 7}, values.data());
    writer.write({7, 10}, values.data() + 14);
    writer.finish();
  }
  for (const char* const time : {"/time", "/more_time"}) {  // the second dataset uses /time
    const sx::Matrix found = sx::read_matrix(at(folder / "x.h5", time));
    ASSERT_EQ(found.rows, 10);
    EXPECT_DOUBLE_EQ(found.values[5], 1.05);
    EXPECT_DOUBLE_EQ(found.values[6], 5.0);
    EXPECT_DOUBLE_EQ(found.values[9], 5.03);
  }
  EXPECT_THAT(sx::read_matrix(at(folder / "x.h5", "/more_channel")).values, ElementsAre(7, 3));
  series.channel_ids = {7};
  EXPECT_THAT([&] { sx::Hdf5SeriesWriter(at(folder / "y.h5", "/means"), series, shape); },
              ThrowsMessage<sx::Error>(HasSubstr("there are 1 ids for 2 channels")));
  EXPECT_THAT(folder.names(), ElementsAre("x.h5"));
}

TEST(Hdf5, TheVersionIsNamed) {
  EXPECT_THAT(sx::hdf5_version(), testing::MatchesRegex("[12]\\.[0-9]+\\.[0-9]+"));
}

}  // namespace
}  // namespace hdf5_tests
