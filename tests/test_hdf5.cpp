// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "made_file.hpp"

#include <synelix/hdf5.hpp>

#include <gmock/gmock.h>

#include <csignal>
#include <cstring>
#include <fstream>
#include <map>
#include <numeric>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/resource.h>

namespace {

namespace sx = synelix;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;
using testing::ThrowsMessage;
using testing::UnorderedElementsAre;
using Space = Kokkos::DefaultHostExecutionSpace;

constexpr std::int64_t window = 5;
constexpr std::int64_t bases = 3;

sx::FilterBank<float, Space> some_bank() {
  sx::CustomTaps taps{window, bases, {}};
  for (std::int64_t i = 0; i < window * bases; ++i) {
    taps.taps.push_back(0.25 * static_cast<double>(i % 7) - 0.5);
  }
  return {Space(), sx::evaluate_taps(taps)};
}

template <class Value>
std::vector<Value> numbers(std::int64_t count) {
  std::vector<Value> values(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<Value>((i * 37) % 101);
  return values;
}

/// Everything of a source as doubles.
template <class Value>
std::vector<Value> all_of(sx::Source& source) {
  const sx::SeriesShape& shape = source.shape();
  EXPECT_EQ(shape.type, sx::stored_type<Value>);
  std::vector<Value> values(static_cast<std::size_t>(shape.samples * shape.channels));
  source.read({0, shape.samples}, {0, shape.channels}, values.data());
  return values;
}

sx::FilePath at(const std::string& file, const std::string& dataset) { return {file, dataset}; }

void expect_source_error(const sx::FilePath& path, const testing::Matcher<std::string>& message) {
  EXPECT_THAT([&] { const sx::Hdf5Source source(path); }, ThrowsMessage<sx::Error>(message));
}

TEST(FilePath, SplitsAtTheLastColonSlash) {
  const auto path = sx::parse_file_path("a:/b/c.h5:/x/y");
  EXPECT_EQ(path.file, "a:/b/c.h5");
  EXPECT_EQ(path.dataset, "/x/y");
  EXPECT_EQ(sx::to_string(path), "a:/b/c.h5:/x/y");
  EXPECT_EQ(sx::parse_file_path("file.nwb").dataset, "");
  EXPECT_EQ(sx::to_string(sx::parse_file_path("file.nwb")), "file.nwb");
  EXPECT_THAT([] { sx::parse_file_path("x.h5:/"); },
              ThrowsMessage<sx::Error>(
                  HasSubstr("file: found \"x.h5:/\"; allowed: FILE or FILE:/dataset")));
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

template <class Value>
class Hdf5Types : public testing::Test {};
using AllStored = testing::Types<float, double, std::int8_t, std::uint8_t, std::int16_t,
                                 std::uint16_t>;
TYPED_TEST_SUITE(Hdf5Types, AllStored);

TYPED_TEST(Hdf5Types, StoredTypesAreReadAsTheyAre) {
  const made::Folder folder;
  const auto values = numbers<TypeParam>(40 * 6);
  made::File(folder / "x.h5").dataset("/x", {40, 6}, values);
  sx::Hdf5Source source(at(folder / "x.h5", "/x"));
  EXPECT_EQ(source.shape().samples, 40);
  EXPECT_EQ(source.shape().channels, 6);
  EXPECT_EQ(all_of<TypeParam>(source), values);
}

TEST(Hdf5Source, OtherTypesAreReadExactlyOrRefused) {
  const made::Folder folder;
  const std::string file = folder / "x.h5";
  const auto floats = numbers<float>(12);
  const auto ints = numbers<std::int32_t>(12);
  const hid_t enumeration = H5Tenum_create(H5T_NATIVE_INT8);
  std::int8_t member = 0;
  H5Tenum_insert(enumeration, "FALSE", &member);
  member = 1;
  H5Tenum_insert(enumeration, "TRUE", &member);
  const std::vector<std::int8_t> booleans = {0, 1, 1, 0, 1};
  const hid_t compound = H5Tcreate(H5T_COMPOUND, 8);
  H5Tinsert(compound, "a", 0, H5T_NATIVE_FLOAT);
  {
    const made::File made(file);
    made.dataset("/big", {12}, floats, H5T_IEEE_F32BE);
    made.dataset("/big16", {12}, numbers<std::int16_t>(12), H5T_STD_I16BE);
    made.dataset("/int32", {12}, ints);
    made.dataset("/int64", {4, 3}, numbers<std::int64_t>(12));
    made.raw("/boolean", {5}, booleans.data(), enumeration, enumeration);
    made.raw("/compound", {5}, nullptr, compound, compound);
    made.strings("/text", {"a", "b"});
    made.dataset("/group/inside", {12}, floats);
    made.raw("/scalar", {}, nullptr, H5T_NATIVE_FLOAT, H5T_NATIVE_FLOAT);
    made.raw("/empty", {0, 3}, nullptr, H5T_NATIVE_FLOAT, H5T_NATIVE_FLOAT);
    made.raw("/eight", {1, 1, 1, 1, 1, 1, 1, 1}, nullptr, H5T_NATIVE_FLOAT, H5T_NATIVE_FLOAT);
  }
  sx::Hdf5Source big(at(file, "/big"));
  EXPECT_EQ(all_of<float>(big), floats);
  sx::Hdf5Source big16(at(file, "/big16"));
  EXPECT_EQ(all_of<std::int16_t>(big16), numbers<std::int16_t>(12));
  sx::Hdf5Source int32(at(file, "/int32"));
  EXPECT_EQ(all_of<double>(int32), std::vector<double>(ints.begin(), ints.end()));
  sx::Hdf5Source boolean(at(file, "/boolean"));
  EXPECT_EQ(all_of<std::int8_t>(boolean), booleans);

  expect_source_error(at(file, "/int64"),
                      AllOf(HasSubstr("/int64: found int64 of extents (4, 3); allowed: float16, "),
                            HasSubstr("(u)int32 or boolean")));
  expect_source_error(at(file, "/compound"), HasSubstr("found compound of extents (5,)"));
  expect_source_error(at(file, "/text"), HasSubstr("found string of extents (2,)"));
  expect_source_error(at(file, "/group"),
                      HasSubstr("/group: found a group; allowed: a dataset; the group holds inside"));
  expect_source_error(at(file, "/scalar"), HasSubstr("found 0 dimensions; allowed: 1 to 7"));
  expect_source_error(at(file, "/eight"), HasSubstr("found 8 dimensions; allowed: 1 to 7"));
  expect_source_error(at(file, "/empty"), HasSubstr("found extents (0, 3); allowed: a dataset that"));
  expect_source_error(at(file, "/no/such"),
                      AllOf(HasSubstr("/no/such: found no such dataset; allowed: what the group / "
                                      "holds: big"),
                            HasSubstr("text")));
  expect_source_error(at(file, ""), HasSubstr("found no dataset named; allowed: FILE:/dataset; "));
  H5Tclose(enumeration);
  H5Tclose(compound);
}

TEST(Hdf5Source, FilesThatAreNone) {
  const made::Folder folder;
  expect_source_error(at(folder / "missing.h5", "/x"),
                      HasSubstr("missing.h5: cannot be read: No such file or directory"));
  expect_source_error(at(folder / "", "/x"), HasSubstr("found a folder; allowed: an HDF5 file"));
  std::ofstream(folder / "text.h5") << "this is no HDF5 file, but it is long enough to be read";
  expect_source_error(at(folder / "text.h5", "/x"), HasSubstr("text.h5: found no HDF5 file"));
  std::ofstream(folder / "nothing.h5").close();
  expect_source_error(at(folder / "nothing.h5", "/x"), HasSubstr("nothing.h5: found no HDF5 file"));
  made::File(folder / "short.h5").dataset("/x", {100'000}, numbers<float>(100'000));
  std::filesystem::resize_file(folder / "short.h5", 50'000);
  expect_source_error(at(folder / "short.h5", "/x"),
                      AllOf(HasSubstr("short.h5: cannot be opened"), HasSubstr("truncated")));
}

TEST(Hdf5Source, AMissingFilterIsNamedWithItsRemedy) {
  const made::Folder folder;
  const std::string file = folder / "x.h5";
  {
    const made::File made(file);
    const hid_t list = made::chunked({10, 2});
    // optional, so that the file can be made without it
    H5Pset_filter(list, 32001, H5Z_FLAG_OPTIONAL, 0, nullptr);
    made.dataset("/x", {20, 2}, numbers<float>(40), H5T_NATIVE_FLOAT, list);
    H5Pclose(list);
  }
  expect_source_error(at(file, "/x"), AllOf(HasSubstr("found HDF5 filter 32001"),
                                            HasSubstr("HDF5_PLUGIN_PATH")));
  const auto description = sx::describe_file(at(file, ""));
  ASSERT_EQ(description.datasets.size(), 1U);
  EXPECT_THAT(description.datasets[0].filters, ElementsAre(HasSubstr("32001, missing here")));
}

TEST(Hdf5Source, ScalingAndRateComeFromAttributes) {
  const made::Folder folder;
  const std::string file = folder / "x.h5";
  {
    const made::File made(file);
    made.dataset("/acquisition/raw/data", {100, 2}, numbers<std::int16_t>(200));
    made.number("/acquisition/raw/data", "conversion", 0.25);
    made.number("/acquisition/raw/data", "offset", -3.0);
    made.dataset("/acquisition/raw/starting_time", {}, std::vector<double>{1.5});
    made.number("/acquisition/raw/starting_time", "rate", 1000.0);
    made.dataset("/plain", {100, 2}, numbers<std::int16_t>(200));
    made.number("/plain", "sampling_rate", 50.0);
  }
  const sx::Hdf5Source nwb(at(file, "/acquisition/raw/data"), {.samples = sx::Range{10, 90}});
  EXPECT_EQ(nwb.shape().scaling.scale, 0.25);
  EXPECT_EQ(nwb.shape().scaling.offset, -3.0);
  EXPECT_EQ(nwb.description().rate_hz, 1000.0);
  EXPECT_DOUBLE_EQ(nwb.description().start_seconds, 1.51);
  const sx::Hdf5Source ignored(at(file, "/acquisition/raw/data"),
                               {.attribute_scaling = sx::AttributeScaling::ignore});
  EXPECT_TRUE(ignored.shape().scaling.is_identity());
  const sx::Hdf5Source given(at(file, "/acquisition/raw/data"),
                             {.scaling = sx::Scaling{7.0, 0.0, {}, {}}});
  EXPECT_EQ(given.shape().scaling.scale, 7.0);
  EXPECT_EQ(given.shape().scaling.offset, 0.0);
  const sx::Hdf5Source plain(at(file, "/plain"));
  EXPECT_TRUE(plain.shape().scaling.is_identity());
  EXPECT_EQ(plain.description().rate_hz, 50.0);
}

TEST(Hdf5Source, RangesOfSamplesAndChannelsOfEveryRank) {
  const made::Folder folder;
  const std::string file = folder / "x.h5";
  const auto values = numbers<std::uint16_t>(30 * 24);
  {
    const made::File made(file);
    made.dataset("/x", {30, 2, 3, 4}, values);
  }
  for (const sx::Range channels : {sx::Range{0, 24}, sx::Range{5, 6}, sx::Range{3, 23},
                                   sx::Range{12, 24}}) {
    sx::Hdf5Source source(at(file, "/x"), {.samples = sx::Range{7, 25}, .channels = channels});
    ASSERT_EQ(source.shape().channels, channels.size());
    const auto read = all_of<std::uint16_t>(source);
    for (std::int64_t t = 0; t < 18; ++t) {
      for (std::int64_t c = 0; c < channels.size(); ++c) {
        ASSERT_EQ(read[static_cast<std::size_t>(t * channels.size() + c)],
                  values[static_cast<std::size_t>((t + 7) * 24 + c + channels.begin)]);
      }
    }
    if (channels.begin > 0) {
      EXPECT_EQ(source.description().channel_ids.front(), channels.begin);
    }
  }
  EXPECT_EQ(sx::Hdf5Source(at(file, "/x")).channel_extents(),
            (std::vector<std::int64_t>{2, 3, 4}));
  const auto open = [&](const sx::Hdf5SourceOptions& options) {
    return [&file, options] { const sx::Hdf5Source source(at(file, "/x"), options); };
  };
  EXPECT_THAT(open({.samples = sx::Range{7, 31}}),
              ThrowsMessage<sx::Error>(HasSubstr(
                  "samples: found [7, 31); allowed: a half-open range, not empty, from 0 to 30")));
  EXPECT_THAT(open({.channels = sx::Range{4, 4}}),
              ThrowsMessage<sx::Error>(HasSubstr("channels: found [4, 4)")));
  EXPECT_THAT(open({.epochs = {{5, 10}, {8, 12}}}),
              ThrowsMessage<sx::Error>(HasSubstr("epochs[1]: found [8, 12)")));
  EXPECT_THAT(open({.samples = sx::Range{0, 5}, .epochs = {{5, 10}}}),
              ThrowsMessage<sx::Error>(HasSubstr("epochs: found no epoch within")));
  const sx::Hdf5Source cut(at(file, "/x"),
                           {.samples = sx::Range{7, 25}, .epochs = {{0, 9}, {10, 20}, {26, 30}}});
  EXPECT_THAT(cut.shape().epochs, ElementsAre(sx::Range{0, 2}, sx::Range{3, 13}));
}

TEST(Hdf5Source, TheChunkCacheHoldsARowOfChunks) {
  const made::Folder folder;
  const std::string file = folder / "x.h5";
  const auto values = numbers<std::int16_t>(1000 * 10);
  {
    const made::File made(file);
    for (const unsigned level : {0U, 1U}) {
      const hid_t list = made::chunked({100, 3}, level);
      made.dataset(level == 0 ? "/plain" : "/packed", {1000, 10}, values, H5T_NATIVE_INT16, list);
      H5Pclose(list);
    }
    const hid_t list = made::chunked({100, 10});
    made.dataset("/whole", {1000, 10}, values, H5T_NATIVE_INT16, list);
    H5Pclose(list);
    made.dataset("/contiguous", {1000, 10}, values);
  }
  constexpr std::int64_t chunk = 100 * 3 * 2;
  const std::map<std::string, std::pair<std::int64_t, std::int64_t>> expected = {
      {"/plain", {4 * chunk, 4 * chunk}},               // 10 channels touch 4 chunks of 3
      {"/packed", {4 * chunk + 2 * chunk, 4 * chunk}},  // and each passes through two buffers
      {"/whole", {0, 0}},                               // read past the cache
      {"/contiguous", {0, 0}}};
  for (const auto& [name, bytes] : expected) {
    sx::Hdf5Source source(at(file, name));
    EXPECT_EQ(source.own_bytes(64, 10, sx::mebibytes(1)), bytes.first) << name;
    source.begin(64, 10, bytes.first);
    EXPECT_EQ(source.chunk_cache_bytes(), bytes.second) << name;
    EXPECT_EQ(all_of<std::int16_t>(source), values) << name;
  }
  const sx::Hdf5Source packed(at(file, "/packed"));
  EXPECT_EQ(packed.own_bytes(64, 10, 100), 2 * chunk);  // too little: no cache, and dear
  EXPECT_GT(packed.read_cost(64, 10, 2 * chunk), 8.0);
  EXPECT_EQ(packed.read_cost(64, 10, 6 * chunk), 1.0);
}

/// A recording in a file, and its features computed in memory.
struct Recording {
  std::string file;
  std::int64_t samples;
  std::int64_t channels;
  std::vector<std::int16_t> values = numbers<std::int16_t>(samples * channels);
  sx::FilterBank<float, Space> bank = some_bank();

  Recording(const std::string& name, std::int64_t t, std::int64_t c)
      : file(name), samples(t), channels(c) {
    const made::File made(file);
    const auto width = static_cast<hsize_t>(std::min<std::int64_t>(c, 3));
    const hid_t list = made::chunked({128, width}, 1);
    made.dataset("/x", {static_cast<hsize_t>(t), static_cast<hsize_t>(c)}, values,
                 H5T_NATIVE_INT16, list);
    H5Pclose(list);
    made.number("/x", "rate", 200.0);
  }
  [[nodiscard]] std::vector<float> features() const {
    std::vector<float> result(static_cast<std::size_t>(samples * channels * bases));
    sx::convolve(Space(), sx::StridedSeries(sx::Strided(values.data(), {samples, channels})), bank,
                 sx::StridedOutput(result.data(), {samples, channels, bases}));
    return result;
  }
  sx::StreamReport stream(sx::Sink& sink, const sx::ConvolveOptions& options = {},
                          const sx::StreamOptions& stream = {}) const {
    sx::Hdf5Source source(at(file, "/x"));
    return sx::stream_convolve(Space(), source, bank, sink, options, stream);
  }
};

bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

TEST(Hdf5Sink, SameBitsForEveryBudgetChunkAndFilter) {
  const made::Folder folder;
  const Recording recording(folder / "in.h5", 1201, 7);
  const std::vector<float> expected = recording.features();
  std::int64_t smallest = 0;
  int outputs = 0;
  for (const auto& filter : {"none", "deflate:1", "shuffle,deflate:4"}) {
    for (const auto& chunk :
         {std::optional<sx::BlockShape>{}, std::optional<sx::BlockShape>{{100, 2, 2}},
          std::optional<sx::BlockShape>{{5000, 7, 9}}, std::optional<sx::BlockShape>{{1, 7, 3}}}) {
      for (const std::int64_t budget : {std::int64_t{1}, sx::mebibytes(1), sx::mebibytes(100)}) {
        const std::string out = folder / ("out" + std::to_string(outputs++) + ".h5");
        sx::Hdf5Sink sink(at(out, "/features"),
                          {.output = {.filter = sx::parse_filter(filter)}, .chunk = chunk});
        sx::ConvolveOptions options;
        options.budget = budget;
        if (budget == 1) {
          try {
            recording.stream(sink, options);
            FAIL() << "a budget of 1 byte was taken";
          } catch (const sx::Error& error) {
            const std::string text = error.what();
            smallest = std::stoll(text.substr(text.find("at least ") + 9));
          }
          options.budget = smallest;
        }
        const sx::StreamReport report = recording.stream(sink, options);
        EXPECT_LE(report.plan.total_bytes, *options.budget);
        EXPECT_TRUE(same_bits(made::read<float>(out, "/features"), expected))
            << filter << " budget " << *options.budget << " chunk rows " << report.plan.chunk.rows
            << " block " << report.plan.block.rows << ", " << report.plan.block.channels << ", "
            << report.plan.block.bases;
      }
    }
  }
  EXPECT_EQ(outputs, 36);
}

TEST(Hdf5Sink, DescribesTheFeaturesAndLeavesOnlyTheFile) {
  const made::Folder folder;
  const Recording recording(folder / "in.h5", 500, 4);
  sx::Hdf5Sink sink(at(folder / "out.h5", "/result/features"),
                    {.output = {.history = "a command line",
                                .attributes = {{"subject", std::string("A8604")}, {"age", 3.5}}}});
  recording.stream(sink, {.causality = sx::Causality::anti_causal, .every = 2},
                   {.series = {.channel_ids = {3, 1, 4, 1}}});
  EXPECT_THAT(folder.names(), UnorderedElementsAre("in.h5", "out.h5"));
  std::vector<hsize_t> extents;
  made::read<float>(folder / "out.h5", "/result/features", &extents);
  EXPECT_THAT(extents, ElementsAre(250, 4, bases));
  const auto time = made::read<double>(folder / "out.h5", "/result/time");
  ASSERT_EQ(time.size(), 250U);
  EXPECT_DOUBLE_EQ(time[249], 498 / 200.0);
  EXPECT_THAT(made::read<std::int64_t>(folder / "out.h5", "/result/channel"),
              ElementsAre(3, 1, 4, 1));
  const auto description = sx::describe_file(sx::parse_file_path(folder / "out.h5" +
                                                                 ":/result/features"));
  ASSERT_EQ(description.datasets.size(), 1U);
  const auto& dataset = description.datasets[0];
  EXPECT_EQ(dataset.type, "float32");
  EXPECT_THAT(dataset.filters, ElementsAre());
  EXPECT_THAT(dataset.chunk, ElementsAre(250, 4, bases));
  EXPECT_THAT(
      dataset.attributes,
      AllOf(Contains(Pair("axes", "time,channel,basis")), Contains(Pair("rate_hz", "100")),
            Contains(Pair("window", "5")), Contains(Pair("basis", "CustomTaps")),
            Contains(Pair("causality", "anti-causal")), Contains(Pair("shift", "on")),
            Contains(Pair("border", "nan")), Contains(Pair("method", "direct")),
            Contains(Pair("every", "2")), Contains(Pair("history", "a command line")),
            Contains(Pair("coordinates", "/result/time /result/channel")),
            Contains(Pair("subject", "A8604"))));
}

TEST(Hdf5Sink, ChunksAreOneToFourMebibytesAndBlocksWholeChunks) {
  const made::Folder folder;
  const sx::Hdf5Sink sink(at(folder / "out.h5", "/features"));
  for (const std::int64_t width : {1, 8, 60, 512, 4096, 100'000}) {
    const sx::FeaturesShape shape{.rows = 10'000'000, .channels = width, .bases = 8};
    const sx::BlockShape chunk = sink.chunk(shape, sx::mebibytes(64));
    const std::int64_t bytes = chunk.rows * chunk.channels * chunk.bases * 4;
    EXPECT_GE(bytes, sx::mebibytes(1)) << width;
    EXPECT_LE(bytes, sx::mebibytes(4)) << width;
    EXPECT_EQ(chunk.rows & (chunk.rows - 1), 0) << width;
  }
}

TEST(Hdf5Sink, AnExistingFileIsRefusedReplacedOrAppendedTo) {
  const made::Folder folder;
  const Recording recording(folder / "in.h5", 300, 2);
  const std::vector<float> expected = recording.features();
  const std::string out = folder / "out.h5";
  {
    sx::Hdf5Sink sink(at(out, "/features"));
    recording.stream(sink);
  }
  EXPECT_THAT([&] { const sx::Hdf5Sink sink(at(out, "/other")); },
              ThrowsMessage<sx::Error>(HasSubstr("out.h5: found an existing file")));
  {
    sx::Hdf5Sink sink(at(out, "/second"), {.output = {.existing = sx::Existing::append}});
    recording.stream(sink);
  }
  EXPECT_TRUE(same_bits(made::read<float>(out, "/features"), expected));
  EXPECT_TRUE(same_bits(made::read<float>(out, "/second"), expected));
  EXPECT_EQ(made::read<double>(out, "/second_time"), made::read<double>(out, "/time"));
  {
    sx::Hdf5Sink sink(at(out, "/features"), {.output = {.existing = sx::Existing::append}});
    EXPECT_THAT([&] { recording.stream(sink); },
                ThrowsMessage<sx::Error>(HasSubstr("/features: found an existing dataset")));
  }
  EXPECT_THAT(folder.names(), UnorderedElementsAre("in.h5", "out.h5"));
  EXPECT_TRUE(same_bits(made::read<float>(out, "/second"), expected));
  {
    sx::Hdf5Sink sink(at(out, "/only"), {.output = {.existing = sx::Existing::replace}});
    recording.stream(sink);
  }
  EXPECT_EQ(sx::describe_file({out, ""}).datasets.size(), 3U);
  {
    sx::Hdf5Sink sink(at(folder / "new.h5", "/x"), {.output = {.existing = sx::Existing::append}});
    recording.stream(sink);
  }
  EXPECT_TRUE(same_bits(made::read<float>(folder / "new.h5", "/x"), expected));
}

TEST(Hdf5Sink, FailuresLeaveNothing) {
  const made::Folder folder;
  const Recording recording(folder / "in.h5", 20'000, 4);
  {
    sx::Hdf5Sink sink(at(folder / "out.h5", "/features"));
    std::atomic<bool> cancel{true};
    EXPECT_THROW(recording.stream(sink, {}, {.cancel = &cancel}), sx::Cancelled);
  }
  EXPECT_THAT(folder.names(), ElementsAre("in.h5"));
  // A limit on the size of files looks like a full disk.
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{100'000, before.rlim_max};
  for (const char* const filter : {"none", "deflate:1"}) {
    sx::Hdf5Sink sink(at(folder / "out.h5", "/features"),
                      {.output = {.filter = sx::parse_filter(filter)}});
    setrlimit(RLIMIT_FSIZE, &small);
    EXPECT_THAT([&] { recording.stream(sink); },
                ThrowsMessage<sx::Error>(
                    AllOf(HasSubstr("out.h5.part: cannot be written: File too large"))))
        << filter;
    setrlimit(RLIMIT_FSIZE, &before);
    EXPECT_THAT(folder.names(), ElementsAre("in.h5")) << filter;
  }
  std::signal(SIGXFSZ, handler);
}

TEST(Hdf5Sink, PlacesThatCannotBeWritten) {
  const made::Folder folder;
  const auto sink_at = [](const std::string& file, const std::string& dataset) {
    return [=] { const sx::Hdf5Sink sink(at(file, dataset)); };
  };
  EXPECT_THAT(sink_at(folder / "no/out.h5", "/x"),
              ThrowsMessage<sx::Error>(AllOf(HasSubstr("found no folder"), HasSubstr("/no;"))));
  EXPECT_THAT(sink_at(folder / "out.h5", ""),
              ThrowsMessage<sx::Error>(HasSubstr("found no dataset named; allowed: FILE:/dataset")));
  EXPECT_THAT(sink_at(folder / "", "/x"), ThrowsMessage<sx::Error>(HasSubstr("a folder")));
  EXPECT_THAT([&] { const sx::Hdf5Sink sink(at(folder / "o.h5", "/x"), {.chunk = {{0, 1, 1}}}); },
              ThrowsMessage<sx::Error>(HasSubstr("chunk: found 0, 1, 1; allowed: rows, channels")));
  std::filesystem::create_directory(folder / "closed");
  std::filesystem::permissions(folder / "closed", std::filesystem::perms::owner_read |
                                                      std::filesystem::perms::owner_exec);
  if (access((folder / "closed").c_str(), W_OK) != 0) {
    EXPECT_THAT(sink_at(folder / "closed/out.h5", "/x"),
                ThrowsMessage<sx::Error>(HasSubstr("cannot be written: Permission denied")));
  } else {
    std::cout << "the super user writes everywhere: a folder without permission is not tested\n";
  }
  std::filesystem::permissions(folder / "closed", std::filesystem::perms::owner_all);
}

TEST(Hdf5Sink, TwoRunsDoNotWriteOneFile) {
  const made::Folder folder;
  const Recording recording(folder / "in.h5", 300, 2);
  const std::string part = folder / "out.h5.part";
  const int other = open(part.c_str(), O_RDWR | O_CREAT, 0600);
  ASSERT_EQ(flock(other, LOCK_EX), 0);
  {
    sx::Hdf5Sink sink(at(folder / "out.h5", "/features"));
    EXPECT_THAT([&] { recording.stream(sink); },
                ThrowsMessage<sx::Error>(HasSubstr("a file that another run is writing")));
  }
  EXPECT_THAT(folder.names(), UnorderedElementsAre("in.h5", "out.h5.part"));
  close(other);  // what a killed run left behind is no obstacle
  sx::Hdf5Sink sink(at(folder / "out.h5", "/features"));
  recording.stream(sink);
  EXPECT_THAT(folder.names(), UnorderedElementsAre("in.h5", "out.h5"));
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
  EXPECT_THAT(sx::describe_file(at(folder / "bank.h5", "/bank")).datasets.at(0).attributes,
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
              ThrowsMessage<sx::Error>(HasSubstr(
                  "found int64 of extents (2, 3); allowed: integers of extents (E, 2)")));
  EXPECT_THAT([&] { sx::read_epochs(at(file, "/floats")); },
              ThrowsMessage<sx::Error>(HasSubstr("found float64 of extents (2, 2)")));
  EXPECT_EQ(sx::read_bank(at(file, "/column")).window, 3);
  EXPECT_THAT([&] { sx::read_matrix(at(file, "/cube")); },
              ThrowsMessage<sx::Error>(HasSubstr("allowed: numbers of 1 or 2 dimensions")));
  EXPECT_THAT([&] { sx::read_matrix(at(file, "/text")); },
              ThrowsMessage<sx::Error>(HasSubstr("found string of extents (1,)")));
  EXPECT_THAT([&] { sx::read_bank(at(file, "/none")); },
              ThrowsMessage<sx::Error>(HasSubstr("found extents (0, 2); allowed: at least one")));
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
  { const sx::Hdf5SeriesWriter writer(at(folder / "y.h5", "/spikes"), shape, {}); }
  EXPECT_THAT(folder.names(), ElementsAre("x.h5"));
}

TEST(Hdf5, TheVersionIsNamed) {
  EXPECT_THAT(sx::hdf5_version(), testing::MatchesRegex("[12]\\.[0-9]+\\.[0-9]+"));
}

}  // namespace
