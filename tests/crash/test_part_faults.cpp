// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// An output that several sinks write, where calls of the C library fail.
#include "failing_calls.hpp"
#include "sink_folder.hpp"

#include <gmock/gmock.h>
#include <Kokkos_Core.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>

namespace part_faults_tests {
namespace {

using namespace resumable;
using failing::Call;
using failing::Fault;
using failing::Faults;
using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

struct PartFolder : Folder {
  PartFolder() : Folder(sx::Compression::none, sx::Existing::refuse) {}

  /// Writes and finishes the rest of a part. \throws sx::Error
  void run_part(std::int64_t number, std::int64_t of) const {
    sx::Hdf5SinkOptions options;
    options.part = sx::OutputPart{.number = number, .of = of};
    sx::Hdf5Sink sink(made::at(file, dataset), options);
    try {
      sink.begin(described(problem, block));
      for (const Block& next : blocks_of(left_of(sink, problem), block)) {
        write(sink, problem, next);
      }
      sink.finish();
    } catch (...) {
      sink.abandon();
      throw;
    }
  }
};

/// Warnings while it lives.
struct Warnings {
  Warnings() {
    sx::set_warning_handler([this](std::string_view text) { texts.emplace_back(text); });
  }
  Warnings(const Warnings&) = delete;
  Warnings& operator=(const Warnings&) = delete;
  ~Warnings() { sx::set_warning_handler({}); }
  std::vector<std::string> texts;
};

TEST(PartFaults, AFullDiskIsMetBeforeTheFirstBlock) {
  for (const int error : {ENOSPC, EDQUOT}) {
    const PartFolder run;
    EXPECT_THAT(
        [&] {
          const Faults faults({{Call::reserve, error}});
          run.run_part(0, 2);
        },
        ThrowsMessage<sx::Error>(
            AllOf(HasSubstr("its disk has no space for "), HasSubstr(std::strerror(error)))));
    EXPECT_TRUE(run.folder.names().empty());
    for (const int number : {0, 1}) run.run_part(number, 2);
    EXPECT_EQ(run.wrong(), "");
  }
}

TEST(PartFaults, AFileSystemThatCannotSetSpaceAsideIsNamed) {
  for (const int error : {EOPNOTSUPP, ENOSYS, EINTR}) {
    const PartFolder run;
    const Warnings warned;
    const Faults faults({{Call::reserve, error, 1, error == EINTR ? 1 : 2}});
    for (const int number : {0, 1}) run.run_part(number, 2);
    EXPECT_EQ(run.wrong(), "");
    if (error == EINTR) {
      EXPECT_TRUE(warned.texts.empty());
      continue;
    }
    ASSERT_EQ(warned.texts.size(), 1U);
    EXPECT_THAT(warned.texts[0], HasSubstr("cannot set disk space aside"));
  }
}

/// That damaged rows are to be written again is on the disk before they are.
TEST(PartFaults, DamagedRowsAreNotWrittenAgainBeforeTheDiskKnows) {
  const PartFolder run;
  run.run_part(0, 2);
  const float first = Problem::value(0);
  std::string bytes = bytes_of(run.file + ".part");
  const auto at = bytes.find(std::string(reinterpret_cast<const char*>(&first), sizeof(first)));
  ASSERT_NE(at, std::string::npos);
  bytes[at] ^= 1;
  put_bytes(run.file + ".part", bytes);
  const Warnings warned;
  EXPECT_THAT(
      [&] {
        const Faults faults({{Call::sync, EIO}});
        run.run_part(0, 2);
      },
      ThrowsMessage<sx::Error>(HasSubstr("cannot be brought to the disk")));
  const std::string behind = bytes_of(run.file + ".part");
  EXPECT_EQ(behind[at], bytes[at]) << "a row was written";
  for (const int number : {0, 1}) run.run_part(number, 2);
  EXPECT_EQ(run.wrong(), "");
  EXPECT_FALSE(warned.texts.empty());
}

/// Each call of a part fails in turn: either the part does all of its work, or the next run does.
TEST(PartFaults, EachCallThatFailsCostsNothingButTheRun) {
  for (const auto& [call, error] : {std::pair{Call::write, EIO},
                                    {Call::sync, EIO},
                                    {Call::read, EIO},
                                    {Call::rename_to_free, EIO},
                                    {Call::open_file, EMFILE},
                                    {Call::status, EIO},
                                    {Call::lock_range, EAGAIN}}) {
    for (const int part : {0, 1}) {
      std::int64_t number = 0;
      {
        const PartFolder run;
        if (part == 1) run.run_part(0, 2);
        const Faults counted({});
        run.run_part(part, 2);
        number = counted.made(call);
      }
      const std::int64_t step = std::max<std::int64_t>(number / 12, 1);
      for (std::int64_t at = 1; at <= number; at += step) {
        const PartFolder run;
        if (part == 1) run.run_part(0, 2);
        std::string said;
        try {
          const Faults faults({{call, error, at, 1}});
          run.run_part(part, 2);
        } catch (const sx::Error& failed) {
          said = failed.what();
        }
        const Warnings warned;
        try {
          for (const int next : {2, 1, 0}) run.run_part(next, 3);
        } catch (const sx::Error& failed) {
          said += std::string(", and then ") + failed.what();
        }
        EXPECT_EQ(run.wrong(), "") << "call " << at << " of " << number << " of kind "
                                   << static_cast<int>(call) << ": " << said;
      }
    }
  }
}

}  // namespace
}  // namespace part_faults_tests
