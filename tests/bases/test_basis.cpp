// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <synelix/basis.hpp>

#include <synelix/error.hpp>

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace basis_tests {
namespace {

using namespace synelix;
using testing::DoubleNear;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pointwise;
using testing::StartsWith;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

/// Values in order, each within 1e-15.
MATCHER_P(NearValues, expected, "") {
  return ExplainMatchResult(Pointwise(testing::DoubleNear(1e-15), expected), arg, result_listener);
}

std::vector<double> column(const Taps& taps, std::int64_t b) {
  std::vector<double> values(static_cast<std::size_t>(taps.window));
  for (std::int64_t w = 0; w < taps.window; ++w) values[static_cast<std::size_t>(w)] = taps(w, b);
  return values;
}

double row_sum(const Taps& taps, std::int64_t w) {
  double sum = 0.0;
  for (std::int64_t b = 0; b < taps.bases; ++b) sum += taps(w, b);
  return sum;
}

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

/// The call is refused, and the message holds the argument, the problem and the remedy.
void expect_refused(const Basis& basis, std::optional<std::int64_t> window,
                    const std::string& argument, const std::string& problem,
                    const std::string& remedy) {
  try {
    evaluate_taps(basis, window);
    ADD_FAILURE() << basis_name(basis) << " was not refused: " << argument << ": " << problem;
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), StartsWith(argument + ": " + problem));
    EXPECT_THAT(error.what(), HasSubstr(remedy));
  }
}

/// One basis of every family but CustomTaps, valid on windows of 6 and more.
std::vector<Basis> families() {
  return {RaisedCosineLinear{.bases = 5},
          RaisedCosineLog{.bases = 5},
          BSpline{.bases = 5},
          CyclicBSpline{.bases = 5},
          MSpline{.bases = 5},
          OrthExponential{.decay_rates = {1.0, 4.0, 16.0}},
          History{}};
}

// ---- values by hand

TEST(RaisedCosineLinear, HandValues) {
  const Taps taps = evaluate_taps(RaisedCosineLinear{.bases = 3}, 5);
  const double eighth = std::numbers::pi / 8;  // half of the phase of one tap
  const std::vector<double> fall = {1.0, std::pow(std::cos(eighth), 2), 0.5,
                                    std::pow(std::sin(eighth), 2), 0.0};
  EXPECT_THAT(column(taps, 0), NearValues(fall));
  EXPECT_THAT(column(taps, 1), NearValues(std::vector{0.5, fall[1], 1.0, fall[1], 0.5}));
  EXPECT_THAT(column(taps, 2), NearValues(std::vector{0.0, fall[3], 0.5, fall[1], 1.0}));
}

TEST(RaisedCosineLinear, WindowOfOneSeesTheStart) {
  const Taps taps = evaluate_taps(RaisedCosineLinear{.bases = 3, .width = 2.0}, 1);
  EXPECT_THAT(taps.values, NearValues(std::vector{1.0, 0.5, 0.0}));
}

TEST(RaisedCosineLinear, IsOneFilterShiftedWherePeaksFallOnTaps) {
  const Taps taps = evaluate_taps(RaisedCosineLinear{.bases = 8, .width = 1.5}, 71);
  for (std::int64_t b = 1; b < 8; ++b) {
    for (std::int64_t w = 10; w < 71; ++w) ASSERT_EQ(taps(w, b), taps(w - 10, b - 1)) << w;
  }
}

TEST(RaisedCosineLinear, RowsSumToWidthAwayFromTheEnds) {
  for (const double width : {1.5, 2.0, 2.5, 3.0}) {
    const Taps taps = evaluate_taps(RaisedCosineLinear{.bases = 12, .width = width}, 100);
    for (std::int64_t w = 30; w < 70; ++w) EXPECT_NEAR(row_sum(taps, w), width, 1e-13);
  }
}

TEST(RaisedCosineLog, HandValues) {
  const Taps taps = evaluate_taps(RaisedCosineLog{.bases = 2}, 3);
  const double s = std::log(26.0) / std::log(51.0);
  const auto bump = [](double x) { return 0.5 + 0.5 * std::cos(std::numbers::pi * x); };
  EXPECT_THAT(column(taps, 0), NearValues(std::vector{1.0, 0.0, 0.0}));
  EXPECT_THAT(column(taps, 1), NearValues(std::vector{0.5, bump((3 * s - 1) / 2), 0.0}));
}

TEST(RaisedCosineLog, DecayDecidesTheEndOfTheWindow) {
  for (const double width : {1.5, 2.0, 2.5}) {
    const Taps closed = evaluate_taps(RaisedCosineLog{.bases = 10, .width = width}, 80);
    const Taps open =
        evaluate_taps(RaisedCosineLog{.bases = 10, .width = width, .decay = Decay::open}, 80);
    ASSERT_EQ(closed.bases, 10);
    for (std::int64_t b = 0; b < 10; ++b) EXPECT_EQ(closed(79, b), 0.0);
    EXPECT_EQ(open(79, 9), 1.0);
    EXPECT_EQ(closed(0, 0), 1.0);
    EXPECT_EQ(open(0, 0), 1.0);
  }
}

TEST(RaisedCosineLog, DepartsFromTheLinearOneAsTimeScalingGrows) {
  const Taps linear = evaluate_taps(RaisedCosineLinear{.bases = 10}, 200);
  double previous = 1.0;
  for (const double scaling : {0.1, 10.0, 100.0}) {
    const Taps taps = evaluate_taps(
        RaisedCosineLog{.bases = 10, .time_scaling = scaling, .decay = Decay::open}, 200);
    const double correlation =
        dot(taps.values, linear.values) /
        std::sqrt(dot(taps.values, taps.values) * dot(linear.values, linear.values));
    EXPECT_LT(correlation, previous) << "time_scaling " << scaling;
    previous = correlation;
  }
  const Taps nearly =
      evaluate_taps(RaisedCosineLog{.bases = 10, .time_scaling = 1e-9, .decay = Decay::open}, 200);
  EXPECT_THAT(nearly.values, Pointwise(DoubleNear(1e-7), linear.values));
}

TEST(BSpline, HandValues) {
  EXPECT_THAT(evaluate_taps(BSpline{.bases = 2, .order = 1}, 4).values,
              ElementsAre(1, 0, 1, 0, 0, 1, 0, 1));
  const Taps lines = evaluate_taps(BSpline{.bases = 2, .order = 2}, 5);
  EXPECT_THAT(column(lines, 1), NearValues(std::vector{0.0, 0.25, 0.5, 0.75, 1.0}));
  const Taps cubic = evaluate_taps(BSpline{.bases = 4}, 3);
  EXPECT_THAT(cubic.values, NearValues(std::vector{1.0, 0.0, 0.0, 0.0,          //
                                                   0.125, 0.375, 0.375, 0.125,  //
                                                   0.0, 0.0, 0.0, 1.0}));
}

TEST(BSpline, TapOnAKnotBelongsToTheIntervalBefore) {
  // u = 1/4, 1/2, 3/4 are knots. They are moved up by a last bit, like the right end of 1.
  const Taps taps = evaluate_taps(BSpline{.bases = 4, .order = 1}, 5);
  EXPECT_THAT(taps.support,
              ElementsAre(Support{0, 2}, Support{2, 3}, Support{3, 4}, Support{4, 5}));
}

TEST(BSpline, RowsSumToOne) {
  for (const std::int64_t order : {1, 2, 3, 4, 7, 10}) {
    for (const std::int64_t window : {1, 2, 13, 100}) {
      const Taps taps = evaluate_taps(BSpline{.bases = 10, .order = order}, window);
      for (std::int64_t w = 0; w < window; ++w) EXPECT_NEAR(row_sum(taps, w), 1.0, 1e-14);
    }
  }
}

TEST(CyclicBSpline, HandValues) {
  const Taps taps = evaluate_taps(CyclicBSpline{.bases = 2, .order = 2}, 5);
  EXPECT_THAT(column(taps, 0), NearValues(std::vector{1.0, 0.5, 0.0, 0.5, 1.0}));
  EXPECT_THAT(column(taps, 1), NearValues(std::vector{0.0, 0.5, 1.0, 0.5, 0.0}));
}

TEST(CyclicBSpline, RowsSumToOneAndTheWindowClosesOnItself) {
  for (const std::int64_t order : {2, 3, 4, 6}) {
    const Taps taps = evaluate_taps(CyclicBSpline{.bases = 6, .order = order}, 41);
    for (std::int64_t w = 0; w < 41; ++w) EXPECT_NEAR(row_sum(taps, w), 1.0, 1e-14);
    for (std::int64_t b = 0; b < 6; ++b) EXPECT_NEAR(taps(0, b), taps(40, b), 2e-15);
  }
}

TEST(MSpline, HandValues) {
  const Taps steps = evaluate_taps(MSpline{.bases = 2, .order = 1}, 4);
  EXPECT_THAT(steps.values, NearValues(std::vector{2.0, 0.0, 2.0, 0.0, 0.0, 2.0, 0.0, 2.0}));
  const Taps cubic = evaluate_taps(MSpline{.bases = 4}, 3);
  EXPECT_THAT(column(cubic, 0), NearValues(std::vector{4.0, 0.5, 0.0}));
}

TEST(MSpline, EveryFilterHasUnitIntegral) {
  constexpr std::int64_t window = 20001;
  const Taps taps = evaluate_taps(MSpline{.bases = 7, .order = 3}, window);
  for (std::int64_t b = 0; b < taps.bases; ++b) {
    double sum = -0.5 * (taps(0, b) + taps(window - 1, b));  // trapezium rule
    for (std::int64_t w = 0; w < window; ++w) sum += taps(w, b);
    EXPECT_NEAR(sum / (window - 1), 1.0, 1e-7);
  }
}

TEST(OrthExponential, OneRateIsTheNormalisedExponential) {
  const double half = std::numbers::ln2;
  const Taps taps = evaluate_taps(OrthExponential{.decay_rates = {2 * half}}, 3);
  const double norm = std::sqrt(1.0 + 0.25 + 0.0625);
  EXPECT_THAT(taps.values, NearValues(std::vector{1 / norm, 0.5 / norm, 0.25 / norm}));
}

TEST(OrthExponential, ColumnsAreOrthonormalSpanTheExponentialsAndPointUp) {
  const std::vector<double> rates = {1.0, 3.0, 9.0, 27.0};
  constexpr std::int64_t window = 60;
  const Taps taps = evaluate_taps(OrthExponential{.decay_rates = rates}, window);
  ASSERT_EQ(taps.bases, 4);
  for (std::int64_t a = 0; a < 4; ++a) {
    const std::vector<double> q = column(taps, a);
    for (std::int64_t b = 0; b < 4; ++b) {
      EXPECT_NEAR(dot(q, column(taps, b)), a == b ? 1.0 : 0.0, 1e-13);
    }
    const auto larger = [](double x, double y) { return std::abs(x) < std::abs(y); };
    EXPECT_GT(*std::max_element(q.begin(), q.end(), larger), 0.0) << "filter " << a;
  }
  for (const double rate : rates) {
    std::vector<double> rest(window);
    for (std::size_t w = 0; w < rest.size(); ++w) {
      rest[w] = std::exp(-rate * static_cast<double>(w) / (window - 1));
    }
    for (std::int64_t b = 0; b < 4; ++b) {
      const std::vector<double> q = column(taps, b);
      const double along = dot(q, rest);
      for (std::size_t w = 0; w < rest.size(); ++w) rest[w] -= along * q[w];
    }
    EXPECT_LT(dot(rest, rest), 1e-26) << "rate " << rate;
  }
}

TEST(OrthExponential, ReportsTheRankThatIsLeft) {
  std::vector<double> rates;
  for (int i = 1; i <= 20; ++i) rates.push_back(i);
  const Taps taps = evaluate_taps(OrthExponential{.decay_rates = rates}, 40);
  EXPECT_EQ(taps.bases, 16);
  EXPECT_EQ(taps.requested_bases, 20);
  EXPECT_EQ(taps.values.size(), 40u * 16u);
  EXPECT_EQ(taps.support.size(), 16u);
}

TEST(History, IsTheIdentity) {
  const Taps taps = evaluate_taps(History{}, 4);
  EXPECT_EQ(taps.bases, 4);
  EXPECT_THAT(taps.values, ElementsAre(1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1));
  EXPECT_THAT(taps.support,
              ElementsAre(Support{0, 1}, Support{1, 2}, Support{2, 3}, Support{3, 4}));
  EXPECT_THAT(evaluate_taps(History{}, 1).values, ElementsAre(1));
}

TEST(CustomTaps, AreTakenAsTheyAre) {
  const CustomTaps custom{.window = 3, .bases = 2, .taps = {1, -2, 0, 0, 5, 6}};
  const Taps taps = evaluate_taps(custom);
  EXPECT_EQ(taps.window, 3);
  EXPECT_EQ(taps.bases, 2);
  EXPECT_EQ(taps(1, 1), 0.0);
  EXPECT_EQ(taps(2, 1), 6.0);
  EXPECT_EQ(evaluate_taps(custom, 3).values, taps.values);
  EXPECT_EQ(taps.basis, "CustomTaps");
}

// ---- properties of every family

TEST(Taps, SupportEndsWhereOnlyZerosFollow) {
  const Taps custom = evaluate_taps(CustomTaps{
      .window = 4, .bases = 4, .taps = {0, 0, 1, -0.0, 2, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 1}});
  EXPECT_THAT(custom.support,
              ElementsAre(Support{1, 4}, Support{0, 0}, Support{0, 1}, Support{3, 4}));
  // Peaks 5 taps apart, half-width 7.5 taps.
  const Taps cosines = evaluate_taps(RaisedCosineLinear{.bases = 5, .width = 1.5}, 21);
  EXPECT_THAT(cosines.support, ElementsAre(Support{0, 8}, Support{0, 13}, Support{3, 18},
                                           Support{8, 21}, Support{13, 21}));
}

TEST(Taps, SupportIsExactForEveryFamily) {
  for (const Basis& basis : families()) {
    for (const std::int64_t window : {6, 29, 100}) {
      const Taps taps = evaluate_taps(basis, window);
      ASSERT_EQ(taps.support.size(), static_cast<std::size_t>(taps.bases));
      for (std::int64_t b = 0; b < taps.bases; ++b) {
        const auto [first, last] = taps.support[static_cast<std::size_t>(b)];
        ASSERT_LT(first, last) << taps.basis;
        EXPECT_NE(taps(first, b), 0.0) << taps.basis;
        EXPECT_NE(taps(last - 1, b), 0.0) << taps.basis;
        for (std::int64_t w = 0; w < window; ++w) {
          if (w < first || w >= last) {
            EXPECT_EQ(taps(w, b), 0.0) << taps.basis;
          }
        }
      }
    }
  }
}

TEST(Taps, NameTheirBasisAndItsParameters) {
  for (const Basis& basis : families()) EXPECT_EQ(evaluate_taps(basis, 8).basis, basis_name(basis));
  const Taps cosines = evaluate_taps(RaisedCosineLog{.bases = 3, .width = 2.5}, 8);
  EXPECT_EQ(cosines.basis, "RaisedCosineLog");
  EXPECT_EQ(cosines.requested_bases, 3);
  EXPECT_THAT(cosines.parameters,
              ElementsAre(BasisParameter{"width", 2.5}, BasisParameter{"time_scaling", 50.0},
                          BasisParameter{"decay", "to_zero"}));
  EXPECT_THAT(evaluate_taps(MSpline{.bases = 6, .order = 3}, 8).parameters,
              ElementsAre(BasisParameter{"order", std::int64_t{3}}));
  EXPECT_THAT(evaluate_taps(OrthExponential{.decay_rates = {1, 2}}, 8).parameters,
              ElementsAre(BasisParameter{"decay_rates", std::vector{1.0, 2.0}}));
}

TEST(Taps, OfEveryFamilyHaveTheParametersThatAVisitorSets) {
  std::vector<std::string> names;
  for (Basis basis : families()) {
    std::visit(
        [&](auto& family) {
          for_each_parameter(family, [&](const char* name, auto& value) {
            names.push_back(std::string(family.name) + "." + name);
            if constexpr (std::is_same_v<std::decay_t<decltype(value)>, double>) value = 3.5;
          });
        },
        basis);
    for (const auto& [name, value] : evaluate_taps(basis, 8).parameters) {
      const auto* number = std::get_if<double>(&value);
      EXPECT_TRUE(number == nullptr || *number == 3.5) << name;
    }
  }
  EXPECT_THAT(names, testing::UnorderedElementsAre(
                         "RaisedCosineLinear.width", "RaisedCosineLog.width",
                         "RaisedCosineLog.time_scaling", "RaisedCosineLog.decay", "BSpline.order",
                         "CyclicBSpline.order", "MSpline.order", "OrthExponential.decay_rates"));
}

// ---- errors

TEST(BasisRules, Window) {
  for (const Basis& basis : families()) {
    expect_refused(basis, std::nullopt, "window", "none was given for " + basis_name(basis),
                   "at least 1");
    expect_refused(basis, 0, "window", "0", "at least 1");
    expect_refused(basis, -1, "window", "-1", "at least 1");
  }
}

TEST(BasisRules, NumberOfTaps) {
  constexpr std::int64_t beyond = std::int64_t{1} << 40;
  expect_refused(History{}, 100000, "window x bases", "100000 x 100000", "at most 134217728 taps");
  expect_refused(History{}, 11586, "window x bases", "11586 x 11586", "134217728");
  expect_refused(History{}, beyond, "window x bases", "1099511627776 x 1099511627776", "taps");
  const std::int64_t half = std::int64_t{1} << 27;  // 2 bases of it are one tap set too many
  expect_refused(RaisedCosineLinear{.bases = 2}, half, "window x bases", "134217728 x 2", "taps");
  expect_refused(RaisedCosineLog{.bases = beyond}, 3, "window x bases", "3 x 1099511627776",
                 "taps");
  for (const Basis& basis : std::vector<Basis>{
           BSpline{.bases = beyond}, CyclicBSpline{.bases = beyond}, MSpline{.bases = beyond}}) {
    expect_refused(basis, beyond, "window x bases", "1099511627776 x 1099511627776", "taps");
  }
  expect_refused(OrthExponential{.decay_rates = {1.0, 4.0}}, half, "window x bases",
                 "134217728 x 2", "taps");
}

TEST(BasisRules, NumberOfRaisedCosines) {
  for (const std::int64_t bases : {-3, 0, 1}) {
    expect_refused(RaisedCosineLinear{.bases = bases}, 9, "RaisedCosineLinear.bases",
                   std::to_string(bases), "at least 2");
    expect_refused(RaisedCosineLog{.bases = bases}, 9, "RaisedCosineLog.bases",
                   std::to_string(bases), "at least 2");
  }
}

TEST(BasisRules, WidthOfRaisedCosines) {
  for (const double width : {1.5, 2.0, 10.0, 10.5, 1.5000001}) {
    EXPECT_NO_THROW(evaluate_taps(RaisedCosineLinear{.bases = 4, .width = width}, 9)) << width;
    EXPECT_NO_THROW(evaluate_taps(RaisedCosineLog{.bases = 4, .width = width}, 9)) << width;
  }
  const std::vector<std::pair<double, std::string>> refused = {
      {1.0, "1"},     {0.5, "0.5"}, {-2.0, "-2"},     {2.1, "2.1"},
      {10.3, "10.3"}, {nan, "nan"}, {infinity, "inf"}};
  for (const auto& [width, found] : refused) {
    const std::string allowed = std::isfinite(width) ? "multiples of 1/2" : "finite";
    expect_refused(RaisedCosineLinear{.bases = 4, .width = width}, 9, "RaisedCosineLinear.width",
                   found, allowed);
    expect_refused(RaisedCosineLog{.bases = 4, .width = width}, 9, "RaisedCosineLog.width", found,
                   allowed);
  }
}

TEST(BasisRules, TimeScaling) {
  for (const auto& [scaling, found] :
       std::vector<std::pair<double, std::string>>{{0.0, "0"}, {-1.0, "-1"}, {nan, "nan"}}) {
    expect_refused(RaisedCosineLog{.bases = 4, .time_scaling = scaling}, 9,
                   "RaisedCosineLog.time_scaling", found, "numbers");
  }
}

TEST(BasisRules, OrderOfSplines) {
  expect_refused(BSpline{.bases = 4, .order = 0}, 9, "BSpline.order", "0", "at least 1");
  expect_refused(BSpline{.bases = 4, .order = 5}, 9, "BSpline.order", "5", "bases, which is 4");
  expect_refused(BSpline{}, 9, "BSpline.bases", "0", "at least 1");
  expect_refused(MSpline{.bases = 4, .order = -1}, 9, "MSpline.order", "-1", "at least 1");
  expect_refused(MSpline{.bases = 3}, 9, "MSpline.order", "4", "bases, which is 3");
  expect_refused(CyclicBSpline{.bases = 4, .order = 1}, 9, "CyclicBSpline.order", "1",
                 "at least 2");
  expect_refused(CyclicBSpline{.bases = 3}, 9, "CyclicBSpline.order", "4", "bases, which is 3");
  EXPECT_NO_THROW(evaluate_taps(BSpline{.bases = 12, .order = 12}, 30));
}

TEST(BasisRules, DecayRates) {
  const std::string rates = "OrthExponential.decay_rates";
  expect_refused(OrthExponential{}, 9, rates, "none", "at least one");
  expect_refused(OrthExponential{.decay_rates = {1, 2, 1}}, 9, rates + "[2]", "1",
                 "the same as entry 0");
  expect_refused(OrthExponential{.decay_rates = {1, nan}}, 9, rates + "[1]", "nan", "finite");
  expect_refused(OrthExponential{.decay_rates = {infinity}}, 9, rates + "[0]", "inf", "finite");
  expect_refused(OrthExponential{.decay_rates = {-800}}, 9, rates + "[0]", "-800", "finite exp");
  expect_refused(OrthExponential{.decay_rates = {1, 2, 3}}, 2, "window", "2", "which is 3");
  EXPECT_NO_THROW(evaluate_taps(OrthExponential{.decay_rates = {1, 2, 3}}, 3));
}

TEST(BasisRules, CustomTaps) {
  expect_refused(CustomTaps{.window = 0, .bases = 2}, std::nullopt, "CustomTaps.window", "0",
                 "at least 1");
  expect_refused(CustomTaps{.window = 2, .bases = 0}, std::nullopt, "CustomTaps.bases", "0",
                 "at least 1");
  expect_refused(CustomTaps{.window = 2, .bases = 2, .taps = {1, 2, 3}}, std::nullopt,
                 "CustomTaps.taps", "3 values", "2 x 2");
  expect_refused(CustomTaps{.window = 2, .bases = 2, .taps = {1, 2, 3, nan}}, std::nullopt,
                 "CustomTaps.taps(1, 1)", "nan", "finite");
  expect_refused(CustomTaps{.window = 1, .bases = 2, .taps = {1, infinity}}, std::nullopt,
                 "CustomTaps.taps(0, 1)", "inf", "finite");
  expect_refused(CustomTaps{.window = 1, .bases = 1, .taps = {1}}, 2, "window", "2",
                 "1, the window of the taps");
  expect_refused(CustomTaps{.window = std::int64_t{1} << 62, .bases = 16, .taps = {}}, std::nullopt,
                 "CustomTaps.taps", "0 values", "x 16");
}

}  // namespace
}  // namespace basis_tests
