// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "oracle/bounded.hpp"
#include "oracle/library.hpp"
#include "oracle/matchers.hpp"
#include "oracle/refusals.hpp"

#include <synelix/convolve.hpp>

#include <gmock/gmock.h>
#include <Kokkos_Core.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

// The FFT method with its window in parts: values against the oracle, and the same bits for any
// division of the work, over windows that are no multiple of a part, epochs shorter than one, and
// samples that are not finite in several blocks.

namespace convolve_parts_tests {
namespace {

using namespace oracle;
using namespace synelix;

template <class Types>
class ConvolveParts : public testing::Test {};
TYPED_TEST_SUITE(ConvolveParts, AllSpaces);

struct Case {
  const char* name;
  std::int64_t samples;
  std::int64_t channels;
  std::int64_t bases;
  std::int64_t window;
  std::int64_t parts;
  std::int64_t every = 1;
  Epochs epochs = {};
  Border border = Border::nan;
  Causality causality = Causality::causal;
  StoredType type = StoredType::float32;
  int sample_axis = 0;
  bool has_strays = false;
};

std::vector<Case> cases() {
  const Border zero = Border::zero;
  const Causality causal = Causality::causal;
  Epochs uneven;  // many are shorter than a part, and some longer than all
  for (std::int64_t t = 0, k = 0; t < 2400; ++k) {
    const std::int64_t length = k % 5 == 4 ? 500 : 7 + 31 * (k % 5);
    uneven.push_back({t, std::min<std::int64_t>(2400, t + length)});
    t += length + k % 3;
  }
  return {
      {"whole lines", 3000, 16, 1, 700, 4},
      {"a last part of one tap", 1500, 4, 5, 385, 4},
      {"as many parts as there can be", 2000, 3, 2, 1021, 16},
      {"two parts", 900, 2, 5, 400, 2, 1, {}, zero},
      {"a window longer than the series", 300, 5, 3, 500, 3, 1, {}, zero},
      {"every third", 2500, 7, 3, 500, 3, 3},
      {"every seventh of short parts", 1000, 1, 1, 90, 5, 7, {}, zero},
      {"uneven epochs", 2400, 3, 4, 300, 4, 1, uneven},
      {"uneven epochs, zeros, every second", 2400, 5, 3, 200, 3, 2, uneven, zero},
      {"acausal", 2400, 6, 2, 301, 3, 1, uneven, Border::valid, Causality::acausal},
      {"anti-causal", 1800, 6, 2, 300, 4, 1, {}, zero, Causality::anti_causal},
      {"int16, samples side by side",
       1700,
       5,
       3,
       260,
       3,
       1,
       {},
       zero,
       causal,
       StoredType::int16,
       1},
      {"strays", 2600, 5, 3, 280, 4, 1, {}, zero, causal, StoredType::float32, 0, true},
      {"strays in epochs, samples side by side", 2400, 16, 2, 150, 3, 2, uneven, Border::nan,
       Causality::anti_causal, StoredType::float64, 1, true},
  };
}

template <class Scalar>
RandomCase<Scalar> problem_of(const Case& test) {
  RandomCase<Scalar> result;
  Problem& problem =
      result.problem;  // member by member: nvcc 13.0 writes a braced list out wrongly
  problem.samples = test.samples;
  problem.channels = test.channels;
  problem.window = test.window;
  problem.bases = test.bases;
  problem.epochs = test.epochs;
  problem.causality = test.causality;
  problem.border = test.border;
  problem.every = test.every;
  result.type = test.type;
  result.series.sample_axis = test.sample_axis;
  result.series.epochs = test.epochs;
  result.extents = test.sample_axis == 0 ? std::vector{test.samples, test.channels}
                                         : std::vector{test.channels, test.samples};
  std::mt19937_64 random(41);
  draw_values(random, result);
  if (!test.has_strays) return result;
  // Non-finite values: many in one lane, two far apart in one lane, and one next to a border of
  // blocks.
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const auto put = [&](std::int64_t t, std::int64_t c, double value) {
    const auto i = static_cast<std::size_t>(t * test.channels + c);
    result.stored[i] = result.problem.x[i] = value;
  };
  for (std::int64_t t = 300; t < 700; ++t) put(t, 0, std::nan(""));
  put(101, 1, infinity);
  put(1900, 1, -infinity);
  put(test.samples - 1, 2, std::nan(""));
  put(1200, 3, infinity);
  put(1201, 3, -infinity);
  return result;
}

template <class Scalar>
ConvolveOptions options_of(const RandomCase<Scalar>& problem, std::int64_t parts) {
  ConvolveOptions options = problem.options();
  options.method = Method::fft;
  options.fft_parts = parts;
  return options;
}

template <class Scalar>
std::vector<std::int64_t> shape_of(const Problem& problem, const std::vector<Scalar>& values) {
  const std::int64_t row = problem.channels * problem.bases;
  return {std::ssize(values) / row, problem.channels, problem.bases};
}

TYPED_TEST(ConvolveParts, GiveTheExplicitSum) {
  using Scalar = typename TypeParam::scalar;
  const typename TypeParam::space exec;
  for (const Case& test : cases()) {
    SCOPED_TRACE(test.name);
    const auto problem = problem_of<Scalar>(test);
    const ConvolveOptions options = options_of(problem, test.parts);
    SeriesShape shape;
    shape.samples = test.samples;
    shape.channels = test.channels;
    const Choice choice = choose(exec, shape, bank_of<Scalar>(exec, problem.problem), options);
    EXPECT_EQ(choice.fft_parts, test.parts);
    EXPECT_GE(choice.fft_parts * choice.fft_part_taps, test.window);
    EXPECT_EQ(choice.fft_part_taps % test.every, 0);
    std::mt19937_64 random(7);
    const oracle::Features expected = convolve(problem.problem);
    const std::vector<Scalar> found = run_case(exec, problem, options, random);
    ASSERT_TRUE(agree(found, expected.values, shape_of(problem.problem, found),
                      rounding_of_blocks<Scalar>(problem.problem, choice.fft_parts * 1024)));
  }
}

TYPED_TEST(ConvolveParts, HaveTheSameBitsHoweverTheyAreCut) {
  using Scalar = typename TypeParam::scalar;
  const typename TypeParam::space exec;
  OneIn taken(3);
  for (const Case& test : cases()) {
    if (!taken.is_next()) continue;
    SCOPED_TRACE(test.name);
    const auto problem = problem_of<Scalar>(test);
    std::mt19937_64 random(7);
    const ConvolveOptions options = options_of(problem, test.parts);
    const std::vector<Scalar> once = run_case(exec, problem, options, random);
    const std::int64_t window = test.window;
    for (const Batch& batch :
         {Batch{.samples = window}, Batch{.samples = 3 * window, .channels = 2},
          Batch{.channels = 1, .bases = 1}, Batch{.channels = 3, .bases = 2}}) {
      for (const std::int64_t budget : {mebibytes(2), mebibytes(64)}) {
        ConvolveOptions other = options;
        other.batch = batch;
        other.budget = budget;
        const std::vector<Scalar> again = run_case(exec, problem, other, random);
        ASSERT_TRUE(same_bits(again, once, shape_of(problem.problem, once)))
            << "batch " << batch.samples.value_or(0) << ", " << batch.channels.value_or(0) << ", "
            << batch.bases.value_or(0) << ", budget " << budget;
      }
    }
  }
}

/// Rows without a value, of a block whose other rows have one.
TYPED_TEST(ConvolveParts, GiveTheFirstRowsOfABlockAlone) {
  using Scalar = typename TypeParam::scalar;
  using Space = typename TypeParam::space;
  const Space exec;
  const FilterBank<Scalar, Space> bank(exec, RaisedCosineLog{.bases = 3}, {.window = 35});
  SeriesShape shape;
  shape.samples = 373;
  shape.channels = 1;
  shape.type = stored_type<Scalar>;
  const ConvolvePlan<Scalar, Space> plan(
      exec, shape, bank, {.shift = Shift::off, .method = Method::fft, .fft_parts = 2});
  const std::vector<Scalar> x(373, Scalar(1));
  std::vector<Scalar> y(5 * 3, unwritten<Scalar>);
  plan.run_block(exec, {{0, 5}, {0, 1}, {0, 3}}, Strided(x.data(), {373, 1}), 0,
                 StridedOutput(y.data(), {5, 1, 3}));
  exec.fence();
  for (const Scalar value : y) EXPECT_TRUE(std::isnan(value)) << value;
}

TYPED_TEST(ConvolveParts, OfEventsHaveTheBitsOfTheirCounts) {
  using Scalar = typename TypeParam::scalar;
  const typename TypeParam::space exec;
  Case test{"events", 4000, 5, 3, 600, 4};
  test.type = StoredType::uint8;
  auto problem = problem_of<Scalar>(test);
  problem.scaling = {};
  std::mt19937_64 random(7);
  const ConvolveOptions options = options_of(problem, test.parts);
  const std::vector<Scalar> dense = run_case(exec, problem, options, random);
  const std::vector<Scalar> found = run_events(exec, problem, options, random);
  ASSERT_TRUE(same_bits(found, dense, shape_of(problem.problem, dense)));
}

/// Samples whose transform overflows although each window's sum does not.
TYPED_TEST(ConvolveParts, OfSamplesTooLargeForATransformAreSummed) {
  using Scalar = typename TypeParam::scalar;
  const typename TypeParam::space exec;
  const Case test{"large", 1500, 3, 2, 256, 4};
  auto problem = problem_of<Scalar>(test);
  for (std::int64_t t = 600; t < 800; ++t) {
    const auto i = static_cast<std::size_t>(t * test.channels + 1);
    problem.stored[i] = problem.problem.x[i] =
        0.2 * static_cast<double>(std::numeric_limits<Scalar>::max());
  }
  for (double& tap : problem.problem.taps) {
    tap = static_cast<Scalar>(std::ldexp(tap, -12));
  }
  std::mt19937_64 random(7);
  ConvolveOptions options = options_of(problem, test.parts);
  const std::vector<Scalar> found = run_case(exec, problem, options, random);
  options.method = Method::direct;
  const std::vector<Scalar> expected = run_case(exec, problem, options, random);
  double largest = 0.0;
  for (const Scalar value : expected) {
    if (!std::isnan(value)) largest = std::max<double>(largest, std::abs(value));
  }
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (std::isnan(expected[i])) {
      ASSERT_TRUE(std::isnan(found[i])) << i;
    } else {
      const double scale = i / 2 % 3 == 1 ? 1e-5 * largest : 1e-4;
      ASSERT_NEAR(found[i], expected[i], scale) << i;
    }
  }
}

TYPED_TEST(ConvolveParts, AreFewerWhereRowsAreFarApartAndRefusedWhereThereAreNone) {
  using Scalar = typename TypeParam::scalar;
  this->RecordProperty("launches_nothing", "choices alone");
  const typename TypeParam::space exec;
  const FilterBank<Scalar, typename TypeParam::space> bank(exec, MSpline{.bases = 5},
                                                           {.window = 100});
  SeriesShape shape;
  shape.samples = 10'000;
  shape.channels = 3;
  ConvolveOptions options{.method = Method::fft, .every = 40};
  options.fft_parts = 8;
  EXPECT_EQ(choose(exec, shape, bank, options).fft_parts, 3) << "of 40, 40 and 20 taps";
  options.every = 200;
  EXPECT_EQ(choose(exec, shape, bank, options).fft_parts, 1);
  for (const std::int64_t wrong : {-1, 0, 17}) {
    options.fft_parts = wrong;
    oracle::expect_refused([&] { (void)choose(exec, shape, bank, options); }, "fft_parts",
                           std::to_string(wrong), "1 to 16, or leave it out");
  }
}

}  // namespace
}  // namespace convolve_parts_tests
