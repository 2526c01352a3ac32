// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "operators/device_conv_bench.hpp"
#include "oracle/matchers.hpp"
#include "oracle/random_conv.hpp"

#include <synelix/conv.hpp>

#include <gtest/gtest.h>
#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <random>
#include <set>
#include <string>
#include <vector>

// The sweeps of convolutions that only devices run, on the mock team, on threads that walk, and on
// teams of a host: the sums of the obvious loops, one answer for every order and every cut, and the
// need of each barrier.

namespace device_conv_tests {
namespace {

using namespace synelix;
using ground::DeviceConvBench;
using ground::Teams;
using oracle::Array;
using oracle::RandomConv;
using oracle::same_bits;
using Op = ConvOperator;
using Extents = std::vector<std::int64_t>;

template <class Scalar>
class DeviceConv : public testing::Test {};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(DeviceConv, Scalars);

/// An operator of a random convolution, with its own result.
template <class Scalar>
class Computed {
 public:
  Computed(const RandomConv<Scalar>& test, Op op, std::mt19937_64& random)
      : m_extents(extents_of(test, op)),
        m_result(m_extents,
                 oracle::random_placement(m_extents.size(), oracle::Signs::positive, random),
                 Scalar(-12345)),
        m_arrays(arrays_of(test, op)),
        m_options(test.options()),
        bench(m_arrays, m_options) {}

  std::vector<Scalar> run(std::uint64_t seed) {
    for (std::int64_t i = 0; i < m_result.size(); ++i) m_result.at(i) = Scalar(-12345);
    bench.run(seed);
    EXPECT_EQ(m_result.damaged(), 0);
    return m_result.values();
  }
  /// By the sweeps of a host, term by term.
  std::vector<Scalar> run_on_host() {
    ConvOptions options = m_options;
    options.method = ConvMethod::direct;
    const Kokkos::DefaultHostExecutionSpace exec;
    ConvPlan<Scalar, Kokkos::DefaultHostExecutionSpace>(exec, m_arrays, options).run(exec);
    exec.fence("synelix::test::device_conv");
    return m_result.values();
  }
  [[nodiscard]] const Extents& extents() const { return m_extents; }

 private:
  static Extents extents_of(const RandomConv<Scalar>& test, Op op) {
    if (op == Op::forward) return test.y_extents();
    if (op == Op::grad_input) return test.x_extents();
    if (op == Op::grad_weights) return test.w_extents();
    return {test.conv.outputs};
  }
  ConvArrays arrays_of(const RandomConv<Scalar>& test, Op op) {
    const int dimensions = test.order.dimensions;
    const Operand x = test.x.matrices();
    const Operand w = test.w.matrices();
    const Operand y = test.y.matrices();
    if (op == Op::forward) return {op, dimensions, x, w, test.bias_array(), m_result.output()};
    if (op == Op::grad_input) return {op, dimensions, y, w, {}, m_result.output()};
    if (op == Op::grad_weights) return {op, dimensions, x, y, {}, m_result.output()};
    return {op, dimensions, y, {}, {}, m_result.output()};
  }

  Extents m_extents;
  Array<Scalar> m_result;
  ConvArrays m_arrays;
  ConvOptions m_options;

 public:
  DeviceConvBench<Scalar> bench;
};

constexpr Op all_operators[] = {Op::forward, Op::grad_input, Op::grad_weights, Op::grad_bias};

/// The result of the loops.
template <class Scalar>
testing::AssertionResult is_right(const RandomConv<Scalar>& test, Op op,
                                  const std::vector<Scalar>& found) {
  const auto& conv = test.conv;
  if (op == Op::forward) {
    return oracle::agree_with_sums(
        test.order.channels_first(found, conv.outputs, oracle::volume(conv.out())),
        oracle::convolved(conv, test.x_values(), test.w.physical(), test.bias_values()),
        test.y_extents());
  }
  if (op == Op::grad_input) {
    return oracle::agree_with_sums(
        test.order.channels_first(found, conv.inputs, oracle::volume(conv.in)),
        oracle::gradient_by_input(conv, test.y_values(), test.w.physical()), test.x_extents());
  }
  if (op == Op::grad_weights) {
    return oracle::agree_with_sums(
        found, oracle::gradient_by_weights(conv, test.x_values(), test.y_values()),
        test.w_extents());
  }
  const auto y_values = test.y_values();
  const std::int64_t positions = oracle::volume(conv.out());
  oracle::Sums sums(conv.outputs);
  for (std::size_t k = 0; k < y_values.size(); ++k) {
    sums.add(static_cast<std::int64_t>(k) / positions % conv.outputs, y_values[k]);
  }
  return oracle::agree_with_sums(found, sums, {conv.outputs});
}

/// A convolution with a number of dimensions, of any kind, stride, dilation and groups.
template <class Scalar>
RandomConv<Scalar> random_case(std::uint64_t i, std::mt19937_64& random) {
  const auto dimensions = static_cast<int>(1 + i % 3);
  const oracle::ConvWish wish{dimensions, static_cast<PaddingKind>(i / 3 % 3),
                              static_cast<std::int64_t>(1 + i / 9 % 3), oracle::draw(random, 1, 2),
                              oracle::draw(random, 0, 2)};
  return RandomConv<Scalar>(oracle::random_convolution(wish, random), dimensions, random);
}

/// Convolutions whose windows, channels or results do not fit a team at once.
template <class Scalar>
std::vector<RandomConv<Scalar>> large_cases(std::mt19937_64& random) {
  std::vector<RandomConv<Scalar>> cases;
  const auto add = [&](int dimensions, const oracle::Convolution& conv) {
    cases.emplace_back(conv, dimensions, random);
  };
  oracle::Convolution conv;
  conv.batch = 2;  // a long window of one channel, taps block by block
  conv.outputs = 3;
  conv.in = {1, 1, 5000};
  conv.taps = {1, 1, 3111};
  add(1, conv);
  conv.outputs = 70;  // more than a panel, and dilated windows
  conv.inputs = 33;
  conv.batch = 1;
  conv.in = {1, 1, 300};
  conv.taps = {1, 1, 5};
  conv.dilation = {1, 1, 37};
  add(1, conv);
  conv = {};
  conv.inputs = 40;  // several stages of channels, several boxes or runs, full columns of threads
  conv.outputs = 32;
  conv.in = {1, 23, 37};
  conv.taps = {1, 3, 3};
  conv.before = conv.after = {0, 1, 1};
  add(2, conv);
  conv.stride = {1, 7, 9};  // windows that are far apart
  conv.in = {1, 60, 90};
  conv.taps = {1, 5, 3};
  add(2, conv);
  conv = {};
  conv.batch = 9;  // contiguous entries of the batch, and filters of separate channels
  conv.groups = conv.inputs = conv.outputs = 6;
  conv.in = {1, 7, 7};
  conv.taps = {1, 3, 3};
  conv.before = conv.after = {0, 1, 1};
  conv.kind = PaddingKind::circular;
  add(2, conv);
  conv.groups = conv.inputs = conv.outputs = 1;  // many positions of few weights: slices
  conv.batch = 1;
  conv.in = {1, 130, 170};
  add(2, conv);
  return cases;
}

TYPED_TEST(DeviceConv, EveryOperatorIsTheObviousLoops) {
  std::mt19937_64 random(51);
  for (std::uint64_t i = 0; i < 54; ++i) {
    const auto test = random_case<TypeParam>(i, random);
    for (const Op op : all_operators) {
      Computed<TypeParam> computed(test, op, random);
      ASSERT_TRUE(is_right(test, op, computed.run(i)))
          << test.text() << ", " << static_cast<int>(op);
    }
  }
}

TYPED_TEST(DeviceConv, WorksInStagesWhatDoesNotFitATeam) {
  std::mt19937_64 random(52);
  int staged = 0;
  int partials = 0;
  int runs = 0;
  std::set<std::int32_t> columns;
  for (const auto& test : large_cases<TypeParam>(random)) {
    for (const Op op : all_operators) {
      Computed<TypeParam> computed(test, op, random);
      ASSERT_TRUE(is_right(test, op, computed.run(3)))
          << test.text() << ", " << static_cast<int>(op);
      const auto& shape = computed.bench.shape();
      const auto& bench = computed.bench;
      columns.insert(shape.is_by_weights ? bench.grad_cut.columns : bench.cut.columns);
      if (!shape.is_by_weights && bench.cut.channels < shape.problem.channels) ++staged;
      if (!shape.is_by_weights && bench.cut.run > 0) ++runs;
      if (!shape.is_by_weights || computed.bench.grad_cut.partials == 1) continue;
      ++partials;  // and the same with the slices of all of them in one
      auto& cut = computed.bench.grad_cut;
      cut.items /= cut.partials;
      cut.partials = 1;
      ASSERT_TRUE(is_right(test, op, computed.run(4))) << test.text() << ", slices in turn";
    }
  }
  EXPECT_GE(staged, 2);
  EXPECT_GE(runs, 2);
  EXPECT_EQ(columns.size(), 3U) << "one, a half of a thread's, and all of them";
  EXPECT_GE(partials, 2);
}

/// The result does not depend on the threads, or on the previous contents of scratch.
TYPED_TEST(DeviceConv, HasOneAnswerForEveryTeam) {
  std::mt19937_64 random(53);
  auto cases = large_cases<TypeParam>(random);
  cases.erase(cases.begin(), cases.begin() + 2);
  for (std::uint64_t i = 0; i < 9; ++i) cases.push_back(random_case<TypeParam>(i * 3 + 1, random));
  for (const auto& test : cases) {
    for (const Op op : all_operators) {
      Computed<TypeParam> computed(test, op, random);
      auto& bench = computed.bench;
      const auto right = computed.run(1);
      for (std::uint64_t seed = 2; seed <= 3; ++seed) {
        bench.count = static_cast<int>(seed * 2);
        ASSERT_TRUE(same_bits(computed.run(seed), right, computed.extents())) << test.text();
      }
      bench.teams = Teams::walking;
      bench.count = 2;
      ASSERT_TRUE(same_bits(computed.run(1), right, computed.extents())) << test.text();
      bench.teams = Teams::kokkos;
      const int threads = Kokkos::DefaultHostExecutionSpace().concurrency();
      for (int size = 1; size <= std::min(4, threads); ++size) {
        bench.team_size = size;
        bench.count = size + 1;
        ASSERT_TRUE(same_bits(computed.run(1), right, computed.extents()))
            << test.text() << ", teams of " << size;
      }
    }
  }
}

/// A sum takes passes, channels and taps in their order, however much of them is staged together.
TYPED_TEST(DeviceConv, HasOneAnswerForEveryCut) {
  using Cut = typename DeviceConvBench<TypeParam>::Cut;
  std::mt19937_64 random(54);
  auto cases = large_cases<TypeParam>(random);
  cases.erase(cases.begin());
  for (std::uint64_t i = 0; i < 18; ++i) cases.push_back(random_case<TypeParam>(i, random));
  for (const auto& test : cases) {
    for (const Op op : {Op::forward, Op::grad_input}) {
      Computed<TypeParam> computed(test, op, random);
      auto& bench = computed.bench;
      const auto right = computed.run(1);
      const Cut whole = bench.cut;
      for (const std::int64_t channels : {std::int64_t{1}, (whole.channels + 1) / 2}) {
        for (const bool single_taps : {false, true}) {
          bench.cut = whole;
          bench.cut.channels = channels;
          if (single_taps) {  // which channels that are staged together cannot have
            if (channels > 1) continue;
            for (std::int64_t& taps : bench.cut.taps) taps = 1;
          }
          ASSERT_TRUE(same_bits(computed.run(1), right, computed.extents()))
              << test.text() << ", channels " << channels << (single_taps ? ", tap by tap" : "");
        }
      }
    }
  }
}

TYPED_TEST(DeviceConv, NeedsEachOfItsBarriers) {
  std::mt19937_64 random(55);
  oracle::Convolution conv;
  conv.inputs = 5;
  conv.outputs = 12;
  conv.in = {1, 9, 11};
  conv.taps = {1, 3, 3};
  const RandomConv<TypeParam> test(conv, 2, random);
  for (const Op op : {Op::forward, Op::grad_input, Op::grad_weights}) {
    Computed<TypeParam> computed(test, op, random);
    auto& bench = computed.bench;
    bench.count = 1;
    bench.cut.channels = (bench.cut.channels + 1) / 2;  // several stages
    for (const Teams teams : {Teams::mock, Teams::walking}) {
      bench.teams = teams;
      bench.left_out = {};
      const auto right = computed.run(1);
      const std::int64_t barriers = bench.barriers;
      ASSERT_GE(barriers, 2);
      for (std::int64_t k = 0; k < std::min<std::int64_t>(barriers, 8); ++k) {
        bench.left_out.number = k;
        int differ = 0;
        for (std::uint64_t seed = 1; seed <= 9; ++seed) {
          differ += same_bits(computed.run(seed), right, computed.extents()) ? 0 : 1;
        }
        EXPECT_GE(differ, 1) << "of 9 orders, barrier " << k << " of " << barriers
                             << " was left out of operator " << static_cast<int>(op);
      }
    }
  }
}

/// Inf and NaN affect the same results as on a host, including those that meet padding.
TYPED_TEST(DeviceConv, ReachesWithInfAndNanWhatAHostReaches) {
  using Scalar = TypeParam;
  constexpr Scalar inf = std::numeric_limits<Scalar>::infinity();
  constexpr Scalar nan = std::numeric_limits<Scalar>::quiet_NaN();
  constexpr std::int64_t length = 40;
  std::vector<Scalar> x(3 * length, Scalar(1));
  x[5] = inf;
  x[length + 20] = -inf;
  x[2 * length + 39] = nan;
  std::vector<Scalar> w(4 * 3 * 5, Scalar(2));
  w[7] = inf;
  for (const Op op : {Op::forward, Op::grad_input, Op::grad_weights}) {
    const Extents x_extents{1, 3, length};
    const Extents w_extents{4, 3, 5};
    const Extents y_extents{1, 4, length};
    std::vector<Scalar> y(4 * length, Scalar(1));
    y[3] = inf;
    y[length + 1] = nan;
    const Strided xs(x.data(), x_extents);
    const Strided ws(w.data(), w_extents);
    const Strided ys(y.data(), y_extents);
    const Extents& extents = op == Op::forward      ? y_extents
                             : op == Op::grad_input ? x_extents
                                                    : w_extents;
    std::vector<Scalar> result(static_cast<std::size_t>(extents[0] * extents[1] * extents[2]));
    const StridedOutput to(result.data(), extents);
    const ConvArrays arrays = op == Op::forward      ? ConvArrays{op, 1, xs, ws, {}, to}
                              : op == Op::grad_input ? ConvArrays{op, 1, ys, ws, {}, to}
                                                     : ConvArrays{op, 1, xs, ys, {}, to};
    ConvOptions options;
    options.padding = 2;
    options.method = ConvMethod::direct;
    const Kokkos::DefaultHostExecutionSpace exec;
    ConvPlan<Scalar, Kokkos::DefaultHostExecutionSpace>(exec, arrays, options).run(exec);
    exec.fence("synelix::test::device_conv");
    const std::vector<Scalar> host = result;
    DeviceConvBench<Scalar> bench(arrays, options);
    bench.run(1);
    EXPECT_TRUE(oracle::agree(result, std::vector<double>(host.begin(), host.end()), extents, 1e-4))
        << static_cast<int>(op);
  }
}

/// Without positions or entries, sums are empty: gradients with respect to weights are 0, and other
/// results have no values.
TYPED_TEST(DeviceConv, SumsOfNothingAreZero) {
  using Scalar = TypeParam;
  const Scalar none = 0;
  std::vector<Scalar> grad(4 * 3 * 5, Scalar(7));
  DeviceConvBench<Scalar> by_weights({Op::grad_weights,
                                      1,
                                      Strided(&none, {0, 3, 9}),
                                      Strided(&none, {0, 4, 5}),
                                      {},
                                      StridedOutput(grad.data(), {4, 3, 5})},
                                     {});
  by_weights.run(1);
  EXPECT_EQ(grad, std::vector<Scalar>(grad.size(), Scalar(0)));
  Scalar result = 7;
  const std::vector<Scalar> w(4 * 3 * 5, Scalar(1));
  DeviceConvBench<Scalar> forward({Op::forward,
                                   1,
                                   Strided(&none, {0, 3, 9}),
                                   Strided(w.data(), {4, 3, 5}),
                                   {},
                                   StridedOutput(&result, {0, 4, 5})},
                                  {});
  EXPECT_EQ(forward.cut.items, 0);
  forward.run(1);
  EXPECT_EQ(result, 7);
}

/// Sums of ones beyond the integers of a float, which slices give.
TYPED_TEST(DeviceConv, SumsOfManyMillionPositionsAreRight) {
  using Scalar = TypeParam;
  constexpr std::int64_t positions = 20'000'000;
  const std::vector<std::int8_t> ones(positions, std::int8_t{1});
  Scalar sum = 0;
  DeviceConvBench<Scalar> bench(
      {Op::grad_bias, 1, Strided(ones.data(), {1, 1, positions}), {}, {}, StridedOutput(&sum, {1})},
      {});
  bench.teams = Teams::kokkos;
  bench.run(1);
  EXPECT_EQ(sum, Scalar(positions));
}

}  // namespace
}  // namespace device_conv_tests
