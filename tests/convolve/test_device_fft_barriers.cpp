// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "convolve/fft_bench.hpp"
#include "oracle/matchers.hpp"

#include <gmock/gmock.h>
#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <set>
#include <string>
#include <vector>

// The barriers of the FFT method of devices. They suffice for threads that run from one to the next
// in any order. None is superfluous: without any one of them, some order gives different bits, or
// threads wait at different barriers.

namespace device_fft_barriers_tests {
namespace {

using namespace synelix;
using ground::Cut;
using ground::FftBench;
using oracle::same_bits;

template <class Scalar>
class DeviceFftBarriers : public testing::Test {};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(DeviceFftBarriers, Scalars);

/// One lane and one team with consecutive blocks; with parts, strips of two blocks and of one.
constexpr Cut one_lane{.strips = 1, .channels = 2, .bases = 2, .lanes = 1, .teams = 1, .blocks = 2};

/// Blocks of 1,024 points with the complete window, one row for each sample.
constexpr std::int64_t rows_of_block = spectral::whole_rows(1024, 37, 1);

/// The special values among the samples; the barriers are the same for all.
enum class Samples { sound, spoiled, overflowing };

template <class Scalar>
FftBench<Scalar> bench_of(std::int64_t parts, std::int64_t every, Samples samples) {
  FftBench<Scalar> bench;
  bench.walks = true;
  bench.parts = parts;
  bench.points = 1024;  // with a pass in the middle
  bench.problem.every = every;
  bench.problem.channels = 2;
  bench.problem.bases = 2;
  bench.problem.samples = parts == 1 ? 2 * rows_of_block : 3 * 18;
  bench.problem.epochs = {};
  std::mt19937_64 random(29);
  std::normal_distribution<float> normal;
  bench.samples.resize(static_cast<std::size_t>(bench.problem.samples * 2));
  for (float& sample : bench.samples) sample = normal(random);
  bench.weaken_taps();
  bench.options.border = bench.problem.border = Border::zero;
  for (std::int64_t t = 12; t + 6 <= bench.problem.samples; t += parts == 1 ? 1000 : 18) {
    for (const std::int64_t c : {0, 1}) {
      if (samples == Samples::spoiled) bench.put(t, c, std::numeric_limits<double>::infinity());
      if (samples == Samples::overflowing) bench.overflow(t, t + 6, c);
    }
  }
  return bench;
}

/// The number of orders in which a required barrier shows.
constexpr std::uint64_t orders = 9;

/// Whether any of these shows that barrier k is missing.
template <class Scalar, class Source>
bool is_needed(FftBench<Scalar>& bench, const Source& source, const std::vector<Scalar>& right,
               std::int64_t k) {
  for (std::uint64_t seed = 1; seed <= orders; ++seed) {
    const auto found = bench.run(source, one_lane, seed, k);
    if (!bench.walked.is_together || !same_bits(found, right, bench.extents())) return true;
  }
  return false;
}

/// Removes the barriers one by one: for each name, at least one is required. `names` are those of
/// all barriers except the last, after which there is nothing to wait for.
template <class Scalar>
void expect_each_is_needed(std::int64_t parts, std::int64_t every,
                           const std::vector<std::string>& names) {
  SCOPED_TRACE(std::to_string(parts) + " parts, every " + std::to_string(every));
  std::set<std::string> unneeded(names.begin(), names.end());
  for (const Samples samples : {Samples::spoiled, Samples::overflowing, Samples::sound}) {
    FftBench<Scalar> bench = bench_of<Scalar>(parts, every, samples);
    bench.make_rows();
    const auto right = bench.run(bench.array(), one_lane, 1);
    ASSERT_EQ(bench.barriers, static_cast<std::int64_t>(names.size()) + 1);
    for (std::size_t k = 0; k < names.size(); ++k) {
      if (!unneeded.contains(names[k])) continue;
      if (is_needed(bench, bench.array(), right, static_cast<std::int64_t>(k))) {
        unneeded.erase(names[k]);
      }
    }
  }
  EXPECT_THAT(unneeded, testing::IsEmpty());
}

/// The barriers of all strips and channels, each with its own name: none replaces another.
std::vector<std::string> names_of_blocks(bool has_every) {
  std::vector<std::string> names;
  for (const char* block : {"block 0", "block 1", "block 2", "block 3"}) {
    for (const char* step : {"lanes", "first pass", "middle pass", "last pass"}) {
      names.push_back(std::string(block) + ", " + step);
    }
    for (const char* basis : {"basis 0", "basis 1"}) {
      for (const char* step : {"product", "middle pass back", "last pass back", "every n-th row"}) {
        if (!has_every && step == std::string("every n-th row")) continue;
        names.push_back(std::string(block) + ", " + basis + ", " + step);
      }
    }
    names.push_back(std::string(block) + ", missing rows");
  }
  names.pop_back();
  return names;
}

/// The barriers of the window in two parts. Some barriers replace others: the barrier of the block
/// before a strip, of which no row is computed, replaces that of its last pass; and that of its
/// lanes replaces that of their places if only the channel differs.
std::vector<std::string> names_of_parts(bool has_every) {
  std::vector<std::string> names;
  for (const int blocks_of_strip : {2, 2, 1, 1}) {  // of two channels each
    names.emplace_back("lanes");
    for (int k = -1; k < blocks_of_strip; ++k) {
      names.emplace_back("block");
      const bool has_samples = k >= 0 || blocks_of_strip == 1;
      if (has_samples) names.insert(names.end(), {"first pass", "middle pass", "last pass"});
      for (int b = 0; k >= 0 && b < 2; ++b) {
        names.insert(names.end(),
                     {"sum of parts", "product", "middle pass back", "last pass back"});
        if (has_every) names.emplace_back("every n-th row");
      }
      names.emplace_back("missing rows");
    }
  }
  names.pop_back();
  return names;
}

/// The bits of any order, with rows that are mended twice.
TYPED_TEST(DeviceFftBarriers, AreEnough) {
  for (const std::int64_t parts : {1, 2}) {
    for (const std::int64_t every : {1, 2}) {
      FftBench<TypeParam> bench = bench_of<TypeParam>(parts, every, Samples::overflowing);
      bench.put(15, 1, std::numeric_limits<double>::infinity());
      bench.walks = false;
      bench.make_rows();
      const auto right = bench.run(bench.array(), one_lane, 1);
      bench.walks = true;
      for (std::uint64_t seed = 1; seed <= 50; ++seed) {
        Cut cut = one_lane;
        cut.lanes = 1 + static_cast<std::int64_t>(seed % 3);
        cut.strips = 1 + static_cast<std::int64_t>(seed % 2);
        const auto found = bench.run(bench.array(), cut, seed);
        ASSERT_TRUE(same_bits(found, right, bench.extents()))
            << parts << " parts, every " << every << ", order " << seed;
        ASSERT_TRUE(bench.walked.is_together);
      }
    }
  }
}

/// The barriers of the launch of weak rows: after the sums of squares, after the rows are found,
/// and before the next block.
TYPED_TEST(DeviceFftBarriers, OfWeakRowsAreNeeded) {
  for (const std::int64_t parts : {1, 2}) {
    auto bench = bench_of<TypeParam>(parts, 1, Samples::sound);
    bench.walks = false;
    bench.walks_weak = true;
    if (parts == 2) bench.points = 256;
    for (std::int64_t t = 3; t < bench.problem.samples; t += parts == 1 ? 900 : 17) {
      for (const std::int64_t c : {0, 1}) bench.put(t, c, t % 2 == 0 ? 1e12 : 1e18);
    }
    bench.make_rows();
    const auto right = bench.run(bench.array(), one_lane, 1);
    const std::int64_t barriers = bench.barriers;
    EXPECT_EQ(barriers % 3, 0);
    EXPECT_GE(barriers, 12);
    for (std::uint64_t seed = 2; seed <= 20; ++seed) {
      ASSERT_TRUE(same_bits(bench.run(bench.array(), one_lane, seed), right, bench.extents()));
    }
    std::set<std::string> unneeded{"sums", "rows", "end"};
    for (std::int64_t k = 0; k + 1 < barriers; ++k) {
      const std::string name = k % 3 == 0 ? "sums" : k % 3 == 1 ? "rows" : "end";
      if (!unneeded.contains(name)) continue;
      if (is_needed(bench, bench.array(), right, k)) unneeded.erase(name);
    }
    EXPECT_THAT(unneeded, testing::IsEmpty()) << parts << " parts";
  }
}

/// The barrier between two reasons to mend a row. One of them gives NaN here, since the finite
/// samples overflow to the other infinity; the other one comes last.
TYPED_TEST(DeviceFftBarriers, BetweenReasonsToRecomputeIsNeeded) {
  auto bench = bench_of<TypeParam>(1, 1, Samples::sound);
  bench.problem.samples = rows_of_block;  // one block of each channel
  for (TypeParam& tap : bench.taps) tap = 1;
  bench.problem.taps.assign(bench.taps.begin(), bench.taps.end());
  bench.overflow(20, 30, 0);
  for (std::int64_t t = 20; t < 30; ++t) {
    bench.put(t, 0, -static_cast<double>(std::numeric_limits<TypeParam>::max()));
  }
  bench.put(12, 0, std::numeric_limits<double>::infinity());
  bench.make_rows();
  const auto right = bench.run(bench.array(), one_lane, 1);
  EXPECT_EQ(right[25 * 2 * 2], std::numeric_limits<TypeParam>::infinity());
  // Of the block: its lane, 3 passes, 3 passes back for each of 2 bases.
  constexpr std::int64_t between = 1 + 3 + 2 * 3;
  EXPECT_EQ(bench.barriers, 2 * (between + 1) + 1);
  EXPECT_TRUE(is_needed(bench, bench.array(), right, between));
}

TYPED_TEST(DeviceFftBarriers, AreNeeded) {
  expect_each_is_needed<TypeParam>(1, 1, names_of_blocks(false));
  expect_each_is_needed<TypeParam>(1, 3, names_of_blocks(true));
}
/// After the zeros, and after the counts of events stored among them.
TYPED_TEST(DeviceFftBarriers, OfEventsAreNeeded) {
  auto bench = bench_of<TypeParam>(1, 1, Samples::sound);
  bench.make_events();
  bench.make_rows();
  const pack::EventSource events{bench.begins.data(), bench.event_samples.data(),
                                 bench.event_counts.data()};
  const auto right = bench.run(events, one_lane, 1);
  EXPECT_EQ(bench.barriers, static_cast<std::int64_t>(names_of_blocks(false).size()) + 1 + 4 * 2);
  for (const std::int64_t k : {1, 2}) EXPECT_TRUE(is_needed(bench, events, right, k)) << k;
}

/// The barriers of the spectra of a bank, with parts: after the taps, and after each of three
/// passes.
TYPED_TEST(DeviceFftBarriers, OfSpectraAreNeeded) {
  const auto bench = bench_of<TypeParam>(2, 1, Samples::sound);
  const spectral::StageSizes sizes = bench.sizes(1);
  const plan::DeviceFftTables<TypeParam, Kokkos::HostSpace> bound(
      Kokkos::DefaultHostExecutionSpace(), sizes, bench.problem.bases);
  const sweep::DeviceSpectraOfBank<TypeParam> functor{bound.bank_alone(),
                                                      bench.taps.data(),
                                                      bench.problem.window,
                                                      bench.problem.bases,
                                                      {nullptr, 0, 1}};
  const auto values = 2 * bench.problem.bases * sizes.parts * sizes.points;
  auto* const kernels = reinterpret_cast<TypeParam*>(bound.bank().kernel(0, 0));
  ground::MockScratch scratch(static_cast<std::size_t>(spectral::stage_scratch_bytes(sizes)),
                              std::byte{0x7f});
  ground::Walk walked;
  const auto spectra = [&](std::uint64_t seed, std::int64_t ignored) {
    std::fill_n(kernels, values, TypeParam(-1));
    walked = ground::walk(functor, 1, seed, scratch, {.number = ignored, .place = {}});
    return std::vector<TypeParam>(kernels, kernels + values);
  };
  const auto right = spectra(1, -1);
  const std::int64_t barriers = walked.barriers;
  EXPECT_EQ(barriers, 4 * bench.problem.bases * sizes.parts);
  for (std::uint64_t seed = 2; seed <= 50; ++seed) {
    ASSERT_TRUE(same_bits(spectra(seed, -1), right, {values})) << "order " << seed;
  }
  for (std::int64_t k = 0; k + 1 < barriers; ++k) {
    bool shows = false;
    for (std::uint64_t seed = 1; seed <= orders && !shows; ++seed) {
      shows = !same_bits(spectra(seed, k), right, {values});
    }
    EXPECT_TRUE(shows) << "barrier " << k << " of " << barriers;
  }
}

TYPED_TEST(DeviceFftBarriers, OfPartsAreNeeded) {
  expect_each_is_needed<TypeParam>(2, 1, names_of_parts(false));
  expect_each_is_needed<TypeParam>(2, 2, names_of_parts(true));
}

}  // namespace
}  // namespace device_fft_barriers_tests
