// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "convolve/fft/fft.hpp"
#include "convolve/sweep_bench.hpp"
#include "convolve/transformed_bench.hpp"
#include "oracle/convolution.hpp"
#include "oracle/matchers.hpp"
#include "tile/select.hpp"
#include "tune/tiles.hpp"

#include <gmock/gmock.h>
#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <set>
#include <string>
#include <vector>

// The barriers of the FFT method, with the window in one part and in three, on threads that run
// from one to the next in any order. They suffice: all orders give the same bits. And each place of
// the sources with a barrier is required: without its barriers, some order gives different bits, or
// threads wait at different barriers. So a removed barrier fails the first test, and a superfluous
// one the second.

namespace fft_parts_barriers_tests {
namespace {

using namespace synelix;
using oracle::same_bits;

/// The special values among the samples: infinities, different ones in each channel; an infinity
/// that is only in windows of rows that are not requested; values whose transform overflows as
/// float.
enum class Samples : std::uint8_t { sound, spoiled, spoiled_before, overflowing };
constexpr Samples all_samples[] = {Samples::sound, Samples::spoiled, Samples::spoiled_before,
                                   Samples::overflowing};
/// The first requested row: in block 3 of strip 2; strip 0 is the gap before row 2. Strip 3, in the
/// same item, is requested from its first block on.
constexpr std::int64_t first_asked = 22 + 13;

/// The number of orders in which a required barrier shows, and a missing one.
constexpr std::uint64_t orders = 12;

/// Parts of the window.
constexpr std::int64_t all_parts[] = {1, 3};

/// A problem with rows that are missing, and strips of one block; in parts, blocks of 4 rows and
/// strips of 5 blocks.
template <class Scalar>
class PartsBench {
  using Passes = sweep::HostPasses<Scalar>;
  using Sweep = sweep::FftSweep<Scalar, Passes, pack::ArraySource>;

 public:
  PartsBench(Samples samples, std::int64_t parts)
      : m_bench(with(samples, parts > 1 ? 20 : 118)),
        m_transformed(m_bench, tune::host,
                      ground::passes_of<Scalar>(tile::select_set(InstructionSet::automatic)),
                      {.teams = 1, .strips = 2, .channels = 7, .parts = parts}, 1) {
    m_bench.walks = true;
    m_transformed.functor().bank.cannot_overflow = true;  // as a plan finds for such taps
    if (samples == Samples::spoiled_before) {
      m_transformed.functor().features.rows.begin = first_asked;
    }
  }

  /// The features in some order, without the barriers of a place.
  std::vector<Scalar> run(std::uint64_t seed, const ground::Place& left_out = {}) {
    m_bench.left_out = left_out;
    return m_transformed.run(seed);
  }
  [[nodiscard]] const ground::Walk& walked() const { return m_bench.walked; }
  [[nodiscard]] const oracle::Problem& problem() const { return m_bench.problem; }
  [[nodiscard]] std::vector<std::int64_t> extents() const { return m_bench.extents(); }

 private:
  static ground::Bench<Scalar> with(Samples samples, std::int64_t strip_rows) {
    constexpr float infinity = std::numeric_limits<float>::infinity();
    ground::Bench<Scalar> bench(strip_rows);
    const auto put = [&](std::int64_t t, std::int64_t c, float value) {
      bench.counts[static_cast<std::size_t>(t * bench.problem.channels + c)] = value;
    };
    for (std::int64_t c = 0; c < bench.problem.channels; c += 2) {
      for (const std::int64_t t : {20, 60, 150, 210}) {
        if (samples == Samples::spoiled) put(t + c, c, infinity);
        if (samples == Samples::overflowing) put(t + c, c, 3e38F);
      }
      if (samples == Samples::spoiled_before) put(28, c, infinity);
    }
    bench.problem.x.assign(bench.counts.begin(), bench.counts.end());
    return bench;
  }

  ground::Bench<Scalar> m_bench;
  ground::TransformedBench<Sweep, Scalar> m_transformed;
};

template <class Scalar>
class FftPartsBarriers : public testing::Test {};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(FftPartsBarriers, Scalars);

TYPED_TEST(FftPartsBarriers, AreEnough) {
  for (const std::int64_t parts : all_parts) {
    for (const Samples samples : all_samples) {
      PartsBench<TypeParam> bench(samples, parts);
      const auto right = bench.run(1);
      if (samples == Samples::sound || samples == Samples::spoiled) {
        EXPECT_TRUE(oracle::agree(right, oracle::convolve(bench.problem()).values, bench.extents(),
                                  oracle::rounding_of_blocks<TypeParam>(bench.problem(), 128)));
      }
      for (std::uint64_t seed = 2; seed <= orders; ++seed) {
        ASSERT_TRUE(same_bits(bench.run(seed), right, bench.extents())) << "order " << seed;
        ASSERT_TRUE(bench.walked().is_together) << "order " << seed;
      }
    }
  }
}

/// Takes out the barriers of each place in turn.
TYPED_TEST(FftPartsBarriers, AreNeeded) {
  std::set<std::string> needed;
  std::set<std::string> found;
  for (const std::int64_t parts : all_parts) {
    for (const Samples samples : all_samples) {
      PartsBench<TypeParam> bench(samples, parts);
      const auto right = bench.run(1);
      const std::set<ground::Place> places = bench.walked().places;
      for (const ground::Place& place : places) {
        found.insert(place.name());
        for (std::uint64_t seed = 1; seed <= orders && !needed.contains(place.name()); ++seed) {
          const auto features = bench.run(seed, place);
          if (!bench.walked().is_together || !same_bits(features, right, bench.extents())) {
            needed.insert(place.name());
          }
        }
      }
    }
  }
  EXPECT_EQ(needed, found);
  EXPECT_GE(found.size(), 12U);  // all of fft.hpp, and those of the passes that it runs
}

}  // namespace
}  // namespace fft_parts_barriers_tests
