// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// FILE.part loses a page, or one of its bits flips: a resumed run makes the file of an undisturbed
// run, or refuses with a remedy. SYNELIX_DAMAGE_BITS=N tests more bits.
#include "files/resumable.hpp"

#include <gmock/gmock.h>
#include <Kokkos_Core.hpp>

#include <cstdlib>
#include <random>

namespace hdf5_resume_damage_tests {
namespace {

using namespace resumable;
using testing::AllOf;
using testing::HasSubstr;

/// FILE.part of a run that was stopped at about three quarters.
struct Stopped {
  explicit Stopped(sx::Compression compression, bool appends = false) {
    problem.filter.compression = compression;
    if (appends) {
      const made::File old(file);
      std::vector<double> values(3000);
      for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i);
      old.dataset("/old", {values.size()}, values);
    }
    existing = appends ? sx::Existing::append : sx::Existing::refuse;
    before = appends ? bytes_of(file) : "";
    if (appends) before_time = std::filesystem::last_write_time(file);
    sx::Hdf5SinkOptions options = options_of(problem, sx::Start::anew);
    options.output.existing = existing;
    sx::Hdf5Sink sink(made::at(file, "/f"), options);
    sink.begin(described(problem, block));
    const std::vector<Block> blocks = blocks_of({problem.everything()}, block);
    for (std::size_t i = 0; i < blocks.size() * 3 / 4; ++i) write(sink, problem, blocks[i]);
    sink.abandon();
    part = bytes_of(file + ".part");
  }

  /// Resumes a part that was changed. \returns its message, or the fault of the file
  std::string outcome(const std::string& changed) {
    if (existing == sx::Existing::refuse) std::filesystem::remove(file);
    put_bytes(file + ".part", changed);
    warnings.clear();
    const auto handler =
        sx::set_warning_handler([this](std::string_view text) { warnings.emplace_back(text); });
    std::string said;
    try {
      sx::Hdf5SinkOptions options = options_of(problem, sx::Start::resume);
      options.output.existing = existing;
      sx::Hdf5Sink sink(made::at(file, "/f"), options);
      try {
        sink.begin(described(problem, block));
      } catch (...) {
        sink.abandon();
        throw;
      }
      left = left_of(sink, problem);
      for (const Block& next : blocks_of(left, block)) write(sink, problem, next);
      sink.finish();
      said = wrong_in(file, problem);
      if (said.empty() && existing == sx::Existing::append) {
        const std::vector<double> old = made::read<double>(file, "/old");
        for (std::size_t i = 0; i < old.size(); ++i) {
          if (old[i] != static_cast<double>(i)) said = "what was there before";
        }
      }
      if (said.empty()) ++taken_over;
    } catch (const sx::Error& error) {
      ++refused;
      const std::string text = error.what();
      if (text.find("without resume") == std::string::npos &&
          text.find("rename or remove this one") == std::string::npos) {
        said = "no remedy in: " + text;
      }
      if (bytes_of(file + ".part").empty()) said = "a part that is refused is gone";
    }
    sx::set_warning_handler(handler);
    if (existing == sx::Existing::append) {
      put_bytes(file, before);
      std::filesystem::last_write_time(file, before_time);
    }
    return said;
  }

  made::Folder folder;
  std::string file = folder / "out.h5";
  Problem problem{.shape = {.rows = 3000, .channels = 6, .bases = 2, .channel_extents = {6}},
                  .chunk = {250, 4, 2},
                  .filter = {}};
  BlockShape block{500, 4, 2};
  sx::Existing existing = sx::Existing::refuse;
  std::string before;
  std::filesystem::file_time_type before_time;
  std::string part;
  std::vector<std::string> warnings;
  std::vector<Block> left;
  int taken_over = 0;
  int refused = 0;
};

class Damage : public testing::TestWithParam<std::pair<sx::Compression, bool>> {};

TEST_P(Damage, EachPageIsLost) {
  Stopped run(GetParam().first, GetParam().second);
  ASSERT_EQ(run.outcome(run.part), "");
  ASSERT_EQ(run.taken_over, 1);
  ASSERT_TRUE(run.warnings.empty()) << run.warnings.front();
  const std::size_t page = 4096;
  for (std::size_t at = 0; at < run.part.size(); at += page) {
    std::string changed = run.part;
    changed.replace(at, std::min(page, changed.size() - at), std::min(page, changed.size() - at),
                    '\0');
    EXPECT_EQ(run.outcome(changed), "") << "page at " << at;
  }
  std::cout << run.taken_over << " taken over, " << run.refused << " refused\n";
  EXPECT_GT(run.taken_over, run.refused);
}

TEST_P(Damage, BitsFlip) {
  Stopped run(GetParam().first, GetParam().second);
  const char* more = std::getenv("SYNELIX_DAMAGE_BITS");
  const int bits = more == nullptr ? 200 : std::atoi(more);
  std::mt19937 random(20'261'123);
  std::cout << "seed 20261123, " << bits << " bits\n";
  for (int i = 0; i < bits; ++i) {
    std::string changed = run.part;
    // Every second bit outside of the features: they are few, and all of them matter.
    const std::size_t extent = i % 2 == 0 ? changed.size() : std::size_t{32} << 10;
    const std::size_t at = random() % std::min(extent, changed.size());
    changed[at] = static_cast<char>(changed[at] ^ (1 << (random() % 8)));
    EXPECT_EQ(run.outcome(changed), "") << "a bit of byte " << at;
  }
  std::cout << run.taken_over << " taken over, " << run.refused << " refused\n";
}

INSTANTIATE_TEST_SUITE_P(, Damage,
                         testing::Values(std::pair{sx::Compression::none, false},
                                         std::pair{sx::Compression::deflate, false},
                                         std::pair{sx::Compression::shuffle_deflate, true},
                                         std::pair{sx::Compression::none, true}));

/// The address of the first chunk of the features.
std::size_t first_chunk(const std::string& file) {
  const hid_t opened = H5Fopen(file.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  const hid_t dataset = H5Dopen2(opened, "/f", H5P_DEFAULT);
  haddr_t address = 0;
  hsize_t bytes = 0;
  unsigned mask = 0;
  const std::vector<hsize_t> first(3, 0);
  H5Dget_chunk_info_by_coord(dataset, first.data(), &mask, &address, &bytes);
  H5Dclose(dataset);
  H5Fclose(opened);
  return address;
}

TEST(DamageSaid, WhatIsComputedAgain) {
  for (const auto compression : {sx::Compression::none, sx::Compression::deflate}) {
    Stopped run(compression);
    std::string changed = run.part;
    changed[first_chunk(run.file + ".part") + 100] ^= 4;
    EXPECT_EQ(run.outcome(changed), "");
    EXPECT_THAT(run.warnings,
                testing::ElementsAre(AllOf(HasSubstr("out.h5.part: 1 of "),
                                           HasSubstr("parts do not match their checksums (rows 0 "),
                                           HasSubstr("computed again"))));
    const bool is_plain = compression == sx::Compression::none;
    // One cell of 64 KiB, or one chunk, more than without the damage.
    const std::int64_t quarter = is_plain ? 1000 * 2 * 2 + 1000 * 2 * 2 : 0;
    const std::int64_t values = values_in(run.left);
    EXPECT_LT(values, 3000 * 6 * 2);
    EXPECT_GT(values, quarter);
  }
}

TEST(DamageSaid, APartThatNoRunHasLeftStays) {
  Stopped run(sx::Compression::none);
  for (const std::string& content :
       {std::string("precious"), std::string(100'000, 'x'), std::string(100'000, '\0')}) {
    EXPECT_EQ(run.outcome(content), "");
    EXPECT_EQ(bytes_of(run.file + ".part"), content);
  }
  EXPECT_EQ(run.refused, 3);
}

TEST(DamageSaid, AnEmptyPartIsBegunAnew) {
  Stopped run(sx::Compression::none);
  EXPECT_EQ(run.outcome(""), "");
  EXPECT_EQ(values_in(run.left), 3000 * 6 * 2);
}

}  // namespace
}  // namespace hdf5_resume_damage_tests
