// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "operators/fft_cases.hpp"
#include "oracle/library.hpp"
#include "oracle/matchers.hpp"
#include "oracle/processes.hpp"
#include "oracle/random_conv.hpp"
#include "oracle/refusals.hpp"
#include "oracle/sets.hpp"

#include <synelix/conv.hpp>

#include <gtest/gtest.h>
#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

// Convolutions of one dimension by transforms: against the obvious loops, and against direct sums.

namespace conv_fft_tests {
namespace {

namespace sx = synelix;
using oracle::Array;
using oracle::arrays_of;
using oracle::Convolution;
using oracle::expect_refused;
using oracle::expected_of;
using oracle::in_oracle_order;
using oracle::once_in;
using oracle::random_line;
using oracle::RandomConv;
using oracle::tolerance_of;
using Op = sx::ConvOperator;

template <class Types>
class ConvFft : public oracle::ConvLines<Types> {};
TYPED_TEST_SUITE(ConvFft, oracle::AllSpaces);

/// An operator by transforms against the obvious loops.
template <class Scalar, class Space>
void expect_sums(const Space& exec, Op op, const RandomConv<Scalar>& test, sx::ConvOptions options,
                 std::mt19937_64& random) {
  auto [arrays, extents] = arrays_of(op, test);
  const auto placement = once_in(random, 2)
                             ? oracle::right_placement(3)
                             : oracle::random_placement(3, oracle::Signs::positive, random);
  Array<Scalar> result(extents, placement, oracle::unwritten<Scalar>);
  arrays.result = result.output();
  options.method = sx::ConvMethod::fft;
  const sx::ConvChoice choice = sx::choose_conv(exec, arrays, options);
  ASSERT_EQ(choice.method, sx::ConvMethod::fft);
  ASSERT_GE(choice.fft_length, test.conv.taps[2]);
  sx::convolve_arrays(exec, arrays, options);
  const oracle::Sums expected = expected_of(op, test);
  EXPECT_TRUE(oracle::agree(in_oracle_order(op, test, result.values()), expected.values, extents,
                            tolerance_of(test, expected, choice.fft_length)))
      << "operator " << static_cast<int>(op) << ", blocks of " << choice.fft_length;
  EXPECT_EQ(result.damaged(), 0) << "written outside the result";
}

TYPED_TEST(ConvFft, EveryPaddingDilationAndGroupIsTheObviousLoops) {
  using Scalar = typename TestFixture::Scalar;
  const typename TestFixture::Space exec;
  std::mt19937_64 random(51);
  for (const auto kind :
       {sx::PaddingKind::zero, sx::PaddingKind::circular, sx::PaddingKind::reflect}) {
    for (int i = 0; i < 12; ++i) {
      const Convolution conv = random_line(kind, i % 3 + 1, i % 4 == 0 ? 90 : 12, random);
      const RandomConv<Scalar> test(conv, 1, random);
      for (const Op op : {Op::forward, Op::grad_input, Op::grad_weights, Op::transposed}) {
        if (op == Op::transposed && kind != sx::PaddingKind::zero) continue;
        expect_sums(exec, op, test, test.options(), random);
      }
      ASSERT_FALSE(this->HasFailure()) << test.text();
    }
  }
}

/// More blocks than a pack has lanes, more packs than are transformed together, entries of a batch
/// in one pack, results that are summed together and ones that are left over.
TYPED_TEST(ConvFft, ManyBlocksAndChannelsAreTheObviousLoops) {
  using Scalar = typename TestFixture::Scalar;
  const typename TestFixture::Space exec;
  std::mt19937_64 random(52);
  std::vector<Convolution> all(4);
  all[0] = {.inputs = 1, .outputs = 3, .in = {1, 1, 20'011}, .taps = {1, 1, 37}};
  all[1] = {.batch = 23, .inputs = 7, .outputs = 6, .in = {1, 1, 211}, .taps = {1, 1, 50}};
  all[2] = {.batch = 3,
            .groups = 5,
            .inputs = 5,
            .outputs = 5,
            .in = {1, 1, 2500},
            .taps = {1, 1, 40},
            .before = {0, 0, 39},
            .after = {0, 0, 7}};
  all[3] = {.inputs = 2, .outputs = 2, .in = {1, 1, 3000}, .taps = {1, 1, 700}};
  for (const Convolution& conv : all) {
    const RandomConv<Scalar> test(conv, 1, random);
    for (const Op op : {Op::forward, Op::grad_input, Op::grad_weights}) {
      expect_sums(exec, op, test, test.options(), random);
    }
    ASSERT_FALSE(this->HasFailure()) << test.text();
  }
}

TYPED_TEST(ConvFft, EveryInstructionSetIsTheObviousLoops) {
  if constexpr (!TestFixture::is_host) GTEST_SKIP() << "instruction sets are those of hosts";
  using Scalar = typename TestFixture::Scalar;
  const typename TestFixture::Space exec;
  std::mt19937_64 random(53);
  const RandomConv<Scalar> test(
      {.batch = 2, .inputs = 5, .outputs = 9, .in = {1, 1, 1500}, .taps = {1, 1, 61}}, 1, random);
  int sets = 0;
  for (const auto set : oracle::host_sets()) {
    sx::ConvOptions options = test.options();
    options.machine.instruction_set = set;
    try {
      auto [arrays, extents] = arrays_of(Op::forward, test);
      Array<Scalar> result(extents, oracle::right_placement(3), Scalar(0));
      arrays.result = result.output();
      EXPECT_EQ(sx::choose_conv(exec, arrays, options).instruction_set, set);
    } catch (const sx::Error&) {
      continue;  // neither here nor in the build
    }
    for (const Op op : {Op::forward, Op::grad_input, Op::grad_weights}) {
      expect_sums(exec, op, test, options, random);
    }
    ++sets;
  }
  EXPECT_GE(sets, 1);
}

/// <conv(x, w), y> = <x, grad_input(y, w)> = <w, grad_weights(x, y)>, all by transforms.
TYPED_TEST(ConvFft, GradientsAreAdjoint) {
  using Scalar = typename TestFixture::Scalar;
  const typename TestFixture::Space exec;
  std::mt19937_64 random(54);
  const auto product = [](const std::vector<double>& a, const auto& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * static_cast<double>(b[i]);
    return sum;
  };
  for (int i = 0; i < 12; ++i) {
    const auto kind = static_cast<sx::PaddingKind>(i % 3);
    const RandomConv<Scalar> test(random_line(kind, 1, 40, random), 1, random);
    std::int64_t length = 0;
    const auto compute = [&](Op op) {
      auto [arrays, extents] = arrays_of(op, test);
      arrays.bias = {};
      Array<Scalar> result(extents, oracle::right_placement(3), Scalar(0));
      arrays.result = result.output();
      sx::ConvOptions options = test.options();
      options.method = sx::ConvMethod::fft;
      length = std::max(length, sx::choose_conv(exec, arrays, options).fft_length);
      sx::convolve_arrays(exec, arrays, options);
      return result.values();
    };
    const double of_y = product(test.y.physical(), compute(Op::forward));
    const double of_x = product(test.x.physical(), compute(Op::grad_input));
    const double of_w = product(test.w.physical(), compute(Op::grad_weights));
    const auto sums = expected_of(Op::forward, test);
    double most = 0;
    for (const double y : test.y_values()) most += std::fabs(y);
    const double tolerance = tolerance_of(test, sums, length) * std::max(1.0, most);
    EXPECT_NEAR(of_x, of_y, tolerance) << test.text();
    EXPECT_NEAR(of_w, of_y, tolerance) << test.text();
    EXPECT_GT(std::fabs(of_y), 0);
  }
}

template <class Scalar>
RandomConv<Scalar> bits_case(int number) {
  std::mt19937_64 random(static_cast<std::uint64_t>(60 + number));
  if (number == 0) {
    return RandomConv<Scalar>(
        {.batch = 2, .inputs = 1, .outputs = 6, .in = {1, 1, 9001}, .taps = {1, 1, 30}}, 1, random);
  }
  return RandomConv<Scalar>({.batch = 3,
                             .groups = 2,
                             .inputs = 8,
                             .outputs = 10,
                             .in = {1, 1, 1001},
                             .taps = {1, 1, 45},
                             .dilation = {1, 1, 2},
                             .before = {0, 0, 60},
                             .after = {0, 0, 50},
                             .kind = sx::PaddingKind::reflect},
                            1, random);
}

/// The bits of an operator with a budget; 0: any.
template <class Scalar, class Space>
std::vector<Scalar> bits_of(const Space& exec, Op op, const RandomConv<Scalar>& test,
                            std::int64_t budget) {
  auto [arrays, extents] = arrays_of(op, test);
  Array<Scalar> result(extents, oracle::right_placement(3), oracle::unwritten<Scalar>);
  arrays.result = result.output();
  sx::ConvOptions options = test.options();
  options.method = sx::ConvMethod::fft;
  if (budget > 0) options.budget = budget;
  const sx::ConvPlan<Scalar, Space> plan(exec, arrays, options);
  EXPECT_LE(plan.choice().workspace_bytes, options.budget.value_or(sx::mebibytes(64)));
  for (int run = 0; run < 2; ++run) plan.run(exec);
  exec.fence();
  return result.values();
}

TYPED_TEST(ConvFft, BudgetDecidesOverNoBitAndIsKept) {
  using Scalar = typename TestFixture::Scalar;
  const typename TestFixture::Space exec;
  for (const int number : {0, 1}) {
    const auto test = bits_case<Scalar>(number);
    for (const Op op : {Op::forward, Op::grad_input, Op::grad_weights}) {
      const auto free = bits_of(exec, op, test, 0);
      std::int64_t refused = 0;
      std::int64_t least = sx::mebibytes(64);
      while (least - refused > 1) {
        const std::int64_t budget = (refused + least) / 2;
        auto [arrays, extents] = arrays_of(op, test);
        Array<Scalar> result(extents, oracle::right_placement(3), Scalar(0));
        arrays.result = result.output();
        sx::ConvOptions options = test.options();
        options.method = sx::ConvMethod::fft;
        options.budget = budget;
        try {
          EXPECT_LE(sx::choose_conv(exec, arrays, options).workspace_bytes, budget);
          least = budget;
        } catch (const sx::Error&) {
          refused = budget;
        }
      }
      expect_refused([&] { (void)bits_of(exec, op, test, refused); }, "budget",
                     std::to_string(refused), "at least " + std::to_string(least));
      EXPECT_TRUE(oracle::same_bits(bits_of(exec, op, test, least), free,
                                    {static_cast<std::int64_t>(free.size())}));
    }
  }
}

TYPED_TEST(ConvFft, Hash) {
  const char* const path = std::getenv("SYNELIX_HASH_FILE");
  if (path == nullptr) GTEST_SKIP() << "the part of a child of ConvFftBits.AreTheSame...";
  using Scalar = typename TestFixture::Scalar;
  const typename TestFixture::Space exec;
  std::ofstream file(path);
  for (const int number : {0, 1}) {
    for (const Op op : {Op::forward, Op::grad_input, Op::grad_weights}) {
      file << oracle::hash_of(bits_of(exec, op, bits_case<Scalar>(number), 0)) << '\n';
    }
  }
}

TEST(ConvFftBits, AreTheSameForEveryThreadCount) {
  if constexpr (std::is_same_v<Kokkos::DefaultExecutionSpace, Kokkos::DefaultHostExecutionSpace>) {
    for (const std::string suite : {"ConvFft/0", "ConvFft/1"}) {
      const std::string one = oracle::hashes_of(1, suite + ".Hash");
      ASSERT_EQ(std::count(one.begin(), one.end(), '\n'), 6) << one;
      for (const int threads : {2, 5, 24}) {
        EXPECT_EQ(oracle::hashes_of(threads, suite + ".Hash"), one) << threads;
      }
    }
  } else {
    GTEST_SKIP() << "threads of a host";
  }
}

}  // namespace
}  // namespace conv_fft_tests
