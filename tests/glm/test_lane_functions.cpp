// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "glm/lane_functions.hpp"
#include "lanes/access.hpp"
#include "lanes/functions.hpp"
#include "lanes/set_of.hpp"

#include "oracle/sets.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

// Functions of packs against long double, in units of the last place of a double.

namespace lane_functions_tests {
namespace {

using lane_functions::Apply;
using lane_functions::Functions;
using synelix::InstructionSet;

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

const Functions& functions_of(InstructionSet set) {
  return *synelix::lanes::built_table<Functions>(
      set, [](auto tag) -> const auto& { return lane_functions::functions_for<decltype(tag)>(); });
}

double distance(double got, long double want) {
  int exponent = 0;
  std::frexp(want, &exponent);
  const long double unit = std::ldexp(1.0L, std::max(exponent - 53, -1074));
  return static_cast<double>(std::fabs((got - want) / unit));
}

using Reference = long double (*)(long double);

/// The largest distance over these arguments, on every set.
void expect_within(double most, const std::string& name, Apply Functions::* function,
                   Reference reference, const std::vector<double>& x) {
  for (const InstructionSet set : oracle::sets_at_hand()) {
    std::vector<double> got(x.size());
    (functions_of(set).*function)(x.data(), static_cast<std::int64_t>(x.size()), got.data());
    double worst = 0;
    double where = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double d = distance(got[i], reference(x[i]));
      if (!(d <= worst)) {
        worst = d;
        where = x[i];
      }
    }
    EXPECT_LE(worst, most) << name << " on " << name_of(set) << " at " << where;
    testing::Test::RecordProperty(name + "_" + name_of(set), std::to_string(worst));
  }
}

std::vector<double> uniform(double first, double last, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> number(first, last);
  std::vector<double> x(100003);
  for (double& value : x) value = number(random);
  return x;
}
/// sign e^u + shift.
std::vector<double> exponential(double first, double last, std::uint64_t seed, double sign = 1,
                                double shift = 0) {
  std::vector<double> x = uniform(first, last, seed);
  for (double& value : x) value = shift + sign * std::exp(value);
  return x;
}

long double exp_of(long double x) { return std::exp(x); }
long double log_of(long double x) { return std::log(x); }
long double log1p_of(long double x) { return std::log1p(x); }
long double mills_of(long double a) {
  if (a < 20) {
    return std::sqrt(std::acos(-1.0L) / 2) * std::exp(a * a / 2) * std::erfc(a / std::sqrt(2.0L));
  }
  long double fraction = a;
  for (int k = 60; k > 0; --k) fraction = a + k / fraction;
  return 1 / fraction;
}

TEST(LaneFunctions, ExpIsWithinOneAndATenthUlp) {
  expect_within(1.1, "exp", &Functions::exp, exp_of, uniform(-745.1, 709.7, 1));
  expect_within(1.1, "exp_near_0", &Functions::exp, exp_of, uniform(-1, 1, 2));
  expect_within(1.1, "exp_tiny", &Functions::exp, exp_of, exponential(-60, -5, 3, -1));
}

TEST(LaneFunctions, LogIsWithinOneUlp) {
  expect_within(1.0, "log", &Functions::log, log_of, exponential(-744, 709.7, 4));
  expect_within(1.0, "log_near_1", &Functions::log, log_of, uniform(0.6, 1.6, 5));
  expect_within(1.0, "log_at_1", &Functions::log, log_of, exponential(-36, -5, 6, 1, 1));
}

TEST(LaneFunctions, Log1pIsWithinOneAndAHalfUlp) {
  expect_within(1.5, "log1p", &Functions::log1p, log1p_of, exponential(-740, 709.7, 7));
  expect_within(1.5, "log1p_near_0", &Functions::log1p, log1p_of, uniform(-0.9, 2, 8));
  expect_within(1.5, "log1p_at_1", &Functions::log1p, log1p_of, exponential(-36, -1, 9, 1, -1));
  expect_within(1.5, "log1p_small", &Functions::log1p, log1p_of, exponential(-40, 0, 10, -0.99));
}

TEST(LaneFunctions, MillsRatioIsWithinFourUlp) {
  expect_within(4, "mills", &Functions::mills_ratio, mills_of, uniform(0, 10, 11));
  expect_within(4, "mills_far", &Functions::mills_ratio, mills_of, exponential(-40, 340, 12));
}

TEST(LaneFunctions, HaveTheirLimits) {
  const double least = std::numeric_limits<double>::denorm_min();
  const double largest = std::numeric_limits<double>::max();
  for (const InstructionSet set : oracle::sets_at_hand()) {
    SCOPED_TRACE(name_of(set));
    const auto values = [&](Apply Functions::* function, const std::vector<double>& x) {
      std::vector<double> y(x.size());
      (functions_of(set).*function)(x.data(), static_cast<std::int64_t>(x.size()), y.data());
      return y;
    };
    EXPECT_THAT(values(&Functions::exp, {0.0, -0.0, inf, -inf, 1e300, -1e300, 710, -746, nan}),
                testing::ElementsAre(1, 1, inf, 0, inf, 0, inf, 0, testing::IsNan()));
    EXPECT_THAT(values(&Functions::exp, {-745.13}), testing::ElementsAre(least));
    EXPECT_THAT(values(&Functions::log, {0.0, -0.0, inf, 1, -least, -1, -inf, nan}),
                testing::ElementsAre(-inf, -inf, inf, 0, testing::IsNan(), testing::IsNan(),
                                     testing::IsNan(), testing::IsNan()));
    EXPECT_THAT(values(&Functions::log, {least, largest}),
                testing::ElementsAre(std::log(least), std::log(largest)));
    EXPECT_THAT(values(&Functions::log1p, {0.0, -1, inf, least, -least, -1.5, -inf, nan}),
                testing::ElementsAre(0, -inf, inf, least, -least, testing::IsNan(),
                                     testing::IsNan(), testing::IsNan()));
    EXPECT_THAT(values(&Functions::mills_ratio, {nan}), testing::ElementsAre(testing::IsNan()));
  }
}

TEST(LaneFunctions, DoNotDependOnTheLane) {
  const std::vector<double> x = uniform(0.1, 40, 13);
  for (const InstructionSet set : oracle::sets_at_hand()) {
    const Functions& functions = functions_of(set);
    for (const Apply apply :
         {functions.exp, functions.log, functions.log1p, functions.mills_ratio}) {
      std::vector<double> together(64);
      apply(x.data(), 64, together.data());
      for (std::size_t i = 0; i < together.size(); ++i) {
        double alone = 0;
        apply(&x[i], 1, &alone);
        EXPECT_EQ(alone, together[i]) << name_of(set);
      }
    }
  }
}

/// The results of a device, computed on a host lane by lane, with the same operations as a set with
/// fused multiply-add.
TEST(LaneFunctions, OfADeviceThreadAreAsExact) {
  using Pack = synelix::lanes::Pack<double, synelix::lanes::DeviceThread>;
  const auto check = [](double most, const auto& function, Reference reference,
                        const std::vector<double>& x) {
    for (std::size_t i = 0; i + Pack::lanes <= 20000; i += Pack::lanes) {
      const Pack y =
          function(synelix::lanes::load_unaligned<double, synelix::lanes::DeviceThread>(&x[i]));
      for (int l = 0; l < Pack::lanes; ++l) {
        const double at = x[i + static_cast<std::size_t>(l)];
        ASSERT_LE(distance(y.values[l], reference(at)), most) << at;
      }
    }
  };
  check(1.1, [](const Pack& x) { return synelix::lanes::exp(x); }, exp_of, uniform(-745, 709, 14));
  check(
      1.0, [](const Pack& x) { return synelix::lanes::log(x); }, log_of,
      exponential(-744, 709, 15));
  check(
      1.5, [](const Pack& x) { return synelix::lanes::log1p(x); }, log1p_of,
      exponential(-700, 700, 16));
  check(
      4, [](const Pack& x) { return synelix::lanes::mills_ratio(x); }, mills_of,
      uniform(0, 50, 17));
}

}  // namespace
}  // namespace lane_functions_tests
