// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Runs of random shapes that are stopped or killed at random blocks and resumed in blocks of other
// shapes: the finished file has every value, and written values are not written again.
// SYNELIX_RESUME_CASES=N tests more cases, SYNELIX_RESUME_SEED=N others.
#include "files/resumable.hpp"

#include <gmock/gmock.h>
#include <Kokkos_Core.hpp>

#include <cstdlib>
#include <numeric>
#include <random>
#include <sstream>

namespace hdf5_resume_random_tests {
namespace {

using namespace resumable;

std::int64_t from_environment(const char* name, std::int64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::atoll(text);
}

std::string text_of(const BlockShape& shape) {
  std::ostringstream text;
  text << shape.rows << "x" << shape.channels << "x" << shape.bases;
  return text.str();
}

class Random {
 public:
  explicit Random(std::uint64_t seed) : m_random(seed) {}
  std::int64_t from(std::int64_t first, std::int64_t last) {
    return std::uniform_int_distribution<std::int64_t>(first, last)(m_random);
  }
  bool one_in(std::int64_t n) { return from(1, n) == 1; }
  template <class Items>
  void shuffle(Items& items) {
    std::shuffle(items.begin(), items.end(), m_random);
  }

 private:
  std::mt19937_64 m_random;
};

Problem problem_of(Random& random) {
  Problem problem;
  sx::FeaturesShape& shape = problem.shape;
  switch (random.from(0, 3)) {
    case 0:
      break;  // a design: all columns are bases
    case 1:
      shape.channel_extents = {random.from(1, 4), random.from(1, 5)};
      break;
    default:
      shape.channel_extents = {random.from(1, 16)};
  }
  shape.channels = 1;
  for (const std::int64_t extent : shape.channel_extents) shape.channels *= extent;
  shape.bases = random.from(1, 4);
  // Some have several cells of 64 KiB.
  const std::int64_t most = random.one_in(4) ? 120'000 : 4'000;
  shape.rows = random.from(1, std::max<std::int64_t>(most / (shape.channels * shape.bases), 1));
  problem.chunk = {random.from(1, shape.rows), random.from(1, shape.channels),
                   random.from(1, shape.bases)};
  // Few chunks, because more would take time and test nothing new.
  problem.chunk.rows = std::max(problem.chunk.rows, (shape.rows + 15) / 16);
  problem.filter.compression = std::array{sx::Compression::none, sx::Compression::deflate,
                                          sx::Compression::shuffle_deflate}[random.from(0, 2)];
  return problem;
}

BlockShape block_of(Random& random, const Problem& problem) {
  const auto side = [&](std::int64_t extent, std::int64_t chunk) {
    const std::int64_t chosen = random.one_in(3)   ? chunk
                                : random.one_in(2) ? extent
                                                   : random.from(1, extent);
    return std::min(chosen, extent);
  };
  const sx::FeaturesShape& shape = problem.shape;
  return {std::max(side(shape.rows, problem.chunk.rows), (shape.rows + 11) / 12),
          side(shape.channels, problem.chunk.channels), side(shape.bases, problem.chunk.bases)};
}

/// Whether the missing values are known exactly: partial chunks do not count, and very many boxes
/// are covered by fewer.
bool is_exact(const Problem& problem, const std::vector<Block>& missing) {
  return problem.filter.compression == sx::Compression::none && missing.size() <= 40;
}

/// One run that does not end: stopped, or killed, which leaves the contents of the file at that
/// moment. \returns boxes that all runs have written now
void interrupted_run(Random& random, const std::string& file, const Problem& problem,
                     const BlockShape& block, std::vector<Block>& truth) {
  sx::Hdf5Sink sink(made::at(file, "/f"), options_of(problem, sx::Start::resume));
  sink.begin(described(problem, block));
  const std::vector<Block> left = left_of(sink, problem);
  // Nothing that was not written may count as written.
  std::vector<Block> lost = truth;
  for (const Block& box : left) lost = sx::stream::without(lost, box);
  ASSERT_EQ(values_in(lost), 0) << "values that nobody has written count as written";
  if (is_exact(problem, truth)) {
    ASSERT_EQ(values_in(left), values_in(truth)) << "values are written again";
  }
  truth = left;
  std::vector<Block> blocks = blocks_of(left, block);
  if (random.one_in(4)) random.shuffle(blocks);
  const auto stop = random.from(0, static_cast<std::int64_t>(blocks.size()) - 1);
  for (std::int64_t i = 0; i < stop; ++i) {
    write(sink, problem, blocks[static_cast<std::size_t>(i)]);
    truth = sx::stream::without(truth, blocks[static_cast<std::size_t>(i)]);
  }
  const bool is_killed = random.one_in(2);
  const std::string now = is_killed ? bytes_of(file + ".part") : "";
  sink.abandon();
  if (is_killed) put_bytes(file + ".part", now);
  if (stop == 0 && !std::filesystem::exists(file + ".part")) truth = {problem.everything()};
}

TEST(ResumeRandom, EveryValueIsThereWhateverTheBlocksWere) {
  const auto seed = static_cast<std::uint64_t>(from_environment("SYNELIX_RESUME_SEED", 20'261'123));
  const std::int64_t cases = from_environment("SYNELIX_RESUME_CASES", 150);
  std::cout << "seed " << seed << ", " << cases << " cases\n";
  const made::Folder folder;
  for (std::int64_t i = 0; i < cases; ++i) {
    Random random(seed + static_cast<std::uint64_t>(i));
    const Problem problem = problem_of(random);
    const std::string file = folder / ("out" + std::to_string(i) + ".h5");
    std::ostringstream story;
    story << "case " << i << ": "
          << text_of({problem.shape.rows, problem.shape.channels, problem.shape.bases})
          << ", channels of rank " << problem.shape.channel_extents.size() << ", chunk "
          << text_of(problem.chunk) << ", filter " << static_cast<int>(problem.filter.compression)
          << ", blocks";
    std::vector<Block> truth = {problem.everything()};
    for (auto runs = random.from(1, 3); runs > 0 && !truth.empty(); --runs) {
      const BlockShape block = block_of(random, problem);
      story << " " << text_of(block);
      SCOPED_TRACE(story.str());
      ASSERT_NO_THROW(interrupted_run(random, file, problem, block, truth));
      if (testing::Test::HasFatalFailure()) return;
    }
    const BlockShape block = block_of(random, problem);
    story << " and " << text_of(block);
    SCOPED_TRACE(story.str());
    std::int64_t written = 0;
    ASSERT_NO_THROW(written = finish(file, problem, block));
    ASSERT_EQ(wrong_in(file, problem), "");
    if (is_exact(problem, truth)) {
      ASSERT_EQ(written, values_in(truth));
    }
    std::filesystem::remove(file);
  }
}

/// Blocks with 9 of a chunk's 12 channels, as a budget may require. A stopped run has written parts
/// of chunks, and the next run has other blocks.
TEST(ResumeRandom, ChunksThatAreThereInParts) {
  for (const auto compression :
       {sx::Compression::shuffle_deflate, sx::Compression::deflate, sx::Compression::none}) {
    const Problem problem{
        .shape = {.rows = 1486, .channels = 16, .bases = 1, .channel_extents = {16}},
        .chunk = {327, 12, 1},
        .filter = {compression, 1}};
    for (const BlockShape& first : {BlockShape{1147, 9, 1}, BlockShape{100, 16, 1}}) {
      for (const BlockShape& second : {BlockShape{418, 16, 1}, first}) {
        const auto blocks =
            static_cast<std::int64_t>(blocks_of({problem.everything()}, first).size());
        for (std::int64_t stop = 1; stop < std::min<std::int64_t>(blocks, 5); ++stop) {
          const made::Folder folder;
          const std::string file = folder / "out.h5";
          {
            sx::Hdf5Sink sink(made::at(file, "/f"), options_of(problem, sx::Start::anew));
            sink.begin(described(problem, first));
            const auto all = blocks_of({problem.everything()}, first);
            for (std::int64_t i = 0; i < stop; ++i) {
              write(sink, problem, all[static_cast<std::size_t>(i)]);
            }
            sink.abandon();
          }
          finish(file, problem, second);
          EXPECT_EQ(wrong_in(file, problem), "")
              << "stopped after " << stop << " blocks " << text_of(first);
        }
      }
    }
  }
}

/// Blocks in an order in which no stream writes them leave more boxes than a slot has room for.
TEST(ResumeRandom, MoreBoxesThanACheckpointHasRoomFor) {
  Problem problem{.shape = {.rows = 40'000, .channels = 2, .bases = 2, .channel_extents = {2}},
                  .chunk = {100, 2, 2},
                  .filter = {}};
  for (const auto compression : {sx::Compression::none, sx::Compression::deflate}) {
    problem.filter.compression = compression;
    const made::Folder folder;
    const std::string file = folder / "out.h5";
    std::vector<Block> blocks = blocks_of({problem.everything()}, {50, 2, 1});
    const BlockShape block{50, 2, 1};
    Random random(20'261'123);
    random.shuffle(blocks);
    sx::Hdf5Sink sink(made::at(file, "/f"), options_of(problem, sx::Start::anew));
    sink.begin(described(problem, block));
    for (std::size_t i = 0; i < blocks.size() * 3 / 4; ++i) write(sink, problem, blocks[i]);
    sink.abandon();
    finish(file, problem, {1000, 1, 2});
    EXPECT_EQ(wrong_in(file, problem), "");
  }
}

}  // namespace
}  // namespace hdf5_resume_random_tests
