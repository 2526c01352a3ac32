// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What a sink may meet where its output and FILE.part are to lie, and outputs of unusual forms.
#include "resumable.hpp"
#include "stream/cells.hpp"
#include "stream/checkpoint.hpp"
#include "stream/checksum.hpp"
#include "stream/fingerprint.hpp"
#include "stream/fingerprint_text.hpp"
#include "stream/part_file.hpp"

#include <gmock/gmock.h>

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <map>

namespace {

using namespace resumable;
using sx::stream::Checkpoint;
using sx::stream::PartFile;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;
using testing::UnorderedElementsAre;

Problem small() {
  return {.shape = {.rows = 300, .channels = 6, .bases = 2, .channel_extents = {6}},
          .chunk = {50, 4, 2},
          .filter = {}};
}
constexpr BlockShape block{100, 6, 2};

/// Writes everything, or so many blocks, and ends the run.
void run(const sx::FilePath& path, const Problem& problem, const sx::Hdf5SinkOptions& options,
         const sx::FeaturesDescription& description, std::size_t blocks = 0) {
  sx::Hdf5Sink sink(path, options);
  try {
    sink.begin(description);
  } catch (...) {
    sink.abandon();
    throw;
  }
  std::vector<Block> left = blocks_of(left_of(sink, problem), description.block);
  if (blocks > 0) left.resize(std::min(blocks, left.size()));
  for (const Block& next : left) write(sink, problem, next);
  if (blocks > 0) return sink.abandon();
  sink.finish();
}

void run(const std::string& file, const Problem& problem, sx::Start start = sx::Start::anew,
         std::size_t blocks = 0) {
  run(made::at(file, "/f"), problem, options_of(problem, start), described(problem, block), blocks);
}

auto says(const std::string& text) { return ThrowsMessage<sx::Error>(HasSubstr(text)); }

// ---- what lies at FILE

TEST(OutputPlaces, WhatIsNoRegularFileIsRefused) {
  const made::Folder folder;
  const auto sink_at = [&](const std::string& name, const std::string& dataset = "/f") {
    return [=, &folder] { const sx::Hdf5Sink sink(made::at(folder / name, dataset)); };
  };
  ASSERT_EQ(mkfifo((folder / "pipe.h5").c_str(), 0600), 0);
  EXPECT_THAT(sink_at("pipe.h5"), says("pipe.h5: found no regular file"));
  std::filesystem::create_directory(folder / "inner");
  std::filesystem::create_directory_symlink(folder / "inner", folder / "link.h5");
  EXPECT_THAT(sink_at("link.h5"), says("which is no regular file; allowed: the name of a file"));
  std::filesystem::create_symlink(folder / "nothing", folder / "broken.h5");
  EXPECT_THAT(sink_at("broken.h5"), says("a symbolic link that leads to no file"));
  EXPECT_THAT(sink_at("out.h5", "/group/"), says("found no dataset named"));
  EXPECT_THAT(sink_at("out.h5", "/"), says("found no dataset named"));
}

TEST(OutputPlaces, AnotherProgramsFileIsNotGoneOnWith) {
  const made::Folder folder;
  const std::string file = folder / "out.h5";
  {
    const made::File other(file);
  }
  const Problem problem = small();
  EXPECT_THAT([&] { run(file, problem, sx::Start::resume); },
              says("out.h5: found an existing file"));
  sx::Hdf5SinkOptions options = options_of(problem, sx::Start::resume);
  options.output.existing = sx::Existing::append;
  run(made::at(file, "/f"), problem, options, described(problem, block));
  EXPECT_EQ(wrong_in(file, problem), "");
}

TEST(OutputPlaces, AnAppendedRunWithoutAFileYetIsGoneOnWith) {
  const made::Folder folder;
  const std::string file = folder / "out.h5";
  const Problem problem = small();
  sx::Hdf5SinkOptions options = options_of(problem, sx::Start::anew);
  options.output.existing = sx::Existing::append;
  run(made::at(file, "/f"), problem, options, described(problem, block), 2);
  options.start = sx::Start::resume;
  options.chunk.reset();  // that of the run before
  run(made::at(file, "/f"), problem, options, described(problem, block));
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
  EXPECT_THAT([&] { sink.finish(); }, says("a file that has changed since the run has copied it"));
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
  run(made::at(file, "/f"), problem, options, described(problem, block), 2);
  EXPECT_THAT(folder.names(), ElementsAre("out.h5")) << "a part that nobody can go on with";
  run(made::at(file, "/f"), problem, options, described(problem, block));
  EXPECT_EQ(wrong_in(file, problem), "");
  EXPECT_EQ(bytes_of(file).substr(0, 9), "precious.");
}

// ---- what lies at FILE.part

TEST(Parts, ASocketIsRefused) {
  const made::Folder folder;
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  const std::string name = folder / "out.h5.part";
  ASSERT_LT(name.size(), sizeof(address.sun_path));
  name.copy(address.sun_path, name.size());
  const int made = socket(AF_UNIX, SOCK_STREAM, 0);
  ASSERT_EQ(bind(made, reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
  EXPECT_THAT([&] { run(folder / "out.h5", small()); }, says("out.h5.part: found a socket"));
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

// ---- outputs of unusual forms

TEST(OutputForms, ChunksOfSeveralDimensionsOfChannelsAreGoneOnWith) {
  struct Form {
    std::vector<std::int64_t> extents;
    std::int64_t channels_of_chunk;
  };
  for (const Form& form : {Form{{3, 4}, 6}, Form{{4, 3}, 2}, Form{{2, 3, 2}, 4}, Form{{5, 2}, 4},
                           Form{{2, 5, 2}, 4}}) {
    for (const auto compression : {sx::Compression::none, sx::Compression::deflate}) {
      const made::Folder folder;
      const std::string file = folder / "out.h5";
      std::int64_t channels = 1;
      for (const std::int64_t extent : form.extents) channels *= extent;
      const Problem problem{
          .shape = {.rows = 300, .channels = channels, .bases = 2, .channel_extents = form.extents},
          .chunk = {50, form.channels_of_chunk, 2},
          .filter = {compression, 1}};
      const BlockShape parts{100, channels / 2, 2};
      run(made::at(file, "/f"), problem, options_of(problem, sx::Start::anew),
          described(problem, parts), 4);
      EXPECT_LT(finish(file, problem, parts), values_in(problem.everything()));
      EXPECT_EQ(wrong_in(file, problem), "");
    }
  }
}

TEST(OutputForms, WithoutAFingerprintThereIsNothingToGoOnWith) {
  const made::Folder folder;
  const std::string file = folder / "out.h5";
  const Problem problem = small();
  sx::FeaturesDescription description = described(problem, block);
  description.fingerprint.clear();
  const sx::Hdf5SinkOptions options = options_of(problem, sx::Start::anew);
  run(made::at(file, "/f"), problem, options, description, 2);
  EXPECT_THAT(folder.names(), ElementsAre());
  run(made::at(file, "/f"), problem, options, description);
  EXPECT_EQ(wrong_in(file, problem), "");
}

TEST(OutputForms, NoRowsAreAFileToo) {
  const made::Folder folder;
  Problem problem = small();
  problem.shape.rows = 0;
  for (const auto compression : {sx::Compression::none, sx::Compression::deflate}) {
    problem.filter = {compression, 1};
    const std::string file = folder / ("out" + std::to_string(static_cast<int>(compression)));
    run(file, problem);
    EXPECT_EQ(made::read<float>(file, "/f").size(), 0U);
    sx::Hdf5Sink again(made::at(file, "/f"), options_of(problem, sx::Start::resume));
    again.begin(described(problem, block));
    EXPECT_TRUE(again.was_finished());
    again.finish();
    again.abandon();
    EXPECT_TRUE(std::filesystem::exists(file)) << "a finished file is gone";
  }
  const sx::stream::Cells cells(problem.shape, {1, 1, 1});
  EXPECT_THAT(cells.touched({{0, 0}, {0, 6}, {0, 2}}), ElementsAre());
}

TEST(OutputForms, TimesAndChannelsGetNamesThatAreFree) {
  const made::Folder folder;
  const Problem problem = small();
  const auto coordinates = [&](const std::string& file, const std::string& dataset,
                               const std::vector<std::string>& there) {
    sx::Hdf5SinkOptions options = options_of(problem, sx::Start::anew);
    options.output.existing = sx::Existing::append;
    {
      const made::File other(file);
      for (const std::string& name : there) other.dataset<float>(name, {1}, {1.0F});
    }
    run(made::at(file, dataset), problem, options, described(problem, block), 2);
    options.start = sx::Start::resume;
    run(made::at(file, dataset), problem, options, described(problem, block));
    const auto description = sx::describe_file({file, dataset});
    for (const auto& found : description.datasets) {
      for (const auto& [name, value] : found.attributes) {
        if (name == "coordinates") return value;
      }
    }
    return std::string();
  };
  EXPECT_EQ(coordinates(folder / "1", "/f", {}), "/time /channel");
  EXPECT_EQ(coordinates(folder / "2", "/f", {"/time"}), "/f_time /f_channel");
  EXPECT_EQ(coordinates(folder / "3", "/f", {"/channel"}), "/f_time /f_channel");
  EXPECT_EQ(coordinates(folder / "4", "/time", {}), "/time_time /time_channel");
  EXPECT_EQ(coordinates(folder / "5", "/channel", {}), "/channel_time /channel_channel");
}

TEST(OutputForms, TooFewChannelIdsAreRefused) {
  const made::Folder folder;
  sx::FeaturesDescription description = described(small(), block);
  description.series.channel_ids = {7, 8};
  EXPECT_THAT(
      [&] {
        run(made::at(folder / "out.h5", "/f"), small(), options_of(small(), sx::Start::anew),
            description);
      },
      says("channel_ids: found 2 ids; allowed: one for each of the 6 channels"));
  EXPECT_THAT(folder.names(), ElementsAre());
}

TEST(OutputForms, ChunksThatAreTooManyAreRefusedAndWideRowsParted) {
  const made::Folder folder;
  sx::Hdf5SinkOptions options;
  options.chunk = BlockShape{1, 1, 1};
  const sx::Hdf5Sink sink(made::at(folder / "out.h5", "/f"), options);
  sx::FeaturesShape shape{.rows = 1 << 20, .channels = 4, .bases = 2};
  EXPECT_THAT([&] { static_cast<void>(sink.chunk(shape, 1 << 20)); },
              says("which makes 8388608 chunks"));
  shape.channels = std::int64_t{1} << 40;
  EXPECT_THAT([&] { static_cast<void>(sink.chunk(shape, 1 << 20)); },
              says("which makes 2305843009213693952 chunks"));
  const sx::Hdf5Sink chooses(made::at(folder / "out.h5", "/f"));
  shape.channels = 1'000'000;
  EXPECT_EQ(chooses.chunk(shape, sx::mebibytes(2)), (BlockShape{1, 262'144, 2}));
}

/// Rows of more than a mebibyte have several checksums each.
TEST(OutputForms, WideRowsAreGoneOnWith) {
  const made::Folder folder;
  const std::string file = folder / "out.h5";
  const Problem problem{
      .shape = {.rows = 3, .channels = 200'000, .bases = 2, .channel_extents = {200'000}},
      .chunk = {1, 200'000, 2},
      .filter = {}};
  const BlockShape wide{1, 200'000, 2};
  run(made::at(file, "/f"), problem, options_of(problem, sx::Start::anew), described(problem, wide),
      2);
  EXPECT_EQ(finish(file, problem, {2, 150'000, 2}), 200'000 * 2);
  EXPECT_EQ(wrong_in(file, problem), "");
}

/// More places are damaged than a checkpoint has boxes for.
TEST(OutputForms, DamageInManyPlacesIsComputedAgain) {
  const made::Folder folder;
  const std::string file = folder / "out.h5";
  const Problem problem{
      .shape = {.rows = 130'000, .channels = 6, .bases = 2, .channel_extents = {6}},
      .chunk = {10'000, 6, 2},
      .filter = {}};
  const BlockShape tall{10'000, 6, 2};
  run(made::at(file, "/f"), problem, options_of(problem, sx::Start::anew), described(problem, tall),
      12);
  std::string part = bytes_of(file + ".part");
  const std::size_t step = 2 * (64 << 10);  // every other cell
  for (std::size_t at = 1 << 16; at < part.size() - (1 << 19); at += step) part[at] ^= 1;
  put_bytes(file + ".part", part);
  std::vector<std::string> warnings;
  const auto handler =
      sx::set_warning_handler([&](std::string_view text) { warnings.emplace_back(text); });
  std::string refused;
  try {
    finish(file, problem, tall);
  } catch (const sx::Error& error) {
    refused = error.what();
  }
  sx::set_warning_handler(handler);
  EXPECT_EQ(refused, "");
  EXPECT_THAT(warnings,
              ElementsAre(AllOf(HasSubstr("parts do not match"), HasSubstr("and others"))));
  EXPECT_EQ(wrong_in(file, problem), "");
}

// ---- what a run is known by

TEST(Fingerprints, ItemsAreReadBackAndWordsLeftOut) {
  const sx::Fingerprint found = sx::h5::fingerprint_from("a: 1; nonsense; b: 2");
  EXPECT_THAT(found, ElementsAre(testing::Pair("a", "1"), testing::Pair("b", "2")));
}

TEST(Fingerprints, WhatChangesValuesChangesThem) {
  const auto of_options = [](const sx::ConvolveOptions& options, const sx::Choice& choice) {
    return sx::h5::text_of(sx::stream::fingerprint_of({}, options, choice, {}, {0, 1}));
  };
  const std::string plain = of_options({}, {});
  for (const auto causality : {sx::Causality::acausal, sx::Causality::anti_causal}) {
    EXPECT_NE(of_options({.causality = causality}, {}), plain);
  }
  for (const auto border : {sx::Border::zero, sx::Border::valid}) {
    EXPECT_NE(of_options({.border = border}, {}), plain);
  }
  sx::Choice choice;
  choice.fft_length = 64;
  const std::string fft = of_options({}, choice);
  choice.fft_parts = 3;
  choice.fft_part_taps = 32;
  EXPECT_THAT(fft, AllOf(HasSubstr("fft length: 64"), testing::Not(HasSubstr("fft parts"))));
  EXPECT_THAT(of_options({}, choice), HasSubstr("fft parts: 3 of 32 taps"));
  sx::SeriesShape shape;
  shape.samples = 4;
  shape.channels = 2;
  const auto of_series = [&] {
    return sx::h5::text_of(sx::stream::fingerprint_of(shape, {}, nullptr));
  };
  shape.scaling.scale = 2.0;
  shape.scaling.channel_scale = {1.0, 2.0};
  const std::string scales = of_series();
  shape.scaling.channel_offset = {1.0, 2.0};
  const std::string offsets = of_series();
  EXPECT_THAT(scales, HasSubstr(", scales 2, checksum "));
  EXPECT_THAT(offsets, HasSubstr(", offsets 2, checksum "));
  EXPECT_NE(scales, offsets);
}

TEST(Fingerprints, EveryMethodAndBorderIsDescribed) {
  const made::Folder folder;
  int number = 0;
  for (const auto causality :
       {sx::Causality::causal, sx::Causality::acausal, sx::Causality::anti_causal}) {
    for (const auto border : {sx::Border::nan, sx::Border::zero, sx::Border::valid}) {
      const std::string file = folder / std::to_string(number++);
      sx::FeaturesDescription description = described(small(), block);
      description.options.causality = causality;
      description.options.border = border;
      description.choice.fft_length = number % 2 == 0 ? 64 : 0;
      run(made::at(file, "/f"), small(), options_of(small(), sx::Start::anew), description);
      std::map<std::string, std::string> found;
      const auto described_file = sx::describe_file({file, "/f"});
      for (const auto& [name, value] : described_file.datasets.at(0).attributes) {
        found[name] = value;
      }
      EXPECT_EQ(found["causality"], std::vector<std::string>({"causal", "acausal", "anti-causal"})
                                        .at(static_cast<std::size_t>(causality)));
      EXPECT_EQ(
          found["border"],
          std::vector<std::string>({"nan", "zero", "valid"}).at(static_cast<std::size_t>(border)));
      EXPECT_EQ(found["fft_length"], number % 2 == 0 ? "64" : "");
    }
  }
}

}  // namespace
