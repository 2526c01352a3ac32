// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A small file that the first of several processes makes. Each SharedFile here represents one
// process.
#include "tool/process/shared_file.hpp"

#include <synelix/error.hpp>

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include <sys/stat.h>
#include <unistd.h>

namespace synelix::tool::shared_file_tests {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;
namespace fs = std::filesystem;

class SharedFiles : public testing::Test {
 protected:
  SharedFiles() {
    std::string pattern = (fs::temp_directory_path() / "synelix-shared-XXXXXX").string();
    m_folder = mkdtemp(pattern.data());
  }
  ~SharedFiles() override { fs::remove_all(m_folder); }

  [[nodiscard]] std::string name() const { return (m_folder / "facts").string(); }
  [[nodiscard]] std::unique_ptr<SharedFile> process() const {
    return std::make_unique<SharedFile>(name(), "magic ");
  }
  void write(const std::string& file, const std::string& text) const {
    std::ofstream(file) << text;
  }
  [[nodiscard]] bool is_empty() const { return fs::is_empty(m_folder); }

  fs::path m_folder;
};

TEST_F(SharedFiles, OneMakesAndTheOthersRead) {
  const auto first = process();
  const auto other = process();
  EXPECT_FALSE(first->read());
  ASSERT_TRUE(first->take());
  EXPECT_TRUE(first->is_taken());
  EXPECT_FALSE(other->take());
  EXPECT_FALSE(other->read()) << "there is nothing before it is whole";
  ASSERT_TRUE(first->make("magic text"));
  EXPECT_FALSE(first->is_taken());
  EXPECT_EQ(other->read(), "magic text");
  EXPECT_TRUE(other->is_held());
  EXPECT_FALSE(fs::exists(name() + ".new"));
}

TEST_F(SharedFiles, AMakerThatEndsLeavesTheRightToTheNext) {
  auto first = process();
  ASSERT_TRUE(first->take());
  first.reset();
  EXPECT_TRUE(is_empty());
  write(name() + ".new", "magic te");  // as a killed one does
  const auto next = process();
  ASSERT_TRUE(next->take());
  ASSERT_TRUE(next->make("magic x"));
  EXPECT_EQ(next->read(), "magic x");
}

TEST_F(SharedFiles, WhatAnEndedMakerHasMadeIsNotHeld) {
  auto first = process();
  ASSERT_TRUE(first->take());
  ASSERT_TRUE(first->make("magic text"));
  first.reset();
  const auto other = process();
  EXPECT_FALSE(other->is_held());
  EXPECT_EQ(other->read(), "magic text");
}

TEST_F(SharedFiles, OfTwoThatMakeItTheFirstWins) {
  const auto late = process();
  ASSERT_TRUE(late->take());
  write(name(), "magic first");  // of a host whose locks are not seen here
  EXPECT_FALSE(late->make("magic late"));
  EXPECT_EQ(late->read(), "magic first");
  late->give_back();
  EXPECT_FALSE(fs::exists(name() + ".new"));
}

TEST_F(SharedFiles, AMakerThatWasKilledBetweenItsTwoNames) {
  write(name(), "magic text");
  ASSERT_EQ(link(name().c_str(), (name() + ".new").c_str()), 0);
  const auto next = process();
  EXPECT_FALSE(next->take()) << "only takes the second name away";
  ASSERT_TRUE(next->take());
  EXPECT_EQ(next->read(), "magic text") << "the file is another one than that which is made";
}

TEST_F(SharedFiles, SomebodyElsesFilesStay) {
  for (const char* const text : {"notes", ""}) {
    write(name(), text);
    EXPECT_THAT([&] { (void)process()->read(); },
                ThrowsMessage<Error>(HasSubstr("no part of an output has written this file")));
    process()->remove();
  }
  write(name(), "notes");
  process()->remove();
  EXPECT_TRUE(fs::exists(name()));
  fs::remove(name());
  write(name() + ".new", "notes");
  EXPECT_THAT([&] { (void)process()->take(); },
              ThrowsMessage<Error>(HasSubstr("no part of an output has written this file")));
  process()->remove_unmade();
  EXPECT_TRUE(fs::exists(name() + ".new"));
  fs::remove(name() + ".new");
  fs::create_directory(name() + ".new");
  EXPECT_THAT([&] { (void)process()->take(); },
              ThrowsMessage<Error>(HasSubstr("this is not a regular file")));
  ASSERT_EQ(mkfifo(name().c_str(), 0600), 0);
  EXPECT_THAT([&] { (void)process()->read(); }, ThrowsMessage<Error>(HasSubstr("damaged")));
}

TEST_F(SharedFiles, IsRemovedWithWhatNobodyMakes) {
  write(name(), "magic text");
  write(name() + ".new", "magic t");
  const auto maker = process();
  ASSERT_TRUE(maker->take());
  process()->remove();
  process()->remove_unmade();
  EXPECT_FALSE(fs::exists(name()));
  EXPECT_TRUE(fs::exists(name() + ".new")) << "somebody is about to make it";
  maker->give_back();
  EXPECT_TRUE(is_empty());
}

TEST_F(SharedFiles, WhereNothingCanBeWritten) {
  SharedFile file((m_folder / "none" / "facts").string(), "magic ");
  EXPECT_FALSE(file.read());
  EXPECT_THAT([&] { (void)file.take(); },
              ThrowsMessage<Error>(HasSubstr("cannot be written: No such file or directory")));
}

}  // namespace
}  // namespace synelix::tool::shared_file_tests
