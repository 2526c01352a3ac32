// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "times/exact_times.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>

namespace synelix {
namespace {

constexpr double whole_numbers = 9007199254740992.0;  // 2^53: above it, not every integer is a
                                                      // double
constexpr double nanoseconds_in_second = 1e9;

struct Fraction {
  std::int64_t numerator;
  std::int64_t denominator;
};

/// The fraction n / 1e9 that rounds to x, if there is one.
std::optional<Fraction> decimal_of(double x) {
  const double n = std::nearbyint(x * nanoseconds_in_second);
  if (!(n >= 1) || !(n < whole_numbers) || n / nanoseconds_in_second != x) return std::nullopt;
  const auto numerator = static_cast<std::int64_t>(n);
  constexpr std::int64_t denominator = 1'000'000'000;
  const std::int64_t common = std::gcd(numerator, denominator);
  return Fraction{numerator / common, denominator / common};
}

/// The fraction p / q with p * q below 2^44 that rounds to x, if there is one: a convergent of the
/// continued fraction of x. Doubles have enough digits for the terms of such a fraction.
std::optional<Fraction> ratio_of(double x) {
  constexpr double most_product = 17592186044416.0;  // 2^44
  double rest = x;
  double p = 1;
  double q = 0;
  double p_before = 0;
  double q_before = 1;
  while (true) {
    const double term = std::floor(rest);
    const double p_next = term * p + p_before;
    const double q_next = term * q + q_before;
    if (!(p_next * q_next < most_product)) return std::nullopt;
    p_before = p;
    q_before = q;
    p = p_next;
    q = q_next;
    if (p / q == x) return Fraction{static_cast<std::int64_t>(p), static_cast<std::int64_t>(q)};
    if (!(rest > term)) return std::nullopt;
    rest = 1 / (rest - term);
  }
}

/// p / q as a sum. The remainder of the division is a double.
MeantPeriod period_of(const Fraction& seconds) {
  const auto p = static_cast<double>(seconds.numerator);
  const auto q = static_cast<double>(seconds.denominator);
  const double high = p / q;
  return {high, std::fma(-high, q, p) / q, p, q};
}

/// The rate n * unit / denominator whose double makes the period 1 / rate, if there is one.
std::optional<Fraction> rate_of(double seconds, double unit, double denominator) {
  const double numerator = std::nearbyint(denominator / (unit * seconds)) * unit;
  if (!(numerator >= 1) || !(numerator < whole_numbers)) return std::nullopt;
  if (1 / (numerator / denominator) != seconds) return std::nullopt;
  const auto over = static_cast<std::int64_t>(numerator);
  const auto under = static_cast<std::int64_t>(denominator);
  const std::int64_t common = std::gcd(over, under);
  return Fraction{over / common, under / common};
}

/// The points n * numerator / denominator.
struct Spacing {
  double numerator;
  double denominator;
  double usual;  ///< how much more common it is than others of its size
};

/// Whether points of a are farther apart, or more common: then a coincidental match is less likely.
bool is_tried_before(const Spacing& a, const Spacing& b) {
  return a.usual * a.numerator * b.denominator > b.usual * b.numerator * a.denominator;
}

constexpr double rare = 1e-3;

/// Grids for starts, besides the period and its decimal parts: decimal numbers; thirds of them,
/// which contain samples of 24, 30, 60 and 30,000 Hz; frames of 23.976, 29.97 and 59.94 Hz; samples
/// of 44,100, 24,414.0625 and 12,207.03125 Hz.
constexpr std::array<Spacing, 24> usual_spacings{
    {{1, 1, 1},        {1, 1e1, 1},      {1, 1e2, 1},        {1, 1e3, 1},       {1, 1e4, 1},
     {1, 1e5, 1},      {1, 1e6, 1},      {1, 1e7, 1},        {1, 1e8, 1},       {1, 1e9, 1},
     {1, 3e1, 1},      {1, 3e2, 1},      {1, 3e3, 1},        {1, 3e4, 1},       {1, 3e5, 1},
     {1, 3e6, 1},      {1, 3e7, 1},      {1, 3e8, 1},        {1001, 24000, 1},  {1001, 30000, 1},
     {1001, 60000, 1}, {1, 44100, rare}, {16, 390625, rare}, {32, 390625, rare}}};

/// The point that rounds to the time, if there is one.
std::optional<MeantTime> on_grid(double seconds, const Spacing& grid) {
  const double points = std::nearbyint(seconds * grid.denominator / grid.numerator);
  const double n = points * grid.numerator;
  if (!(std::abs(n) < whole_numbers) || n / grid.denominator != seconds) return std::nullopt;
  return MeantTime{seconds, std::fma(-seconds, grid.denominator, n) / grid.denominator};
}

}  // namespace

MeantPeriod meant_period(double seconds) {
  if (const auto decimal = decimal_of(seconds)) return period_of(*decimal);
  if (const auto ratio = ratio_of(seconds)) return period_of(*ratio);
  auto rate = rate_of(seconds, 1, nanoseconds_in_second);  // 59.94 Hz
  if (!rate) rate = rate_of(seconds, 1000, 1001);          // 60000/1001 Hz, as in video
  if (rate) {
    const auto p = static_cast<double>(rate->denominator);
    const auto q = static_cast<double>(rate->numerator);
    return {seconds, std::fma(-seconds, q, p) / q, p, q};
  }
  return {.high = seconds};
}

MeantPeriod period_of_rate(double rate_hz) {
  if (const auto decimal = decimal_of(rate_hz)) {
    return period_of({decimal->denominator, decimal->numerator});
  }
  if (const auto ratio = ratio_of(rate_hz)) {
    return period_of({ratio->denominator, ratio->numerator});
  }
  const auto period = decimal_of(1 / rate_hz);
  if (period) {
    const auto p = static_cast<double>(period->numerator);
    const auto q = static_cast<double>(period->denominator);
    if (q / p == rate_hz) return period_of(*period);
  }
  const double high = 1 / rate_hz;
  return {.high = high, .low = std::fma(-high, rate_hz, 1.0) / rate_hz};
}

MeantTime meant_time(double seconds, const MeantPeriod& period) {
  constexpr std::size_t most_parts = 10;  // 1, 1/10, ... of a period
  std::array<Spacing, usual_spacings.size() + most_parts> spacings{};
  auto* end = std::copy(usual_spacings.begin(), usual_spacings.end(), spacings.data());
  Spacing part{period.numerator, period.denominator, 1};
  for (std::size_t i = 0; i < most_parts; ++i, part.denominator *= 10, part.usual = rare) {
    if (part.denominator > 0 && part.denominator < whole_numbers) *end++ = part;
  }
  std::sort(spacings.data(), end, is_tried_before);
  for (const Spacing* spacing = spacings.data(); spacing != end; ++spacing) {
    if (const auto found = on_grid(seconds, *spacing)) return *found;
  }
  return {.high = seconds};
}

TimeGrid::TimeGrid(double start, const MeantPeriod& period)
    : m_start(meant_time(start, period)), m_period(period) {
  if (period.denominator == 0 || std::fmod(nanoseconds_in_second, period.denominator) == 0) return;
  const double rate = period.denominator / period.numerator;
  if (std::fma(-rate, period.numerator, period.denominator) == 0) return;
  m_rounded_rate = rate;
  const double before = std::nearbyint(start * rate);
  const double n = before * period.numerator;
  if (!(std::abs(n) < whole_numbers) || before / rate != start) return;
  m_start.low = std::fma(-start, period.denominator, n) / period.denominator;
  m_periods_before = before;
  m_is_counted = true;
}

double TimeGrid::time(double k) const {
  // k * period and start are added as sums of two doubles, each sum with its rounding error.
  const double product = k * m_period.high;
  const double product_low = std::fma(k, m_period.high, -product) + k * m_period.low;
  const double sum = m_start.high + product;
  const double of_product = sum - m_start.high;
  const double sum_low = (m_start.high - (sum - of_product)) + (product - of_product);
  const double low = sum_low + (m_start.low + product_low);
  const double nearest = sum + low;
  // if start and product cancel, the rest may be only their rounding error
  constexpr double rounding = 1e-30;
  return std::abs(nearest) < rounding * std::abs(m_start.high) ? 0.0 : nearest;
}

std::int64_t TimeGrid::index_of(double time) const {
  auto k = static_cast<std::int64_t>(std::floor((time - m_start.high) / m_period.high));
  while (!is_reached(static_cast<double>(k), time)) --k;
  while (is_reached(static_cast<double>(k + 1), time)) ++k;
  return k;
}

}  // namespace synelix
