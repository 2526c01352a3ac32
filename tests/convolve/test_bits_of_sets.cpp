// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracle/library.hpp"
#include "oracle/matchers.hpp"
#include "oracle/sets.hpp"

#include <synelix/convolve.hpp>

#include <gtest/gtest.h>
#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

// Direct sums and sums of events have the same bits on every processor, by one checksum for all
// sets that round a multiply-add once (avx2 and avx512 of x86-64, neon and sve256 of 64-bit Arm),
// and one for `plain`, which rounds twice everywhere.

namespace bits_of_sets_tests {
namespace {

namespace sx = synelix;

/// A number of [-0.5, 0.5) that is not a short fraction, so that its products are rounded.
template <class Scalar>
Scalar draw_value(std::mt19937_64& random) {
  return static_cast<Scalar>(static_cast<double>(random() >> 11U) * 0x1p-53 - 0.5);
}

struct Shape {
  std::int64_t samples;
  std::int64_t channels;
  std::int64_t bases;
  std::int64_t window;
};
constexpr Shape shapes[] = {{600, 1, 1, 17}, {500, 3, 2, 30},  {400, 20, 8, 25},
                            {300, 5, 3, 90}, {250, 70, 4, 10}, {1500, 2, 5, 400}};

template <class Scalar, class Space>
sx::FilterBank<Scalar, Space> bank_of(const Space& exec, const Shape& shape,
                                      std::mt19937_64& random) {
  sx::Taps taps;
  taps.window = shape.window;
  taps.bases = shape.bases;
  taps.requested_bases = shape.bases;
  taps.basis = "CustomTaps";
  taps.values.resize(static_cast<std::size_t>(shape.window * shape.bases));
  for (double& tap : taps.values) tap = draw_value<double>(random);
  taps.support.assign(static_cast<std::size_t>(shape.bases), {0, shape.window});
  return {exec, taps};
}

/// A spike every few samples of each channel, some of which count several times.
sx::Events events_of(const Shape& shape, std::mt19937_64& random) {
  std::vector<sx::Events::Train> trains(static_cast<std::size_t>(shape.channels));
  const auto step = [&] { return static_cast<std::int64_t>(random() % 9); };
  for (sx::Events::Train& train : trains) {
    for (std::int64_t at = step(); at < shape.samples; at += 1 + step()) {
      train.samples.push_back(at);
      train.counts.push_back(static_cast<float>(1 + random() % 3));
    }
  }
  return {shape.samples, trains};
}

/// Results of all shapes, consecutively.
template <class Scalar, class Space>
std::vector<Scalar> results_of(sx::InstructionSet set, sx::Method method) {
  const Space exec;
  std::mt19937_64 random(17);
  std::vector<Scalar> all;
  for (const Shape& shape : shapes) {
    const auto bank = bank_of<Scalar>(exec, shape, random);
    std::vector<Scalar> samples(static_cast<std::size_t>(shape.samples * shape.channels));
    for (Scalar& sample : samples) sample = draw_value<Scalar>(random);
    const sx::Events events = events_of(shape, random);
    sx::ConvolveOptions options{.shift = sx::Shift::off, .method = method};
    options.machine.instruction_set = set;
    std::vector<Scalar> features(samples.size() * static_cast<std::size_t>(shape.bases));
    const sx::StridedOutput output(features.data(), {shape.samples, shape.channels, shape.bases});
    if (method == sx::Method::events) {
      sx::ConvolvePlan<Scalar, Space>(exec, events.shape(), bank, options)
          .run(exec, events, output);
    } else {
      const sx::StridedSeries series(sx::Strided(samples.data(), {shape.samples, shape.channels}));
      sx::ConvolvePlan<Scalar, Space>(exec, series.shape(), bank, options)
          .run(exec, series, output);
    }
    exec.fence();
    // Rows without a complete window are NaN.
    features.erase(features.begin(),
                   features.begin() + (shape.window - 1) * shape.channels * shape.bases);
    all.insert(all.end(), features.begin(), features.end());
  }
  return all;
}

struct Known {
  std::uint64_t fused;
  std::uint64_t plain;
};
template <class Scalar>
constexpr Known known_of(sx::Method method) {
  const bool is_direct = method == sx::Method::direct;
  if (std::is_same_v<Scalar, float>) {
    return is_direct ? Known{0x6109784659e7dc5dU, 0x34902fdb94c97e1cU}
                     : Known{0xe12cb74dceaa7849U, 0x5f3ff87714305555U};
  }
  return is_direct ? Known{0xd4f259d7b2a9be85U, 0x2a8d17cad59c432aU}
                   : Known{0x76abc4f4f48cd5bcU, 0x4d414e6dadda38eaU};
}

/// A check on a processor that must have a set names it, so that its tests do not pass without it.
TEST(SetsAtHand, HoldTheOneThatTheCallerNames) {
  const char* const name = std::getenv("SYNELIX_NEEDED_SET");
  if (name == nullptr) GTEST_SKIP() << "SYNELIX_NEEDED_SET names none";
  std::vector<std::string> names;
  for (const auto set : oracle::sets_at_hand()) names.emplace_back(sx::name_of(set));
  EXPECT_NE(std::find(names.begin(), names.end(), name), names.end()) << name;
}

template <class Types>
class BitsOfSets : public testing::Test {};
TYPED_TEST_SUITE(BitsOfSets, oracle::AllSpaces);

TYPED_TEST(BitsOfSets, AreThoseOfEveryProcessor) {
  using Scalar = typename TypeParam::scalar;
  using Space = typename TypeParam::space;
  if constexpr (!std::is_same_v<typename Space::memory_space, Kokkos::HostSpace>) {
    GTEST_SKIP() << "sets are those of hosts";
  } else {
    for (const auto method : {sx::Method::direct, sx::Method::events}) {
      const Known known = known_of<Scalar>(method);
      for (const auto set : oracle::sets_at_hand()) {
        const auto hash = oracle::hash_of(results_of<Scalar, Space>(set, method));
        EXPECT_EQ(hash, set == sx::InstructionSet::plain ? known.plain : known.fused)
            << sx::name_of(method) << " on " << sx::name_of(set);
      }
    }
  }
}

}  // namespace
}  // namespace bits_of_sets_tests
