// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "oracle/library.hpp"
#include "oracle/matchers.hpp"

#include <gmock/gmock.h>
#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

// Problems drawn at random: values against the oracle, bits against each other over batches,
// budgets, blocks and events.

namespace convolve_random_tests {
namespace {

using namespace oracle;
using namespace synelix;

const std::uint64_t cases = drawn_cases(150);

template <class Types>
class ConvolveRandom : public testing::Test {};
TYPED_TEST_SUITE(ConvolveRandom, AllSpaces);

/// The methods that serve every series.
constexpr Method dense_methods[] = {Method::automatic, Method::fft};

/// A method, its parts drawn with the problem.
template <class Scalar>
ConvolveOptions options_with(const RandomCase<Scalar>& test, Method method) {
  ConvolveOptions options = test.options();
  options.method = method;
  const std::int64_t parts = (test.problem.window + 3 * test.problem.bases) % 7;
  const bool fits_device = parts == 2 && test.problem.window > 40 * options.every;
  if (parts > 0 && (!has_device || fits_device)) options.fft_parts = parts;
  return options;
}

/// Another batch and budget for the same problem.
template <class Scalar>
ConvolveOptions recut(const RandomCase<Scalar>& test, std::mt19937_64& random,
                      Method method = Method::automatic) {
  ConvolveOptions options = options_with(test, method);
  if (!once_in(random, 4)) {
    options.batch.samples = test.problem.window + draw(random, 0, 60);
  }
  if (!once_in(random, 4)) options.batch.channels = draw(random, 1, test.problem.channels + 1);
  if (!once_in(random, 4)) options.batch.bases = draw(random, 1, test.problem.bases + 1);
  if (once_in(random, 2)) options.budget = mebibytes(4);
  return options;
}

template <class Scalar>
std::vector<std::int64_t> shape_of(const RandomCase<Scalar>& test, std::size_t size) {
  const std::int64_t row = test.problem.channels * test.problem.bases;
  return {static_cast<std::int64_t>(size) / row, test.problem.channels, test.problem.bases};
}

TYPED_TEST(ConvolveRandom, GivesTheExplicitSum) {
  using Scalar = typename TypeParam::scalar;
  const typename TypeParam::space exec;
  for (std::uint64_t seed = 1; seed <= cases; ++seed) {
    const auto test = random_case<Scalar>(seed);
    SCOPED_TRACE("seed " + std::to_string(seed) + ": " + test.description());
    std::mt19937_64 random(seed);
    const Features expected = convolve(test.problem);
    const std::vector<std::int64_t> shape_of_features = shape_of(test, expected.values.size());
    const std::vector<Scalar> found = run_case(exec, test, test.options(), random);
    ASSERT_TRUE(agree(found, expected.values, shape_of_features, rounding<Scalar>(test.problem)));
    const std::vector<Scalar> by_fft =
        run_case(exec, test, options_with(test, Method::fft), random);
    const std::int64_t length = std::max<std::int64_t>(128, 32 * test.problem.window);
    ASSERT_TRUE(agree(by_fft, expected.values, shape_of_features,
                      rounding_of_blocks<Scalar>(test.problem, length)))
        << "fft";
    const SeriesShape shape = Events(test.problem.samples, {{}}, test.problem.epochs).shape();
    ASSERT_EQ(feature_samples(shape, test.problem.window, test.options()), expected.samples);
  }
}

/// A plan's features of a series in this memory.
template <class Scalar, class Space>
std::vector<Scalar> features_of(const Space& exec, const Scalar* samples,
                                const RandomCase<Scalar>& test) {
  const auto bank = bank_of<Scalar>(exec, test.problem);
  const StridedSeries series(oracle::scaled_by(Strided(samples, test.extents), test.scaling),
                             test.series);
  ConvolveOptions options = test.options();
  options.method = Method::direct;
  const ConvolvePlan<Scalar, Space> plan(exec, series, bank, options);
  Array<Scalar> output({plan.rows(), test.problem.channels, test.problem.bases}, right_placement(3),
                       unwritten<Scalar>);
  plan.run(exec, series, output.output());
  exec.fence();
  return output.values();
}

/// A short epoch after a long one, with samples that end at the end of memory: its last rows are
/// fewer than a register holds.
TYPED_TEST(ConvolveRandom, ReadsNothingBehindAShortLastEpoch) {
  using Scalar = typename TypeParam::scalar;
  const typename TypeParam::space exec;
  for (const InstructionSet set : sets_at_hand()) {
    for (const std::int64_t channels : {1, 3, 15}) {
      for (const std::int64_t length : {600, 2000}) {
        for (std::int64_t rows = 1; rows <= 9; ++rows) {
          RandomCase<Scalar> test;
          Problem& problem = test.problem;
          problem.window = 5;
          problem.border = Border::valid;  // every window has only stored samples
          problem.bases = 2;
          problem.channels = channels;
          problem.samples = length + 4 + rows;
          problem.epochs = {{0, length}, {length, problem.samples}};
          test.series.epochs = problem.epochs;
          test.type = stored_type<Scalar>;
          test.extents = {problem.samples, channels};
          test.set = set;
          std::mt19937_64 random(static_cast<std::uint64_t>(rows));
          for (std::int64_t i = 0; i < problem.window * problem.bases; ++i) {
            problem.taps.push_back(static_cast<Scalar>(draw(random, -9, 9)));
          }
          std::vector<Scalar> samples;
          for (std::int64_t i = 0; i < problem.samples * channels; ++i) {
            samples.push_back(static_cast<Scalar>(draw(random, -99, 99)));
          }
          Guarded<Scalar> at_the_end(samples.size(), Scalar(0), GuardedEnd::last);
          std::copy(samples.begin(), samples.end(), at_the_end.data());
          ASSERT_EQ(features_of(exec, at_the_end.data(), test),
                    features_of(exec, samples.data(), test))
              << rows << " rows of " << channels << " channels behind " << length << ", "
              << name_of(set);
        }
      }
    }
  }
}

TYPED_TEST(ConvolveRandom, GivesTheSameBitsHoweverItIsCut) {
  using Scalar = typename TypeParam::scalar;
  const typename TypeParam::space exec;
  for (std::uint64_t seed = 1; seed <= cases; ++seed) {
    const auto test = random_case<Scalar>(seed);
    SCOPED_TRACE("seed " + std::to_string(seed) + ": " + test.description());
    std::mt19937_64 random(seed);
    for (const Method method : dense_methods) {
      SCOPED_TRACE(name_of(method));
      const std::vector<Scalar> once = run_case(exec, test, options_with(test, method), random);
      for (int k = 0; k < 3; ++k) {
        const std::vector<Scalar> again = run_case(exec, test, recut(test, random, method), random);
        ASSERT_TRUE(same_bits(again, once, shape_of(test, once.size())));
      }
    }
  }
}

TYPED_TEST(ConvolveRandom, GivesTheBitsOfTheCountsForEvents) {
  using Scalar = typename TypeParam::scalar;
  const typename TypeParam::space exec;
  int compared = 0;
  for (std::uint64_t seed = 1; compared < 60; ++seed) {
    const auto test = random_case<Scalar>(seed);
    if (!test.is_counts()) continue;
    ++compared;
    SCOPED_TRACE("seed " + std::to_string(seed) + ": " + test.description());
    std::mt19937_64 random(seed);
    const std::vector<Scalar> dense =
        run_case(exec, test, options_with(test, Method::direct), random);
    for (const Method method : {Method::events, Method::direct}) {
      SCOPED_TRACE(name_of(method));
      const std::vector<Scalar> found = run_events(exec, test, recut(test, random, method), random);
      ASSERT_TRUE(same_bits(found, dense, shape_of(test, dense.size())));
    }
    const std::vector<Scalar> by_fft =
        run_case(exec, test, options_with(test, Method::fft), random);
    const std::vector<Scalar> found =
        run_events(exec, test, recut(test, random, Method::fft), random);
    ASSERT_TRUE(same_bits(found, by_fft, shape_of(test, dense.size()))) << "fft";
  }
}

/// A range within [0, size), now and then empty.
Range random_range(std::mt19937_64& random, std::int64_t size) {
  const std::int64_t a = draw(random, 0, size);
  const std::int64_t b = draw(random, 0, size);
  return {std::min(a, b), std::max(a, b)};
}

/// The values of a block among all features (r, c, b).
template <class Scalar>
std::vector<Scalar> part_of(const std::vector<Scalar>& all, const Block& block,
                            const Problem& problem) {
  std::vector<Scalar> part;
  for (std::int64_t r = block.rows.begin; r < block.rows.end; ++r) {
    for (std::int64_t c = block.channels.begin; c < block.channels.end; ++c) {
      for (std::int64_t b = block.bases.begin; b < block.bases.end; ++b) {
        part.push_back(
            all[static_cast<std::size_t>((r * problem.channels + c) * problem.bases + b)]);
      }
    }
  }
  return part;
}

/// The samples of a block's channels that its rows need and no more, in a buffer of that size.
template <class T, class Scalar>
std::vector<T> input_of(const RandomCase<Scalar>& test, Range samples, Range channels) {
  std::vector<T> input;
  for (std::int64_t t = samples.begin; t < samples.end; ++t) {
    for (std::int64_t c = channels.begin; c < channels.end; ++c) {
      input.push_back(
          static_cast<T>(test.stored[static_cast<std::size_t>(t * test.problem.channels + c)]));
    }
  }
  input.shrink_to_fit();
  return input;
}

template <class Space, class Scalar>
void expect_blocks(const Space& exec, const RandomCase<Scalar>& test,
                   const std::vector<Scalar>& all, std::mt19937_64& random, Method method) {
  SeriesShape shape = Events(test.problem.samples, {{}}, test.problem.epochs).shape();
  shape.has_events = false;
  shape.channels = test.problem.channels;
  shape.type = test.type;
  shape.scaling = test.scaling;
  const ConvolvePlan<Scalar, Space> plan(exec, shape, bank_of<Scalar>(exec, test.problem),
                                         recut(test, random, method));
  for (int k = 0; k < 6; ++k) {
    const Block block{random_range(random, plan.rows()), random_range(random, shape.channels),
                      random_range(random, test.problem.bases)};
    const std::vector<std::int64_t> extents{block.rows.size(), block.channels.size(),
                                            block.bases.size()};
    Array<Scalar> output(extents, random_placement(3, Signs::positive, random), unwritten<Scalar>);
    const Range samples = plan.samples_for(block.rows);
    visit_type(test.type, [&]<class T>() {
      std::vector<T> input = input_of<T>(test, samples, block.channels);
      const Strided strided(input.data(), {samples.size(), block.channels.size()});
      plan.run_block(exec, block, strided, samples.begin, output.output());
      exec.fence();
    });
    ASSERT_EQ(output.damaged(), 0);
    ASSERT_TRUE(same_bits(output.values(), part_of(all, block, test.problem), extents))
        << "rows [" << block.rows.begin << ", " << block.rows.end << ")";
  }
}

TYPED_TEST(ConvolveRandom, BlocksHaveTheBitsOfTheWhole) {
  using Scalar = typename TypeParam::scalar;
  const typename TypeParam::space exec;
  for (std::uint64_t seed = 1; seed <= cases; ++seed) {
    const auto test = random_case<Scalar>(seed);
    SCOPED_TRACE("seed " + std::to_string(seed) + ": " + test.description());
    std::mt19937_64 random(seed);
    for (const Method method : dense_methods) {
      SCOPED_TRACE(name_of(method));
      const std::vector<Scalar> all = run_case(exec, test, options_with(test, method), random);
      expect_blocks(exec, test, all, random, method);
      if (this->HasFatalFailure()) return;
    }
  }
}

TYPED_TEST(ConvolveRandom, BlocksOfEventsHaveTheBitsOfTheWhole) {
  using Scalar = typename TypeParam::scalar;
  const typename TypeParam::space exec;
  int compared = 0;
  for (std::uint64_t seed = 1; compared < std::min(40, static_cast<int>(cases)); ++seed) {
    const auto test = random_case<Scalar>(seed);
    if (!test.is_counts()) continue;
    ++compared;
    SCOPED_TRACE("seed " + std::to_string(seed) + ": " + test.description());
    std::mt19937_64 random(seed);
    const std::vector<Scalar> sums =
        run_case(exec, test, options_with(test, Method::direct), random);
    const std::vector<Scalar> by_fft =
        run_case(exec, test, options_with(test, Method::fft), random);
    const Events events = copy_events(exec, events_of(test));
    for (const Method method : {Method::events, Method::direct, Method::fft}) {
      const std::vector<Scalar>& all = method == Method::fft ? by_fft : sums;
      const ConvolveOptions options = recut(test, random, method);
      const ConvolvePlan<Scalar, typename TypeParam::space> plan(
          exec, events, bank_of<Scalar>(exec, test.problem), options);
      for (int k = 0; k < 4; ++k) {
        const Block block{random_range(random, plan.rows()),
                          random_range(random, test.problem.channels),
                          random_range(random, test.problem.bases)};
        const std::vector<std::int64_t> extents{block.rows.size(), block.channels.size(),
                                                block.bases.size()};
        Array<Scalar> output(extents, random_placement(3, Signs::positive, random),
                             unwritten<Scalar>);
        plan.run_block(exec, block, events, output.output());
        exec.fence();
        ASSERT_EQ(output.damaged(), 0);
        ASSERT_TRUE(same_bits(output.values(), part_of(all, block, test.problem), extents));
      }
    }
  }
}

}  // namespace
}  // namespace convolve_random_tests
