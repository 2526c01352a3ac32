// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "operators/device_conv_fft_bench.hpp"
#include "operators/fft_cases.hpp"
#include "oracle/matchers.hpp"
#include "oracle/refusals.hpp"

#include <synelix/conv.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <set>
#include <string>
#include <vector>

// Convolution operators by transforms as devices compute them, on the mock team and on threads that
// walk: the obvious loops, one answer for every order and cut, and the need of each barrier.

namespace device_conv_fft_tests {
namespace {

using namespace synelix;
using ground::DeviceConvFftBench;
using oracle::Array;
using oracle::Convolution;
using oracle::RandomConv;
using oracle::same_bits;
using Op = ConvOperator;

constexpr Op all_operators[] = {Op::forward, Op::grad_input, Op::grad_weights};
/// The scratch of a CUDA team before Kokkos 5.2, a very small one, and more than is needed.
constexpr std::int64_t usual_scratch = 40 * 1024;
constexpr std::int64_t little_scratch = 16 * 1024;
constexpr std::int64_t large_scratch = 100 * 1024;

template <class Scalar>
class DeviceConvFft : public testing::Test {};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(DeviceConvFft, Scalars);

/// An operator of a random convolution, with its own result.
template <class Scalar>
class Computed {
 public:
  Computed(const RandomConv<Scalar>& test, Op op, std::int64_t scratch_bytes,
           std::mt19937_64& random)
      : m_test(test),
        m_op(op),
        m_extents(oracle::arrays_of(op, test).second),
        m_result(m_extents, oracle::random_placement(3, oracle::Signs::positive, random),
                 Scalar(-12345)),
        bench(arrays(), test.options(), scratch_bytes) {}

  std::vector<Scalar> run(std::uint64_t seed) {
    for (std::int64_t i = 0; i < m_result.size(); ++i) m_result.at(i) = Scalar(-12345);
    bench.run(seed);
    EXPECT_EQ(m_result.damaged(), 0);
    return m_result.values();
  }
  [[nodiscard]] testing::AssertionResult is_right(const std::vector<Scalar>& found) const {
    const oracle::Sums expected = oracle::expected_of(m_op, m_test);
    return oracle::agree(oracle::in_oracle_order(m_op, m_test, found), expected.values, m_extents,
                         oracle::tolerance_of(m_test, expected, 2 * bench.fft.points));
  }
  [[nodiscard]] const std::vector<std::int64_t>& extents() const { return m_extents; }

 private:
  ConvArrays arrays() {
    ConvArrays arrays = oracle::arrays_of(m_op, m_test).first;
    arrays.result = m_result.output();
    return arrays;
  }

  const RandomConv<Scalar>& m_test;
  Op m_op;
  std::vector<std::int64_t> m_extents;
  Array<Scalar> m_result;

 public:
  DeviceConvFftBench<Scalar> bench;
};

/// More blocks than a team has lanes, entries of a batch, channels that several items share,
/// windows in parts, and dilations longer than a block.
template <class Scalar>
std::vector<RandomConv<Scalar>> larger_cases(std::mt19937_64& random) {
  std::vector<RandomConv<Scalar>> cases;
  const auto add = [&](const Convolution& conv) { cases.emplace_back(conv, 1, random); };
  add({.inputs = 1, .outputs = 3, .in = {1, 1, 9011}, .taps = {1, 1, 37}});
  add({.batch = 9, .inputs = 5, .outputs = 7, .in = {1, 1, 211}, .taps = {1, 1, 50}});
  add({.batch = 2,
       .groups = 3,
       .inputs = 3,
       .outputs = 3,
       .in = {1, 1, 1500},
       .taps = {1, 1, 40},
       .before = {0, 0, 39},
       .after = {0, 0, 7}});
  add({.inputs = 2, .outputs = 2, .in = {1, 1, 5000}, .taps = {1, 1, 2700}});
  add({.inputs = 1,
       .outputs = 2,
       .in = {1, 1, 6000},
       .taps = {1, 1, 3},
       .dilation = {1, 1, 2500},
       .before = {0, 0, 1000},
       .kind = PaddingKind::circular});
  return cases;
}

TYPED_TEST(DeviceConvFft, EveryPaddingDilationAndGroupIsTheObviousLoops) {
  std::mt19937_64 random(81);
  for (const auto kind : {PaddingKind::zero, PaddingKind::circular, PaddingKind::reflect}) {
    for (int i = 0; i < 8; ++i) {
      const auto conv = oracle::random_line(kind, i % 3 + 1, i % 4 == 0 ? 90 : 12, random);
      const RandomConv<TypeParam> test(conv, 1, random);
      for (const Op op : all_operators) {
        Computed<TypeParam> computed(test, op, usual_scratch, random);
        ASSERT_TRUE(computed.is_right(computed.run(static_cast<std::uint64_t>(i))))
            << test.text() << ", " << static_cast<int>(op);
      }
    }
  }
}

TYPED_TEST(DeviceConvFft, WorksInPartsWhatDoesNotFitATeam) {
  std::mt19937_64 random(82);
  int parted = 0;
  int shared = 0;
  int partials = 0;
  int sliced = 0;
  for (const auto& test : larger_cases<TypeParam>(random)) {
    for (const Op op : all_operators) {
      for (const std::int64_t scratch : {little_scratch, usual_scratch}) {
        Computed<TypeParam> computed(test, op, scratch, random);
        ASSERT_TRUE(computed.is_right(computed.run(3)))
            << test.text() << ", " << static_cast<int>(op) << ", scratch of " << scratch;
        auto& fft = computed.bench.fft;
        parted += fft.parts > 1 ? 1 : 0;
        shared += fft.results < test.conv.outputs / test.conv.groups ? 1 : 0;
        if (op != Op::grad_weights) continue;
        partials += fft.partials > 1 ? 1 : 0;
        if (fft.packs == 1) continue;
        ++sliced;  // and the same as slices of two packs, of one partial
        fft.slice_packs = 2;
        fft.slices = (fft.packs + 1) / 2;
        fft.partials = 1;
        ASSERT_TRUE(computed.is_right(computed.run(4))) << test.text() << ", slices in turn";
      }
    }
  }
  EXPECT_GE(parted, 4);
  EXPECT_GE(shared, 2);
  EXPECT_GE(partials, 2);
  EXPECT_GE(sliced, 2);
}

/// The result does not depend on the threads, or on the number of blocks and results of a team.
TYPED_TEST(DeviceConvFft, HasOneAnswerForEveryTeamAndCut) {
  std::mt19937_64 random(83);
  for (const auto& test : larger_cases<TypeParam>(random)) {
    for (const Op op : all_operators) {
      Computed<TypeParam> computed(test, op, usual_scratch, random);
      auto& bench = computed.bench;
      const auto right = computed.run(1);
      bench.count = 5;
      ASSERT_TRUE(same_bits(computed.run(2), right, computed.extents())) << test.text();
      bench.is_walking = true;
      bench.count = 2;
      ASSERT_TRUE(same_bits(computed.run(3), right, computed.extents())) << test.text();
      bench.is_walking = false;
      const auto whole = bench.fft;
      for (const std::int64_t results : {std::int64_t{1}, (whole.results + 1) / 2}) {
        bench.fft = whole;
        bench.fft.results = results;
        bench.fft.channels = 1;
        if (op != Op::grad_weights) {  // whose lanes decide over bits
          bench.fft.lanes = whole.lanes == 1 ? 2 : whole.lanes / 2;
          bench.fft.packs =
              (test.conv.batch * whole.blocks + bench.fft.lanes - 1) / bench.fft.lanes;
        }
        ASSERT_TRUE(same_bits(computed.run(4), right, computed.extents()))
            << test.text() << ", operator " << static_cast<int>(op) << ", results " << results;
      }
    }
  }
}

/// A line whose values are eighths, into which others are put.
template <class Scalar>
struct Line {
  static constexpr std::int64_t batch = 2, inputs = 2, outputs = 3;
  std::int64_t in = 900;
  std::int64_t taps = 30;
  std::int64_t padding = 0;
  std::int64_t out = 0;
  std::vector<Scalar> x = {}, w = {}, y = {};

  explicit Line(std::uint64_t seed, std::int64_t positions = 900, std::int64_t window = 30,
                std::int64_t zeros = 0)
      : in(positions), taps(window), padding(zeros), out(in + 2 * padding - taps + 1) {
    x.resize(static_cast<std::size_t>(batch * inputs * in));
    w.resize(static_cast<std::size_t>(outputs * inputs * taps));
    y.resize(static_cast<std::size_t>(batch * outputs * out));
    std::mt19937_64 random(seed);
    std::uniform_int_distribution<int> eighths(-8, 8);
    for (std::vector<Scalar>* values : {&x, &w, &y}) {
      for (Scalar& value : *values) value = static_cast<Scalar>(eighths(random)) / Scalar(8);
    }
  }

  [[nodiscard]] ConvOptions options(ConvMethod method) const {
    return {.padding = padding, .method = method};
  }
  [[nodiscard]] ConvArrays arrays(Op op, std::vector<Scalar>& result) const {
    const Strided xs(x.data(), {batch, inputs, in});
    const Strided ws(w.data(), {outputs, inputs, taps});
    const Strided ys(y.data(), {batch, outputs, out});
    result.assign(op == Op::forward ? y.size() : op == Op::grad_weights ? w.size() : x.size(), 0);
    ConvArrays arrays{op, 1, op == Op::grad_input ? ys : xs, op == Op::grad_weights ? ys : ws,
                      {}, {}};
    arrays.result = op == Op::forward        ? StridedOutput(result.data(), {batch, outputs, out})
                    : op == Op::grad_weights ? StridedOutput(result.data(), {outputs, inputs, taps})
                                             : StridedOutput(result.data(), {batch, inputs, in});
    return arrays;
  }
  /// Transforms as a device has them, against direct sums of a host.
  void expect_as_direct(Op op, Scalar value, bool has_lost) const {
    std::vector<Scalar> expected;
    const Kokkos::DefaultHostExecutionSpace exec;
    convolve_arrays(exec, arrays(op, expected), options(ConvMethod::direct));
    std::vector<Scalar> found;
    DeviceConvFftBench<Scalar> bench(arrays(op, found), options(ConvMethod::fft), usual_scratch);
    bench.run(1);
    std::int64_t lost = 0;
    for (std::size_t i = 0; i < found.size(); ++i) {
      const std::string text = "at " + std::to_string(i) + ", operator " +
                               std::to_string(static_cast<int>(op)) + ", " + std::to_string(value);
      if (std::isfinite(expected[i])) {
        // The error of a sum with the large value is relative to that value. All other sums are as
        // exact as without it.
        const Scalar scale = std::max(Scalar(1), std::fabs(expected[i]));
        ASSERT_NEAR(found[i] / scale, expected[i] / scale, 1e-3) << text;
      } else {
        ++lost;
        ASSERT_EQ(std::isnan(found[i]), std::isnan(expected[i])) << text;
        ASSERT_TRUE(std::isnan(expected[i]) || found[i] == expected[i]) << text;
      }
    }
    EXPECT_EQ(lost > 0, has_lost) << value;
    EXPECT_LT(lost, static_cast<std::int64_t>(found.size()));
  }
};

TYPED_TEST(DeviceConvFft, LargeValuesAndThoseThatAreNotFiniteReachWhatSeesThem) {
  using Scalar = TypeParam;
  const Scalar large = std::is_same_v<Scalar, float> ? Scalar(1e12) : Scalar(1e25);
  const Scalar inf = std::numeric_limits<Scalar>::infinity();
  for (const Scalar value : {Scalar(0), large, inf, std::numeric_limits<Scalar>::quiet_NaN()}) {
    for (const Op op : all_operators) {
      Line<Scalar> line(84);
      if (op != Op::grad_input) {  // the first sample of a channel; only the first tap uses it
        line.x[static_cast<std::size_t>(line.in)] = value;
      }
      if (op != Op::forward) line.y[static_cast<std::size_t>(line.out + 300)] = value;
      if (op == Op::grad_weights) line.y[static_cast<std::size_t>(line.out + 300)] = Scalar(1);
      line.expect_as_direct(op, value, !std::isfinite(value));
    }
  }
  Line<Scalar> line(85);
  line.y[5] = inf;  // one output channel of the gradient
  line.expect_as_direct(Op::grad_weights, inf, true);
  line.w[40] = inf;
  line.expect_as_direct(Op::forward, inf, true);
}

/// Sums that are finite although a transform is not.
TYPED_TEST(DeviceConvFft, NumbersThatOverflowATransformAreSummed) {
  using Scalar = TypeParam;
  const Scalar large = std::numeric_limits<Scalar>::max() / Scalar(8);
  for (const Op op : all_operators) {
    Line<Scalar> line(86);
    for (Scalar& x : line.x) x = large;
    for (Scalar& w : line.w) w /= large;
    for (Scalar& y : line.y) y /= op == Op::grad_weights ? large : Scalar(1);
    if (op == Op::grad_input) {
      for (Scalar& y : line.y) y = large;
    }
    line.expect_as_direct(op, large, false);
  }
}

/// Without any barrier except the last, some order of either team has other bits, with usual
/// values, or with a large one, whose block is checked closely. Windows that reach beyond the ends
/// of the line, and few positions, let all of these launches execute the same barriers.
TYPED_TEST(DeviceConvFft, NeedsEachOfItsBarriers) {
  using Scalar = TypeParam;
  const Scalar large = std::is_same_v<Scalar, float> ? Scalar(1e12) : Scalar(1e25);
  for (const Op op : all_operators) {
    std::set<std::int64_t> unneeded;
    for (const bool is_walking : {false, true}) {
      for (const bool is_sound : {true, false}) {
        Line<Scalar> line(87, 70, 60, 5);
        if (!is_sound) {
          // All taps of x except the last are multiplied with one of these; single rows are weak,
          // so that missed ones show.
          const std::vector<std::int64_t> places = op == Op::grad_weights
                                                       ? std::vector<std::int64_t>{15, 36, 53}
                                                       : std::vector<std::int64_t>{0};
          for (const std::int64_t at : places) {
            for (std::int64_t c = 0; c < 2 * Line<Scalar>::inputs; ++c) {
              line.x[static_cast<std::size_t>(c * line.in + at)] = large;
            }
          }
          if (op == Op::grad_input) line.y[0] = line.y[static_cast<std::size_t>(line.out)] = large;
        }
        std::vector<Scalar> result;
        DeviceConvFftBench<Scalar> bench(line.arrays(op, result), line.options(ConvMethod::fft),
                                         large_scratch);
        bench.fft.results = op == Op::grad_input ? line.inputs : line.outputs;
        if (op == Op::grad_weights) bench.fft.channels = line.inputs;
        ASSERT_EQ(bench.items(), 1);  // for another one a team finds the same blocks
        bench.count = 1;
        bench.is_walking = is_walking;
        bench.run(1);
        const std::vector<Scalar> right = result;
        const std::int64_t barriers = bench.barriers;
        ASSERT_GE(barriers, 8);
        for (std::int64_t k = 0; is_sound && !is_walking && k + 1 < barriers; ++k) {
          unneeded.insert(k);
        }
        const auto is_needed = [&](std::int64_t k) {
          bench.left_out.number = k;
          for (std::uint64_t seed = 1; seed <= 300; ++seed) {
            bench.run(seed);
            if (!same_bits(result, right, {static_cast<std::int64_t>(right.size())})) return true;
          }
          return false;
        };
        std::erase_if(unneeded, is_needed);
      }
    }
    EXPECT_THAT(unneeded, testing::IsEmpty()) << "operator " << static_cast<int>(op);
  }
}

/// A team without room for the smallest blocks: requests for transforms give an error, and nothing
/// else does.
TYPED_TEST(DeviceConvFft, IsRefusedWhereNoBlockFits) {
  using Scalar = TypeParam;
  std::vector<Scalar> result;
  const Line<Scalar> line(88);
  oracle::expect_refused(
      [&] { DeviceConvFftBench<Scalar>(line.arrays(Op::forward, result), {}, 3000); }, "method",
      "fft has no blocks that fit the 3000 bytes of scratch that a team of this device has",
      "automatic or direct");
}

}  // namespace
}  // namespace device_conv_fft_tests
