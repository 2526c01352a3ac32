// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How a sink with failing calls gives its file the name, and the mark of a part in such cases.
#include "failing_calls.hpp"
#include "sink_folder.hpp"

#include <gmock/gmock.h>
#include <Kokkos_Core.hpp>

#include <cerrno>

namespace sink_names_tests {
namespace {

using namespace resumable;
using failing::Call;
using failing::Fault;
using failing::Faults;
using testing::HasSubstr;
using testing::ThrowsMessage;

/// If a name exists, but its file is never found, another run is assumed to write the file.
TEST(SinkNames, AFileThatIsMadeAgainAndAgainIsAnotherRuns) {
  const Folder run(sx::Compression::none, sx::Existing::refuse);
  put_bytes(run.file + ".part", "");
  EXPECT_THAT(
      [&] {
        const Faults faults({{Call::name_status, ENOENT}});
        run.run(sx::Start::anew);
      },
      ThrowsMessage<sx::Error>(HasSubstr("another run is writing this file")));
}

/// The name of a finished file if the file system supports neither renameat2 nor links.
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
  // Files of other programs stay, whatever they are.
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

/// Ends a run whose FILE was created meanwhile. \returns its message
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
                testing::AllOf(HasSubstr("something else made this file while"),
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
}  // namespace sink_names_tests
