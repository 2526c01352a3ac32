// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "oracle/library.hpp"
#include "oracle/matchers.hpp"
#include "oracle/refusals.hpp"
#include "oracle/shared.hpp"

#include <synelix/convolve.hpp>
#include <synelix/trials.hpp>

#include <gmock/gmock.h>
#include <Kokkos_Core.hpp>

#include <cstdint>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

// Views: layouts of inputs and outputs, const and Unmanaged, parts of larger ones, ranks and sample
// axes, stored types with scalings. Explicit lists rather than all combinations:
// test_convolve_random.cpp tests random strides.

namespace convolve_views_tests {
namespace {

using namespace synelix;
using oracle::agree;
using oracle::AllSpaces;
using oracle::on_host;
using oracle::Problem;

template <class Types>
class ConvolveViews : public testing::Test {
 public:
  using Scalar = typename Types::scalar;
  using Space = typename Types::space;

  /// samples x channels and 4 taps x 3 bases, drawn with a fixed seed.
  static Problem problem_of(std::int64_t samples, std::int64_t channels) {
    std::mt19937_64 random(20);
    Problem problem{.samples = samples,
                    .channels = channels,
                    .window = 4,
                    .bases = 3,
                    .x = {},
                    .taps = {},
                    .epochs = {}};
    std::normal_distribution<double> normal;
    for (std::int64_t i = 0; i < samples * channels; ++i) {
      problem.x.push_back(static_cast<float>(normal(random)));
    }
    for (int i = 0; i < 12; ++i) problem.taps.push_back(static_cast<float>(normal(random)));
    return problem;
  }

  /// Fills a View of any rank with the samples of a problem.
  template <class View>
  static void fill(const View& view, const Problem& problem, int axis) {
    for_each_place<View>(view, [&](auto& value, std::int64_t i, const auto& extents) {
      value = static_cast<typename View::non_const_value_type>(at(problem, i, extents, axis));
    });
  }

  /// Holds features in a View of any rank to the oracle.
  template <class Given>
  static void expect(const Given& given, const Problem& problem, int axis) {
    const auto view = on_host(given);
    using View = decltype(oracle::on_host(given));
    const auto features = oracle::convolve(problem);
    std::vector<Scalar> found(view.size());
    const auto rows = static_cast<std::int64_t>(view.extent(static_cast<std::size_t>(axis)));
    ASSERT_EQ(rows * problem.channels * problem.bases, static_cast<std::int64_t>(view.size()));
    for_each_place<View>(view, [&](auto& value, std::int64_t i, auto extents) {
      extents.pop_back();
      for (std::int64_t r = 0; r < rows; ++r) {  // the row and channel that this place belongs to
        for (std::int64_t c = 0; c < problem.channels; ++c) {
          if (oracle::position(extents, axis, r, c) != i / problem.bases) continue;
          found[static_cast<std::size_t>((r * problem.channels + c) * problem.bases +
                                         i % problem.bases)] = value;
        }
      }
    });
    EXPECT_TRUE(agree(found, features.values, {rows, problem.channels, problem.bases},
                      oracle::rounding<Scalar>(problem)));
  }

  Space exec;

 private:
  static double at(const Problem& problem, std::int64_t i, const std::vector<std::int64_t>& extents,
                   int axis) {
    for (std::int64_t t = 0; t < problem.samples; ++t) {
      for (std::int64_t c = 0; c < problem.channels; ++c) {
        if (oracle::position(extents, axis, t, c) == i) {
          return problem.x[static_cast<std::size_t>(t * problem.channels + c)];
        }
      }
    }
    return 0.0;
  }

  /// body(value, index with the last dimension fastest, extents)
  template <class View, class Body>
  static void for_each_place(const View& view, const Body& body) {
    std::vector<std::int64_t> extents;
    for (std::size_t k = 0; k < View::rank(); ++k) {
      extents.push_back(static_cast<std::int64_t>(view.extent(k)));
    }
    for (std::int64_t i = 0; i < static_cast<std::int64_t>(view.size()); ++i) {
      std::int64_t rest = i;
      std::int64_t offset = 0;
      for (std::size_t k = View::rank(); k-- > 0;) {
        offset += rest % extents[k] * static_cast<std::int64_t>(view.stride(k));
        rest /= extents[k];
      }
      body(view.data()[offset], i, extents);
    }
  }
};
TYPED_TEST_SUITE(ConvolveViews, AllSpaces);

using Right = Kokkos::LayoutRight;
using Left = Kokkos::LayoutLeft;
using Stride = Kokkos::LayoutStride;

TYPED_TEST(ConvolveViews, ReturnsTheLayoutThatTheCallerNames) {
  using Scalar = typename TypeParam::scalar;
  using Shared = oracle::SharedWith<typename TypeParam::space>;
  const Problem problem = this->problem_of(50, 6);
  const auto bank = oracle::bank_of<Scalar>(this->exec, problem);
  const Kokkos::View<Scalar**, Right, Shared> right("right", 50, 6);
  const Kokkos::View<Scalar**, Left, Shared> left("left", 50, 6);
  this->fill(right, problem, 0);
  this->fill(left, problem, 0);
  const auto a = convolve<Right>(this->exec, right, bank);
  static_assert(std::is_same_v<typename decltype(a)::array_layout, Right>);
  static_assert(decltype(a)::rank() == 3);
  static_assert(std::is_same_v<typename decltype(a)::value_type, Scalar>);
  this->expect(a, problem, 0);
  this->expect(convolve<Left>(this->exec, right, bank), problem, 0);
  this->expect(convolve<Right>(this->exec, left, bank), problem, 0);
  this->expect(convolve<Left>(this->exec, left, bank), problem, 0);
  this->expect(convolve<Left>(Series(left), bank), problem, 0);
}

TYPED_TEST(ConvolveViews, WritesWhereTheCallerSays) {
  using Scalar = typename TypeParam::scalar;
  using Shared = oracle::SharedWith<typename TypeParam::space>;
  const Problem problem = this->problem_of(40, 5);
  const auto bank = oracle::bank_of<Scalar>(this->exec, problem);
  const Kokkos::View<Scalar**, Right, Shared> x("x", 40, 5);
  this->fill(x, problem, 0);
  const Kokkos::View<Scalar***, Right, Shared> right("right", 40, 5, 3);
  convolve(this->exec, x, bank, right);
  this->expect(right, problem, 0);
  const Kokkos::View<Scalar***, Left, Shared> left("left", 40, 5, 3);
  convolve(this->exec, Series(x), bank, left);
  this->expect(left, problem, 0);
  const Kokkos::View<Scalar***, Stride, Shared> apart(
      "apart", Stride(40, 2, 5, 40 * 2 + 7, 3, 5 * (40 * 2 + 7)));
  convolve(this->exec, x, bank, apart);
  this->expect(apart, problem, 0);
}

// Each verb takes samples and features in each of their forms, with an instance or without.
TYPED_TEST(ConvolveViews, EachVerbTakesTheSameArguments) {
  using Scalar = typename TypeParam::scalar;
  using Shared = oracle::SharedWith<typename TypeParam::space>;
  const Problem problem = this->problem_of(40, 5);
  const auto bank = oracle::bank_of<Scalar>(this->exec, problem);
  const Kokkos::View<Scalar**, Right, Shared> x("x", 40, 5);
  this->fill(x, problem, 0);
  const auto check = [&](const auto& samples) {
    const Kokkos::View<Scalar***, Right, Shared> view("view", 40, 5, 3);
    const StridedOutput output(view.data(), {40, 5, 3});
    const auto expect = [&] {
      this->expect(view, problem, 0);
      Kokkos::deep_copy(view, Scalar(0));
    };
    convolve(samples, bank, view);
    expect();
    convolve(samples, bank, output, {.method = Method::direct});
    expect();
    convolve(this->exec, samples, bank, output);
    expect();
    const ConvolvePlan plan(this->exec, samples, bank);
    plan.run(this->exec, samples, view);
    this->exec.fence();
    expect();
    plan.run(this->exec, samples, output);
    this->exec.fence();
    expect();
    const std::int64_t rows = plan.rows();
    EXPECT_EQ(choose(this->exec, samples, bank).rows, rows);
    EXPECT_EQ(choose(this->exec, samples, bank, view).rows, rows);
    EXPECT_EQ(choose(this->exec, samples, bank, output, {.every = 4}).rows, 10);
  };
  check(x);
  check(Series(x));
  check(StridedSeries(Strided(x.data(), {40, 5})));
  check(Strided(x.data(), {40, 5}));
}

TYPED_TEST(ConvolveViews, ReadsPartsOfLargerViews) {
  using Scalar = typename TypeParam::scalar;
  using Shared = oracle::SharedWith<typename TypeParam::space>;
  const Problem problem = this->problem_of(40, 5);
  const auto bank = oracle::bank_of<Scalar>(this->exec, problem);
  const Kokkos::View<Scalar***, Right, Shared> all("all", 60, 9, 4);
  const auto part = Kokkos::subview(all, std::pair(10, 50), std::pair(2, 7), 3);
  this->fill(part, problem, 0);
  this->expect(convolve<Right>(this->exec, part, bank), problem, 0);
  const Kokkos::View<Scalar***, Left, Shared> wide("wide", 60, 9, 4);
  const auto strip = Kokkos::subview(wide, std::pair(1, 41), std::pair(4, 9), 2);
  this->fill(strip, problem, 0);
  const Kokkos::View<Scalar****, Right, Shared> outputs("outputs", 2, 40, 7, 3);
  const auto output = Kokkos::subview(outputs, 1, Kokkos::ALL, std::pair(1, 6), Kokkos::ALL);
  convolve(this->exec, strip, bank, output);
  this->expect(output, problem, 0);
  EXPECT_EQ(outputs(1, 3, 0, 0), Scalar(0)) << "beside the output";
  EXPECT_EQ(outputs(1, 3, 6, 2), Scalar(0)) << "beside the output";
}

TYPED_TEST(ConvolveViews, ConstAndUnmanaged) {
  using Scalar = typename TypeParam::scalar;
  using Space = typename TypeParam::space;
  using Shared = oracle::SharedWith<typename TypeParam::space>;
  const Problem problem = this->problem_of(40, 5);
  const auto bank = oracle::bank_of<Scalar>(this->exec, problem);
  std::vector<Scalar> memory(200);
  const Kokkos::View<Scalar**, Right, Space, Kokkos::MemoryUnmanaged> x(memory.data(), 40, 5);
  this->fill(x, problem, 0);
  const Kokkos::View<const Scalar**, Right, Space, Kokkos::MemoryUnmanaged> constant = x;
  this->expect(convolve<Right>(this->exec, constant, bank), problem, 0);
  std::vector<Scalar> results(600);
  const Kokkos::View<Scalar***, Left, Space, Kokkos::MemoryUnmanaged> y(results.data(), 40, 5, 3);
  const Kokkos::View<const Scalar**, Right, Shared> managed_constant = [&] {
    const Kokkos::View<Scalar**, Right, Shared> copy("copy", 40, 5);
    Kokkos::deep_copy(copy, x);
    return copy;
  }();
  const Series series(managed_constant);
  convolve(this->exec, series, bank, y);
  this->expect(y, problem, 0);
}

TYPED_TEST(ConvolveViews, RanksOneToSevenAlongAnyAxis) {
  using Scalar = typename TypeParam::scalar;
  using Shared = oracle::SharedWith<typename TypeParam::space>;
  const auto check = [&](const auto& view, std::int64_t channels, int axis) {
    const auto samples = static_cast<std::int64_t>(view.extent(static_cast<std::size_t>(axis)));
    const Problem problem = this->problem_of(samples, channels);
    this->fill(view, problem, axis);
    const Series series(view, {.sample_axis = axis, .epochs = {}});
    const auto bank = oracle::bank_of<Scalar>(this->exec, problem);
    this->expect(convolve<Right>(this->exec, series, bank), problem, axis);
    this->expect(convolve<Left>(this->exec, series, bank), problem, axis);
  };
  check(Kokkos::View<Scalar*, Right, Shared>("x", 30), 1, 0);
  check(Kokkos::View<Scalar**, Right, Shared>("x", 3, 30), 3, 1);
  check(Kokkos::View<Scalar***, Left, Shared>("x", 3, 20, 2), 6, 1);
  check(Kokkos::View<Scalar****, Right, Shared>("x", 2, 3, 2, 20), 12, 3);
  check(Kokkos::View<Scalar*******, Right, Shared>("x", 2, 1, 2, 9, 1, 2, 2), 16, 3);
  check(Kokkos::View<Scalar*******, Left, Shared>("x", 1, 2, 1, 2, 1, 1, 9), 4, 6);
}

/// The result of `scaled` is accepted like a View.
TYPED_TEST(ConvolveViews, ScaledViewsInEveryCall) {
  using Scalar = typename TypeParam::scalar;
  using Space = typename TypeParam::space;
  using Shared = oracle::SharedWith<typename TypeParam::space>;
  const Kokkos::View<std::int16_t**, Left, Shared> x("x", 30, 2);
  Problem problem = this->problem_of(30, 2);
  const std::vector<double> scale{0.5, -2.0};
  for (std::size_t t = 0; t < 30; ++t) {
    for (std::size_t c = 0; c < 2; ++c) {
      x(t, c) = static_cast<std::int16_t>(t * 37 % 100 + c);
      problem.x[t * 2 + c] = static_cast<Scalar>(x(t, c)) * static_cast<Scalar>(scale[c]) + 3;
    }
  }
  const auto bank = oracle::bank_of<Scalar>(this->exec, problem);
  const auto samples = scaled(x, scale, 3);
  const auto features = convolve<Right>(this->exec, samples, bank);
  this->expect(features, problem, 0);
  Kokkos::deep_copy(features, Scalar(7));
  convolve(this->exec, samples, bank, features);
  this->expect(features, problem, 0);
  const auto of_trials = convolve<Right>(this->exec, std::vector{samples, samples}, bank);
  this->expect(of_trials.at(1), problem, 0);
  const ConvolvePlan<Scalar, Space> plan(this->exec, samples, bank);
  Kokkos::deep_copy(features, Scalar(7));
  plan.run(this->exec, samples, features);
  this->exec.fence();
  this->expect(features, problem, 0);
  oracle::expect_refused([&] { plan.run(this->exec, scaled(x, scale, 4), features); }, "series",
                         "the scaling differs", "the plan was made for");
  oracle::expect_refused([&] { plan.run(this->exec, x, features); }, "series",
                         "the scaling differs", "the plan was made for");
}

TYPED_TEST(ConvolveViews, StoredTypesWithScalings) {
  using Scalar = typename TypeParam::scalar;
  using Shared = oracle::SharedWith<typename TypeParam::space>;
  const auto check = [&]<class T>(T, const Scaling& scaling) {
    const Kokkos::View<T**, Left, Shared> x("x", 30, 4);
    Problem problem = this->problem_of(30, 4);
    for (std::int64_t t = 0; t < 30; ++t) {
      for (std::int64_t c = 0; c < 4; ++c) {
        x(t, c) = static_cast<T>((t * 37 + c * 11) % 120);
        const auto k = static_cast<std::size_t>(c);
        const double scale =
            scaling.channel_scale.empty() ? scaling.scale : scaling.channel_scale[k];
        const double offset =
            scaling.channel_offset.empty() ? scaling.offset : scaling.channel_offset[k];
        problem.x[static_cast<std::size_t>(t * 4 + c)] =
            static_cast<Scalar>(static_cast<double>(x(t, c)) * scale + offset);
      }
    }
    const auto bank = oracle::bank_of<Scalar>(this->exec, problem);
    const Series series(oracle::scaled_by(x, scaling));
    this->expect(convolve<Right>(this->exec, series, bank), problem, 0);
  };
  const auto check_type = [&]<class T>(T type) {
    check(type, Scaling{});
    check(type, Scaling{.scale = 0.125, .offset = -3.0, .channel_scale = {}, .channel_offset = {}});
    check(type, Scaling{.scale = 9.0,
                        .offset = 9.0,
                        .channel_scale = {1.0, -2.0, 0.5, 0.0},
                        .channel_offset = {}});
    check(type, Scaling{.scale = 2.0,
                        .offset = 9.0,
                        .channel_scale = {},
                        .channel_offset = {1.0, -2.0, 0.5, 0.0}});
  };
  check_type(float{});
  check_type(double{});
  check_type(std::int8_t{});
  check_type(std::uint8_t{});
  check_type(std::int16_t{});
  check_type(std::uint16_t{});
}

TYPED_TEST(ConvolveViews, EventsBecomeViewsToo) {
  using Scalar = typename TypeParam::scalar;
  const Events events(6, {{.samples = {1, 3}, .counts = {1, 2}}, {}});
  const FilterBank<Scalar, typename TypeParam::space> bank(this->exec, CustomTaps{2, 1, {1, 10}},
                                                           {});
  const auto y = on_host(convolve<Left>(this->exec, events, bank));
  ASSERT_EQ(y.extent(0), 6U);
  ASSERT_EQ(y.extent(1), 2U);
  ASSERT_EQ(y.extent(2), 1U);
  EXPECT_EQ(y(2, 0, 0), Scalar(1));
  EXPECT_EQ(y(3, 0, 0), Scalar(10));
  EXPECT_EQ(y(4, 0, 0), Scalar(2));
  EXPECT_EQ(y(5, 0, 0), Scalar(20));
  EXPECT_EQ(y(5, 1, 0), Scalar(0));
}

}  // namespace
}  // namespace convolve_views_tests
