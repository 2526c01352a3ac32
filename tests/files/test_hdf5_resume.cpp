// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Sinks that resume an interrupted run, and the checkpoint that records its position.
#include "files/made_file.hpp"
#include "files/made_values.hpp"
#include "streams/fingerprint.hpp"
#include "tile/select.hpp"

#include <synelix/hdf5.hpp>

#include <gmock/gmock.h>
#include <Kokkos_Core.hpp>

#include <atomic>
#include <csignal>
#include <cstring>

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

namespace hdf5_resume_tests {
namespace {

namespace sx = synelix;
using made::at;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;
using Space = Kokkos::DefaultHostExecutionSpace;

constexpr std::int64_t samples = 20'000;
constexpr std::int64_t channels = 4;
constexpr std::int64_t bases = 3;

/// Streams a made series; `stop_at` blocks are written before it is cancelled, where not 0.
sx::StreamReport stream(sx::Sink& sink, std::int64_t stop_at = 0, sx::ConvolveOptions options = {},
                        const sx::Fingerprint& fingerprint = {{"input", "made"}},
                        std::vector<sx::StreamProgress>* told = nullptr) {
  std::vector<float> values(static_cast<std::size_t>(samples * channels));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i * i % 1013);
  sx::CustomTaps taps{5, bases, {}};
  for (std::int64_t i = 0; i < 5 * bases; ++i)
    taps.taps.push_back(1.0 / static_cast<double>(i + 1));
  const sx::FilterBank<float, Space> bank(Space(), sx::evaluate_taps(taps));
  sx::MemorySource source(sx::StridedSeries(sx::Strided(values.data(), {samples, channels})));
  std::atomic<bool> cancel{false};
  sx::StreamOptions stream{.series = {.rate_hz = 100.0, .fingerprint = fingerprint}};
  stream.cancel = &cancel;
  stream.progress = [&](const sx::StreamProgress& progress) {
    if (told != nullptr) told->push_back(progress);
    if (stop_at > 0 && progress.blocks_written >= stop_at) cancel = true;
  };
  if (!options.batch.samples) options.batch.samples = 1004;
  return sx::stream_convolve(Space(), source, bank, sink, options, stream);
}

sx::Hdf5SinkOptions resuming() {
  sx::Hdf5SinkOptions options;
  options.start = sx::Start::resume;
  return options;
}

TEST(Hdf5Resume, ACancelledStreamIsGoneOnWith) {
  const made::Folder folder;
  sx::Hdf5Sink whole(at(folder / "whole.h5", "/f"));
  stream(whole);
  sx::Hdf5Sink first(at(folder / "out.h5", "/f"));
  EXPECT_THROW(stream(first, 6), sx::Cancelled);
  EXPECT_THAT(folder.names(), testing::UnorderedElementsAre("out.h5.part", "whole.h5"));
  sx::Hdf5Sink second(at(folder / "out.h5", "/f"), resuming());
  const sx::StreamReport report = stream(second, 0, {.batch = {.samples = 700, .channels = 3}});
  EXPECT_GE(report.blocks_before, 6);
  EXPECT_LT(report.bytes_written, samples * channels * bases * 4);
  EXPECT_FALSE(second.was_finished());
  EXPECT_EQ(made::read<float>(folder / "out.h5", "/f").size(),
            static_cast<std::size_t>(samples * channels * bases));
  const auto bytes = [&](const std::string& file) {
    const auto values = made::read<float>(file, "/f");
    return sx::stream::Checksum().add(values).value();
  };
  EXPECT_EQ(bytes(folder / "out.h5"), bytes(folder / "whole.h5"));
  EXPECT_EQ(made::read<double>(folder / "out.h5", "/time"),
            made::read<double>(folder / "whole.h5", "/time"));
  sx::Hdf5Sink third(at(folder / "out.h5", "/f"), resuming());
  EXPECT_EQ(stream(third).blocks, 0);
  EXPECT_TRUE(third.was_finished());
}

TEST(Hdf5Resume, ProgressCountsTheBytesOfThisRunAndTheValuesOfAll) {
  const made::Folder folder;
  sx::Hdf5Sink first(at(folder / "out.h5", "/f"));
  EXPECT_THROW(stream(first, 6), sx::Cancelled);
  sx::Hdf5Sink second(at(folder / "out.h5", "/f"), resuming());
  std::vector<sx::StreamProgress> told;
  const sx::StreamReport report = stream(second, 0, {}, {{"input", "made"}}, &told);
  const std::int64_t all = samples * channels * bases;
  const std::int64_t before = report.blocks_before * 1000 * channels * bases;  // 1004 - 4 of halo
  ASSERT_GT(before, 0);
  EXPECT_EQ(report.bytes_written, (all - before) * 4);
  for (const sx::StreamProgress& progress : told) {
    EXPECT_EQ(progress.values, all);
    EXPECT_EQ(progress.values_written, before + progress.bytes_written / 4);
    EXPECT_EQ(progress.blocks, report.blocks_before + report.blocks);
    EXPECT_GE(progress.blocks_written, report.blocks_before);
  }
  EXPECT_EQ(told.back().bytes_written, report.bytes_written);
  EXPECT_EQ(told.back().values_written, all);
}

/// The channels after those of the last block are a separate box.
TEST(Hdf5Resume, ChannelsBehindTheLastBlockAreComputed) {
  const made::Folder folder;
  sx::Hdf5Sink whole(at(folder / "whole.h5", "/f"));
  stream(whole);
  for (const std::int64_t stop : {1, 3, 21}) {
    const std::string file = folder / ("out" + std::to_string(stop) + ".h5");
    sx::Hdf5Sink first(at(file, "/f"));
    EXPECT_THROW(stream(first, stop, {.batch = {.channels = 1}}), sx::Cancelled);
    sx::Hdf5Sink second(at(file, "/f"), resuming());
    const sx::StreamReport report = stream(second, 0, {.batch = {.samples = 900, .channels = 2}});
    EXPECT_GE(report.blocks_before, stop);
    EXPECT_EQ(made::read<float>(file, "/f").size(),
              static_cast<std::size_t>(samples * channels * bases));
    const auto sum = [](const std::string& name) {
      return sx::stream::Checksum().add(made::read<float>(name, "/f")).value();
    };
    EXPECT_EQ(sum(file), sum(folder / "whole.h5")) << "stopped after " << stop << " blocks";
  }
}

TEST(Hdf5Resume, NothingStaysWhereThatIsAskedFor) {
  const made::Folder folder;
  sx::Hdf5SinkOptions options;
  options.unfinished = sx::Unfinished::remove;
  sx::Hdf5Sink sink(at(folder / "out.h5", "/f"), options);
  EXPECT_THROW(stream(sink, 6), sx::Cancelled);
  EXPECT_THAT(folder.names(), ElementsAre());
}

TEST(Hdf5Resume, AnotherInstructionSetOrSourceIsRefused) {
  try {
    sx::tile::select_set(sx::InstructionSet::plain);
  } catch (const sx::Error& error) {
    GTEST_SKIP() << error.what();
  }
  const made::Folder folder;
  sx::ConvolveOptions plain;
  plain.machine.instruction_set = sx::InstructionSet::plain;
  sx::Hdf5Sink first(at(folder / "out.h5", "/f"));
  EXPECT_THROW(stream(first, 6, plain), sx::Cancelled);
  const sx::ConvolveOptions widest;
  sx::Hdf5Sink other(at(folder / "out.h5", "/f"), resuming());
  EXPECT_THAT([&] { stream(other, 0, plain, {{"input", "another"}}); },
              ThrowsMessage<sx::Error>(
                  HasSubstr("it was made with input made, but this run asks for input another")));
  sx::Hdf5Sink second(at(folder / "out.h5", "/f"), resuming());
  try {
    const sx::StreamReport report = stream(second, 0, widest);
    EXPECT_EQ(report.plan.choice.instruction_set, sx::InstructionSet::plain)
        << "a wider one went on with what a plain one has begun";
  } catch (const sx::Error& error) {
    EXPECT_THAT(
        error.what(),
        HasSubstr(
            "it was made with instruction set plain, but this run asks for instruction set "));
  }
}

TEST(Hdf5Resume, FeaturesWithoutAFingerprintAreNotGoneOnWith) {
  const made::Folder folder;
  sx::Hdf5Sink sink(at(folder / "out.h5", "/f"), resuming());
  EXPECT_THAT(
      [&] {
        sink.begin({.shape = {.rows = 1, .channels = 1, .bases = 1, .channel_extents = {1}}});
      },
      ThrowsMessage<sx::Error>(HasSubstr("without a fingerprint")));
  sink.abandon();
  EXPECT_THAT(folder.names(), ElementsAre());
}

TEST(Hdf5Resume, AFullDiskIsGoneOnWith) {
  const made::Folder folder;
  sx::Hdf5SinkOptions options;
  options.output.filter = sx::parse_filter("deflate:1");
  options.chunk = sx::BlockShape{1000, channels, bases};
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{300'000, before.rlim_max};  // a limit on the size of files looks like one
  {
    sx::Hdf5Sink sink(at(folder / "out.h5", "/f"), options);
    setrlimit(RLIMIT_FSIZE, &small);
    EXPECT_THAT([&] { stream(sink); }, ThrowsMessage<sx::Error>(HasSubstr("File too large")));
    setrlimit(RLIMIT_FSIZE, &before);
  }
  std::signal(SIGXFSZ, handler);
  EXPECT_THAT(folder.names(), ElementsAre("out.h5.part"));
  options.start = sx::Start::resume;
  sx::Hdf5Sink sink(at(folder / "out.h5", "/f"), options);
  EXPECT_GT(stream(sink).blocks_before, 1);
  EXPECT_THAT(folder.names(), ElementsAre("out.h5"));
}

}  // namespace
}  // namespace hdf5_resume_tests
