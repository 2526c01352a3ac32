// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "files/made_file.hpp"
#include "files/made_values.hpp"

#include <synelix/hdf5.hpp>

#include <gmock/gmock.h>
#include <Kokkos_Core.hpp>

#include <atomic>
#include <csignal>
#include <cstring>
#include <filesystem>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/resource.h>

namespace hdf5_sink_tests {
namespace {

namespace sx = synelix;
using Space = Kokkos::DefaultHostExecutionSpace;
using made::at;
using made::numbers;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;
using testing::ThrowsMessage;
using testing::UnorderedElementsAre;

constexpr std::int64_t window = 5;
constexpr std::int64_t bases = 3;

sx::FilterBank<float, Space> some_bank() {
  sx::CustomTaps taps{window, bases, {}};
  for (std::int64_t i = 0; i < window * bases; ++i) {
    taps.taps.push_back(0.25 * static_cast<double>(i % 7) - 0.5);
  }
  return {Space(), sx::evaluate_taps(taps)};
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
    made.dataset("/x", {static_cast<hsize_t>(t), static_cast<hsize_t>(c)}, values, H5T_NATIVE_INT16,
                 list);
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
  const Recording recording(folder / "in.h5", 401, 7);
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

TEST(Hdf5Sink, FromFileToFileThroughADevice) {
  const made::Folder folder;
  const Recording recording(folder / "in.h5", 60'011, 7);
  for (const std::int64_t budget : {sx::mebibytes(1), sx::mebibytes(8)}) {
    const std::string out = folder / ("out" + std::to_string(budget) + ".h5");
    sx::Hdf5Sink sink(at(out, "/features"));
    sx::ConvolveOptions options;
    options.budget = budget;
    options.staging = sx::Staging::always;
    options.host_budget = sx::mebibytes(6);
    const sx::StreamReport report = recording.stream(sink, options);
    EXPECT_TRUE(same_bits(made::read<float>(out, "/features"), recording.features()));
    EXPECT_GT(report.plan.choice.staging.slots, 1);
    EXPECT_GT(report.blocks, report.plan.choice.staging.slots);
    EXPECT_LE(report.plan.total_bytes, sx::mebibytes(6));
    EXPECT_LE(report.plan.choice.staging.device_bytes, budget);
  }
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
  const auto description =
      sx::describe_file(sx::parse_file_path(folder / "out.h5" + ":/result/features"));
  ASSERT_EQ(description.datasets.size(), 1U);
  const auto& dataset = description.datasets[0];
  EXPECT_EQ(dataset.type, "float32");
  EXPECT_THAT(dataset.filters, ElementsAre());
  EXPECT_THAT(dataset.chunk, ElementsAre(250, 4, bases));
  EXPECT_THAT(dataset.attributes,
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
              ThrowsMessage<sx::Error>(HasSubstr("out.h5: this is an existing file")));
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
                ThrowsMessage<sx::Error>(HasSubstr("/features: this is an existing dataset")));
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
              ThrowsMessage<sx::Error>(AllOf(HasSubstr("there is no folder"), HasSubstr("/no. "))));
  EXPECT_THAT(sink_at(folder / "out.h5", ""),
              ThrowsMessage<sx::Error>(HasSubstr("no dataset is named. Give FILE:/dataset.")));
  EXPECT_THAT(sink_at(folder / "", "/x"), ThrowsMessage<sx::Error>(HasSubstr("a folder")));
  EXPECT_THAT(
      [&] { const sx::Hdf5Sink sink(at(folder / "o.h5", "/x"), {.chunk = {{0, 1, 1}}}); },
      ThrowsMessage<sx::Error>(HasSubstr("chunk: 0, 1, 1 is not a chunk. Give rows, channels")));
  std::filesystem::create_directory(folder / "closed");
  std::filesystem::permissions(
      folder / "closed", std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);
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
                ThrowsMessage<sx::Error>(HasSubstr("another run is writing this file")));
  }
  EXPECT_THAT(folder.names(), UnorderedElementsAre("in.h5", "out.h5.part"));
  close(other);  // files left by a killed run are no obstacle
  sx::Hdf5Sink sink(at(folder / "out.h5", "/features"));
  recording.stream(sink);
  EXPECT_THAT(folder.names(), UnorderedElementsAre("in.h5", "out.h5"));
}

TEST(Hdf5Sink, AFilterCountsWhatItsChunksTake) {
  const made::Folder folder;
  const sx::FeaturesShape shape{.rows = 4000, .channels = 10, .bases = 4, .channel_extents = {10}};
  const sx::BlockShape chunk{1000, 5, 4};
  constexpr std::int64_t bytes = 1000 * 5 * 4 * 4;
  const auto own_bytes = [&](sx::Compression compression, const sx::BlockShape& block) {
    sx::Hdf5SinkOptions options;
    options.output.filter.compression = compression;
    return sx::Hdf5Sink(at(folder / "out.h5", "/f"), options).own_bytes(shape, chunk, block);
  };
  for (const auto compression : {sx::Compression::deflate, sx::Compression::shuffle_deflate}) {
    const auto more = [&](const sx::BlockShape& block) {
      return own_bytes(compression, block) - own_bytes(sx::Compression::none, block);
    };
    // A chunk stays until it is complete, and passes through two buffers for its filters.
    EXPECT_GE(more({1000, 1, 1}), 3 * bytes);
    EXPECT_GE(more({1000, 10, 4}), 4 * bytes);
  }
  // Many chunks that one call touches take memory, in a block of any filter.
  const sx::BlockShape block{4000, 10, 4};
  const sx::Hdf5Sink sink(at(folder / "out.h5", "/f"));
  EXPECT_GT(sink.own_bytes(shape, {1, 1, 1}, block), sink.own_bytes(shape, block, block) + 100'000);
}

TEST(Hdf5Sink, FeaturesOfIntegersAreRefused) {
  const made::Folder folder;
  for (const auto type : {sx::StoredType::int8, sx::StoredType::uint16}) {
    sx::Hdf5Sink sink(at(folder / "out.h5", "/f"));
    const sx::FeaturesShape shape{
        .rows = 8, .channels = 1, .bases = 1, .channel_extents = {1}, .type = type};
    EXPECT_THAT([&] { sink.begin({.shape = shape}); },
                ThrowsMessage<sx::Error>(HasSubstr("float32 or float64")));
    sink.abandon();
    EXPECT_THAT(folder.names(), ElementsAre());
  }
}

TEST(Hdf5Sink, WritesTheSameHoweverManyChunksACallTouches) {
  const made::Folder folder;
  const Recording recording(folder / "in.h5", 700, 7);
  std::vector<float> expected;
  for (const std::int64_t rows : {700, 64, 1}) {
    sx::Hdf5SinkOptions options{.output = {.existing = sx::Existing::replace}};
    options.chunk = sx::BlockShape{rows, rows == 700 ? 7 : 2, rows == 700 ? 3 : 2};
    sx::Hdf5Sink sink(at(folder / "out.h5", "/features"), options);
    recording.stream(sink);
    const auto found = made::read<float>(folder / "out.h5", "/features");
    if (expected.empty()) expected = found;
    ASSERT_EQ(found.size(), expected.size());
    EXPECT_EQ(std::memcmp(found.data(), expected.data(), found.size() * sizeof(float)), 0) << rows;
  }
}

}  // namespace
}  // namespace hdf5_sink_tests
