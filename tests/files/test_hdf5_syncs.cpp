// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The order of syncs: a file has its bytes on the disk before it has its name, and a checkpoint's
// record for the disk comes after everything that it counts. This program defines the relevant
// calls of the C library itself, and records their use.
#include "files/resumable.hpp"

#include <gmock/gmock.h>
#include <Kokkos_Core.hpp>

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdarg>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace {

enum class Called : std::uint8_t { write, disk_record, sync, sync_folder, name };

struct Event {
  Called called;
  std::uint64_t file = 0;  ///< its inode
};

std::vector<Event> events;
std::atomic<bool> is_noting{false};
std::optional<std::uint64_t> free_bytes;
std::atomic<int> locks{0};  ///< that were requested

void note(Called called, int descriptor) {
  if (!is_noting) return;
  struct stat state = {};
  if (fstat(descriptor, &state) != 0) return;
  if (S_ISDIR(state.st_mode) && called == Called::sync) called = Called::sync_folder;
  events.push_back({called, state.st_ino});
}

void note_name(const char* from) {
  if (!is_noting) return;
  struct stat state = {};
  events.push_back({Called::name, stat(from, &state) == 0 ? state.st_ino : 0});
}

/// A slot of a checkpoint that is valid even after a failure of the machine: all bits of its third
/// number are 1.
bool is_disk_record(const void* from, std::size_t bytes) {
  constexpr std::size_t slot_bytes = 485 * 8;
  return bytes == slot_bytes && static_cast<const std::uint64_t*>(from)[2] == ~std::uint64_t{0};
}

template <class Function>
Function next(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

}  // namespace

extern "C" {

ssize_t pwrite(int descriptor, const void* from, std::size_t bytes, off_t offset) {
  note(is_disk_record(from, bytes) ? Called::disk_record : Called::write, descriptor);
  return syscall(SYS_pwrite64, descriptor, from, bytes, offset);
}
#ifndef __USE_FILE_OFFSET64  // there, pwrite is this function
ssize_t pwrite64(int descriptor, const void* from, std::size_t bytes, off64_t offset) {
  return pwrite(descriptor, from, bytes, offset);
}
#endif
int fsync(int descriptor) {
  note(Called::sync, descriptor);
  return static_cast<int>(syscall(SYS_fsync, descriptor));
}
int fdatasync(int descriptor) {
  note(Called::sync, descriptor);
  return static_cast<int>(syscall(SYS_fdatasync, descriptor));
}
int rename(const char* from, const char* to) noexcept {
  note_name(from);
  return next<int (*)(const char*, const char*)>("rename")(from, to);
}
int renameat2(int at, const char* from, int to_at, const char* to, unsigned flags) noexcept {
  note_name(from);
  return next<int (*)(int, const char*, int, const char*, unsigned)>("renameat2")(at, from, to_at,
                                                                                  to, flags);
}
int flock(int descriptor, int operation) noexcept {
  ++locks;
  return static_cast<int>(syscall(SYS_flock, descriptor, operation));
}
int fcntl(int descriptor, int command, ...) {
  va_list rest;
  va_start(rest, command);
  void* const argument = va_arg(rest, void*);
  va_end(rest);
  if (command == F_SETLK || command == F_OFD_SETLK) ++locks;
  return static_cast<int>(syscall(SYS_fcntl, descriptor, command, argument));
}
int statvfs(const char* path, struct statvfs* found) noexcept {
  const int status = next<int (*)(const char*, struct statvfs*)>("statvfs")(path, found);
  if (free_bytes) found->f_bavail = *free_bytes / found->f_frsize;
  return status;
}

}  // extern "C"

namespace {

using namespace resumable;
using testing::AllOf;
using testing::HasSubstr;

/// Notes the calls while it lives.
struct Noting {
  Noting() {
    events.clear();
    is_noting = true;
  }
  ~Noting() { is_noting = false; }
};

Problem problem_with(sx::Compression compression) {
  return {.shape = {.rows = 3000, .channels = 6, .bases = 2, .channel_extents = {6}},
          .chunk = {250, 6, 2},
          .filter = {compression, 1}};
}
constexpr BlockShape block{500, 6, 2};

/// Writes some blocks into a sink that has begun.
void write_some(sx::Sink& sink, const Problem& problem, std::size_t blocks) {
  const auto all = blocks_of(left_of(sink, problem), block);
  for (std::size_t i = 0; i < blocks; ++i) write(sink, problem, all[i]);
}

/// Leaves FILE.part with three of six blocks.
void leave_three(const std::string& file, const Problem& problem) {
  sx::Hdf5Sink sink(made::at(file, "/f"), options_of(problem, sx::Start::anew));
  sink.begin(described(problem, block));
  write_some(sink, problem, 3);
  sink.abandon();
}

/// At every record of the state of the disk, all earlier writes are synced, and the record is
/// synced before anything else happens to the file.
void expect_records_on_disk(std::size_t at_least) {
  std::size_t records = 0;
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (events[i].called != Called::disk_record) continue;
    ++records;
    const auto is_of_file = [&](const Event& event) { return event.file == events[i].file; };
    std::optional<Called> before;
    for (std::size_t k = 0; k < i; ++k) {
      if (is_of_file(events[k])) before = events[k].called;
    }
    std::optional<Called> behind;
    for (std::size_t k = events.size(); k-- > i + 1;) {
      if (is_of_file(events[k])) behind = events[k].called;
    }
    EXPECT_EQ(before, Called::sync) << "a record counts what is not on the disk";
    EXPECT_EQ(behind, Called::sync) << "a record is not on the disk itself";
  }
  EXPECT_GE(records, at_least);
}

/// Every file that gets a name has all that was written to it on the disk, and then the name.
void expect_names_on_disk(std::size_t names) {
  std::size_t found = 0;
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (events[i].called != Called::name) continue;
    ++found;
    std::optional<Called> before;
    for (std::size_t k = 0; k < i; ++k) {
      if (events[k].file == events[i].file) before = events[k].called;
    }
    EXPECT_EQ(before, Called::sync) << "a file gets its name before its bytes are on the disk";
    const bool has_folder =
        std::any_of(events.begin() + static_cast<std::ptrdiff_t>(i), events.end(),
                    [](const Event& event) { return event.called == Called::sync_folder; });
    EXPECT_TRUE(has_folder) << "the name itself is not brought to the disk";
    bool is_name_there = false;
    for (std::size_t k = i + 1; k < events.size(); ++k) {
      is_name_there = is_name_there || events[k].called == Called::sync_folder;
      EXPECT_TRUE(is_name_there || events[k].file != events[i].file)
          << "the mark is cleared while a power cut may still take the name back";
    }
  }
  EXPECT_EQ(found, names);
}

class Syncs : public testing::TestWithParam<sx::Compression> {};

TEST_P(Syncs, AFinishedFileIsOnTheDiskBeforeItHasItsName) {
  const made::Folder folder;
  const Problem problem = problem_with(GetParam());
  const Noting noting;
  sx::Hdf5Sink sink(made::at(folder / "out.h5", "/f"), options_of(problem, sx::Start::anew));
  sink.begin(described(problem, block));
  write_some(sink, problem, 6);
  sink.finish();
  expect_names_on_disk(1);
  expect_records_on_disk(1);  // nothing is left to compute if the name is lost
}

/// Without a fingerprint there is no checkpoint, whose records would bring the file to the disk.
TEST_P(Syncs, AFileWithoutACheckpointIsOnTheDiskBeforeItHasItsName) {
  const made::Folder folder;
  const Problem problem = problem_with(GetParam());
  sx::FeaturesDescription description = described(problem, block);
  description.fingerprint = {};
  const Noting noting;
  sx::Hdf5Sink sink(made::at(folder / "out.h5", "/f"), options_of(problem, sx::Start::anew));
  sink.begin(description);
  write_some(sink, problem, 6);
  sink.finish();
  expect_names_on_disk(1);
  expect_records_on_disk(0);
}

TEST_P(Syncs, WhatIsLeftIsOnTheDiskBeforeItsCheckpoint) {
  const made::Folder folder;
  const Problem problem = problem_with(GetParam());
  const Noting noting;
  sx::Hdf5Sink sink(made::at(folder / "out.h5", "/f"), options_of(problem, sx::Start::anew));
  sink.begin(described(problem, block));
  write_some(sink, problem, 3);
  sink.abandon();
  expect_records_on_disk(1);
  EXPECT_TRUE(std::any_of(events.begin(), events.end(), [](const Event& event) {
    return event.called == Called::sync_folder;
  })) << "the name of FILE.part is not brought to the disk";
}

TEST_P(Syncs, WhatIsTakenOverIsOnTheDiskBeforeItReplacesAnything) {
  const made::Folder folder;
  const Problem problem = problem_with(GetParam());
  const std::string file = folder / "out.h5";
  leave_three(file, problem);
  const Noting noting;
  sx::Hdf5Sink sink(made::at(file, "/f"), options_of(problem, sx::Start::resume));
  sink.begin(described(problem, block));
  const bool is_copied = GetParam() != sx::Compression::none;
  expect_names_on_disk(is_copied ? 1 : 0);
  if (is_copied) expect_records_on_disk(1);
  write_some(sink, problem, 3);
  sink.finish();
  EXPECT_EQ(wrong_in(file, problem), "");
}

INSTANTIATE_TEST_SUITE_P(, Syncs, testing::Values(sx::Compression::none, sx::Compression::deflate));

/// A lock that is held for a moment would refuse a run that begins in that moment.
TEST(UnfinishedOutput, IsLookedAtWithoutALock) {
  const made::Folder folder;
  const Problem problem = problem_with(sx::Compression::none);
  const std::string file = folder / "out.h5";
  sx::Hdf5Sink sink(made::at(file, "/f"), options_of(problem, sx::Start::anew));
  sink.begin(described(problem, block));
  write_some(sink, problem, 3);
  EXPECT_GT(locks, 0);
  EXPECT_FALSE(sx::unfinished_output(file)) << "a run is writing it";
  sink.abandon();
  locks = 0;
  EXPECT_EQ(sx::unfinished_output(file), file + ".part");
  EXPECT_EQ(locks, 0);
}

/// A message of the program would be written over the file.
TEST(Descriptors, AnOutputHasNoneOfTheStandardStreams) {
  for (const bool is_resumed : {false, true}) {
    const made::Folder folder;
    const Problem problem = problem_with(sx::Compression::none);
    const std::string file = folder / "out.h5";
    if (is_resumed) leave_three(file, problem);
    const int kept = ::fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 10);
    const int input = ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 10);
    close(STDERR_FILENO);
    close(STDIN_FILENO);
    sx::Hdf5Sink sink(made::at(file, "/f"), options_of(problem, sx::Start::resume));
    sink.begin(described(problem, block));
    struct stat state = {};
    const bool has_input = fstat(STDIN_FILENO, &state) == 0;
    const bool has_error = fstat(STDERR_FILENO, &state) == 0;
    write_some(sink, problem, is_resumed ? 3 : 6);
    sink.finish();
    dup2(kept, STDERR_FILENO);
    dup2(input, STDIN_FILENO);
    close(kept);
    close(input);
    EXPECT_FALSE(has_input);
    EXPECT_FALSE(has_error);
    EXPECT_EQ(wrong_in(file, problem), "");
  }
}

TEST(Room, WhatAFilteredResumeTakesIsAskedForFirst) {
  const made::Folder folder;
  const Problem problem = problem_with(sx::Compression::deflate);
  const std::string file = folder / "out.h5";
  leave_three(file, problem);
  const std::string part = bytes_of(file + ".part");
  free_bytes = 8192;
  sx::Hdf5Sink sink(made::at(file, "/f"), options_of(problem, sx::Start::resume));
  EXPECT_THAT([&] { sink.begin(described(problem, block)); },
              testing::ThrowsMessage<sx::Error>(AllOf(
                  HasSubstr("out.h5.part: its disk has 8192 bytes free"),
                  HasSubstr("Free disk space, at least "), HasSubstr("copied to a new file"))));
  sink.abandon();
  free_bytes.reset();
  EXPECT_THAT(folder.names(), testing::ElementsAre("out.h5.part"));
  EXPECT_EQ(bytes_of(file + ".part"), part);
  finish(file, problem, block);
  EXPECT_EQ(wrong_in(file, problem), "");
}

}  // namespace
