// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// One output that several sinks write, each a part of its rows.
#include "files/shared_output.hpp"
#include "part_files/descriptor.hpp"

#include <synelix/hdf5.hpp>

#include <gmock/gmock.h>
#include <Kokkos_Core.hpp>

#include <cstring>
#include <filesystem>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace shares_tests {
namespace {

using namespace shared_output;
using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;
using Space = Kokkos::DefaultHostExecutionSpace;

// ---- streams: the bits of one process

struct Stream {
  std::string name;
  std::int64_t samples = 0;
  std::int64_t channels = 0;
  std::int64_t window = 0;
  sx::Epochs epochs;
  sx::ConvolveOptions options;
};

std::vector<Stream> streams() {
  sx::Epochs epochs;
  for (std::int64_t begin = 0; begin + 130 < 3000; begin += 137) {
    epochs.push_back({begin, begin + 130});
  }
  return {{"plain", 3000, 3, 9, {}, {}},
          {"epochs, every 5", 3000, 3, 9, epochs, {.every = 5}},
          {"valid rows", 3000, 3, 9, epochs, {.border = sx::Border::valid}},
          {"zeros, acausal",
           3000,
           3,
           9,
           {},
           {.causality = sx::Causality::acausal, .border = sx::Border::zero}},
          {"fft", 6000, 2, 900, {}, {.method = sx::Method::fft}},
          {"three rows", 3, 3, 2, {}, {.border = sx::Border::zero}}};
}

sx::StreamReport run(const Stream& problem, sx::Sink& sink, std::int64_t batch,
                     const std::string& input = "made") {
  std::vector<float> values(static_cast<std::size_t>(problem.samples * problem.channels));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i * i % 1013);
  sx::CustomTaps taps{problem.window, 3, {}};
  for (std::int64_t i = 0; i < 3 * problem.window; ++i) {
    taps.taps.push_back(1.0 / static_cast<double>(i + 1));
  }
  const sx::FilterBank<float, Space> bank(Space(), sx::evaluate_taps(taps));
  const sx::Strided memory(values.data(), {problem.samples, problem.channels});
  sx::MemorySource source(sx::StridedSeries(memory, {.epochs = problem.epochs}));
  sx::ConvolveOptions options = problem.options;
  options.batch.samples = std::max(batch, problem.window + 1);
  return sx::stream_convolve(Space(), source, bank, sink, options,
                             {.series = {.rate_hz = 100.0, .fingerprint = {{"input", input}}}});
}

TEST(Shares, HaveTheBitsOfOneProcess) {
  for (const Stream& problem : streams()) {
    const made::Folder folder;
    sx::Hdf5Sink one(at(folder / "one.h5", "/f"));
    run(problem, one, 1000);
    const auto expected = made::read<float>(folder / "one.h5", "/f");
    const auto times = made::read<double>(folder / "one.h5", "/time");
    for (const std::int64_t parts : {1, 2, 3, 7}) {
      const std::string file = folder / ("of" + std::to_string(parts) + ".h5");
      for (std::int64_t number = parts - 1; number >= 0; --number) {
        // Of more parts than rows, some have nothing to do.
        sx::Hdf5Sink sink(at(file, "/f"), part(number, parts));
        run(problem, sink, 1000 + 100 * number);
        if (parts > problem.samples) continue;
        EXPECT_EQ(std::filesystem::exists(file), number == 0) << problem.name << number;
        EXPECT_EQ(sink.missing_parts().has_value(), number > 0) << problem.name << number;
      }
      ASSERT_TRUE(std::filesystem::exists(file)) << problem.name << ", " << parts << " parts";
      EXPECT_FALSE(std::filesystem::exists(file + ".part"));
      const auto found = made::read<float>(file, "/f");
      ASSERT_EQ(found.size(), expected.size()) << problem.name;
      EXPECT_EQ(std::memcmp(found.data(), expected.data(), found.size() * sizeof(float)), 0)
          << problem.name << ", " << parts << " parts";
      EXPECT_EQ(made::read<double>(file, "/time"), times) << problem.name;
      // A part that begins late has nothing to compute; neither has a run in one process.
      sx::Hdf5Sink late(at(file, "/f"), part(0, parts));
      EXPECT_EQ(run(problem, late, 1000).blocks, 0);
      EXPECT_TRUE(late.was_finished());
    }
  }
}

TEST(Shares, OfAnotherInputAreRefused) {
  const made::Folder folder;
  const Stream problem = streams().front();
  sx::Hdf5Sink first(at(folder / "f.h5", "/f"), part(0, 2));
  run(problem, first, 500);
  Stream other = problem;
  other.window = 8;
  sx::Hdf5Sink second(at(folder / "f.h5", "/f"), part(1, 2));
  EXPECT_THAT([&] { run(other, second, 500); },
              ThrowsMessage<sx::Error>(AllOf(HasSubstr("window 9"), HasSubstr("window 8"),
                                             HasSubstr("Remove this file"))));
  sx::Hdf5Sink third(at(folder / "f.h5", "/f"), part(1, 2));
  EXPECT_THAT([&] { run(problem, third, 500, "another"); },
              ThrowsMessage<sx::Error>(AllOf(HasSubstr("input made"), HasSubstr("input another"))));
  sx::Hdf5Sink last(at(folder / "f.h5", "/f"), part(1, 2));
  run(problem, last, 500);
  EXPECT_TRUE(std::filesystem::exists(folder / "f.h5"));
}

// ---- sinks alone: blocks of any shape, parts that stop

TEST(Shares, GoOnInAnyNumberOfPartsAndBlocksOfAnyShape) {
  std::mt19937 random(20'261'125);
  const auto below = [&](std::int64_t most) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most));
  };
  int stopped = 0;
  for (int round = 0; round < 40; ++round) {
    const made::Folder folder;
    const std::string file = folder / "f.h5";
    while (!std::filesystem::exists(file)) {
      const std::int64_t of = 1 + below(7);
      const std::int64_t number = below(of);
      const BlockShape block{1 + below(900), 1 + below(3), 1 + below(4)};
      sx::Hdf5Sink sink = begun(file, number, of, block);
      const std::vector<Block> left = left_of(sink, block);
      const auto most = static_cast<std::int64_t>(left.size());
      const bool stops = below(2) == 0 && most > 1;
      const std::int64_t blocks = stops ? below(most) : most;
      for (std::int64_t i = 0; i < blocks; ++i) write(sink, left[static_cast<std::size_t>(i)]);
      stops ? sink.abandon() : sink.finish();
      stopped += stops ? 1 : 0;
    }
    ASSERT_EQ(resumable::wrong_in(file, dense), "") << "round " << round;
  }
  EXPECT_GT(stopped, 20);
}

TEST(Shares, AStoppedPartIsGoneOnWithWhereItStopped) {
  const made::Folder folder;
  const std::string file = folder / "f.h5";
  const BlockShape block{100, 3, 4};
  sx::Hdf5Sink sink = begun(file, 0, 2, block);
  const std::vector<Block> left = left_of(sink, block);
  const std::int64_t rows = resumable::values_in(left) / 12;
  for (std::size_t i = 0; i < 10; ++i) write(sink, left[i]);
  sink.abandon();
  sx::Hdf5Sink again = begun(file, 0, 2, block);
  EXPECT_EQ(resumable::values_in(left_of(again, block)) / 12, rows - 1000);
  EXPECT_EQ(again.unwritten()->blocks_before, 10);
  again.abandon();
}

TEST(Shares, OfAnotherProcessAreRefused) {
  const made::Folder folder;
  const std::string file = folder / "f.h5";
  const BlockShape block{100, 3, 4};
  sx::Hdf5Sink first = begun(file, 0, 2, block);
  EXPECT_THAT([&] { begun(file, 0, 2, block); },
              ThrowsMessage<sx::Error>(AllOf(HasSubstr("another process (host "),
                                             HasSubstr("process " + std::to_string(getpid())),
                                             HasSubstr("part 0/2"), HasSubstr("is writing rows"))));
  EXPECT_THAT([&] { begun(file, 1, 4, block); }, ThrowsMessage<sx::Error>(HasSubstr("part 1/4")));
  sx::Hdf5Sink second = begun(file, 1, 2, block);  // another part, at the same time
  // A run without parts neither takes over nor replaces the file.
  sx::Hdf5Sink whole(at(file, "/f"));
  EXPECT_THAT([&] { whole.begin(resumable::described(dense, block)); },
              ThrowsMessage<sx::Error>(HasSubstr("another run is writing this file")));
  whole.abandon();
  for (sx::Hdf5Sink* sink : {&first, &second}) {
    for (const Block& next : left_of(*sink, block)) write(*sink, next);
  }
  // Both write all of their rows before either ends. The last one to end gives the file its name.
  first.finish();
  EXPECT_FALSE(std::filesystem::exists(file));
  ASSERT_TRUE(first.missing_parts());
  second.finish();
  EXPECT_EQ(resumable::wrong_in(file, dense), "");
  EXPECT_FALSE(second.missing_parts());
}

TEST(Shares, AFailedPartLeavesAWordAndNoOutput) {
  const made::Folder folder;
  const std::string file = folder / "f.h5";
  const BlockShape block{100, 3, 4};
  {
    sx::Hdf5Sink failing = begun(file, 1, 2, block);
    for (const Block& next : left_of(failing, block)) write(failing, next);
    try {
      throw std::runtime_error("a rank was ended");
    } catch (const std::exception&) {
      failing.abandon();
    }
  }
  complete(file, 0, 2, block);
  // All rows are written, but a part that wrote some of them failed.
  EXPECT_FALSE(std::filesystem::exists(file));
  const auto parts = sx::describe_parts(file + ".part");
  ASSERT_TRUE(parts);
  EXPECT_EQ(parts->rows_written, 5000);
  EXPECT_TRUE(parts->shares.front().is_whole);
  EXPECT_FALSE(parts->shares.back().is_whole);
  EXPECT_EQ(parts->shares.back().failure, "a rank was ended");
  EXPECT_EQ(parts->shares.back().process, getpid());
  complete(file, 1, 2, block);
  EXPECT_EQ(resumable::wrong_in(file, dense), "");
}

TEST(Shares, RowsOfAnInputThatChangedAreComputedAgain) {
  const made::Folder folder;
  const std::string file = folder / "f.h5";
  const BlockShape block{100, 3, 4};
  complete(file, 0, 2, block);
  {
    sx::Hdf5Sink failing = begun(file, 1, 2, block);
    for (const Block& next : left_of(failing, block)) write(failing, next);
    try {
      throw sx::InputChanged("in.h5: this file was replaced during the run");
    } catch (const std::exception&) {
      failing.abandon();
    }
  }
  // The input may be restored with its old size and time, so nothing else shows which rows were
  // computed from it.
  const auto parts = sx::describe_parts(file + ".part");
  ASSERT_TRUE(parts);
  EXPECT_EQ(parts->rows_written, 2560);  // of part 0, full pages
  EXPECT_EQ(parts->shares.front().rows_written, parts->shares.front().rows.size());
  EXPECT_EQ(parts->shares.back().rows_written, 0);
  EXPECT_EQ(parts->shares.back().failure, "in.h5: this file was replaced during the run");
  complete(file, 1, 2, block);
  EXPECT_EQ(resumable::wrong_in(file, dense), "");
}

TEST(Shares, OfAnyBlocksAreGoneOnWithWhereTheyStopped) {
  const BlockShape block{700, 2, 3};  // cuts rows, channels and bases
  for (std::size_t written = 0;; ++written) {
    const made::Folder folder;
    const std::string file = folder / "f.h5";
    sx::Hdf5Sink sink = begun(file, 0, 1, block);
    const std::vector<Block> left = left_of(sink, block);
    if (written == left.size()) break;
    for (std::size_t i = 0; i < written; ++i) write(sink, left[i]);
    sink.abandon();
    sx::Hdf5Sink again = begun(file, 0, 1, block);
    const std::vector<Block> rest(left.begin() + static_cast<std::ptrdiff_t>(written), left.end());
    EXPECT_EQ(resumable::values_in(left_of(again, block)), resumable::values_in(rest)) << written;
    again.abandon();
  }
}

TEST(Shares, OfADatasetWithAnyName) {
  const made::Folder folder;
  const std::string file = folder / "f.h5";
  const BlockShape block{100, 3, 4};
  for (std::int64_t number = 0; number < 2; ++number) {
    sx::Hdf5Sink sink(at(file, "/a; window: 9; b\\"), part(number, 2));
    sink.begin(resumable::described(dense, block));
    for (const Block& next : left_of(sink, block)) write(sink, next);
    sink.finish();
  }
  ASSERT_TRUE(std::filesystem::exists(file));
  sx::Hdf5Sink other(at(file, "/a"), part(0, 2));
  EXPECT_THROW(other.begin(resumable::described(dense, block)), sx::Error);
}

TEST(Shares, TakeTheirDiskSpaceFirst) {
  const made::Folder folder;
  const std::string file = folder / "f.h5";
  const sx::stream::Descriptor tried(
      ::open((folder / "tried").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (fallocate(tried.number(), 0, 0, 4096) != 0) GTEST_SKIP() << "no such call here";
  sx::Hdf5Sink sink = begun(file, 0, 64, {100, 3, 4});
  struct stat state = {};
  ASSERT_EQ(::stat((file + ".part").c_str(), &state), 0);
  EXPECT_GE(state.st_size, 5000 * 48);
  EXPECT_GE(state.st_blocks * 512, state.st_size);
  sink.abandon();
}

TEST(Shares, AreCountedInTheBudget) {
  const made::Folder folder;
  const std::string file = folder / "f.h5";
  const Problem long_one{
      {.rows = 100'000, .channels = 1, .bases = 1, .channel_extents = {1}}, {}, {}};
  const auto bytes = [&](std::int64_t number, std::int64_t of) {
    return sx::Hdf5Sink(at(file, "/f"), part(number, of)).own_bytes(long_one.shape, {}, {});
  };
  const std::int64_t few = bytes(0, 1);
  EXPECT_GT(bytes(0, 10'000), few + 10'000 * 100);
  sx::Hdf5Sink sink(at(file, "/f"), part(0, 10'000));
  sink.begin(resumable::described(long_one, {1, 1, 1}));
  EXPECT_GT(bytes(0, 1), few + 10'000 * 300);  // of the existing file, with all its shares
}

TEST(Shares, AMissingPartMeansNoOutput) {
  const made::Folder folder;
  const std::string file = folder / "f.h5";
  for (const std::int64_t number : {0, 1, 3}) complete(file, number, 4, {700, 2, 4});
  EXPECT_FALSE(std::filesystem::exists(file));
  EXPECT_FALSE(sx::unfinished_output(file) == std::nullopt);
  complete(file, 2, 4, {700, 3, 2});
  EXPECT_EQ(resumable::wrong_in(file, dense), "");
}

TEST(Shares, MorePartsThanRows) {
  const Problem few{{.rows = 5, .channels = 3, .bases = 4, .channel_extents = {3}}, {}, {}};
  const made::Folder folder;
  const std::string file = folder / "f.h5";
  int whole = 0;
  for (std::int64_t number = 0; number < 9; ++number) {
    sx::Hdf5Sink sink(at(file, "/f"), part(number, 9));
    sink.begin(resumable::described(few, {2, 3, 4}));
    if (sink.was_finished()) continue;
    for (const Block& next : resumable::blocks_of(resumable::left_of(sink, few), {2, 3, 4})) {
      resumable::write(sink, few, next);
    }
    sink.finish();
    whole += sink.missing_parts() ? 0 : 1;
  }
  EXPECT_EQ(whole, 1);
  EXPECT_EQ(resumable::wrong_in(file, few), "");
}

TEST(Shares, FilesOfRunsWithoutPartsAreRefusedAndTheOtherWayRound) {
  const made::Folder folder;
  const std::string file = folder / "f.h5";
  const Problem chunked{dense.shape, {100, 3, 4}, {}};
  resumable::run_sink(at(file, "/f"), chunked, resumable::options_of(chunked, sx::Start::anew),
                      resumable::described(chunked, {100, 3, 4}), 3);
  EXPECT_THAT([&] { complete(file, 0, 2, {100, 3, 4}); },
              ThrowsMessage<sx::Error>(HasSubstr("a run without parts")));
  std::filesystem::remove(file + ".part");
  complete(file, 0, 2, {100, 3, 4});
  const std::string before = resumable::bytes_of(file + ".part");
  EXPECT_THAT([&] { resumable::finish(file, chunked, {100, 3, 4}); },
              ThrowsMessage<sx::Error>(HasSubstr("written in parts")));
  // A run never begins anew over data that others may have written for days, not even to replace
  // FILE.
  for (const auto existing : {sx::Existing::refuse, sx::Existing::replace}) {
    sx::Hdf5SinkOptions plain = resumable::options_of(chunked, sx::Start::anew);
    plain.output.existing = existing;
    EXPECT_THAT(
        [&] {
          resumable::run_sink(at(file, "/f"), chunked, plain,
                              resumable::described(chunked, {100, 3, 4}));
        },
        ThrowsMessage<sx::Error>(AllOf(HasSubstr("written in parts"), HasSubstr("(--part)"),
                                       HasSubstr("remove this file to begin anew"))));
    EXPECT_EQ(resumable::bytes_of(file + ".part"), before);
  }
  complete(file, 1, 2, {100, 3, 4});
  EXPECT_EQ(resumable::wrong_in(file, dense), "");
}

TEST(Shares, RefuseWhatDoesNotGoWithThem) {
  const made::Folder folder;
  const sx::FilePath path = at(folder / "f.h5", "/f");
  const auto refused = [&](const sx::Hdf5SinkOptions& options, const std::string& says) {
    EXPECT_THAT([&] { sx::Hdf5Sink(path, options); }, ThrowsMessage<sx::Error>(HasSubstr(says)));
  };
  refused(part(4, 4), "counted from 0. Give 0/4 to 3/4");
  refused(part(-1, 4), "counted from 0");
  refused(part(0, 0), "is not a part");
  auto options = part(0, 2);
  options.chunk = BlockShape{1, 1, 1};
  refused(options, "contiguous");
  options = part(0, 2);
  options.output.existing = sx::Existing::append;
  refused(options, "a file of its own");
}

}  // namespace
}  // namespace shares_tests
