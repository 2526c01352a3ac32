// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The division of rows into shares, and the ledger's state of them after a torn write.
#include "files/made_file.hpp"
#include "hdf5/shares/ledger.hpp"
#include "part_files/descriptor.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <Kokkos_Core.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <vector>

namespace ledger_tests {
namespace {

namespace sx = synelix;
using sx::stream::Ending;
using sx::stream::Ledger;
using sx::stream::Shares;
using sx::stream::ShareState;
using testing::HasSubstr;

TEST(Shares, PartsOfAnyNumberTakeEachRowOnce) {
  for (const std::int64_t rows : {0, 1, 5, 63, 64, 1000, 4097, 3'000'000}) {
    for (const std::int64_t row_bytes : {4, 12, 4096, 98'304}) {
      for (const std::int64_t made_by : {1, 3, 48}) {
        const Shares shares = Shares::of(rows, row_bytes, made_by);
        for (const std::int64_t parts : {1, 2, 7, 200}) {
          std::int64_t next = 0;
          for (std::int64_t part = 0; part < parts; ++part) {
            const sx::Range mine = shares.shares_of({part, parts});
            for (std::int64_t share = mine.begin; share < mine.end; ++share) {
              const sx::Range range = shares.rows_of(share);
              ASSERT_EQ(range.begin, next) << rows << " rows of " << row_bytes << " bytes";
              ASSERT_GT(range.size(), 0);
              next = range.end;
            }
          }
          ASSERT_EQ(next, rows) << parts << " parts of " << row_bytes << " bytes a row";
        }
      }
    }
  }
}

TEST(Shares, OfPartsDifferByOneStepAtMost) {
  for (const std::int64_t rows : {2000, 30'000, 1'000'000, 3'000'000}) {
    for (const std::int64_t row_bytes : {12, 4096, 12'288, 98'304}) {
      for (const std::int64_t parts : {1, 2, 3, 7, 9, 48, 100}) {
        const Shares shares = Shares::of(rows, row_bytes, parts);
        std::int64_t least = rows;
        std::int64_t most = 0;
        for (std::int64_t part = 0; part < parts; ++part) {
          const sx::Range mine = shares.shares_of({part, parts});
          const std::int64_t of_part = shares.border(mine.end) - shares.border(mine.begin);
          // After the last step there may be fewer rows.
          if (part + 1 < parts) least = std::min(least, of_part);
          most = std::max(most, of_part);
        }
        EXPECT_LE(most - least, shares.step)
            << rows << " rows of " << row_bytes << " bytes in " << parts << " parts";
      }
    }
  }
}

TEST(Shares, BeginAtWholeMebibytesWhereRowsAllow) {
  const Shares large = Shares::of(1'000'000, 12'288, 4);
  for (std::int64_t share = 0; share < large.count; ++share) {
    const std::int64_t begin = large.rows_of(share).begin;
    EXPECT_EQ(begin * 12'288 % sx::mebibytes(1), 0) << share;
    EXPECT_EQ(begin * 8 % 4096, 0) << share;
  }
  EXPECT_EQ(Shares::of(30'000, 12, 4).step % 512, 0);  // whole pages
  EXPECT_EQ(Shares::of(5, 12, 9).count, 5);            // rows
}

class LedgerTest : public testing::Test {
 protected:
  static constexpr std::int64_t at = 8192;

  LedgerTest() : m_name(m_folder / "ledger") {
    m_opened = open();
    const sx::stream::LedgerFacts facts{
        {.values_at = 1, .channels = 3, .bases = 4, .shares = Shares::of(640, 48, 2)},
        "input: made; window: 9"};
    Ledger::make(m_opened.number(), at, m_name, facts);
  }

  [[nodiscard]] sx::stream::Descriptor open() const {
    return sx::stream::Descriptor(::open(m_name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  }
  Ledger ledger() { return *Ledger::find(m_opened.number(), m_name); }
  void put(std::int64_t address, char byte) const {
    ASSERT_EQ(pwrite(m_opened.number(), &byte, 1, address), 1);
  }

  made::Folder m_folder;
  std::string m_name;
  sx::stream::Descriptor m_opened;
};

ShareState state_of(const Ledger& ledger, std::int64_t share, std::int64_t rows) {
  sx::Block left = ledger.rows_of(share);
  left.rows.begin += rows;
  if (left.rows.size() == 0) return {.unwritten = {}, .blocks = rows, .sum = 7};
  return {.unwritten = {left}, .blocks = rows, .sum = 7};
}

TEST_F(LedgerTest, KeepsWhatIsNoted) {
  Ledger noted = ledger();
  EXPECT_EQ(noted.facts().text, "input: made; window: 9");
  EXPECT_EQ(noted.load(3, Ledger::Trust::reliable).unwritten.front().rows.size(), 10);
  const sx::Range rows = noted.rows_of(3).rows;
  // Some bases of a row, the rest of the rows of some channels, and all rows of others.
  const std::vector<sx::Block> boxes = {{{rows.begin + 2, rows.begin + 3}, {0, 2}, {3, 4}},
                                        {{rows.begin + 3, rows.end}, {0, 2}, {0, 4}},
                                        {rows, {2, 3}, {0, 4}}};
  ASSERT_TRUE(Ledger::has_room({.unwritten = boxes, .blocks = 5, .sum = 99}));
  noted.save(3, {.unwritten = boxes, .blocks = 5, .sum = 99}, false);
  const ShareState found = ledger().load(3, Ledger::Trust::reliable);
  ASSERT_EQ(found.unwritten.size(), 3U);
  EXPECT_EQ(found.unwritten[0].rows.begin, rows.begin + 2);
  EXPECT_EQ(found.unwritten[0].bases.begin, 3);
  EXPECT_EQ(found.unwritten[1].channels.end, 2);
  EXPECT_EQ(found.unwritten[2].channels.begin, 2);
  EXPECT_EQ(found.blocks, 5);
  EXPECT_EQ(found.sum, 99U);
  EXPECT_EQ(ledger().load(2, Ledger::Trust::reliable).blocks, 0);
  noted.write_status(3, {Ending::failed, "node7", 12, 34, "no space left"});
  const sx::stream::ShareStatus status = ledger().status(3);
  EXPECT_EQ(status.host, "node7");
  EXPECT_EQ(status.failure, "no space left");
  // For a longer reason, as many complete characters as fit.
  std::string reason;
  for (int i = 0; i < 100; ++i) reason += "\u00e9";
  noted.write_status(3, {Ending::failed, "node7", 12, 34, reason});
  EXPECT_EQ(ledger().status(3).failure, reason.substr(0, 118));
  EXPECT_EQ(ledger().load(3, Ledger::Trust::reliable).blocks, 5);
}

TEST_F(LedgerTest, ATornSlotLeavesTheOneBefore) {
  const std::int64_t slot_bytes = 104;
  for (int torn = 0; torn < 3; ++torn) {
    for (int noted = 1; noted <= 6; ++noted) {
      Ledger fresh = ledger();
      const std::string nothing(Ledger::record_bytes, '\0');
      const std::int64_t record = fresh.records().begin;
      ASSERT_EQ(pwrite(m_opened.number(), nothing.data(), nothing.size(), record),
                static_cast<ssize_t>(nothing.size()));
      for (int i = 1; i <= noted; ++i) fresh.save(0, state_of(fresh, 0, i), i % 3 == 0);
      put(record + torn * slot_bytes + 20, '\x5a');
      bool is_damaged = false;
      const ShareState found = fresh.load(0, Ledger::Trust::reliable, &is_damaged);
      // One slot is torn: the state saved last, or the one before.
      if (noted == 1 && torn == 0) {
        EXPECT_TRUE(is_damaged);
        EXPECT_EQ(found.unwritten.front().rows.size(), 10);
        continue;
      }
      EXPECT_FALSE(is_damaged) << torn << ", " << noted;
      EXPECT_GE(found.blocks, std::max(0, noted - 3)) << torn << ", " << noted;
      EXPECT_LE(found.blocks, noted);
      if (found.blocks > 0) {
        EXPECT_EQ(found.unwritten.front().rows.size(), 10 - found.blocks);
      }
    }
  }
}

TEST_F(LedgerTest, ATornWordIsNone) {
  ledger().write_status(1, {Ending::finished, "node7", 12, 34, ""});
  EXPECT_EQ(ledger().status(1).ending, Ending::finished);
  put(ledger().records().begin + Ledger::record_bytes + 312 + 30, 'x');
  EXPECT_EQ(ledger().status(1).ending, Ending::none);
}

TEST_F(LedgerTest, SaysWhenAllIsWhole) {
  EXPECT_FALSE(ledger().complete_since());
  ledger().mark_complete(1234);
  EXPECT_EQ(ledger().complete_since(), 1234);
  EXPECT_EQ(ledger().load(0, Ledger::Trust::reliable).blocks, 0);
  put(ledger().records().begin - 3, 'x');
  EXPECT_FALSE(ledger().complete_since());
}

TEST_F(LedgerTest, OfAFileThatCannotBeReadIsAnError) {
  const sx::stream::Descriptor closed(::open(m_name.c_str(), O_WRONLY | O_CLOEXEC));
  EXPECT_THROW(static_cast<void>(Ledger::find(closed.number(), m_name)), sx::FileError);
}

TEST_F(LedgerTest, ATornHeadAndAnotherFormatAreErrors) {
  put(at + 40, '\x77');
  try {
    ledger();
    FAIL();
  } catch (const sx::Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("damaged ledger"));
    EXPECT_THAT(error.what(), HasSubstr("Remove this file"));
  }
  put(at + 15, '7');
  try {
    ledger();
    FAIL();
  } catch (const sx::Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("its ledger has format 7"));
  }
}

TEST_F(LedgerTest, AShareHasOneOwner) {
  const Ledger mine = ledger();
  const sx::stream::Descriptor other = open();
  const Ledger others = *Ledger::find(other.number(), m_name);
  EXPECT_TRUE(mine.lock({1, 3}));
  EXPECT_FALSE(others.lock({2, 4}));  // all or none
  EXPECT_FALSE(mine.is_locked(3));
  EXPECT_TRUE(others.is_locked(1));
  EXPECT_TRUE(others.lock({3, 5}));
  EXPECT_FALSE(mine.is_locked(1));  // by oneself
  EXPECT_TRUE(mine.lock({1, 1}));   // a part may have none
  EXPECT_FALSE(mine.is_locked(5));
  mine.unlock({1, 3});
  EXPECT_TRUE(others.lock({0, 5}));
}

}  // namespace
}  // namespace ledger_tests
