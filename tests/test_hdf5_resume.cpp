// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Sinks that go on where another has stopped, and the checkpoint that tells them where.
#include "made_file.hpp"
#include "made_values.hpp"
#include "stream/checkpoint.hpp"
#include "stream/checksum.hpp"
#include "tile/select.hpp"

#include <synelix/hdf5.hpp>

#include <gmock/gmock.h>

#include <atomic>
#include <csignal>
#include <cstring>

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

namespace {

namespace sx = synelix;
using made::at;
using sx::stream::Advance;
using sx::stream::Checkpoint;
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
                        const sx::Fingerprint& fingerprint = {{"input", "made"}}) {
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
              ThrowsMessage<sx::Error>(HasSubstr("found input made; allowed: input another")));
  sx::Hdf5Sink second(at(folder / "out.h5", "/f"), resuming());
  try {
    const sx::StreamReport report = stream(second, 0, widest);
    EXPECT_EQ(report.plan.choice.instruction_set, sx::InstructionSet::plain)
        << "a wider one went on with what a plain one has begun";
  } catch (const sx::Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("found instruction set plain; allowed: instruction set "));
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

/// A file with a checkpoint at 4096.
struct Checkpointed {
  made::Folder folder;
  std::string name = folder / "part";
  int descriptor = open(name.c_str(), O_RDWR | O_CREAT, 0600);
  Checkpoint checkpoint =
      Checkpoint::make(descriptor, 4096, name, "a: b", 0, {.unwritten = {box(10)}, .blocks = 0});

  static sx::Block box(std::int64_t row) { return {{row, 100}, {0, 4}, {0, 3}}; }
  static Advance advance(std::int64_t row) { return {.unwritten = {box(row)}, .blocks = row}; }
  [[nodiscard]] std::int64_t loaded() const {
    auto found = Checkpoint::find(descriptor, 0, name);
    if (!found) return -2;
    const auto last = found->load();
    return last ? last->unwritten.front().rows.begin : -1;
  }
  /// Changes a number of a slot, and its checksum where it is to be a whole one.
  void change_slot(int slot, std::size_t number, std::uint64_t value, bool is_whole) const {
    std::vector<std::uint64_t> words(485);
    const off_t place = 4096 + 4096 + slot * 4096;
    ASSERT_EQ(pread(descriptor, words.data(), words.size() * 8, place), 485 * 8);
    words[number] = value;
    if (is_whole) {
      words[0] = sx::stream::Checksum().add(words.data() + 1, (words.size() - 1) * 8).value();
    }
    ASSERT_EQ(pwrite(descriptor, words.data(), words.size() * 8, place), 485 * 8);
  }
  ~Checkpointed() { close(descriptor); }
};

TEST(Checkpoint, TheLastAdvanceIsFound) {
  Checkpointed file;
  EXPECT_EQ(file.loaded(), 10);
  for (const std::int64_t row : {20, 30, 40}) {
    file.checkpoint.save(Checkpointed::advance(row));
    EXPECT_EQ(file.loaded(), row);
  }
  file.checkpoint.save_to_disk(Checkpointed::advance(50));
  EXPECT_EQ(file.loaded(), 50);
  file.checkpoint.save(Checkpointed::advance(60));
  EXPECT_EQ(file.loaded(), 60);
}

TEST(Checkpoint, ASlotThatIsTornGivesTheOneBefore) {
  Checkpointed file;
  file.checkpoint.save(Checkpointed::advance(20));  // into slot 1, since slot 0 was first
  file.change_slot(1, 5, 77, false);
  EXPECT_EQ(file.loaded(), 10);
}

TEST(Checkpoint, AfterAnotherStartOfTheMachineOnlyWhatWasOnTheDiskCounts) {
  Checkpointed file;
  file.change_slot(0, 2, 12345, true);
  EXPECT_EQ(file.loaded(), -1) << "nothing has reached the disk: the run begins anew";
  file.checkpoint.save_to_disk(Checkpointed::advance(20));
  file.checkpoint.save(Checkpointed::advance(30));
  EXPECT_EQ(file.loaded(), 30);
  file.change_slot(1, 2, 12345, true);
  EXPECT_EQ(file.loaded(), 20);
}

TEST(Checkpoint, WhatIsNoCheckpointIsNotFound) {
  Checkpointed file;
  const char wrong = 'x';
  ASSERT_EQ(pwrite(file.descriptor, &wrong, 1, 4096 + 41), 1);  // its text
  EXPECT_EQ(file.loaded(), -2);
}

}  // namespace
