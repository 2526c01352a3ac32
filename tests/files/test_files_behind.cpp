// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Other files that a dataset is read from: they exist, are large enough, are near by, form no
// cycle, and are unchanged at the end of a run.
#include "files/made_file.hpp"
#include "files/made_values.hpp"
#include "hdf5/source/source_file.hpp"
#include "streams/input_files.hpp"

#include <synelix/hdf5.hpp>
#include <synelix/nwb.hpp>

#include <gmock/gmock.h>
#include <Kokkos_Core.hpp>

#include <array>
#include <atomic>
#include <cstdlib>
#include <fstream>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace files_behind_tests {
namespace {

namespace sx = synelix;
using made::all_of;
using made::at;
using made::numbers;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::ThrowsMessage;
using Space = Kokkos::DefaultHostExecutionSpace;

/// Collects warnings while it lives.
class Warnings {
 public:
  Warnings()
      : m_before(sx::set_warning_handler([this](auto text) { m_texts.emplace_back(text); })) {}
  Warnings(const Warnings&) = delete;
  Warnings& operator=(const Warnings&) = delete;
  ~Warnings() { sx::set_warning_handler(m_before); }
  [[nodiscard]] const std::vector<std::string>& texts() const { return m_texts; }

 private:
  std::vector<std::string> m_texts;
  sx::WarningHandler m_before;
};

void link_externally(const std::string& name, const std::string& path, const std::string& file,
                     const std::string& object) {
  const made::File made(name);
  H5Lcreate_external(file.c_str(), object.c_str(), made.id(), path.c_str(), H5P_DEFAULT,
                     H5P_DEFAULT);
}

/// A mapping of a virtual dataset of rows.
struct Rows {
  std::string file;
  hsize_t begin;
  hsize_t count;
};

/// A dataset /x of rows x 4 bytes whose rows come from /x of other files.
void make_virtual(const std::string& name, hsize_t rows, const std::vector<Rows>& sources,
                  const std::uint8_t* fill = nullptr) {
  const std::array<hsize_t, 2> extents = {rows, 4};
  const hid_t space = H5Screate_simple(2, extents.data(), nullptr);
  const hid_t list = H5Pcreate(H5P_DATASET_CREATE);
  for (const Rows& source : sources) {
    const std::array<hsize_t, 2> start = {source.begin, 0};
    const std::array<hsize_t, 2> count = {source.count, 4};
    const hid_t from = H5Screate_simple(2, count.data(), nullptr);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr);
    H5Pset_virtual(list, space, source.file.c_str(), "/x", from);
    H5Sclose(from);
  }
  if (fill != nullptr) H5Pset_fill_value(list, H5T_NATIVE_UINT8, fill);
  made::File(name).raw("/x", {rows, 4}, nullptr, H5T_NATIVE_UINT8, H5T_NATIVE_UINT8, list);
  H5Pclose(list);
  H5Sclose(space);
}

void make_rows(const std::string& name, hsize_t rows) {
  made::File(name).dataset("/x", {rows, 4},
                           std::vector<std::uint8_t>(static_cast<std::size_t>(4 * rows), 1));
}

void expect_refused(const std::string& file, const testing::Matcher<std::string>& message) {
  EXPECT_THAT([&] { const sx::Hdf5Source source(at(file, "/x")); },
              ThrowsMessage<sx::Error>(message));
  EXPECT_THAT([&] { sx::read_matrix(at(file, "/x")); }, ThrowsMessage<sx::Error>(message));
}

std::vector<std::string> names_of(const std::vector<sx::InputFile>& files) {
  std::vector<std::string> names;
  for (const sx::InputFile& file : files) {
    names.push_back(std::filesystem::path(file.path).filename().string());
  }
  return names;
}

TEST(FilesBehind, ExternalLinksAreFollowedAndListedOnTheWayToo) {
  const made::Folder folder;
  make_rows(folder / "raw.h5", 40);
  link_externally(folder / "middle.h5", "/inner", "raw.h5", "/");
  link_externally(folder / "in.h5", "/group", "middle.h5", "/inner");
  sx::Hdf5Source source(at(folder / "in.h5", "/group/x"));
  EXPECT_EQ(all_of<std::uint8_t>(source), std::vector<std::uint8_t>(160, 1));
  EXPECT_THAT(names_of(source.description().files), ElementsAre("in.h5", "middle.h5", "raw.h5"));
  const sx::Fingerprint fingerprint = source.description().fingerprint;
  std::string words;
  for (const auto& [name, value] : fingerprint) words += name + "; ";
  EXPECT_THAT(words, AllOf(HasSubstr("input changed; "), HasSubstr("change of raw.h5; ")));
  EXPECT_EQ(names_of(sx::files_behind(at(folder / "in.h5", "/group"))).size(), 3U);
}

TEST(FilesBehind, WhatIsBehindALinkMissesIsNamed) {
  const made::Folder folder;
  link_externally(folder / "in.h5", "/x", "gone.h5", "/x");
  expect_refused(folder / "in.h5",
                 AllOf(HasSubstr("external link "), HasSubstr("in.h5:/x: there is no file gone.h5"),
                       HasSubstr("HDF5_EXT_PREFIX")));
  make_rows(folder / "gone.h5", 4);
  EXPECT_EQ(sx::read_matrix(at(folder / "in.h5", "/x")).rows, 4);
}

TEST(FilesBehind, WhatLeavesTheFolderNeedsToBeAskedFor) {
  const made::Folder elsewhere;
  const made::Folder folder;
  make_rows(elsewhere / "raw.h5", 40);
  std::ofstream(elsewhere / "raw.bin") << std::string(160, '\1');
  link_externally(folder / "link.h5", "/x", elsewhere / "raw.h5", "/x");
  make_virtual(folder / "virtual.h5", 40, {{elsewhere / "raw.h5", 0, 40}});
  const hid_t list = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_external(list, (elsewhere / "raw.bin").c_str(), 0, 160);
  made::File(folder / "external.h5")
      .raw("/x", {40, 4}, nullptr, H5T_NATIVE_UINT8, H5T_NATIVE_UINT8, list);
  H5Pclose(list);
  std::filesystem::create_symlink(elsewhere / "raw.h5", folder / "near.h5");
  link_externally(folder / "symlink.h5", "/x", "near.h5", "/x");
  for (const char* const name : {"link.h5", "virtual.h5", "external.h5", "symlink.h5"}) {
    SCOPED_TRACE(name);
    expect_refused(folder / name, AllOf(HasSubstr(elsewhere / "raw"), HasSubstr("lies outside of "),
                                        HasSubstr("--follow-links")));
    sx::FilePath path = at(folder / name, "/x");
    path.links = sx::Links::anywhere;
    sx::Hdf5Source source(path);
    EXPECT_EQ(all_of<std::uint8_t>(source), std::vector<std::uint8_t>(160, 1));
    EXPECT_EQ(source.description().files.size(), 2U);
    const sx::FileDescription description = sx::describe_file({folder / name, {}});
    std::string refusal;
    for (const auto& dataset : description.datasets) refusal += dataset.refusal;
    for (const auto& link : description.links) refusal += link.refusal;
    EXPECT_THAT(refusal, HasSubstr("lies outside of"));
  }
  // a symbolic link that the user names leads to the folder of its target
  std::filesystem::create_directories(elsewhere / "deep");
  link_externally(elsewhere / "deep/in.h5", "/x", "more.h5", "/x");
  make_rows(elsewhere / "deep/more.h5", 40);
  std::filesystem::create_symlink(elsewhere / "deep/in.h5", folder / "named.h5");
  EXPECT_EQ(sx::read_matrix(at(folder / "named.h5", "/x")).rows, 40);
}

TEST(FilesBehind, APipeIsNoFile) {
  const made::Folder folder;
  mkfifo((folder / "pipe").c_str(), 0600);
  link_externally(folder / "in.h5", "/x", "pipe", "/x");
  expect_refused(folder / "in.h5", HasSubstr("not a regular file"));
  expect_refused(folder / "pipe", HasSubstr("not a regular file"));
}

TEST(FilesBehind, PrefixesOfTheEnvironmentCount) {
  const made::Folder elsewhere;
  const made::Folder folder;
  make_rows(elsewhere / "raw.h5", 40);
  link_externally(folder / "link.h5", "/x", "raw.h5", "/x");
  make_virtual(folder / "virtual.h5", 40, {{"raw.h5", 0, 40}});
  setenv("HDF5_EXT_PREFIX", ("/nowhere:" + (elsewhere / "")).c_str(), 1);
  expect_refused(folder / "link.h5", HasSubstr("lies outside of"));
  sx::FilePath path = at(folder / "link.h5", "/x");
  path.links = sx::Links::anywhere;
  EXPECT_EQ(sx::read_matrix(path).rows, 40);
  unsetenv("HDF5_EXT_PREFIX");
  setenv("HDF5_VDS_PREFIX", (elsewhere / "").c_str(), 1);
  expect_refused(folder / "virtual.h5", HasSubstr("lies outside of"));
  unsetenv("HDF5_VDS_PREFIX");
}

TEST(FilesBehind, SourcesOfAVirtualDatasetAreThereAndLargeEnough) {
  const made::Folder folder;
  const std::string file = folder / "in.h5";
  make_virtual(file, 40, {{"a.h5", 0, 20}, {"b.h5", 20, 20}});
  make_rows(folder / "a.h5", 20);
  expect_refused(file, AllOf(HasSubstr("source of "), HasSubstr("there is no file b.h5")));
  made::File(folder / "b.h5").dataset("/y", {1}, numbers<float>(1));
  expect_refused(file, HasSubstr("b.h5:/x"));
  make_rows(folder / "b.h5", 19);
  expect_refused(file,
                 AllOf(HasSubstr("b.h5:/x of extents (19, 4)"), HasSubstr("extents (20, 4)")));
  // HDF5 would take 4 of 5 values of each row, the rest for the next one
  made::File(folder / "b.h5").dataset("/x", {20, 5}, numbers<std::uint8_t>(100));
  expect_refused(file, HasSubstr("b.h5:/x of extents (20, 5)"));
  make_rows(folder / "b.h5", 23);  // it has grown meanwhile
  sx::Hdf5Source source(at(file, "/x"));
  EXPECT_EQ(all_of<std::uint8_t>(source), std::vector<std::uint8_t>(160, 1));
  EXPECT_THAT(names_of(source.description().files), ElementsAre("in.h5", "a.h5", "b.h5"));
}

TEST(FilesBehind, PartsWithoutASourceNeedAFillValueOfTheAuthors) {
  const made::Folder folder;
  make_rows(folder / "a.h5", 30);
  make_virtual(folder / "none.h5", 40, {{"a.h5", 0, 30}});
  expect_refused(folder / "none.h5",
                 AllOf(HasSubstr("40 of its 160 values (25 %)"), HasSubstr("no fill value")));
  const std::uint8_t fill = 7;
  make_virtual(folder / "some.h5", 40, {{"a.h5", 0, 30}}, &fill);
  const Warnings warnings;
  sx::Hdf5Source source(at(folder / "some.h5", "/x"));
  EXPECT_EQ(all_of<std::uint8_t>(source).back(), 7);
  ASSERT_EQ(warnings.texts().size(), 1U);
  EXPECT_THAT(warnings.texts()[0], AllOf(HasSubstr("(25 %)"), HasSubstr("some.h5:/x")));
  make_virtual(folder / "twice.h5", 40, {{"a.h5", 0, 30}, {"a.h5", 5, 30}});  // they overlap
  expect_refused(folder / "twice.h5", HasSubstr("20 of its 160 values"));
}

TEST(FilesBehind, BlocksOfSourcesAreCountedByTheirNumbers) {
  const made::Folder folder;
  const std::array<hsize_t, 2> none = {0, 4};
  const std::array<hsize_t, 2> endless = {H5S_UNLIMITED, 4};
  const std::array<hsize_t, 2> block = {10, 4};
  const std::array<hsize_t, 2> start = {0, 0};
  const std::array<hsize_t, 2> many = {H5S_UNLIMITED, 1};
  const hid_t space = H5Screate_simple(2, none.data(), endless.data());
  const hid_t from = H5Screate_simple(2, block.data(), nullptr);
  const hid_t list = H5Pcreate(H5P_DATASET_CREATE);
  H5Sselect_hyperslab(space, H5S_SELECT_SET, start.data(), block.data(), many.data(), block.data());
  H5Pset_virtual(list, space, "part_%b.h5", "/x", from);
  {
    const made::File made(folder / "in.h5");
    H5Dclose(H5Dcreate2(made.id(), "/x", H5T_NATIVE_UINT8, space, H5P_DEFAULT, list, H5P_DEFAULT));
  }
  H5Pclose(list);
  H5Sclose(from);
  H5Sclose(space);
  for (const char* const name : {"part_0.h5", "part_1.h5", "part_2.h5"})
    make_rows(folder / name, 10);
  {
    sx::Hdf5Source source(at(folder / "in.h5", "/x"));
    EXPECT_EQ(source.shape().samples, 30);
    EXPECT_EQ(source.description().files.size(), 4U);
    EXPECT_EQ(all_of<std::uint8_t>(source), std::vector<std::uint8_t>(120, 1));
  }
  make_rows(folder / "part_1.h5", 9);
  expect_refused(folder / "in.h5", HasSubstr("of extents (9, 4)"));
  EXPECT_EQ(sx::h5::name_of_block("100%%_%b_%d", 7), "100%_7_%d");
  EXPECT_FALSE(sx::h5::has_blocks("%%b"));
}

TEST(FilesBehind, ASourceOfItselfIsRefused) {
  const made::Folder folder;
  make_virtual(folder / "self.h5", 40, {{".", 0, 40}});
  expect_refused(folder / "self.h5", HasSubstr("a source of itself"));
  make_virtual(folder / "a.h5", 40, {{"b.h5", 0, 40}});
  make_virtual(folder / "b.h5", 40, {{"c.h5", 0, 40}});
  make_virtual(folder / "c.h5", 40, {{"a.h5", 0, 40}});
  expect_refused(folder / "a.h5", HasSubstr("a source of itself"));
  EXPECT_THAT(sx::describe_file({folder / "a.h5", {}}).datasets.at(0).refusal,
              HasSubstr("a source of itself"));
  EXPECT_THAT(sx::describe_file({folder / "a.h5", {}}).datasets.at(0).extents, ElementsAre(40, 4));
}

TEST(FilesBehind, RawDataThatIsTooShortOrMissingIsRefused) {
  const made::Folder folder;
  const std::string raw = folder / "raw.bin";
  const hid_t list = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_external(list, raw.c_str(), 10, H5F_UNLIMITED);
  made::File(folder / "in.h5")
      .raw("/x", {40, 4}, nullptr, H5T_NATIVE_UINT8, H5T_NATIVE_UINT8, list);
  H5Pclose(list);
  expect_refused(folder / "in.h5", AllOf(HasSubstr("raw data of "), HasSubstr("no file " + raw)));
  std::ofstream(raw) << std::string(169, '\1');
  expect_refused(folder / "in.h5",
                 AllOf(HasSubstr("169 bytes in " + raw), HasSubstr("at least 160 from byte 10")));
  std::ofstream(raw) << std::string(170, '\1');
  sx::Hdf5Source source(at(folder / "in.h5", "/x"));
  EXPECT_EQ(all_of<std::uint8_t>(source), std::vector<std::uint8_t>(160, 1));
  EXPECT_THAT(names_of(source.description().files), ElementsAre("in.h5", "raw.bin"));
}

/// Writes one byte of a file, whose length stays.
void touch_content(const std::string& name) {
  const int file = open(name.c_str(), O_WRONLY | O_CLOEXEC);
  ASSERT_EQ(pwrite(file, "?", 1, 0), 1);
  close(file);
}

TEST(FilesBehind, AChangeWithinATickOfTheClockIsSeen) {
  const made::Folder folder;
  const std::string name = folder / "file";
  std::ofstream(name) << "0123";
  for (int i = 0; i < 100; ++i) {
    touch_content(name);
    const sx::InputFile before = sx::look_at_file(name);
    touch_content(name);
    EXPECT_THROW(sx::stream::require_unchanged({before}), sx::InputChanged) << i;
  }
}

TEST(FilesBehind, WhatIsNoChangeOfValuesIsAWarning) {
  const made::Folder folder;
  const std::string name = folder / "file";
  std::ofstream(name) << "0123";
  const sx::InputFile before = sx::look_at_file(name);
  const Warnings warnings;
  sx::stream::require_unchanged({before});
  EXPECT_THAT(warnings.texts(), IsEmpty());
  std::filesystem::permissions(name, std::filesystem::perms::owner_read);
  sx::stream::require_unchanged({before});
  EXPECT_THAT(warnings.texts(), ElementsAre(HasSubstr("mode, owner or number of names")));
  std::filesystem::remove(name);
  sx::stream::require_unchanged({before});
  EXPECT_THAT(warnings.texts().back(), HasSubstr("was removed"));
  std::ofstream(name) << "0123";
  EXPECT_THROW(sx::stream::require_unchanged({before}), sx::InputChanged);
  sx::InputFile linked = before;
  linked.role = "external link in.h5:/x";
  std::filesystem::remove(name);
  EXPECT_THROW(sx::stream::require_unchanged({linked}), sx::InputChanged);
}

/// Streams /x of a file; `at_first` is called once a block was written.
void stream(const std::string& from, const std::string& to, const sx::Hdf5SinkOptions& options,
            const std::function<void(std::atomic<bool>& cancel)>& at_first) {
  const sx::FilterBank<float, Space> bank(Space(), sx::evaluate_taps(sx::History{}, 3));
  sx::Hdf5Source source(at(from, "/x"));
  sx::Hdf5Sink sink(at(to, "/f"), options);
  std::atomic<bool> cancel{false};
  bool is_first = true;
  sx::StreamOptions run;
  run.cancel = &cancel;
  run.progress = [&](const sx::StreamProgress& progress) {
    if (progress.blocks_written < 1 || !std::exchange(is_first, false)) return;
    at_first(cancel);
  };
  sx::stream_convolve(Space(), source, bank, sink, {.batch = {.samples = 500}}, run);
}

TEST(FilesBehind, AnInputThatChangesInTheRunIsAnErrorThatKeepsThePart) {
  const made::Folder folder;
  make_rows(folder / "raw.h5", 20'000);
  link_externally(folder / "in.h5", "/x", "raw.h5", "/x");
  for (const char* const changed : {"raw.h5", "in.h5"}) {
    EXPECT_THAT(
        [&] {
          stream(folder / "in.h5", folder / "out.h5", {}, [&](std::atomic<bool>&) {
            std::filesystem::last_write_time(folder / changed,
                                             std::filesystem::file_time_type::clock::now());
          });
        },
        ThrowsMessage<sx::InputChanged>(
            AllOf(HasSubstr(changed), HasSubstr("changed while it was read"))));
    EXPECT_THAT(folder.names(), testing::UnorderedElementsAre("raw.h5", "in.h5", "out.h5.part"));
  }
}

TEST(FilesBehind, ALinkedFileThatChangedIsNotResumedWith) {
  const made::Folder folder;
  make_rows(folder / "raw.h5", 20'000);
  link_externally(folder / "in.h5", "/x", "raw.h5", "/x");
  const auto cancelled = [](std::atomic<bool>& cancel) { cancel = true; };
  EXPECT_THROW(stream(folder / "in.h5", folder / "out.h5", {}, cancelled), sx::Cancelled);
  sx::Hdf5SinkOptions resuming;
  resuming.start = sx::Start::resume;
  EXPECT_THROW(stream(folder / "in.h5", folder / "out.h5", resuming, cancelled), sx::Cancelled);
  const auto before = std::filesystem::last_write_time(folder / "raw.h5");
  std::filesystem::last_write_time(folder / "raw.h5", before + std::chrono::seconds(1));
  const auto nothing = [](std::atomic<bool>&) {};
  EXPECT_THAT([&] { stream(folder / "in.h5", folder / "out.h5", resuming, nothing); },
              ThrowsMessage<sx::Error>(HasSubstr("change of raw.h5")));
  std::filesystem::last_write_time(folder / "raw.h5", before);
  stream(folder / "in.h5", folder / "out.h5", resuming, nothing);
}

TEST(FilesBehind, AnOutputIsNoFileThatIsRead) {
  const made::Folder folder;
  make_rows(folder / "raw.h5", 20'000);
  make_rows(folder / "out.h5.part", 20'000);
  link_externally(folder / "in.h5", "/x", "raw.h5", "/x");
  link_externally(folder / "part.h5", "/x", "out.h5.part", "/x");
  std::filesystem::create_hard_link(folder / "raw.h5", folder / "hard.h5");
  std::filesystem::create_symlink("raw.h5", folder / "soft.h5");
  sx::Hdf5SinkOptions replacing;
  replacing.output.existing = sx::Existing::replace;
  const auto nothing = [](std::atomic<bool>&) {};
  const std::string append = "Give another file, or append to it (--append)";
  const std::string rename = "The output is written there first: give another name for the output";
  const auto expect_apart = [&](const std::string& in, const std::string& out,
                                const std::string& named, const std::string& remedy) {
    EXPECT_THAT([&] { stream(folder / in, folder / out, replacing, nothing); },
                ThrowsMessage<sx::Error>(AllOf(HasSubstr(named), HasSubstr(remedy),
                                               HasSubstr("this run reads this file"))));
  };
  for (const char* const out : {"raw.h5", "hard.h5", "in.h5"}) {
    expect_apart("in.h5", out, out, append);
  }
  expect_apart("in.h5", "soft.h5", "raw.h5", append);  // the target of a link would be replaced
  expect_apart("part.h5", "out.h5", "out.h5.part", rename);
  EXPECT_EQ(sx::read_matrix(at(folder / "out.h5.part", "/x")).rows, 20'000);
  EXPECT_EQ(sx::read_matrix(at(folder / "raw.h5", "/x")).rows, 20'000);
  sx::Hdf5SinkOptions appending;
  appending.output.existing = sx::Existing::append;
  stream(folder / "in.h5", folder / "raw.h5", appending, nothing);
  EXPECT_EQ(made::read<float>(folder / "raw.h5", "/f").size(), 20'000U * 12);
}

}  // namespace
}  // namespace files_behind_tests
