// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "on_device/shared_memory.hpp"
#include "oracle/library.hpp"
#include "oracle/matchers.hpp"
#include "oracle/refusals.hpp"

#include <synelix/bilinear_forms.hpp>
#include <synelix/conv.hpp>
#include <synelix/convolve_stream.hpp>
#include <synelix/design_matrix.hpp>
#include <synelix/loss.hpp>
#include <synelix/matmul.hpp>
#include <synelix/trials.hpp>

#include <gtest/gtest.h>
#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

// Tests that only a build for a device can run: host memory without a known memory space, and
// kernels that no file of golden numbers covers.

namespace on_device_tests {
namespace {

using namespace oracle;
using namespace synelix;
using Space = Kokkos::DefaultExecutionSpace;

constexpr std::int64_t samples = 400;
constexpr std::int64_t channels = 3;
constexpr std::int64_t bases = 4;
const std::vector<std::int64_t> shape{samples, channels, bases};

template <class Types>
class OnDevice : public testing::Test {
 public:
  using Scalar = typename Types::scalar;
  using HostArray = Array<Scalar>;

  HostArray drawn(Reached reached, std::uint64_t seed) const {
    HostArray x({samples, channels}, right_placement(2), Scalar(0), reached);
    std::mt19937_64 random(seed);
    for (std::int64_t i = 0; i < x.size(); ++i) x.at(i) = static_cast<Scalar>(draw(random, -9, 9));
    return x;
  }
  HostArray empty_features(Reached reached) const {
    return {{samples, channels, bases}, right_placement(3), unwritten<Scalar>, reached};
  }
  std::vector<Scalar> expected(const HostArray& x) const {
    HostArray y = empty_features(Reached::by_kernels);
    const std::vector<Scalar> values = x.values();
    HostArray copy({samples, channels}, right_placement(2), Scalar(0));
    for (std::int64_t i = 0; i < x.size(); ++i) copy.at(i) = values[static_cast<std::size_t>(i)];
    convolve(exec, StridedSeries(copy.strided()), bank, y.output());
    return y.values();
  }

  Space exec;
  FilterBank<Scalar, Space> bank{exec, RaisedCosineLog{.bases = bases}, {.window = 20}};
};
TYPED_TEST_SUITE(OnDevice, AllSpaces);

constexpr const char* problem = "it lies in host memory, which the execution space does not reach";
constexpr const char* remedy = "Copy it to memory that the execution space reaches";

TYPED_TEST(OnDevice, PlansRefuseMemoryOfTheHost) {
  using Scalar = typename TypeParam::scalar;
  auto far = this->drawn(Reached::by_host, 1);
  auto near = this->drawn(Reached::by_kernels, 1);
  auto far_features = this->empty_features(Reached::by_host);
  auto near_features = this->empty_features(Reached::by_kernels);
  const ConvolvePlan<Scalar, Space> plan(this->exec, StridedSeries(near.strided()), this->bank);
  const auto run = [&](auto& x, auto& y) {
    plan.run(this->exec, StridedSeries(x.strided()), y.output());
  };
  expect_refused([&] { run(far, near_features); }, "series", problem, remedy);
  expect_refused([&] { run(near, far_features); }, "features", problem, remedy);
  const std::vector<StridedSeries> trials{StridedSeries(near.strided()),
                                          StridedSeries(far.strided())};
  const TrialsPlan<Scalar, Space> list(this->exec, trials, this->bank);
  auto others = this->empty_features(Reached::by_kernels);
  const std::vector<StridedOutput> outputs{near_features.output(), others.output()};
  expect_refused([&] { list.run(this->exec, trials, outputs); }, "trials[1]: series", problem,
                 remedy);
  run(near, near_features);
  this->exec.fence();
  EXPECT_TRUE(same_bits(near_features.values(), this->expected(near), shape));
}

TYPED_TEST(OnDevice, AListOfTrialsOfTheHostGoesThroughTheDevice) {
  using Scalar = typename TypeParam::scalar;
  auto first = this->drawn(Reached::by_kernels, 2);
  auto second = this->drawn(Reached::by_host, 3);
  auto first_features = this->empty_features(Reached::by_host);
  auto second_features = this->empty_features(Reached::by_host);
  const std::vector<StridedSeries> trials{StridedSeries(first.strided()),
                                          StridedSeries(second.strided())};
  using Outputs = std::vector<StridedOutput>;
  const auto run = [&](const Outputs& outputs) {
    convolve(this->exec, trials, this->bank, outputs);
  };
  run({first_features.output(), second_features.output()});
  EXPECT_TRUE(same_bits(first_features.values(), this->expected(first), shape));
  EXPECT_TRUE(same_bits(second_features.values(), this->expected(second), shape));
  expect_refused([&] { run({first_features.output(), first_features.output()}); }, "features[1]",
                 "overlaps that of trial 0", "Use memory apart");
  expect_refused([&] { run({first_features.output()}); }, "features",
                 "1 outputs are the wrong number", "Pass 2");
}

/// Blocks of samples and of events, between memory that only the host reaches. Nothing but the
/// fences of the library waits for a block.
TYPED_TEST(OnDevice, BlocksGoThroughTheDevice) {
  using Scalar = typename TypeParam::scalar;
  ConvolveOptions options;
  options.batch.samples = 90;
  auto near = this->drawn(Reached::by_kernels, 10);
  auto far = this->drawn(Reached::by_host, 10);
  auto features = this->empty_features(Reached::by_host);
  {
    const tests::HostNew host_new;
    convolve(this->exec, StridedSeries(far.strided()), this->bank, features.output(), options);
  }
  EXPECT_TRUE(same_bits(features.values(), this->expected(near), shape));

  std::vector<Events::Train> trains(channels);
  for (std::int64_t t = 0; t < samples; ++t) {
    for (std::int64_t c = 0; c < channels; ++c) {
      if (far.at(t * channels + c) > 5) trains[static_cast<std::size_t>(c)].samples.push_back(t);
    }
  }
  auto once = this->empty_features(Reached::by_kernels);
  convolve(this->exec, copy_events(this->exec, Events(samples, trains)), this->bank, once.output());
  auto of_events = this->empty_features(Reached::by_host);
  {
    const tests::HostNew host_new;
    convolve(this->exec, Events(samples, trains), this->bank, of_events.output(), options);
  }
  EXPECT_TRUE(same_bits(of_events.values(), once.values(), shape));
}

/// Windows longer than a team stages at a time: sums, and spectra, wait in its workspace.
TYPED_TEST(OnDevice, LongWindowsAreSummedInParts) {
  using Scalar = typename TypeParam::scalar;
  constexpr std::int64_t length = 5000;
  Array<Scalar> x({length, channels}, right_placement(2), Scalar(0));
  for (std::int64_t i = 0; i < x.size(); ++i) x.at(i) = static_cast<Scalar>(i * 7919 % 19 - 9);
  const FilterBank<Scalar, Space> bank(this->exec, RaisedCosineLog{.bases = bases},
                                       {.window = 500});
  ConvolveOptions options;
  std::vector<Scalar> found[2];
  for (const Method method : {Method::direct, Method::fft}) {
    options.method = method;
    if (method == Method::fft) options.fft_parts = 4;
    Array<Scalar> y({length, channels, bases}, right_placement(3), unwritten<Scalar>);
    convolve(this->exec, StridedSeries(x.strided()), bank, y.output(), options);
    found[method == Method::fft ? 1 : 0] = y.values();
  }
  for (std::size_t i = 0; i < found[0].size(); ++i) {
    if (std::isnan(found[0][i]) && std::isnan(found[1][i])) continue;
    ASSERT_NEAR(found[0][i], found[1][i], 1e-3 * (1 + std::abs(found[0][i]))) << i;
  }
}

TYPED_TEST(OnDevice, ProductsRefuseMemoryOfTheHost) {
  using Scalar = typename TypeParam::scalar;
  auto a = this->drawn(Reached::by_kernels, 4);
  auto b = this->drawn(Reached::by_host, 5);
  Array<Scalar> c({channels, channels}, right_placement(2), Scalar(0));
  const auto run = [&](auto& right) {
    matmul(this->exec, transposed(Operand(a.strided())), Operand(right.strided()), c.output());
  };
  expect_refused([&] { run(b); }, "b", problem, remedy);
  {
    const tests::HostNew host_new;
    run(a);
  }
  EXPECT_GT(c.at(0), Scalar(0));
}

/// Forms against sums in double.
TYPED_TEST(OnDevice, QuadraticFormsAreTheirSums) {
  using Scalar = typename TypeParam::scalar;
  auto x = this->drawn(Reached::by_kernels, 9);
  Array<Scalar> a({channels, channels}, right_placement(2), Scalar(0));
  for (std::int64_t i = 0; i < a.size(); ++i) a.at(i) = static_cast<Scalar>(i - 4);
  Array<Scalar> q({samples}, right_placement(1), unwritten<Scalar>);
  quadratic_forms(this->exec, Operand(x.strided()), Operand(a.strided()), q.output());
  for (std::int64_t t = 0; t < samples; ++t) {
    double sum = 0;
    for (std::int64_t i = 0; i < channels; ++i) {
      for (std::int64_t j = 0; j < channels; ++j) {
        sum += static_cast<double>(x.at(t * channels + i) * a.at(i * channels + j)) *
               static_cast<double>(x.at(t * channels + j));
      }
    }
    ASSERT_EQ(static_cast<double>(q.at(t)), sum) << t;
  }
}

/// Gradients of few weights over many positions are summed in parts.
TYPED_TEST(OnDevice, GradientsOfFewWeightsAreTheirSums) {
  using Scalar = typename TypeParam::scalar;
  constexpr std::int64_t length = 6000;
  Array<Scalar> x({1, 1, length}, right_placement(3), Scalar(0));
  Array<Scalar> dy({1, 1, length - 2}, right_placement(3), Scalar(0));
  for (std::int64_t i = 0; i < x.size(); ++i) x.at(i) = static_cast<Scalar>(i * 7 % 11 - 5);
  for (std::int64_t i = 0; i < dy.size(); ++i) dy.at(i) = static_cast<Scalar>(i * 5 % 7 - 3);
  Array<Scalar> dw({1, 1, 3}, right_placement(3), unwritten<Scalar>);
  conv1d_grad_weights(this->exec, Operand(x.strided()), Operand(dy.strided()), dw.output());
  for (std::int64_t k = 0; k < 3; ++k) {
    double sum = 0;
    for (std::int64_t t = 0; t < dy.size(); ++t) sum += static_cast<double>(dy.at(t) * x.at(t + k));
    EXPECT_EQ(static_cast<double>(dw.at(k)), sum) << k;
  }
}

/// Threads with eight columns of weights each.
TYPED_TEST(OnDevice, GradientsForEightOutputChannelsAreTheirSums) {
  using Scalar = typename TypeParam::scalar;
  constexpr std::int64_t outputs = 8;
  constexpr std::int64_t inputs = 2;
  constexpr std::int64_t length = 40;
  constexpr std::int64_t taps = 3;
  constexpr std::int64_t rows = length - taps + 1;
  Array<Scalar> x({1, inputs, length}, right_placement(3), Scalar(0));
  Array<Scalar> dy({1, outputs, rows}, right_placement(3), Scalar(0));
  for (std::int64_t i = 0; i < x.size(); ++i) x.at(i) = static_cast<Scalar>(i * 7 % 11 - 5);
  for (std::int64_t i = 0; i < dy.size(); ++i) dy.at(i) = static_cast<Scalar>(i * 5 % 7 - 3);
  Array<Scalar> dw({outputs, inputs, taps}, right_placement(3), unwritten<Scalar>);
  conv1d_grad_weights(this->exec, Operand(x.strided()), Operand(dy.strided()), dw.output());
  for (std::int64_t i = 0; i < dw.size(); ++i) {
    const std::int64_t output = i / (inputs * taps);
    const std::int64_t input = i / taps % inputs;
    double sum = 0;
    for (std::int64_t t = 0; t < rows; ++t) {
      sum += static_cast<double>(dy.at(output * rows + t) * x.at(input * length + t + i % taps));
    }
    EXPECT_EQ(static_cast<double>(dw.at(i)), sum) << i;
  }
}

/// The rows that a stream gives for blocks of 64 samples, and then those of one call.
template <class Test, class Input, class BlockOf>
void expect_stream(const Test& test, const Input& whole, const BlockOf& block_of) {
  using Scalar = typename Test::Scalar;
  constexpr std::int64_t longest_block = 64;
  auto once = test.empty_features(Reached::by_kernels);
  const ConvolvePlan<Scalar, Space> plan(test.exec, whole, test.bank);
  plan.run(test.exec, whole, once.output());
  SeriesShape longest = whole.shape();
  longest.samples = longest_block;
  ConvolveStream<Scalar, Space> stream(test.exec, longest, test.bank,
                                       choose_stream(test.exec, longest, test.bank));
  auto found = test.empty_features(Reached::by_kernels);
  std::int64_t rows = 0;
  for (std::int64_t t = 0; t < samples; t += longest_block) {
    const Range range{t, std::min(samples, t + longest_block)};
    const StridedOutput rest(&found.at(rows * channels * bases), {samples - rows, channels, bases});
    rows += stream.push(test.exec, block_of(range), rest).size();
    test.exec.fence();
  }
  EXPECT_EQ(rows, samples);
  const std::vector<Scalar> values = found.values();
  const std::vector<Scalar> expected = once.values();
  EXPECT_TRUE(same_bits(values, expected, shape));
}

TYPED_TEST(OnDevice, StreamsKeepSamples) {
  auto x = this->drawn(Reached::by_kernels, 6);
  expect_stream(*this, StridedSeries(x.strided()), [&](Range range) {
    return Strided(&x.at(range.begin * channels), {range.size(), channels});
  });
}

TYPED_TEST(OnDevice, StreamsKeepEvents) {
  auto x = this->drawn(Reached::by_kernels, 8);
  const auto events_in = [&](Range range) {
    std::vector<Events::Train> trains(channels);
    for (std::int64_t t = range.begin; t < range.end; ++t) {
      for (std::int64_t c = 0; c < channels; ++c) {
        if (x.at(t * channels + c) < 7) continue;
        trains[static_cast<std::size_t>(c)].samples.push_back(t - range.begin);
      }
    }
    return copy_events(this->exec, Events(range.size(), trains));
  };
  expect_stream(*this, events_in({0, samples}), events_in);
}

/// A large value among small ones: the rows that do not touch it are summed again.
TYPED_TEST(OnDevice, AnArtefactDoesNotDrownOtherRows) {
  using Scalar = typename TypeParam::scalar;
  auto x = this->drawn(Reached::by_kernels, 7);
  x.at(200 * channels) = std::is_same_v<Scalar, float> ? Scalar(1e30) : Scalar(1e250);
  auto by_sums = this->empty_features(Reached::by_kernels);
  auto by_fft = this->empty_features(Reached::by_kernels);
  convolve(this->exec, StridedSeries(x.strided()), this->bank, by_sums.output(),
           {.method = Method::direct});
  convolve(this->exec, StridedSeries(x.strided()), this->bank, by_fft.output(),
           {.method = Method::fft});
  const std::vector<Scalar> sums = by_sums.values();
  const std::vector<Scalar> found = by_fft.values();
  for (std::size_t i = 0; i < sums.size(); ++i) {
    if (std::isnan(sums[i])) continue;
    ASSERT_NEAR(found[i] / std::max(Scalar(1), std::abs(sums[i])),
                sums[i] / std::max(Scalar(1), std::abs(sums[i])), 1e-3)
        << i;
  }
}

/// Panels of few and many columns and parts beside them, as no golden fit has them. Values are
/// integers, so that sums are exact.
TYPED_TEST(OnDevice, GramMatricesAreTheirSums) {
  using Scalar = typename TypeParam::scalar;
  constexpr std::int64_t rows = 530;
  for (const std::int64_t columns : {20, 65, 128, 201}) {
    SCOPED_TRACE(columns);
    Array<Scalar> x({rows, columns}, right_placement(2), Scalar(0), Reached::by_kernels);
    std::mt19937_64 random(4);
    for (std::int64_t i = 0; i < x.size(); ++i) {
      x.at(i) = static_cast<Scalar>(static_cast<std::int64_t>(random() % 9) - 4);
    }
    const std::vector<Scalar> values = x.values();
    const auto value = [&](std::int64_t row, std::int64_t column) {
      return column == columns
                 ? 1.0
                 : static_cast<double>(values[static_cast<std::size_t>(row * columns + column)]);
    };
    const std::int64_t size = columns + 1;
    std::vector<double> gram(static_cast<std::size_t>(size * size));
    const DesignMatrix design(this->exec, x.strided());
    design.gram(StridedOutput(gram.data(), {size, size}));
    for (std::int64_t i = 0; i < size; ++i) {
      for (std::int64_t j = 0; j < size; ++j) {
        double sum = 0;
        for (std::int64_t t = 0; t < rows; ++t) sum += value(t, i) * value(t, j);
        ASSERT_EQ(gram[static_cast<std::size_t>(i * size + j)], sum) << i << ", " << j;
      }
    }
  }
}

/// Walks in the type of the features. Fits of golden numbers are in double.
TYPED_TEST(OnDevice, LossesAndGradientsOfFeaturesAreTheirSums) {
  using Scalar = typename TypeParam::scalar;
  constexpr std::int64_t rows = 300;
  constexpr std::int64_t columns = 5;
  Array<Scalar> x({rows, columns}, right_placement(2), Scalar(0), Reached::by_kernels);
  for (std::int64_t i = 0; i < x.size(); ++i) x.at(i) = static_cast<Scalar>(i * 7 % 9 - 4);
  std::vector<double> targets(rows);
  for (std::int64_t t = 0; t < rows; ++t) {
    targets[static_cast<std::size_t>(t)] = static_cast<double>(t % 5);
  }
  const std::vector<double> parameters{0.5, -0.25, 1, 0, -1, 0.75};
  double loss = 0;
  std::vector<double> gradient(columns + 1);
  for (std::int64_t t = 0; t < rows; ++t) {
    const auto value = [&](std::int64_t column) {
      return column == columns ? 1.0 : static_cast<double>(x.at(t * columns + column));
    };
    double residual = -targets[static_cast<std::size_t>(t)];
    for (std::int64_t j = 0; j <= columns; ++j) {
      residual += value(j) * parameters[static_cast<std::size_t>(j)];
    }
    loss += residual * residual / rows;
    for (std::int64_t j = 0; j <= columns; ++j) {
      gradient[static_cast<std::size_t>(j)] += 2 * residual * value(j) / rows;
    }
  }
  const DesignMatrix design(this->exec, x.strided());
  const std::vector<RightHandSide> sides{{0, parameters}};
  const Evaluation found = design.evaluate(
      {.family = Family::gaussian}, {.targets = Strided(targets.data(), {rows})}, sides, false)[0];
  EXPECT_NEAR(found.loss, loss, 1e-5 * loss);
  for (std::size_t j = 0; j < gradient.size(); ++j) {
    EXPECT_NEAR(found.gradient[j], gradient[j], 1e-5) << j;
  }
}

/// The scratch of a team must leave room for as many teams on a core as its kernel asks for.
TYPED_TEST(OnDevice, TransformsThatNeedMuchScratchAreLaunched) {
  using Scalar = typename TypeParam::scalar;
  constexpr std::int64_t window = 6000;
  const Array<Scalar> x({8000, 1}, right_placement(2), Scalar(1));
  const FilterBank<Scalar, Space> bank(this->exec, BSpline{.bases = 5}, {.window = window});
  Array<Scalar> y({8000, 1, 5}, right_placement(3), unwritten<Scalar>);
  convolve(this->exec, StridedSeries(x.strided()), bank, y.output(),
           {.border = Border::zero, .method = Method::fft});
  const Array<Scalar> images({2, 16, 1000}, right_placement(3), Scalar(1));
  const Array<Scalar> weights({16, 16, 128}, right_placement(3), Scalar(1));
  Array<Scalar> sums({2, 16, 873}, right_placement(3), unwritten<Scalar>);
  const ConvPlan<Scalar, Space> plan(this->exec,
                                     {.op = ConvOperator::forward,
                                      .dimensions = 1,
                                      .first = images.strided(),
                                      .second = weights.strided(),
                                      .result = sums.output()},
                                     {.method = ConvMethod::fft});
  plan.run(this->exec);
  this->exec.fence();
  for (std::int64_t i = 0; i < sums.size(); ++i) ASSERT_NEAR(sums.at(i), 16 * 128, 0.05);
  // Sums of all taps, since the samples are 1: bases add up to 1 at each tap.
  for (std::int64_t t = window; t < 8000; ++t) {
    double sum = 0;
    for (std::int64_t b = 0; b < 5; ++b) sum += y.at(t * 5 + b);
    ASSERT_NEAR(sum, window, 0.5) << t;
  }
}

}  // namespace
}  // namespace on_device_tests
