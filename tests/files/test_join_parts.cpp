// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Filtered outputs in files of parts, and their joined output.
#include "files/resumable.hpp"

#include <synelix/join_parts.hpp>

#include <gmock/gmock.h>
#include <hdf5.h>
#include <Kokkos_Core.hpp>

#include <atomic>
#include <filesystem>
#include <random>
#include <string>
#include <tuple>
#include <vector>

namespace join_parts_tests {
namespace {

namespace sx = synelix;
using made::at;
using resumable::Problem;
using sx::Block;
using sx::BlockShape;
using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

const Problem compressed{{.rows = 1000, .channels = 6, .bases = 4, .channel_extents = {2, 3}},
                         {64, 2, 3},
                         {sx::Compression::shuffle_deflate, 4}};

sx::Hdf5SinkOptions options_of(const Problem& problem, std::int64_t number, std::int64_t of) {
  sx::Hdf5SinkOptions options = resumable::options_of(problem, sx::Start::resume);
  options.part = sx::OutputPart{.number = number, .of = of};
  return options;
}

/// Writes the rest of a part; or a number of blocks, and stops.
void write_part(const std::string& file, const Problem& problem, std::int64_t number,
                std::int64_t of, const BlockShape& block, std::size_t blocks = 0) {
  resumable::run_sink(at(file, "/f"), problem, options_of(problem, number, of),
                      resumable::described(problem, block), blocks);
}

void write_parts(const std::string& file, const Problem& problem, std::int64_t of,
                 const BlockShape& block) {
  for (std::int64_t number = 0; number < of; ++number) {
    write_part(file, problem, number, of, block);
  }
}

using Stored = std::tuple<std::vector<hsize_t>, unsigned, std::string>;

/// Offsets, filter masks and bytes of all chunks.
std::vector<Stored> chunks_of(const std::string& file) {
  std::vector<Stored> chunks;
  const hid_t opened = H5Fopen(file.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  const hid_t features = H5Dopen2(opened, "/f", H5P_DEFAULT);
  const hid_t space = H5Dget_space(features);
  const int rank = H5Sget_simple_extent_ndims(space);
  hsize_t count = 0;
  EXPECT_GE(H5Dget_num_chunks(features, H5S_ALL, &count), 0);
  for (hsize_t i = 0; i < count; ++i) {
    std::vector<hsize_t> offset(static_cast<std::size_t>(rank));
    unsigned mask = 0;
    hsize_t bytes = 0;
    EXPECT_GE(H5Dget_chunk_info(features, H5S_ALL, i, offset.data(), &mask, nullptr, &bytes), 0);
    std::string stored(bytes, '\0');
    std::uint32_t read_mask = 0;
    EXPECT_GE(H5Dread_chunk(features, H5P_DEFAULT, offset.data(), &read_mask, stored.data()), 0);
    chunks.emplace_back(std::move(offset), read_mask, std::move(stored));
  }
  H5Sclose(space);
  H5Dclose(features);
  H5Fclose(opened);
  std::sort(chunks.begin(), chunks.end());
  return chunks;
}

TEST(JoinParts, GiveTheStoredChunksOfOneProcess) {
  std::mt19937 random(20'261'126);
  const auto below = [&](std::int64_t most) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most));
  };
  int stopped = 0;
  for (int round = 0; round < 20; ++round) {
    Problem problem = compressed;
    problem.shape.rows = below(1000);
    problem.chunk = {1 + below(300), 1 + below(6), 1 + below(4)};
    if (round % 2 == 0) problem.filter = {sx::Compression::deflate, 1};
    const made::Folder folder;
    const std::string one = folder / "one.h5";
    resumable::run_sink(at(one, "/f"), problem, resumable::options_of(problem, sx::Start::anew),
                        resumable::described(problem, problem.chunk));
    const std::string file = folder / "f.h5";
    const std::int64_t of = 1 + below(6);
    for (std::int64_t number = 0; number < of; ++number) {
      const std::string part = sx::part_file_name(file, {number, of});
      while (!std::filesystem::exists(part)) {
        const BlockShape block{1 + below(400), 1 + below(6), 1 + below(4)};
        const bool stops = below(2) == 0;
        write_part(file, problem, number, of, block, stops ? 1 + below(6) : 0);
        stopped += stops ? 1 : 0;
      }
    }
    EXPECT_FALSE(std::filesystem::exists(file));
    const sx::JoinReport report = sx::join_parts(at(file, ""));
    EXPECT_EQ(report.parts, of);
    EXPECT_EQ(report.extents, (std::vector<std::int64_t>{problem.shape.rows, 2, 3, 4}));
    ASSERT_EQ(resumable::wrong_in(file, problem), "") << "round " << round;
    const std::vector<Stored> chunks = chunks_of(file);
    EXPECT_EQ(static_cast<std::int64_t>(chunks.size()), report.chunks);
    ASSERT_TRUE(chunks == chunks_of(one)) << "round " << round;
    EXPECT_FALSE(std::filesystem::exists(file + ".part"));
  }
  EXPECT_GT(stopped, 10);
}

TEST(JoinParts, OfAFileSayWhichRowsItHas) {
  const made::Folder folder;
  const std::string file = folder / "f.h5";
  const std::string part = sx::part_file_name(file, {1, 3});
  EXPECT_EQ(part, file + ".part-1-of-3");
  EXPECT_FALSE(sx::describe_part_file(part));
  write_part(file, compressed, 1, 3, {64, 6, 4}, 2);
  const auto begun = sx::describe_part_file(part + ".part");
  ASSERT_TRUE(begun);
  EXPECT_FALSE(begun->is_finished);
  write_part(file, compressed, 1, 3, {64, 6, 4});
  const auto found = sx::describe_part_file(part);
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->is_finished);
  EXPECT_EQ(found->dataset, "/f");
  EXPECT_EQ(found->part.number, 1);
  EXPECT_EQ(found->part.of, 3);
  EXPECT_EQ(found->rows.begin, 320);  // full chunks: 5 of 16
  EXPECT_EQ(found->rows.end, 640);
  EXPECT_EQ(found->of_rows, 1000);
  EXPECT_EQ(made::read<float>(part, "/f").front(), Problem::value(320 * 24));
}

TEST(JoinParts, AFinishedPartSaysWhatIsMissing) {
  const made::Folder folder;
  const std::string file = folder / "f.h5";
  write_part(file, compressed, 2, 3, {64, 6, 4});
  sx::Hdf5Sink sink(at(file, "/f"), options_of(compressed, 0, 3));
  sink.begin(resumable::described(compressed, {64, 6, 4}));
  EXPECT_FALSE(sink.was_finished());
  for (const Block& next : resumable::blocks_of(resumable::left_of(sink, compressed), {64, 6, 4})) {
    resumable::write(sink, compressed, next);
  }
  sink.finish();
  ASSERT_TRUE(sink.missing_parts());
  const auto& shares = sink.missing_parts()->shares;
  ASSERT_EQ(shares.size(), 3U);
  EXPECT_TRUE(shares[0].is_whole);
  EXPECT_FALSE(shares[1].is_whole);
  EXPECT_TRUE(shares[2].is_whole);
  EXPECT_EQ(sink.missing_parts()->rows_written, 320 + 360);
}

TEST(JoinParts, AnInputThatChangedLeavesNothingOfAPart) {
  const made::Folder folder;
  const std::string file = folder / "f.h5";
  {
    sx::Hdf5Sink sink(at(file, "/f"), options_of(compressed, 0, 2));
    sink.begin(resumable::described(compressed, {64, 6, 4}));
    resumable::write(sink, compressed, {{0, 64}, {0, 6}, {0, 4}});
    try {
      throw sx::InputChanged("in.h5: this file was replaced during the run");
    } catch (const std::exception&) {
      sink.abandon();
    }
  }
  EXPECT_FALSE(std::filesystem::exists(sx::part_file_name(file, {0, 2}) + ".part"));
}

TEST(JoinParts, AreKeptOrRemoved) {
  const made::Folder folder;
  const std::string file = folder / "f.h5";
  write_parts(file, compressed, 2, {64, 6, 4});
  std::vector<std::int64_t> seen;
  sx::join_parts(at(file, ""), {.progress = [&](const sx::JoinProgress& progress) {
                   seen.push_back(progress.chunks);
                   EXPECT_EQ(progress.of_chunks, 128);
                 }});
  EXPECT_EQ(seen.size(), 128U);
  EXPECT_TRUE(std::filesystem::exists(sx::part_file_name(file, {1, 2})));
  const sx::JoinReport again =
      sx::join_parts(at(file, "/f"), {.joined_parts = sx::JoinedParts::remove});
  EXPECT_TRUE(again.was_finished);
  EXPECT_EQ(again.removed, 2);
  EXPECT_FALSE(std::filesystem::exists(sx::part_file_name(file, {1, 2})));
  EXPECT_EQ(resumable::wrong_in(file, compressed), "");
}

TEST(JoinParts, CanBeCancelled) {
  const made::Folder folder;
  const std::string file = folder / "f.h5";
  write_parts(file, compressed, 2, {64, 6, 4});
  std::atomic<bool> cancel{false};
  const auto join = [&] {
    sx::join_parts(at(file, ""), {.progress = [&](const auto& now) { cancel = now.chunks == 3; },
                                  .cancel = &cancel});
  };
  EXPECT_THROW(join(), sx::Cancelled);
  EXPECT_FALSE(std::filesystem::exists(file));
  EXPECT_FALSE(std::filesystem::exists(file + ".part"));
  sx::join_parts(at(file, ""));
  EXPECT_EQ(resumable::wrong_in(file, compressed), "");
}

TEST(JoinParts, RefuseWhatDoesNotGoWithThem) {
  const made::Folder folder;
  const std::string file = folder / "f.h5";
  write_parts(file, compressed, 2, {64, 6, 4});
  EXPECT_THAT([&] { write_part(file, compressed, 0, 3, {64, 6, 4}); },
              ThrowsMessage<sx::Error>(AllOf(HasSubstr("this is part 0/2 of the output"),
                                             HasSubstr("Give parts of 2"))));
  EXPECT_THAT([&] { sx::join_parts(at(file, ""), {.existing = sx::Existing::append}); },
              ThrowsMessage<sx::Error>(HasSubstr("a file of its own")));
  EXPECT_THAT(
      [&] { sx::join_parts(at(file, ""), {.joined_parts = static_cast<sx::JoinedParts>(7)}); },
      ThrowsMessage<sx::Error>(HasSubstr("joined_parts")));
  EXPECT_THAT([&] { sx::join_parts(at(file, "/g")); },
              ThrowsMessage<sx::Error>(HasSubstr("not of /g")));
  EXPECT_THAT([&] { sx::join_parts(at(folder / "none.h5", "")); },
              ThrowsMessage<sx::Error>(HasSubstr("no finished part file")));
  std::filesystem::remove(sx::part_file_name(file, {0, 2}));
  EXPECT_THAT([&] { sx::join_parts(at(file, "")); },
              ThrowsMessage<sx::Error>(HasSubstr("part 0/2 is missing")));
}

}  // namespace
}  // namespace join_parts_tests
