// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Outputs of unusual forms, and the identification of a run.
#include "files/resumable.hpp"
#include "hdf5/sink/tables.hpp"
#include "part_files/records.hpp"
#include "streams/fingerprint.hpp"

#include <gmock/gmock.h>
#include <Kokkos_Core.hpp>

#include <cstring>
#include <map>

namespace hdf5_forms_tests {
namespace {

using namespace resumable;
using testing::AllOf;
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

// ---- outputs of unusual forms

TEST(OutputForms, ChunksOfSeveralDimensionsOfChannelsAreGoneOnWith) {
  struct Form {
    std::vector<std::int64_t> extents;
    std::int64_t channels_of_chunk;
  };
  for (const Form& form : {Form{{3, 4}, 6}, Form{{4, 3}, 6}, Form{{4, 3}, 2}, Form{{2, 3, 2}, 4},
                           Form{{5, 2}, 4}, Form{{2, 5, 2}, 4}}) {
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
      run_sink(made::at(file, "/f"), problem, options_of(problem, sx::Start::anew),
               described(problem, parts), 4);
      EXPECT_LT(finish(file, problem, parts), values_in(problem.everything()));
      EXPECT_EQ(wrong_in(file, problem), "");
    }
  }
}

/// Eight chunks are one entry of the table here: if one of them does not match its record, all are
/// computed again.
TEST(OutputForms, WhatTheTableOfChunksCannotMeanIsComputedAgain) {
  const Problem problem{
      .shape = {.rows = 300, .channels = 12, .bases = 2, .channel_extents = {4, 3}},
      .chunk = {50, 2, 2},
      .filter = {sx::Compression::deflate, 1}};
  const BlockShape parts{100, 12, 2};
  struct Change {
    std::size_t at;  // in the entry: address, bytes, mask, sum, number
    std::size_t bytes;
    char value;
  };
  const std::vector<Change> changes = {{8, 4, '\0'},  {8, 4, '\x7f'}, {0, 8, '\0'},
                                       {0, 12, '\0'}, {16, 8, '\0'},  {24, 6, '\x01'}};
  const made::Folder folder;
  const std::string file = folder / "out.h5";
  run_sink(made::at(file, "/f"), problem, options_of(problem, sx::Start::anew),
           described(problem, parts), 2);
  const std::string part = bytes_of(file + ".part");
  const hid_t opened = H5Fopen((file + ".part").c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  const hid_t dataset = H5Dopen2(opened, "/f", H5P_DEFAULT);
  haddr_t address = 0;
  hsize_t size = 0;
  unsigned mask = 0;
  const std::vector<hsize_t> first(4, 0);
  ASSERT_GE(H5Dget_chunk_info_by_coord(dataset, first.data(), &mask, &address, &size), 0);
  H5Dclose(dataset);
  H5Fclose(opened);
  std::string entry(12, '\0');
  const auto bytes = static_cast<std::uint32_t>(size);
  std::memcpy(entry.data(), &address, sizeof(address));
  std::memcpy(entry.data() + sizeof(address), &bytes, sizeof(bytes));
  const std::size_t place = part.find(entry);
  ASSERT_NE(place, std::string::npos);
  for (const Change& change : changes) {
    std::filesystem::remove(file);
    std::string changed = part;
    changed.replace(place + change.at, change.bytes, change.bytes, change.value);
    put_bytes(file + ".part", changed);
    std::vector<std::string> warnings;
    const auto handler =
        sx::set_warning_handler([&](std::string_view text) { warnings.emplace_back(text); });
    const std::int64_t written = finish(file, problem, parts);
    sx::set_warning_handler(handler);
    EXPECT_EQ(written, 300 * 12 * 2 - 150 * 12 * 2) << change.at;  // all but three of six
    EXPECT_THAT(warnings, ElementsAre(HasSubstr("1 of 6 parts do not match"))) << change.at;
    EXPECT_EQ(wrong_in(file, problem), "") << change.at;
  }
}

TEST(OutputForms, WithoutAFingerprintThereIsNothingToGoOnWith) {
  const made::Folder folder;
  const std::string file = folder / "out.h5";
  const Problem problem = small();
  sx::FeaturesDescription description = described(problem, block);
  description.fingerprint.clear();
  const sx::Hdf5SinkOptions options = options_of(problem, sx::Start::anew);
  run_sink(made::at(file, "/f"), problem, options, description, 2);
  EXPECT_THAT(folder.names(), ElementsAre());
  run_sink(made::at(file, "/f"), problem, options, description);
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
  cells.visit_touched({{0, 0}, {0, 6}, {0, 2}},
                      [](std::int64_t cell) { ADD_FAILURE() << "cell " << cell << " of no row"; });
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
    run_sink(made::at(file, dataset), problem, options, described(problem, block), 2);
    options.start = sx::Start::resume;
    run_sink(made::at(file, dataset), problem, options, described(problem, block));
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
        run_sink(made::at(folder / "out.h5", "/f"), small(), options_of(small(), sx::Start::anew),
                 description);
      },
      says("channel_ids: there are 2 ids for 6 channels. Give one for each"));
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
  run_sink(made::at(file, "/f"), problem, options_of(problem, sx::Start::anew),
           described(problem, wide), 2);
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
  run_sink(made::at(file, "/f"), problem, options_of(problem, sx::Start::anew),
           described(problem, tall), 12);
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

// ---- the identification of a run

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
      run_sink(made::at(file, "/f"), small(), options_of(small(), sx::Start::anew), description);
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
}  // namespace hdf5_forms_tests
