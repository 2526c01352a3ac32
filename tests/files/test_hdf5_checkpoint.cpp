// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The checkpoint, and the boxes and sums that it holds.
#include "files/made_file.hpp"
#include "hdf5/sink/checkpoint.hpp"
#include "hdf5/sink/tables.hpp"
#include "part_files/records.hpp"
#include "streams/fingerprint.hpp"

#include <synelix/error.hpp>

#include <gmock/gmock.h>
#include <Kokkos_Core.hpp>

#include <cstring>
#include <numeric>
#include <random>

#include <fcntl.h>
#include <unistd.h>

namespace hdf5_checkpoint_tests {
namespace {

namespace sx = synelix;
using sx::Block;
using sx::stream::Advance;
using sx::stream::Checkpoint;
using testing::HasSubstr;
using testing::ThrowsMessage;

/// A file with a checkpoint at 4096: its head, its frame and its slots take a page each.
struct Checkpointed {
  made::Folder folder;
  std::string name = folder / "part";
  int descriptor = open(name.c_str(), O_RDWR | O_CREAT, 0600);
  Checkpoint checkpoint =
      Checkpoint::make(descriptor, 4096, name, "a: b", 0, {.unwritten = {box(10)}, .blocks = 0});

  static Block box(std::int64_t row) { return {{row, 100}, {0, 4}, {0, 3}}; }
  static Advance advance(std::int64_t row) { return {.unwritten = {box(row)}, .blocks = row}; }
  [[nodiscard]] std::int64_t loaded() const {
    auto found = Checkpoint::find(descriptor, 0, name);
    if (!found) return -2;
    const auto last = found->load();
    return last ? last->unwritten.front().rows.begin : -1;
  }
  /// Changes a number of a slot, and its checksum if the slot should be valid.
  void change_slot(int slot, std::size_t number, std::uint64_t value, bool is_whole) const {
    std::vector<std::uint64_t> words(485);
    const off_t place = 4096 + 4096 + 4096 + slot * 4096;
    ASSERT_EQ(pread(descriptor, words.data(), words.size() * 8, place), 485 * 8);
    words[number] = value;
    if (is_whole) {
      words[0] = sx::stream::Checksum().add(words.data() + 1, (words.size() - 1) * 8).value();
    }
    ASSERT_EQ(pwrite(descriptor, words.data(), words.size() * 8, place), 485 * 8);
  }
  void put(const std::string& bytes, off_t place) const {
    ASSERT_EQ(pwrite(descriptor, bytes.data(), bytes.size(), place),
              static_cast<ssize_t>(bytes.size()));
  }
  ~Checkpointed() { close(descriptor); }
};

TEST(Checkpoint, TheLastAdvanceIsFound) {
  Checkpointed file;
  EXPECT_EQ(file.loaded(), 10);
  for (const std::int64_t row : {20, 30, 40}) {
    file.checkpoint.save(Checkpointed::advance(row));
    EXPECT_EQ(file.loaded(), row);
    EXPECT_EQ(file.checkpoint.blocks_noted(), row);
    EXPECT_EQ(file.checkpoint.blocks_on_disk(), 0);
  }
  file.checkpoint.save_to_disk(Checkpointed::advance(50));
  EXPECT_EQ(file.loaded(), 50);
  EXPECT_EQ(file.checkpoint.blocks_on_disk(), 50);
  file.checkpoint.save(Checkpointed::advance(60));
  EXPECT_EQ(file.loaded(), 60);
}

TEST(Checkpoint, ASlotThatIsTornGivesTheOneBefore) {
  Checkpointed file;
  file.checkpoint.save(Checkpointed::advance(20));  // into slot 1, since slot 0 was first
  file.change_slot(1, 5, 77, false);
  EXPECT_EQ(file.loaded(), 10);
}

TEST(Checkpoint, ASlotWithBoxesThatItHasNoRoomForDoesNotCount) {
  for (const std::uint64_t boxes : {~std::uint64_t{0}, std::uint64_t{81}}) {
    Checkpointed file;
    file.checkpoint.save(Checkpointed::advance(20));
    file.change_slot(1, 4, boxes, true);
    EXPECT_EQ(file.loaded(), 10) << boxes;
  }
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

TEST(Checkpoint, WithoutAnyWholeSlotItIsRefused) {
  Checkpointed file;
  for (const int slot : {0, 1, 2, 3}) file.change_slot(slot, 5, 77, false);
  EXPECT_THAT([&] { static_cast<void>(file.loaded()); },
              ThrowsMessage<sx::Error>(HasSubstr("no record of the advance is whole")));
}

TEST(Checkpoint, ADamagedHeadIsRefused) {
  const std::vector<std::pair<off_t, std::string>> changes = {{15, "x"},    {15, "!"}, {17, "x"},
                                                              {25, "x"},    {33, "x"}, {41, "x"},
                                                              {28, "\x01"},  // a text of 2^32 bytes
                                                              {31, "\xff"}};  // of a negative
                                                                              // number of bytes
  for (const auto& [place, change] : changes) {
    Checkpointed file;
    file.put(change, 4096 + place);
    EXPECT_THAT([&] { static_cast<void>(file.loaded()); },
                ThrowsMessage<sx::Error>(testing::AllOf(HasSubstr("damaged checkpoint"),
                                                        HasSubstr("a run without resume"))))
        << "byte " << place;
  }
  Checkpointed file;
  file.put("x", 4096);
  EXPECT_EQ(file.loaded(), -2);
  EXPECT_FALSE(sx::stream::holds_nothing_yet(file.descriptor, ""));
}

TEST(Checkpoint, AnotherVersionOfTheFormatIsRefused) {
  Checkpointed file;
  file.put("Synelix resume 1", 4096);
  EXPECT_THAT(
      [&] { static_cast<void>(file.loaded()); },
      ThrowsMessage<sx::Error>(testing::AllOf(
          HasSubstr("its checkpoint has format 1, and this version of synelix reads format 2"),
          HasSubstr("the version of synelix that began it"))));
}

TEST(Checkpoint, AHeadThatIsTornSaysThatNothingIsThereYet) {
  Checkpointed file;
  const std::string text(400, 't');
  const auto made = Checkpoint::make(file.descriptor, 4096, file.name, text, 0, {});
  const auto half = 4096 + (16 + 3 * 8 + 400) / 2;
  EXPECT_EQ(ftruncate(file.descriptor, half), 0);
  EXPECT_EQ(ftruncate(file.descriptor, made.range().end), 0);
  const auto found = Checkpoint::find(file.descriptor, 0, file.name);
  ASSERT_TRUE(found);
  EXPECT_FALSE(found->frame());
}

TEST(Checkpoint, TheFrameIsThereOnceItIsConfirmed) {
  Checkpointed file;
  EXPECT_FALSE(Checkpoint::find(file.descriptor, 0, file.name)->frame());
  file.checkpoint.confirm(100'000, 77);
  const auto found = Checkpoint::find(file.descriptor, 0, file.name);
  EXPECT_EQ(found->frame(), 77U);
  EXPECT_EQ(found->file_bytes(), 100'000);
  file.put("x", 4096 + 4096 + 16);  // the length that it notes
  EXPECT_FALSE(Checkpoint::find(file.descriptor, 0, file.name)->frame());
}

TEST(Boxes, WithoutTakesABlockOutAndNothingElse) {
  std::mt19937 random(20'261'123);
  const auto range = [&](std::int64_t extent) {
    const auto a = static_cast<std::int64_t>(random() % static_cast<unsigned>(extent));
    const auto b = static_cast<std::int64_t>(random() % static_cast<unsigned>(extent));
    return sx::Range{std::min(a, b), std::max(a, b) + 1};
  };
  const auto holds = [](const std::vector<Block>& boxes, std::int64_t r, std::int64_t c,
                        std::int64_t b) {
    return std::count_if(boxes.begin(), boxes.end(), [&](const Block& box) {
      return r >= box.rows.begin && r < box.rows.end && c >= box.channels.begin &&
             c < box.channels.end && b >= box.bases.begin && b < box.bases.end;
    });
  };
  for (int i = 0; i < 300; ++i) {
    const Block all{{0, 7}, {0, 5}, {0, 4}};
    std::vector<Block> boxes = {all};
    std::vector<Block> blocks;
    for (int k = 0; k < 4; ++k) {
      blocks.push_back({range(7), range(5), range(4)});
      boxes = sx::stream::without(boxes, blocks.back());
    }
    const std::vector<Block> few = sx::stream::covered_by_few(boxes, all, 2, 2);
    ASSERT_LE(few.size(), std::max<std::size_t>(boxes.size() <= 2 ? boxes.size() : 2, 0));
    const std::vector<Block> joined = sx::stream::merged(boxes);
    ASSERT_LE(joined.size(), boxes.size());
    for (std::int64_t r = 0; r < 7; ++r) {
      for (std::int64_t c = 0; c < 5; ++c) {
        for (std::int64_t b = 0; b < 4; ++b) {
          const int expected = holds(blocks, r, c, b) > 0 ? 0 : 1;
          ASSERT_EQ(holds(boxes, r, c, b), expected) << i << ": " << r << ", " << c << ", " << b;
          ASSERT_EQ(holds(joined, r, c, b), expected) << i << ": " << r << ", " << c << ", " << b;
          ASSERT_GE(holds(few, r, c, b), expected) << i << ": " << r << ", " << c << ", " << b;
          ASSERT_LE(holds(few, r, c, b), 1) << i << ": " << r << ", " << c << ", " << b;
        }
      }
    }
  }
}

TEST(ValueSum, PiecesInAnyOrderHaveTheSumOfTheWhole) {
  std::vector<std::uint32_t> words(1000);
  std::mt19937 random(20'261'123);
  for (auto& word : words) word = static_cast<std::uint32_t>(random());
  const std::uint64_t whole = sx::stream::value_sum(words.data(), 1000, 77);
  std::uint64_t pieces = 0;
  for (std::int64_t at = 0; at < 1000;) {
    const auto count = std::min<std::int64_t>(random() % 150, 1000 - at);
    pieces += sx::stream::value_sum(words.data() + at, count, 77 + static_cast<std::uint64_t>(at));
    at += count;
  }
  EXPECT_EQ(pieces, whole);
}

TEST(ValueSum, EveryChangeOfOneWordAndEveryExchangeShows) {
  std::vector<std::uint32_t> words(300);
  std::iota(words.begin(), words.end(), 0x3f800000U);
  const auto sum = [&] { return sx::stream::value_sum(words.data(), 300, 12345); };
  const std::uint64_t whole = sum();
  for (std::size_t i = 0; i < words.size(); ++i) {
    for (unsigned bit = 0; bit < 32; ++bit) {
      words[i] ^= 1U << bit;
      EXPECT_NE(sum(), whole) << "bit " << bit << " of word " << i;
      words[i] ^= 1U << bit;
    }
    std::swap(words[i], words[(i * 7 + 1) % 300]);
    if (i != (i * 7 + 1) % 300) {
      EXPECT_NE(sum(), whole) << "word " << i << " exchanged";
    }
    std::swap(words[i], words[(i * 7 + 1) % 300]);
  }
  EXPECT_EQ(sum(), whole);
}

/// The number of boxes is bounded even for heavy damage. The boxes always contain every cell that
/// is left out.
TEST(Cells, BoxesOfWhatIsLeftOutAreBounded) {
  std::mt19937 random(29);
  const sx::FeaturesShape shape{.rows = 2000, .channels = 5, .bases = 3, .channel_extents = {5}};
  const sx::stream::Cells cells(shape, {.rows = 3, .channels = 2, .bases = 3});
  for (const unsigned one_of : {2U, 50U, 1000U}) {
    std::vector<bool> listed(static_cast<std::size_t>(cells.count()));
    for (std::size_t i = 0; i < listed.size(); ++i) listed[i] = random() % one_of != 0;
    for (const std::size_t most : {std::size_t{1}, std::size_t{7}, listed.size()}) {
      const auto [boxes, is_exact] = cells.left_out(listed, most);
      EXPECT_LE(boxes.size(), most);
      EXPECT_TRUE(is_exact || most < listed.size());
      std::vector<bool> found(listed.size(), true);
      for (const Block& box : boxes) {
        EXPECT_EQ(box.rows.begin % 3, 0);
        cells.visit_touched(
            box, [&](std::int64_t cell) { found[static_cast<std::size_t>(cell)] = false; });
      }
      for (std::size_t i = 0; i < listed.size(); ++i) {
        EXPECT_TRUE(is_exact ? found[i] == listed[i] : listed[i] || !found[i]) << "cell " << i;
      }
    }
  }
}

/// Rows that are checked in turn are joined like rows that are checked together.
TEST(Cells, TheSmallestGapsAreClosed) {
  const sx::FeaturesShape shape{.rows = 1000, .channels = 2, .bases = 1, .channel_extents = {2}};
  const sx::stream::Cells cells(shape, {.rows = 1, .channels = 1, .bases = 1});
  std::vector<bool> listed(static_cast<std::size_t>(cells.count()), true);
  for (std::int64_t row = 0, gap = 1; row < 1000; row += ++gap) {
    listed[static_cast<std::size_t>(2 * row)] = false;
  }
  const auto exact = cells.left_out(listed, listed.size()).boxes;
  const Block everything{{0, 1000}, {0, 2}, {0, 1}};
  for (const std::size_t most : {2U, 5U, 20U}) {
    const auto found = cells.left_out(listed, most).boxes;
    const auto wanted = sx::stream::covered_by_few(exact, everything, 1, most);
    ASSERT_EQ(found.size(), wanted.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      EXPECT_EQ(found[i].rows.begin, wanted[i].rows.begin);
      EXPECT_EQ(found[i].rows.end, wanted[i].rows.end);
      EXPECT_EQ(found[i].channels.size(), 2);
    }
  }
}

TEST(ValueSum, BytesInPiecesHaveTheSumOfTheWhole) {
  const std::string bytes = "0123456789abcdefghijklmnopqrstuvwxyz!";
  sx::stream::ByteSum whole;
  whole.add(bytes.data(), 37);
  sx::stream::ByteSum pieces;
  pieces.add(bytes.data(), 8);
  pieces.add(bytes.data() + 8, 29);
  EXPECT_EQ(pieces.value(), whole.value());
  sx::stream::ByteSum shorter;
  shorter.add(bytes.data(), 36);
  EXPECT_NE(shorter.value(), whole.value());
}

}  // namespace
}  // namespace hdf5_checkpoint_tests
