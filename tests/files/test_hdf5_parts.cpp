// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Existing files at the places of a sink's output and FILE.part.
#include "files/resumable.hpp"
#include "hdf5/sink/checkpoint.hpp"
#include "part_files/descriptor.hpp"
#include "part_files/part_file.hpp"
#include "streams/fingerprint.hpp"

#include <gmock/gmock.h>
#include <Kokkos_Core.hpp>

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

namespace hdf5_parts_tests {
namespace {

using namespace resumable;
using sx::stream::Checkpoint;
using sx::stream::PartFile;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

Problem small() {
  return {.shape = {.rows = 300, .channels = 6, .bases = 2, .channel_extents = {6}},
          .chunk = {50, 4, 2},
          .filter = {}};
}
constexpr BlockShape block{100, 6, 2};

void run(const std::string& file, const Problem& problem, sx::Start start = sx::Start::anew,
         std::size_t blocks = 0) {
  run_sink(made::at(file, "/f"), problem, options_of(problem, start), described(problem, block),
           blocks);
}

auto says(const std::string& text) { return ThrowsMessage<sx::Error>(HasSubstr(text)); }

// ---- existing files at FILE

TEST(OutputPlaces, WhatIsNoRegularFileIsRefused) {
  const made::Folder folder;
  const auto sink_at = [&](const std::string& name, const std::string& dataset = "/f") {
    return [=, &folder] { const sx::Hdf5Sink sink(made::at(folder / name, dataset)); };
  };
  ASSERT_EQ(mkfifo((folder / "pipe.h5").c_str(), 0600), 0);
  EXPECT_THAT(sink_at("pipe.h5"), says("pipe.h5: this is not a regular file. Give"));
  std::filesystem::create_directory(folder / "inner");
  std::filesystem::create_directory_symlink(folder / "inner", folder / "link.h5");
  EXPECT_THAT(sink_at("link.h5"), says("which is not a regular file. Give the name of a file"));
  std::filesystem::create_symlink(folder / "nothing", folder / "broken.h5");
  EXPECT_THAT(sink_at("broken.h5"), says("a symbolic link that leads to no file"));
  EXPECT_THAT(sink_at("out.h5", "/group/"), says("no dataset is named. Give FILE:/dataset"));
  EXPECT_THAT(sink_at("out.h5", "/"), says("no dataset is named. Give FILE:/dataset"));
}

TEST(OutputPlaces, AnotherProgramsFileIsNotGoneOnWith) {
  const made::Folder folder;
  const std::string file = folder / "out.h5";
  {
    const made::File other(file);
  }
  const Problem problem = small();
  EXPECT_THAT([&] { run(file, problem, sx::Start::resume); },
              says("out.h5: this is an existing file. Give"));
  sx::Hdf5SinkOptions options = options_of(problem, sx::Start::resume);
  options.output.existing = sx::Existing::append;
  run_sink(made::at(file, "/f"), problem, options, described(problem, block));
  EXPECT_EQ(wrong_in(file, problem), "");
}

TEST(OutputPlaces, AnAppendedRunWithoutAFileYetIsGoneOnWith) {
  const made::Folder folder;
  const std::string file = folder / "out.h5";
  const Problem problem = small();
  sx::Hdf5SinkOptions options = options_of(problem, sx::Start::anew);
  options.output.existing = sx::Existing::append;
  run_sink(made::at(file, "/f"), problem, options, described(problem, block), 2);
  options.start = sx::Start::resume;
  options.chunk.reset();  // that of the run before
  run_sink(made::at(file, "/f"), problem, options, described(problem, block));
  EXPECT_EQ(wrong_in(file, problem), "");
}

TEST(OutputPlaces, AFileThatGoesWhileARunAppendsToItIsSaid) {
  const made::Folder folder;
  const std::string file = folder / "out.h5";
  {
    const made::File other(file);
  }
  const Problem problem = small();
  sx::Hdf5SinkOptions options = options_of(problem, sx::Start::anew);
  options.output.existing = sx::Existing::append;
  sx::Hdf5Sink sink(made::at(file, "/f"), options);
  sink.begin(described(problem, block));
  write(sink, problem, {{0, 100}, {0, 6}, {0, 2}});
  std::filesystem::remove(file);
  EXPECT_THAT([&] { sink.finish(); }, says("the file has changed since this run copied it"));
  sink.abandon();
  EXPECT_THAT(folder.names(), ElementsAre("out.h5.part")) << "what is written is lost";
}

/// HDF5's addresses are not those of the file then, so nothing is set aside for a checkpoint.
TEST(OutputPlaces, AFileWithAUserBlockIsAppendedToWithoutACheckpoint) {
  const made::Folder folder;
  const std::string file = folder / "out.h5";
  const hid_t list = H5Pcreate(H5P_FILE_CREATE);
  H5Pset_userblock(list, 512);
  H5Fclose(H5Fcreate(file.c_str(), H5F_ACC_TRUNC, list, H5P_DEFAULT));
  H5Pclose(list);
  std::string content = bytes_of(file);
  content.replace(0, 9, "precious.");
  put_bytes(file, content);
  const Problem problem = small();
  sx::Hdf5SinkOptions options = options_of(problem, sx::Start::anew);
  options.output.existing = sx::Existing::append;
  run_sink(made::at(file, "/f"), problem, options, described(problem, block), 2);
  EXPECT_THAT(folder.names(), ElementsAre("out.h5")) << "a part that nobody can go on with";
  run_sink(made::at(file, "/f"), problem, options, described(problem, block));
  EXPECT_EQ(wrong_in(file, problem), "");
  EXPECT_EQ(bytes_of(file).substr(0, 9), "precious.");
}

// ---- existing files at FILE.part

TEST(Parts, ASocketIsRefused) {
  const made::Folder folder;
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  const std::string name = folder / "out.h5.part";
  ASSERT_LT(name.size(), sizeof(address.sun_path));
  name.copy(address.sun_path, name.size());
  const int made = socket(AF_UNIX, SOCK_STREAM, 0);
  ASSERT_EQ(bind(made, reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
  EXPECT_THAT([&] { run(folder / "out.h5", small()); }, says("out.h5.part: this is a socket"));
  close(made);
  EXPECT_THAT(folder.names(), ElementsAre("out.h5.part"));
}

TEST(Parts, AnotherUsersFileIsRefusedWhereUsersDiffer) {
  if (geteuid() != 0) GTEST_SKIP() << "only the super user gives files away";
  const made::Folder folder;
  const std::string part = folder / "out.h5.part";
  put_bytes(part, "");
  ASSERT_EQ(chown(part.c_str(), 12345, static_cast<gid_t>(-1)), 0);
  EXPECT_THAT([&] { run(folder / "out.h5", small()); }, says("a file of another user (id 12345)"));
  // A server may show all files as those of one user.
  ASSERT_EQ(chown((folder / "").c_str(), 12345, static_cast<gid_t>(-1)), 0);
  run(folder / "out.h5", small());
  EXPECT_EQ(wrong_in(folder / "out.h5", small()), "");
}

/// A run that was killed between the two calls that give a file its name has left both names.
TEST(Parts, AnotherNameOfTheFinishedFileGoes) {
  const made::Folder folder;
  const std::string file = folder / "out.h5";
  run(file, small());
  std::filesystem::create_hard_link(file, file + ".part");
  PartFile part(file + ".part", file);
  EXPECT_FALSE(part.take());
  EXPECT_THAT(folder.names(), ElementsAre("out.h5"));
  EXPECT_EQ(wrong_in(file, small()), "");
  // A name of another file is no such thing.
  put_bytes(folder / "other", "precious");
  std::filesystem::create_hard_link(folder / "other", file + ".part");
  EXPECT_THAT([&] { part.take(); }, says("a file with 2 names (hard links)"));
  std::filesystem::remove(file);
  EXPECT_THAT([&] { part.take(); }, says("a file with 2 names (hard links)"));
  EXPECT_EQ(bytes_of(folder / "other"), "precious");
}

TEST(Parts, WhatAFilteredResumeHadBegunIsRemoved) {
  const made::Folder folder;
  const std::string file = folder / "out.h5";
  run(file, small(), sx::Start::anew, 2);
  std::filesystem::rename(file + ".part", file + ".part.new");
  run(file, small());
  EXPECT_THAT(folder.names(), ElementsAre("out.h5"));
}

TEST(Parts, NoMarkIsLookedForWithoutEnd) {
  const made::Folder folder;
  const std::string file = folder / "out.h5";
  put_bytes(file + ".part", "x");
  std::filesystem::resize_file(file + ".part", 5 << 20);
  EXPECT_THAT([&] { run(file, small()); }, says("a file that no interrupted run has left"));
  const int descriptor = open((file + ".part").c_str(), O_RDONLY | O_CLOEXEC);
  EXPECT_FALSE(Checkpoint::find(descriptor, 0, "part"));
  close(descriptor);
}

/// The part of a run that holds as long as its sink lives, as one that is killed leaves it.
std::string part_of_killed(const std::string& file, const Problem& problem) {
  sx::Hdf5Sink sink(made::at(file, "/f"), options_of(problem, sx::Start::anew));
  sink.begin(described(problem, block));
  write(sink, problem, {{0, 100}, {0, 6}, {0, 2}});
  return bytes_of(file + ".part");
}

TEST(Parts, WhatNeverReachedTheDiskOfAMachineThatStoppedIsSaid) {
  const made::Folder folder;
  const std::string file = folder / "out.h5";
  const Problem problem = small();
  put_bytes(file + ".part", part_of_killed(file, problem));
  const int descriptor = open((file + ".part").c_str(), O_RDWR | O_CLOEXEC);
  const auto found = Checkpoint::find(descriptor, 0, "part");
  ASSERT_TRUE(found);
  const auto pages = (16 + 3 * 8 + found->text().size() + 4095) / 4096 + 1;  // head and frame
  for (const std::size_t slot : {0, 1}) {  // as another run of the kernel would have left them
    std::vector<std::uint64_t> words(485);
    const auto place = found->range().begin + static_cast<off_t>((pages + slot) * 4096);
    ASSERT_EQ(pread(descriptor, words.data(), words.size() * 8, place), 485 * 8);
    words[2] = 12345;
    words[0] = sx::stream::Checksum().add(words.data() + 1, (words.size() - 1) * 8).value();
    ASSERT_EQ(pwrite(descriptor, words.data(), words.size() * 8, place), 485 * 8);
  }
  close(descriptor);
  std::vector<std::string> warnings;
  const auto handler =
      sx::set_warning_handler([&](std::string_view text) { warnings.emplace_back(text); });
  EXPECT_EQ(finish(file, problem, block), values_in(problem.everything()));
  sx::set_warning_handler(handler);
  EXPECT_THAT(warnings, ElementsAre(HasSubstr("nothing of it had reached the disk")));
  EXPECT_EQ(wrong_in(file, problem), "");
}

TEST(Parts, AChunkThatNobodyCanHaveChosenIsNotTaken) {
  for (const char* const chunk : {"words", "0x4x2", "50x4x2"}) {
    const made::Folder folder;
    const std::string part = folder / "out.h5.part";
    const int descriptor = open(part.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    Checkpoint::make(descriptor, 4096, part, "chunk: " + std::string(chunk), 0, {});
    close(descriptor);
    sx::Hdf5SinkOptions options;
    options.start = sx::Start::resume;
    const sx::Hdf5Sink sink(made::at(folder / "out.h5", "/f"), options);
    const BlockShape all{300, 6, 2};
    const BlockShape wanted = chunk[1] == '0' ? BlockShape{50, 4, 2} : all;
    EXPECT_EQ(sink.chunk(small().shape, 1 << 20), wanted) << chunk;
  }
}

// ---- descriptors 0 to 2

TEST(Streams, WhatTheProgramPutsInThePlaceOfOursStaysOpen) {
  const made::Folder folder;
  put_bytes(folder / "mine", "precious");
  const int before = dup(STDIN_FILENO);
  const int mine = open((folder / "mine").c_str(), O_RDONLY | O_CLOEXEC);
  ASSERT_GT(mine, STDERR_FILENO);
  for (const bool is_replaced : {false, true}) {
    close(STDIN_FILENO);
    {
      const sx::stream::OccupiedStreams occupied;
      EXPECT_NE(fcntl(STDIN_FILENO, F_GETFD), -1) << "free for the next file that is opened";
      if (is_replaced) dup2(mine, STDIN_FILENO);
    }
    EXPECT_EQ(fcntl(STDIN_FILENO, F_GETFD) != -1, is_replaced);
  }
  char first = 0;
  EXPECT_EQ(pread(STDIN_FILENO, &first, 1, 0), 1);
  EXPECT_EQ(first, 'p');
  close(mine);
  close(STDIN_FILENO);
  if (before >= 0) {
    dup2(before, STDIN_FILENO);
    close(before);
  }
}

}  // namespace
}  // namespace hdf5_parts_tests
