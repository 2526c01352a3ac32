// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// One output that several sinks write: its final name, and damaged data.
#include "files/shared_output.hpp"

#include <gmock/gmock.h>
#include <Kokkos_Core.hpp>

#include <chrono>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

namespace shares_names_tests {
namespace {

using namespace shared_output;
using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

// File systems without a call for it name a file by a link, and take the other name afterwards.
TEST(Shares, AMakerThatIsKilledBetweenTwoNamesHoldsNobodyUp) {
  const made::Folder folder;
  const std::string file = folder / "f.h5";
  const BlockShape block{100, 3, 4};
  complete(file, 0, 2, block);
  std::filesystem::create_hard_link(file + ".part", file + ".part.new");
  complete(file, 1, 2, block);
  EXPECT_EQ(resumable::wrong_in(file, dense), "");
  EXPECT_FALSE(std::filesystem::exists(file + ".part.new"));
}

// The same after all parts have ended: the file has its name, and one too many.
TEST(Shares, APublisherThatIsKilledBetweenTwoNamesHoldsNobodyUp) {
  const BlockShape block{100, 3, 4};
  {
    const made::Folder folder;
    const std::string file = folder / "f.h5";
    complete(file, 0, 1, block);
    std::filesystem::create_hard_link(file, file + ".part");
    EXPECT_TRUE(begun(file, 0, 2, block).was_finished());
    EXPECT_THAT(folder.names(), testing::ElementsAre("f.h5"));
    EXPECT_EQ(resumable::wrong_in(file, dense), "");
  }
  const made::Folder folder;
  const std::string file = folder / "f.h5";
  complete(file, 0, 2, block);
  sx::Hdf5Sink last = begun(file, 1, 2, block);
  for (const Block& next : left_of(last, block)) write(last, next);
  std::filesystem::create_hard_link(file + ".part", file);
  last.finish();
  EXPECT_THAT(folder.names(), testing::ElementsAre("f.h5"));
  EXPECT_EQ(resumable::wrong_in(file, dense), "");
}

/// Leaves a complete FILE.part, from a process that ended before it could give it the name FILE.
void leave_whole(const std::string& file) {
  const BlockShape block{100, 3, 4};
  complete(file, 0, 2, block);
  sx::Hdf5Sink last = begun(file, 1, 2, block);
  for (const Block& next : left_of(last, block)) write(last, next);
  resumable::put_bytes(file, "taken");
  EXPECT_THAT([&] { last.finish(); }, ThrowsMessage<sx::Error>(HasSubstr("made this file")));
  last.abandon();
  std::filesystem::remove(file);
}

TEST(Shares, WhatIsWholeGetsItsNameFromWhoeverComes) {
  for (const std::int64_t of : {1, 2, 5}) {
    const made::Folder folder;
    const std::string file = folder / "f.h5";
    leave_whole(file);
    sx::Hdf5Sink late = begun(file, of - 1, of, {100, 3, 4});
    EXPECT_TRUE(late.was_finished());
    EXPECT_THAT(folder.names(), testing::ElementsAre("f.h5"));
    EXPECT_EQ(resumable::wrong_in(file, dense), "");
  }
}

// A file server may show the name FILE.part, and not yet FILE, for a while after the rename.
TEST(Shares, ANameThatIsGoneOnTheServerIsNotWritten) {
  const made::Folder folder;
  const std::string file = folder / "f.h5";
  const std::string stale = file + ".part";
  complete(file, 0, 1, {100, 3, 4});
  std::filesystem::rename(file, stale);
  const std::string bytes = resumable::bytes_of(stale);
  std::vector<std::string> said;
  sx::set_warning_handler([&](std::string_view text) { said.emplace_back(text); });
  EXPECT_TRUE(begun(file, 0, 2, {100, 3, 4}).was_finished());
  sx::set_warning_handler({});
  ASSERT_EQ(said.size(), 1U);
  EXPECT_THAT(said[0], HasSubstr("f.h5 is whole, but this machine does not see its name yet"));
  EXPECT_THAT(folder.names(), testing::ElementsAre("f.h5.part"));
  EXPECT_EQ(resumable::bytes_of(stale), bytes);
  // A file of another problem, or one without a record of its end, does not count as left by a run.
  const Problem other{{.rows = 5001, .channels = 3, .bases = 4, .channel_extents = {3}}, {}, {}};
  const auto begin_other = [&] {
    sx::Hdf5Sink sink(at(file, "/f"), part(0, 2));
    sink.begin(resumable::described(other, {100, 3, 4}));
  };
  EXPECT_THAT(begin_other, ThrowsMessage<sx::Error>(HasSubstr("that no interrupted run has left")));
  std::string old = bytes;
  old[old.find("Synelix ledger") + 4096 - 3] ^= 1;
  resumable::put_bytes(stale, old);
  EXPECT_THAT([&] { begun(file, 0, 2, {100, 3, 4}); },
              ThrowsMessage<sx::Error>(HasSubstr("that no interrupted run has left")));
  EXPECT_EQ(resumable::bytes_of(stale), old);
}

// Rows that are being checked may be damaged, so a reader may not see them yet.
TEST(Shares, WhoeverChecksRowsGivesTheFileItsName) {
  const made::Folder folder;
  const std::string file = folder / "f.h5";
  const BlockShape block{100, 3, 4};
  complete(file, 0, 2, block);
  sx::Hdf5Sink last = begun(file, 1, 2, block);
  for (const Block& next : left_of(last, block)) write(last, next);
  sx::Hdf5Sink checks = begun(file, 0, 4, block);
  EXPECT_TRUE(left_of(checks, block).empty());
  // The record in the ledger for these rows is of the process that wrote them.
  EXPECT_THAT([&] { begun(file, 0, 2, block); },
              ThrowsMessage<sx::Error>(AllOf(HasSubstr("another process is checking rows 0 to "),
                                             testing::Not(HasSubstr("host")))));
  last.finish();
  EXPECT_FALSE(std::filesystem::exists(file));
  ASSERT_TRUE(last.missing_parts());
  EXPECT_TRUE(last.missing_parts()->shares.front().is_whole);
  EXPECT_TRUE(last.missing_parts()->shares.front().is_being_written);
  EXPECT_EQ(last.missing_parts()->shares.front().host, "");
  EXPECT_EQ(last.missing_parts()->rows_written, 5000);
  checks.finish();
  EXPECT_FALSE(checks.missing_parts());
  EXPECT_EQ(resumable::wrong_in(file, dense), "");
}

void put(const std::string& file, std::int64_t address, const std::string& bytes) {
  const int opened = ::open(file.c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_EQ(pwrite(opened, bytes.data(), bytes.size(), address),
            static_cast<ssize_t>(bytes.size()));
  ::close(opened);
}

std::vector<std::string> warned;

TEST(Shares, DamagedValuesAndRecordsAreComputedAgain) {
  const made::Folder folder;
  const std::string file = folder / "f.h5";
  complete(file, 0, 2, {100, 3, 4});
  const std::string bytes = resumable::bytes_of(file + ".part");
  const auto head = static_cast<std::int64_t>(bytes.find("Synelix ledger"));
  ASSERT_GT(head, 0);
  sx::set_warning_handler([](std::string_view text) { warned.emplace_back(text); });
  put(file + ".part", head + 4096 + 20, std::string(240, '\x33'));  // slots of the first share
  const float first = Problem::value(12 * 600);
  const std::string value(reinterpret_cast<const char*>(&first), sizeof(first));
  const float second = Problem::value(12 * 600 + 1);
  const std::string pair =
      value + std::string(reinterpret_cast<const char*>(&second), sizeof(second));
  const auto found = bytes.find(pair);
  ASSERT_NE(found, std::string::npos);
  put(file + ".part", static_cast<std::int64_t>(found), "hoho");  // a value of another share
  complete(file, 0, 2, {100, 3, 4});
  sx::set_warning_handler({});
  ASSERT_EQ(warned.size(), 2U) << testing::PrintToString(warned);
  EXPECT_THAT(warned[0], HasSubstr("its ledger is damaged where it lists rows 0 to "));
  EXPECT_THAT(warned[1], HasSubstr("do not match their checksum"));
  EXPECT_FALSE(std::filesystem::exists(file));
  complete(file, 1, 2, {100, 3, 4});
  EXPECT_EQ(resumable::wrong_in(file, dense), "");
}

TEST(Shares, OfAFinishedPartOnlyDamagedTimesAreWrittenAgain) {
  const made::Folder folder;
  const std::string file = folder / "f.h5";
  const std::string whole = folder / "whole.h5";
  complete(whole, 0, 1, {100, 3, 4});
  const auto times = made::read<double>(whole, "/time");
  complete(file, 0, 2, {100, 3, 4});
  const std::string bytes = resumable::bytes_of(file + ".part");
  const auto long_ago = std::filesystem::file_time_type::clock::now() - std::chrono::hours(1);
  std::filesystem::last_write_time(file + ".part", long_ago);
  complete(file, 0, 2, {100, 3, 4});  // a reader of a finished file would see a change
  EXPECT_EQ(std::filesystem::last_write_time(file + ".part"), long_ago);
  const auto found = bytes.find(std::string(reinterpret_cast<const char*>(&times[600]), 16));
  ASSERT_NE(found, std::string::npos);
  put(file + ".part", static_cast<std::int64_t>(found), "hoho");
  complete(file, 0, 2, {100, 3, 4});
  EXPECT_EQ(resumable::bytes_of(file + ".part"), bytes);
  complete(file, 1, 2, {100, 3, 4});
  EXPECT_EQ(resumable::wrong_in(file, dense), "");
}

// Times have no checksum: the process that gives the file its name compares all of them.
TEST(Shares, DamagedTimesOfOtherPartsAreWrittenAgain) {
  const made::Folder folder;
  const std::string file = folder / "f.h5";
  const std::string whole = folder / "whole.h5";
  complete(whole, 0, 1, {100, 3, 4});
  const auto times = made::read<double>(whole, "/time");
  complete(file, 0, 2, {100, 3, 4});
  const std::string bytes = resumable::bytes_of(file + ".part");
  const auto found = bytes.find(std::string(reinterpret_cast<const char*>(&times[600]), 16));
  ASSERT_NE(found, std::string::npos);
  put(file + ".part", static_cast<std::int64_t>(found), "hoho");
  complete(file, 1, 2, {100, 3, 4});
  EXPECT_EQ(resumable::wrong_in(file, dense), "");
}

TEST(Shares, ADamagedHeadAndDamagedRecordsOfHdf5AreRefused) {
  for (const bool is_head : {true, false}) {
    const made::Folder folder;
    const std::string file = folder / "f.h5";
    complete(file, 0, 2, {100, 3, 4});
    const std::string bytes = resumable::bytes_of(file + ".part");
    const auto place = is_head ? bytes.find("Synelix ledger") + 30 : bytes.find("TREE") + 9;
    put(file + ".part", static_cast<std::int64_t>(place), "\x55\x55");
    EXPECT_THAT([&] { complete(file, 1, 2, {100, 3, 4}); },
                ThrowsMessage<sx::Error>(
                    HasSubstr(is_head ? "damaged ledger" : "damaged outside of the features")));
    EXPECT_TRUE(std::filesystem::exists(file + ".part"));
  }
}

}  // namespace
}  // namespace shares_names_tests
