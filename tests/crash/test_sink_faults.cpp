// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A sink with each of its calls of the C library failing, from the first to the last. Either it
// does all of its work, or it reports the failure, FILE is unchanged, and the next run makes the
// file of an undisturbed run.
#include "failing_calls.hpp"
#include "sink_folder.hpp"

#include <gmock/gmock.h>
#include <Kokkos_Core.hpp>

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <map>
#include <memory>
#include <utility>

namespace sink_faults_tests {
namespace {

using namespace resumable;
using failing::Call;
using failing::Fault;
using failing::Faults;
using testing::HasSubstr;
using testing::ThrowsMessage;

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
  /// Runs with faults, and checks the files afterwards. \returns the fault
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
  /// Fails each call of a kind in turn, alone or with all later ones.
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
  expect_each(Call::open_file, ENOENT, false);  // as if another process removes the file
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

/// HDF5 also locks files, regardless of the program, as if the variable is set.
const int locks_in_hdf5 = setenv("HDF5_USE_FILE_LOCKING", "TRUE", 1);

/// On NFS both kinds of lock are the same, so HDF5's lock conflicts with ours.
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

/// A checkpoint is on the disk, with its file's name, after at most ten seconds.
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

/// A file keeps its group, or the group gets only the permissions of all others.
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

/// FILE may be read-only; its FILE.part is written again by the next run.
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

}  // namespace
}  // namespace sink_faults_tests
