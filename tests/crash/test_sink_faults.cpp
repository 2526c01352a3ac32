// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A sink with each of its calls of the C library failing, from the first to the last: either it
// does all of its work, or it says what failed, FILE holds what it held before, and the next run
// makes the file of a run that nothing has disturbed.
#include "failing_calls.hpp"
#include "files/resumable.hpp"

#include <gmock/gmock.h>

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <map>
#include <memory>
#include <utility>

namespace {

using namespace resumable;
using failing::Call;
using failing::Fault;
using failing::Faults;
using testing::HasSubstr;
using testing::ThrowsMessage;

/// A folder with out.h5 where something stands there, and a part of a run that was stopped.
struct Folder {
  Folder(sx::Compression compression, sx::Existing asked) : existing(asked) {
    problem.filter = {compression, 1};
    if (existing == sx::Existing::refuse) return;
    const made::File old(file);
    old.dataset("/old", {3}, std::vector<double>{1, 2, 3});
    // Beyond what `filesystem::permissions` would keep by itself.
    std::filesystem::permissions(file, std::filesystem::perms(0640));
  }

  [[nodiscard]] sx::Hdf5SinkOptions options(sx::Start start) const {
    sx::Hdf5SinkOptions result = options_of(problem, start);
    result.output.existing = existing;
    return result;
  }
  /// Writes so many blocks, and all of them where that is 0. \throws sx::Error
  void run(sx::Start start, std::size_t blocks = 0) const {
    sx::Hdf5Sink sink(made::at(file, dataset), options(start));
    try {
      sink.begin(described(problem, block));
      std::vector<Block> left = blocks_of(left_of(sink, problem), block);
      if (blocks > 0) left.resize(blocks);
      for (const Block& next : left) write(sink, problem, next);
    } catch (...) {
      sink.abandon();
      throw;
    }
    if (blocks > 0) return sink.abandon();
    try {
      sink.finish();
    } catch (...) {
      sink.abandon();
      throw;
    }
  }
  /// What is wrong with the finished file; empty: nothing.
  [[nodiscard]] std::string wrong() const {
    if (!std::filesystem::exists(file)) return "no file";
    if (std::filesystem::exists(file + ".part")) return "a part beside the file";
    if (existing == sx::Existing::append &&
        made::read<double>(file, "/old") != std::vector<double>{1, 2, 3}) {
      return "what was there before";
    }
    return wrong_in(file, problem);
  }

  made::Folder folder;
  std::string file = folder / "out.h5";
  std::string dataset = "/f";
  sx::Existing existing;
  Problem problem{.shape = {.rows = 300, .channels = 6, .bases = 2, .channel_extents = {6}},
                  .chunk = {50, 4, 2},
                  .filter = {}};
  BlockShape block{100, 6, 2};
};

struct Way {
  sx::Compression compression;
  sx::Existing existing;
  sx::Start start;
};

class SinkFaults : public testing::TestWithParam<Way> {
 public:
  /// A way that makes no call of a kind has nothing to fail. Not so all of them.
  static void TearDownTestSuite() {
    const testing::TestSuite& suite = *testing::UnitTest::GetInstance()->current_test_suite();
    if (suite.test_to_run_count() < suite.total_test_count()) return;
    for (const auto& [call, number] : made_of_all_ways) {
      EXPECT_GT(number, 0) << "no way makes calls of kind " << static_cast<int>(call);
    }
  }

 protected:
  [[nodiscard]] std::unique_ptr<Folder> begun() const {
    auto made = std::make_unique<Folder>(GetParam().compression, GetParam().existing);
    if (GetParam().start == sx::Start::resume) made->run(sx::Start::anew, 2);
    return made;
  }
  /// Runs with faults, and looks at what is there then. \returns what is wrong
  [[nodiscard]] std::string outcome(const Fault& fault, bool must_work) const {
    const auto run = begun();
    const std::string before =
        std::filesystem::exists(run->file) ? bytes_of(run->file) : std::string();
    std::string said;
    {
      Faults faults({fault});
      try {
        run->run(GetParam().start);
      } catch (const sx::Error& error) {
        said = error.what();
        if (faults.failed() == 0) return "failed without a fault: " + said;
      }
    }
    if (said.empty()) return run->wrong();
    if (must_work) return "does not go on: " + said;
    if (said.find(run->folder / "") == std::string::npos) return "no file is named in: " + said;
    const std::string behind =
        std::filesystem::exists(run->file) ? bytes_of(run->file) : std::string();
    if (behind != before && !wrong_in(run->file, run->problem).empty()) return "half an output";
    try {
      run->run(sx::Start::resume);
    } catch (const sx::Error& error) {
      return said + ", and the next run: " + error.what();
    }
    const std::string wrong = run->wrong();
    return wrong.empty() ? "" : said + ", and the next run: " + wrong;
  }
  /// Fails each call of a kind in turn, alone or with all behind it.
  void expect_each(Call call, int error, bool is_forever, bool must_work = false) const {
    std::int64_t number = 0;
    {
      const auto run = begun();
      Faults faults({});
      run->run(GetParam().start);
      number = faults.made(call);
      made_of_all_ways[call] += number;
      ASSERT_EQ(run->wrong(), "");
    }
    const std::int64_t step = std::max<std::int64_t>(number / 24, 1);
    for (std::int64_t first = 1; first <= number; first += step) {
      Fault fault{call, error, first};
      if (!is_forever) fault.times = 1;
      EXPECT_EQ(outcome(fault, must_work), "")
          << "call " << first << " of " << number << " of kind " << static_cast<int>(call)
          << " with errno " << error << (is_forever ? " and all behind it" : "");
    }
  }

 private:
  inline static std::map<Call, std::int64_t> made_of_all_ways;
};

TEST_P(SinkFaults, ACallThatIsInterruptedOrDoesHalfIsMadeAgain) {
  for (const Call call : {Call::read, Call::write, Call::sync, Call::resize}) {
    expect_each(call, EINTR, false, true);
  }
  expect_each(Call::read, failing::half, true, true);
  expect_each(Call::write, failing::half, true, true);
}

TEST_P(SinkFaults, OpensStatusesAndReads) {
  expect_each(Call::open_file, EMFILE, false);
  expect_each(Call::open_file, ENFILE, true);
  expect_each(Call::open_file, ENOENT, false);  // as where somebody else removes the file
  expect_each(Call::status, EIO, false);
  expect_each(Call::name_status, EACCES, false);
  expect_each(Call::read, EIO, false);
  expect_each(Call::read, EIO, true);
}

TEST_P(SinkFaults, WritesSyncsAndNames) {
  expect_each(Call::write, EIO, false);
  expect_each(Call::write, ENOSPC, true);
  expect_each(Call::resize, EFBIG, false);
  expect_each(Call::sync, EIO, false);
  expect_each(Call::rename, EIO, false);
  expect_each(Call::rename_to_free, EIO, false);
  for (const int error : {EWOULDBLOCK, EACCES}) {
    expect_each(Call::lock_range, error, false);
    expect_each(Call::lock_file, error, false);
  }
}

TEST_P(SinkFaults, WhatAFileSystemDoesNotHaveIsNotNeeded) {
  for (const int error : {EINVAL, ENOSYS, EOPNOTSUPP, EPERM}) {
    expect_each(Call::rename_to_free, error, true, true);
  }
  expect_each(Call::lock_range, ENOLCK, true, true);
  expect_each(Call::lock_file, ENOLCK, true, true);
  expect_each(Call::access_list, EOPNOTSUPP, true, true);
  expect_each(Call::access_list, ERANGE, true, true);
  expect_each(Call::room, ENOSYS, true, true);
}

INSTANTIATE_TEST_SUITE_P(
    , SinkFaults,
    testing::Values(Way{sx::Compression::none, sx::Existing::refuse, sx::Start::anew},
                    Way{sx::Compression::none, sx::Existing::append, sx::Start::anew},
                    Way{sx::Compression::deflate, sx::Existing::replace, sx::Start::anew},
                    Way{sx::Compression::none, sx::Existing::refuse, sx::Start::resume},
                    Way{sx::Compression::none, sx::Existing::append, sx::Start::resume},
                    Way{sx::Compression::deflate, sx::Existing::refuse, sx::Start::resume},
                    Way{sx::Compression::deflate, sx::Existing::append, sx::Start::resume}));

/// HDF5 is asked to lock files too, whatever the program says, as where the variable is set.
const int locks_in_hdf5 = setenv("HDF5_USE_FILE_LOCKING", "TRUE", 1);

/// On NFS both kinds of lock are one, so that of HDF5 meets ours.
TEST(SinkLocks, HDF5TakesThemWhereTheFileSystemHasOneKind) {
  ASSERT_EQ(locks_in_hdf5, 0);
  for (const auto start : {sx::Start::anew, sx::Start::resume}) {
    const Folder run(sx::Compression::none, sx::Existing::refuse);
    if (start == sx::Start::resume) run.run(sx::Start::anew, 2);
    const Faults faults({{Call::lock_of_hdf5, EAGAIN, 1, 1}});
    run.run(start);
    EXPECT_EQ(faults.failed(), 1);
    EXPECT_EQ(run.wrong(), "");
  }
}

/// A checkpoint waits for the disk ten seconds at most, and its file's name is there by then.
TEST(SinkClock, ACheckpointReachesTheDiskAfterSomeSeconds) {
  const failing::StoppedClock clock;
  const Folder run(sx::Compression::none, sx::Existing::refuse);
  sx::Hdf5Sink sink(made::at(run.file, "/f"), run.options(sx::Start::anew));
  sink.begin(described(run.problem, run.block));
  const std::vector<Block> blocks = blocks_of(left_of(sink, run.problem), run.block);
  const auto syncs_of = [&](std::size_t i, std::int64_t seconds) {
    clock.add(seconds);
    const Faults counted({});
    write(sink, run.problem, blocks[i]);
    return counted.made(Call::sync);
  };
  EXPECT_EQ(syncs_of(0, 0), 0);
  EXPECT_EQ(syncs_of(1, 11), 3) << "the data, the record, and once the name";
  EXPECT_EQ(syncs_of(2, 11), 2);
  sink.finish();
  EXPECT_EQ(run.wrong(), "");
}

TEST(SinkRoom, ADatasetThatDoesNotFitOnTheDiskIsRefusedFirst) {
  const Folder run(sx::Compression::none, sx::Existing::refuse);
  EXPECT_THAT(
      [&] {
        const Faults faults({{Call::room, failing::half}});
        run.run(sx::Start::anew);
      },
      ThrowsMessage<sx::Error>(
          testing::AllOf(HasSubstr("/f takes 19200 bytes"), HasSubstr("its disk has 0 free"))));
  EXPECT_FALSE(std::filesystem::exists(run.file + ".part"));
}

/// A file keeps its group, or what all others may do is all that the group may.
TEST(SinkAccess, AGroupThatCannotBeKeptGetsWhatOthersGet) {
  if (geteuid() != 0) GTEST_SKIP() << "only the super user gives files to any group";
  const Folder run(sx::Compression::none, sx::Existing::replace);
  const auto state_of = [&](const std::vector<Fault>& faults) {
    EXPECT_EQ(chown(run.file.c_str(), static_cast<uid_t>(-1), 12345), 0);
    EXPECT_EQ(chmod(run.file.c_str(), 0664), 0);
    {
      const Faults failing(faults);
      run.run(sx::Start::anew);
    }
    struct stat state = {};
    EXPECT_EQ(::stat(run.file.c_str(), &state), 0);
    return std::pair(state.st_gid, state.st_mode & 0777U);
  };
  EXPECT_EQ(state_of({}), std::pair(gid_t{12345}, 0664U));
  EXPECT_EQ(state_of({{Call::group, EPERM}}), std::pair(getegid(), 0644U));
}

/// FILE may be one that nobody may write; its FILE.part is written again by the next run.
TEST(SinkAccess, APartStaysOpenToItsOwnerUntilItHasItsName) {
  for (const auto existing : {sx::Existing::replace, sx::Existing::append}) {
    const Folder run(sx::Compression::none, existing);
    ASSERT_EQ(chmod(run.file.c_str(), 0444), 0);
    const auto mode_of = [](const std::string& file) {
      struct stat state = {};
      EXPECT_EQ(::stat(file.c_str(), &state), 0);
      return state.st_mode & 0777U;
    };
    EXPECT_THAT(
        [&] {
          const Faults faults({{Call::rename, EIO}});
          run.run(sx::Start::anew);
        },
        ThrowsMessage<sx::Error>(HasSubstr("cannot be renamed to " + run.file)));
    EXPECT_EQ(mode_of(run.file + ".part") & 0600U, 0600U);
    EXPECT_EQ(mode_of(run.file), 0444U);
    run.run(sx::Start::resume);
    EXPECT_EQ(mode_of(run.file), 0444U);
    EXPECT_EQ(run.wrong(), "");
  }
}

/// A length that HDF5 has cut is given back before it opens the file.
TEST(SinkLength, APartThatCannotGrowAgainIsRefused) {
  const Folder run(sx::Compression::none, sx::Existing::refuse);
  std::string part;
  {
    sx::Hdf5Sink sink(made::at(run.file, "/f"), run.options(sx::Start::anew));
    sink.begin(described(run.problem, run.block));
    write(sink, run.problem, blocks_of({run.problem.everything()}, run.block)[0]);
    part = bytes_of(run.file + ".part");
    sink.abandon();
  }
  part.resize(part.size() - 1);
  put_bytes(run.file + ".part", part);
  EXPECT_THAT(
      [&] {
        const Faults faults({{Call::resize, EFBIG}});
        run.run(sx::Start::resume);
      },
      ThrowsMessage<sx::Error>(testing::AllOf(HasSubstr("cannot be opened to go on with"),
                                              HasSubstr("File too large"))));
  EXPECT_EQ(bytes_of(run.file + ".part"), part);
  run.run(sx::Start::resume);
  EXPECT_EQ(run.wrong(), "");
}

/// Where a name is there and never found, another run is taken to write the file.
TEST(SinkNames, AFileThatIsMadeAgainAndAgainIsAnotherRuns) {
  const Folder run(sx::Compression::none, sx::Existing::refuse);
  put_bytes(run.file + ".part", "");
  EXPECT_THAT(
      [&] {
        const Faults faults({{Call::name_status, ENOENT}});
        run.run(sx::Start::anew);
      },
      ThrowsMessage<sx::Error>(HasSubstr("a file that another run is writing")));
}

/// The name of a finished file where the file system knows neither renameat2 nor links.
TEST(SinkNames, WithoutRenameat2AndLinksAFileGetsItsNameToo) {
  const Folder run(sx::Compression::none, sx::Existing::refuse);
  const Faults faults({{Call::rename_to_free, EINVAL}, {Call::link, EPERM}});
  run.run(sx::Start::anew);
  EXPECT_EQ(faults.failed(), 2);
  EXPECT_EQ(run.wrong(), "");
}

/// A run that was killed between `link` and `unlink` has left both names of a finished file.
TEST(SinkNames, ResumingAFinishedFileRemovesItsSecondName) {
  const Folder run(sx::Compression::none, sx::Existing::refuse);
  run.run(sx::Start::anew);
  const std::string before = bytes_of(run.file);
  std::filesystem::create_hard_link(run.file, run.file + ".part");
  run.run(sx::Start::resume);
  EXPECT_THAT(run.folder.names(), testing::ElementsAre("out.h5"));
  EXPECT_EQ(bytes_of(run.file), before);
  // What is somebody else's stays, whatever it is.
  put_bytes(run.folder / "other", "precious");
  std::filesystem::create_symlink(run.folder / "other", run.file + ".part");
  run.run(sx::Start::resume);
  EXPECT_THAT(run.folder.names(), testing::UnorderedElementsAre("out.h5", "out.h5.part", "other"));
  EXPECT_EQ(bytes_of(run.folder / "other"), "precious");
}

/// Where a file has the mark of a part.
std::vector<std::size_t> marks_in(const std::string& file) {
  constexpr std::size_t step = 4096;
  const std::string bytes = bytes_of(file);
  std::vector<std::size_t> marks;
  for (std::size_t at = 0; at < bytes.size(); at += step) {
    if (bytes.compare(at, 18, "Synelix unfinished") == 0) marks.push_back(at);
  }
  return marks;
}

/// Runs with the sync of FILE's name failing, which is the last one.
void run_without_name_on_disk(const Folder& run, int error) {
  std::int64_t syncs = 0;
  {
    const Folder same(run.problem.filter.compression, run.existing);
    const Faults counted({});
    same.run(sx::Start::anew);
    syncs = counted.made(Call::sync);
  }
  const Faults faults({{Call::sync, error, syncs}});
  run.run(sx::Start::anew);
  EXPECT_EQ(faults.failed(), 1);
  EXPECT_EQ(run.wrong(), "");
}

/// A power cut may still take such a name back, and then the mark tells whose FILE.part is.
TEST(SinkNames, AFileKeepsItsMarkUntilItsNameIsOnTheDisk) {
  for (const auto existing : {sx::Existing::refuse, sx::Existing::replace}) {
    const Folder failing(sx::Compression::none, existing);
    run_without_name_on_disk(failing, EIO);
    EXPECT_EQ(marks_in(failing.file).size(), 1U);
    for (const int error : {EINVAL, ENOTSUP, EBADF}) {
      const Folder without(sx::Compression::none, existing);
      run_without_name_on_disk(without, error);
      EXPECT_EQ(marks_in(without.file).size(), 0U) << "a file system without this sync";
    }
  }
}

TEST(SinkNames, AFileThatIsAppendedToHandsOnNoMark) {
  for (const bool is_stopped : {false, true}) {
    Folder run(sx::Compression::none, sx::Existing::refuse);
    run_without_name_on_disk(run, EIO);
    ASSERT_EQ(marks_in(run.file).size(), 1U);
    run.existing = sx::Existing::append;
    run.dataset = "/g";
    if (is_stopped) {
      run.run(sx::Start::anew, 2);
      EXPECT_EQ(marks_in(run.file + ".part").size(), 1U);
    }
    run.run(is_stopped ? sx::Start::resume : sx::Start::anew);
    EXPECT_EQ(marks_in(run.file).size(), 0U);
    EXPECT_EQ(made::read<float>(run.file, "/f"), made::read<float>(run.file, "/g"));
  }
}

/// Ends a run whose FILE came into being meanwhile. \returns what it says
std::string said_of_taken_name(const Folder& run, const std::vector<Fault>& faults) {
  sx::Hdf5Sink sink(made::at(run.file, "/f"), run.options(sx::Start::anew));
  sink.begin(described(run.problem, run.block));
  for (const Block& next : blocks_of(left_of(sink, run.problem), run.block)) {
    write(sink, run.problem, next);
  }
  put_bytes(run.file, "another's");
  std::string said;
  try {
    const Faults failing(faults);
    sink.finish();
  } catch (const sx::Error& error) {
    said = error.what();
  }
  sink.abandon();
  return said;
}

TEST(SinkNames, AFileThatCameIntoBeingStaysHoweverNamesAreGiven) {
  const Fault no_rename{Call::rename_to_free, EINVAL};
  const std::vector<std::vector<Fault>> ways = {{}, {no_rename}, {no_rename, {Call::link, EPERM}}};
  for (const auto& faults : ways) {
    const Folder run(sx::Compression::none, sx::Existing::refuse);
    EXPECT_THAT(said_of_taken_name(run, faults),
                testing::AllOf(HasSubstr("a file that came into being while"),
                               HasSubstr("rename " + run.file + ".part"),
                               testing::Not(HasSubstr("resume"))))
        << "the caller knows whether there is something to resume";
    EXPECT_EQ(bytes_of(run.file), "another's");
    EXPECT_EQ(wrong_in(run.file + ".part", run.problem), "") << "the output is lost";
  }
}

TEST(SinkNames, ANameThatCannotBeGivenIsSaid) {
  const Fault no_rename{Call::rename_to_free, EINVAL};
  const std::vector<std::vector<Fault>> ways = {
      {{Call::rename_to_free, EROFS}},
      {no_rename, {Call::link, EROFS}},
      {no_rename, {Call::link, EPERM}, {Call::rename, EROFS}}};
  for (const auto& faults : ways) {
    const Folder run(sx::Compression::none, sx::Existing::refuse);
    EXPECT_THAT(
        [&] {
          const Faults failing(faults);
          run.run(sx::Start::anew);
        },
        ThrowsMessage<sx::Error>(HasSubstr("out.h5.part: cannot be renamed to " + run.file +
                                           ": Read-only file system")));
    EXPECT_FALSE(std::filesystem::exists(run.file));
  }
}

}  // namespace
