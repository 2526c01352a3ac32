// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "promises/allocations.hpp"

#include "oracle/library.hpp"

#include <synelix/convolve_stream.hpp>
#include <synelix/trials.hpp>

#include <gmock/gmock.h>
#include <Kokkos_Core.hpp>

#include <cstdint>
#include <vector>

// A stream of blocks allocates nothing after its construction, and neither does the run of a list
// of trials.

namespace stream_allocations_tests {
namespace {

using namespace synelix;
using promises::CountAllocations;

template <class Types>
class Blocks : public testing::Test {};
TYPED_TEST_SUITE(Blocks, oracle::AllSpaces);

constexpr std::int64_t channels = 7;
constexpr std::int64_t bases = 3;

TYPED_TEST(Blocks, ArePushedWithoutAllocation) {
  if (!promises::counts_allocations()) GTEST_SKIP() << "this build does not count allocations";
  using Scalar = typename TypeParam::scalar;
  const typename TypeParam::space exec;
  const FilterBank<Scalar, typename TypeParam::space> bank(exec, RaisedCosineLog{.bases = bases},
                                                           {.window = 20});
  const std::vector<Scalar> x(100 * channels, Scalar(1));
  std::vector<Scalar> y(120 * channels * bases);
  const StridedOutput features(y.data(), {120, channels, bases});
  std::vector<Events> events;
  for (const std::int64_t length : {1, 30, 100, 7}) {
    std::vector<Events::Train> trains(channels);
    for (auto& train : trains) {
      for (std::int64_t t = 0; t < length; t += 3) train.samples.push_back(t);
    }
    events.emplace_back(length, trains);
  }
  for (const Causality causality : {Causality::causal, Causality::anti_causal}) {
    for (const bool has_events : {false, true}) {
      SeriesShape longest;
      longest.samples = 100;
      longest.channels = channels;
      longest.type = stored_type<Scalar>;
      longest.has_events = has_events;
      longest.events = has_events ? 200 : 0;
      const ConvolveOptions options{.causality = causality, .border = Border::zero};
      ConvolveStream stream(exec, longest, bank, choose_stream(exec, longest, bank, options),
                            options);
      CountAllocations counter;
      for (int round = 0; round < 3; ++round) {
        for (const Events& block : events) {
          if (has_events) {
            stream.push(exec, block, features);
          } else {
            stream.push(exec, Strided(x.data(), {block.shape().samples, channels}), features);
          }
        }
        stream.finish(exec, features);
      }
      const auto counted = counter.stop();
      EXPECT_EQ(counted.calls, 0) << counted.bytes << " bytes";
    }
  }
}

TYPED_TEST(Blocks, TrialsRunWithoutAllocation) {
  if (!promises::counts_allocations()) GTEST_SKIP() << "this build does not count allocations";
  using Scalar = typename TypeParam::scalar;
  using Space = typename TypeParam::space;
  const Space exec;
  const FilterBank<Scalar, Space> bank(exec, RaisedCosineLog{.bases = bases}, {.window = 20});
  std::vector<Kokkos::View<Scalar**, Kokkos::LayoutRight, Space>> trials;
  std::vector<Kokkos::View<Scalar***, Kokkos::LayoutRight, Space>> features;
  for (const std::int64_t length : {50, 7, 300}) {
    trials.emplace_back("trial", length, channels);
    features.emplace_back("features", length, channels, bases);
  }
  const TrialsPlan plan(exec, trials, bank);
  for (int run = 0; run < 3; ++run) {
    CountAllocations counter;
    plan.run(exec, trials, features);
    const auto counted = counter.stop();
    EXPECT_EQ(counted.calls, 0) << "run " << run << ": " << counted.bytes << " bytes";
  }
}

}  // namespace
}  // namespace stream_allocations_tests
