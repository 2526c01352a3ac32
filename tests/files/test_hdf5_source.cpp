// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "files/made_file.hpp"
#include "files/made_values.hpp"
#include "hdf5/objects/chunk_pieces.hpp"

#include <synelix/hdf5.hpp>

#include <gmock/gmock.h>
#include <Kokkos_Core.hpp>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <map>

namespace hdf5_source_tests {
namespace {

namespace sx = synelix;
using made::all_of;
using made::at;
using made::numbers;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

void expect_source_error(const sx::FilePath& path, const testing::Matcher<std::string>& message) {
  EXPECT_THAT([&] { const sx::Hdf5Source source(path); }, ThrowsMessage<sx::Error>(message));
}

template <class Value>
class Hdf5Types : public testing::Test {};
using AllStored =
    testing::Types<float, double, std::int8_t, std::uint8_t, std::int16_t, std::uint16_t>;
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

  sx::Hdf5Source int64(at(file, "/int64"));
  EXPECT_EQ(all_of<double>(int64), numbers<double>(12));
  const sx::Hdf5Source turned(at(file, "/int64"), {.time_axis = 1});
  EXPECT_EQ(turned.shape().samples, 3);
  EXPECT_EQ(turned.shape().channels, 4);
  expect_source_error(
      at(file, "/compound"),
      HasSubstr(
          "it holds compound of extents (5,), which is not read. Convert it: valid are float16, "));
  expect_source_error(at(file, "/text"), HasSubstr("it holds string of extents (2,)"));
  expect_source_error(at(file, "/group"),
                      HasSubstr("/group: this is a group. Give a dataset; the group holds inside"));
  expect_source_error(at(file, "/scalar"), HasSubstr("it has 0 dimensions. Valid are 1 to 7"));
  expect_source_error(at(file, "/eight"), HasSubstr("it has 8 dimensions. Valid are 1 to 7"));
  expect_source_error(at(file, "/empty"),
                      HasSubstr("it is empty, with the extents (0, 3). Give a dataset that"));
  expect_source_error(at(file, "/no/such"),
                      AllOf(HasSubstr("/no/such: there is no such dataset. The group / holds: big"),
                            HasSubstr("text")));
  expect_source_error(at(file, ""), HasSubstr("no dataset is named. Give FILE:/dataset; "));
  H5Tclose(enumeration);
  H5Tclose(compound);
}

TEST(Hdf5Source, FilesThatAreNone) {
  const made::Folder folder;
  expect_source_error(at(folder / "missing.h5", "/x"),
                      HasSubstr("missing.h5: cannot be read: No such file or directory"));
  expect_source_error(at(folder / "", "/x"), HasSubstr("this is a folder. Give an HDF5 file."));
  std::ofstream(folder / "text.h5") << "this is not an HDF5 file, but it is long enough to be read";
  expect_source_error(at(folder / "text.h5", "/x"), HasSubstr("text.h5: this is not an HDF5 file"));
  std::ofstream(folder / "nothing.h5").close();
  expect_source_error(at(folder / "nothing.h5", "/x"),
                      HasSubstr("nothing.h5: this is not an HDF5 file"));
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
  expect_source_error(at(file, "/x"), AllOf(HasSubstr("it needs the HDF5 filter 32001"),
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

void write_attribute(const std::string& file, const char* path, const char* name, hid_t type,
                     const std::vector<hsize_t>& extents, const void* value) {
  const hid_t opened = H5Fopen(file.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  const hid_t object = H5Oopen(opened, path, H5P_DEFAULT);
  const hid_t space =
      extents.empty() ? H5Screate(H5S_SCALAR)
                      : H5Screate_simple(static_cast<int>(extents.size()), extents.data(), nullptr);
  if (H5Aexists(object, name) > 0) H5Adelete(object, name);
  const hid_t attribute = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
  H5Awrite(attribute, type, value);
  H5Aclose(attribute);
  H5Sclose(space);
  H5Oclose(object);
  H5Fclose(opened);
}

TEST(Hdf5Source, AttributesThatAreNoUsableNumberAreRefused) {
  const made::Folder folder;
  const std::string file = folder / "x.h5";
  const hid_t text = H5Tcopy(H5T_C_S1);
  H5Tset_size(text, 5);
  const std::vector<double> two = {1e-6, 1e-6};
  for (const char* const name :
       {"conversion", "scale_factor", "offset", "add_offset", "rate_hz", "rate", "sampling_rate"}) {
    const bool is_rate = std::string(name).find("rate") != std::string::npos;
    const bool is_offset = std::string(name).find("offset") != std::string::npos;
    const auto refused = [&](const char* words) {
      expect_source_error(at(file, "/x"),
                          AllOf(HasSubstr(std::string("/x, attribute ") + name), HasSubstr(words)));
    };
    SCOPED_TRACE(name);
    made::File(file).dataset("/x", {10, 2}, numbers<std::int16_t>(20));
    write_attribute(file, "/x", name, text, {}, "1e-6");
    refused("the file holds string 1e-6 (1 values), which is not one number");
    write_attribute(file, "/x", name, H5T_NATIVE_DOUBLE, {2}, two.data());
    refused("2 values");
    for (const double number :
         {std::nan(""), std::numeric_limits<double>::infinity(), 0.0, -1000.0}) {
      if (is_offset && std::isfinite(number)) continue;
      if (!is_rate && number < 0 && std::isfinite(number)) continue;
      write_attribute(file, "/x", name, H5T_NATIVE_DOUBLE, {}, &number);
      refused(is_rate     ? " is not a rate. "
              : is_offset ? " is not an offset. "
                          : " is not a factor. ");
    }
    write_attribute(file, "/x", name, H5T_NATIVE_DOUBLE, {1}, two.data());  // one, in a list
    const sx::Hdf5Source source(at(file, "/x"));
  }
  H5Tclose(text);
}

/// A source of the user's own, with epochs as they are given.
class OwnSource final : public sx::Source {
 public:
  explicit OwnSource(sx::SeriesShape shape) : m_shape(std::move(shape)) {}
  [[nodiscard]] const sx::SeriesShape& shape() const override { return m_shape; }
  void read(sx::Range, sx::Range, void*) override {}

 private:
  sx::SeriesShape m_shape;
};

TEST(Hdf5Source, EmptyEpochsAreNoneWhereverTheyComeFrom) {
  const made::Folder folder;
  const std::string file = folder / "x.h5";
  const std::vector<float> values(40, 1.0F);
  made::File(file).dataset("/x", {40}, values);
  const sx::Epochs epochs = {{0, 0}, {0, 10}, {14, 14}, {20, 33}, {33, 33}, {40, 40}};
  const sx::Epochs whole = {{0, 10}, {20, 33}};
  const sx::Hdf5Source source(at(file, "/x"), {.epochs = epochs});
  const sx::StridedSeries series(sx::Strided(values.data(), {40}), {.epochs = epochs});
  const sx::Events events(40, {{{1, 2}, {}}}, epochs);
  const OwnSource own({.samples = 40, .channels = 1, .epochs = epochs});
  for (const std::int64_t every : {1, 3, 5}) {
    for (const sx::Border border : {sx::Border::nan, sx::Border::zero, sx::Border::valid}) {
      const sx::ConvolveOptions options{.border = border, .every = every};
      const auto rows =
          sx::feature_samples({.samples = 40, .channels = 1, .epochs = whole}, 3, options);
      EXPECT_EQ(sx::feature_samples(source.shape(), 3, options), rows) << every;
      EXPECT_EQ(sx::feature_samples(series.shape(), 3, options), rows) << every;
      EXPECT_EQ(sx::feature_samples(events.shape(), 3, options), rows) << every;
      EXPECT_EQ(sx::feature_samples(own.shape(), 3, options), rows) << every;
    }
  }
  for (const sx::Epochs& nothing :
       {sx::Epochs{{3, 3}, {9, 9}}, sx::Epochs(std::vector<sx::Epoch>())}) {
    EXPECT_THROW(sx::Hdf5Source(at(file, "/x"), {.epochs = nothing}), sx::Error);
    EXPECT_THROW(sx::StridedSeries(sx::Strided(values.data(), {40}), {.epochs = nothing}),
                 sx::Error);
    EXPECT_THROW(sx::Events(40, {{{1, 2}, {}}}, nothing), sx::Error);
    EXPECT_THROW(sx::feature_samples({.samples = 40, .channels = 1, .epochs = nothing}, 3, {}),
                 sx::Error);
  }
}

TEST(Hdf5Source, RangesOfSamplesAndChannelsOfEveryRank) {
  const made::Folder folder;
  const std::string file = folder / "x.h5";
  const auto values = numbers<std::uint16_t>(30 * 24);
  {
    const made::File made(file);
    made.dataset("/x", {30, 2, 3, 4}, values);
  }
  for (const sx::Range channels :
       {sx::Range{0, 24}, sx::Range{5, 6}, sx::Range{3, 23}, sx::Range{12, 24}}) {
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
  EXPECT_EQ(sx::Hdf5Source(at(file, "/x")).channel_extents(), (std::vector<std::int64_t>{2, 3, 4}));
  const auto open = [&](const sx::Hdf5SourceOptions& options) {
    return [&file, options] { const sx::Hdf5Source source(at(file, "/x"), options); };
  };
  EXPECT_THAT(open({.samples = sx::Range{7, 31}}),
              ThrowsMessage<sx::Error>(HasSubstr("samples: [7, 31) is empty or not within the "
                                                 "data. Give a half-open range, not empty, from "
                                                 "0 to 30")));
  EXPECT_THAT(open({.channels = sx::Range{4, 4}}),
              ThrowsMessage<sx::Error>(HasSubstr("channels: [4, 4) is empty")));
  EXPECT_THAT(open({.epochs = {{5, 10}, {8, 12}}}),
              ThrowsMessage<sx::Error>(HasSubstr("epochs[1]: [8, 12) is not a range")));
  EXPECT_THAT(open({.samples = sx::Range{0, 5}, .epochs = {{5, 10}}}),
              ThrowsMessage<sx::Error>(HasSubstr("epochs: no epoch is within")));
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
  constexpr std::int64_t each = synelix::stream::bytes_of_touched_chunk;
  // 64 samples are in up to 2 rows of chunks; 10 channels touch 4 chunks of 3.
  const std::map<std::string, std::pair<std::int64_t, std::int64_t>> expected = {
      {"/plain", {8 * each + 4 * chunk, 4 * chunk}},
      {"/packed", {8 * each + 4 * chunk + 2 * chunk, 4 * chunk}},  // each passes two buffers
      {"/whole", {2 * each, 0}},                                   // read past the cache
      {"/contiguous", {0, 0}}};
  for (const auto& [name, bytes] : expected) {
    sx::Hdf5Source source(at(file, name));
    EXPECT_EQ(source.own_bytes(64, 10, sx::mebibytes(1)), bytes.first) << name;
    source.begin(64, 10, bytes.first);
    EXPECT_EQ(source.chunk_cache_bytes(), bytes.second) << name;
    EXPECT_EQ(all_of<std::int16_t>(source), values) << name;
  }
  sx::Hdf5Source packed(at(file, "/packed"));
  // Too little: no cache, which is dear, and one chunk at a time.
  EXPECT_EQ(packed.own_bytes(64, 10, 100), 2 * chunk + each);
  std::vector<std::string> warnings;
  const auto before =
      sx::set_warning_handler([&](std::string_view message) { warnings.emplace_back(message); });
  packed.begin(64, 10, 2 * chunk + each);  // two blocks for each chunk are not worth a word
  packed.begin(30, 10, 8 * each + 6 * chunk);
  EXPECT_THAT(warnings, testing::IsEmpty());
  packed.begin(30, 10, 2 * chunk + each);
  sx::set_warning_handler(before);
  EXPECT_THAT(warnings, ElementsAre(HasSubstr("decompressed about 4 times, because blocks of 30")));
  EXPECT_GT(packed.read_cost(64, 10, 2 * chunk + each), 8.0);
  EXPECT_EQ(packed.read_cost(64, 10, 8 * each + 6 * chunk), 1.0);
  // Consecutive blocks of 2 channels decompress each chunk of 3 repeatedly.
  EXPECT_GT(packed.read_cost(64, 2, 8 * each + 6 * chunk), 8.0);
}

TEST(Hdf5Source, ReadsTheSameHoweverManyChunksACallTouches) {
  const made::Folder folder;
  const std::string file = folder / "x.h5";
  constexpr std::int64_t samples = 50;
  constexpr std::int64_t channels = 4 * 5 * 6;
  const auto values = numbers<std::int16_t>(samples * channels);
  {
    const made::File made(file);
    const hid_t list = made::chunked({7, 3, 2, 4});
    made.dataset("/x", {samples, 4, 5, 6}, values, H5T_NATIVE_INT16, list);
    H5Pclose(list);
  }
  sx::Hdf5Source source(at(file, "/x"));
  for (const std::int64_t chunks : {1, 2, 5, 24, 1000}) {
    source.begin(samples, channels, chunks * synelix::stream::bytes_of_touched_chunk);
    for (const sx::Range part : {sx::Range{0, channels}, {0, 30}, {7, 8}, {5, 100}, {29, 92}}) {
      std::vector<std::int16_t> found(static_cast<std::size_t>(40 * part.size()));
      source.read({6, 46}, part, found.data());
      std::vector<std::int16_t> expected;
      for (std::int64_t t = 6; t < 46; ++t) {
        const auto row = values.begin() + t * channels;
        expected.insert(expected.end(), row + part.begin, row + part.end);
      }
      EXPECT_EQ(found, expected) << chunks << " chunks, channels from " << part.begin;
    }
  }
}

/// A read gives an error, so that no caller has to check the file.
TEST(Hdf5Source, AReadNoticesThatItsFileHasChanged) {
  const auto values = numbers<std::int16_t>(4000);
  const std::map<std::string, std::function<void(const std::string&)>> changes = {
      {"changed while it was read: its time of change",
       [](const std::string& file) {
         std::filesystem::last_write_time(file, std::filesystem::file_time_type::clock::now());
       }},
      {"changed while it was read: it had",
       [](const std::string& file) {
         std::filesystem::resize_file(file, std::filesystem::file_size(file) / 2);
       }},
      {"replaced by another file", [](const std::string& file) {
         std::filesystem::copy_file(file, file + ".new");
         std::filesystem::rename(file + ".new", file);
       }}};
  for (const auto& [words, change] : changes) {
    const made::Folder folder;
    const std::string file = folder / "x.h5";
    made::File(file).dataset("/x", {2000, 2}, values);
    sx::Hdf5Source source(at(file, "/x"));
    std::vector<std::int16_t> read(4000);
    source.read({0, 1000}, {0, 2}, read.data());
    change(file);
    EXPECT_THAT([&] { source.read({1000, 2000}, {0, 2}, read.data()); },
                ThrowsMessage<sx::InputChanged>(AllOf(HasSubstr("x.h5"), HasSubstr(words))));
  }
}

TEST(Hdf5Source, AFileThatLosesItsNameIsReadToItsEnd) {
  const made::Folder folder;
  const std::string file = folder / "x.h5";
  const auto values = numbers<std::int16_t>(4000);
  made::File(file).dataset("/x", {2000, 2}, values);
  sx::Hdf5Source source(at(file, "/x"));
  std::filesystem::remove(file);
  EXPECT_EQ(all_of<std::int16_t>(source), values);
}

}  // namespace
}  // namespace hdf5_source_tests
