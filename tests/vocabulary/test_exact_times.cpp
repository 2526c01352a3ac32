// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "times/exact_times.hpp"
#include "times/times.hpp"

#include <synelix/time_bins.hpp>
#include <synelix/types/stream.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

// Times that are points of a grid, against rational numbers.

namespace exact_times_tests {
namespace {

using namespace synelix;

__extension__ using Wide = __int128;

/// A rational number of seconds.
struct Seconds {
  Wide numerator;
  std::int64_t denominator;

  friend Seconds operator+(const Seconds& a, const Seconds& b) {
    const std::int64_t common = std::gcd(a.denominator, b.denominator);
    const std::int64_t of_a = b.denominator / common;
    const std::int64_t of_b = a.denominator / common;
    return {a.numerator * of_a + b.numerator * of_b, a.denominator * of_a};
  }
  friend Seconds operator*(std::int64_t k, const Seconds& a) {
    return {k * a.numerator, a.denominator};
  }
};

/// Compares seconds with the middle between two doubles: -1, 0 or 1.
int compared_with_middle(const Seconds& seconds, double a, double b) {
  int scale = 0;
  for (const double x : {a, b}) {
    int exponent = 0;
    std::frexp(x, &exponent);
    scale = std::max(scale, 53 - exponent);
  }
  const auto sum =
      static_cast<Wide>(std::ldexp(a, scale)) + static_cast<Wide>(std::ldexp(b, scale));
  const Wide twice = seconds.numerator * 2 * (Wide{1} << scale);
  const Wide other = sum * seconds.denominator;
  return twice < other ? -1 : (twice > other ? 1 : 0);
}

bool is_even(double x) {
  int exponent = 0;
  const double mantissa = std::ldexp(std::frexp(x, &exponent), 53);
  return std::fmod(mantissa, 2.0) == 0.0;
}

/// The double nearest to a rational number, of two the even one: as in Python's Fraction.
double nearest(const Seconds& seconds) {
  if (seconds.numerator == 0) return 0;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  auto x = static_cast<double>(static_cast<long double>(seconds.numerator) /
                               static_cast<long double>(seconds.denominator));
  const double above = std::nextafter(x, infinity);
  const double below = std::nextafter(x, -infinity);
  const int over = compared_with_middle(seconds, x, above);
  if (over > 0 || (over == 0 && is_even(above))) return above;
  const int under = compared_with_middle(seconds, below, x);
  if (under < 0 || (under == 0 && is_even(below))) return below;
  return x;
}

/// Periods of camera frames, clocks, bins: rates that files have.
constexpr std::array<Seconds, 19> periods{{{1, 30},
                                           {1, 60},
                                           {1, 25},
                                           {1, 24},
                                           {1, 15},
                                           {1001, 30000},
                                           {1001, 60000},
                                           {50, 2997},
                                           {1, 30000},
                                           {1, 20000},
                                           {1, 1250},
                                           {16, 390625},
                                           {1, 1000},
                                           {1, 100},
                                           {13, 1000},
                                           {1, 44100},
                                           {1, 1000000},
                                           {16, 125},
                                           {1, 7}}};

class Draw {
 public:
  std::int64_t below(std::int64_t limit) {
    return std::uniform_int_distribution<std::int64_t>(0, limit - 1)(m_random);
  }
  Seconds period() { return periods[static_cast<std::size_t>(below(periods.size()))]; }

  /// A start that files have: 0, a decimal number, a sample of a usual clock or of the width.
  Seconds start(const Seconds& width) {
    const std::int64_t kind = below(4);
    // Points of two clocks that are closer than 1e-4 s cannot be distinguished if times are large.
    const bool is_close = width.denominator == 390625 || width.denominator == 44100;
    const bool is_far = below(2) == 0 && (kind == 0 || !is_close);
    const Seconds origin{is_far ? 1'600'000'000 : 0, 1};
    switch (kind) {
      case 0:
        return origin;
      case 1: {  // up to four digits after the point where doubles are far apart, else six
        constexpr std::array<std::int64_t, 7> tens{1, 10, 100, 1000, 10'000, 100'000, 1'000'000};
        const std::int64_t ten = tens[static_cast<std::size_t>(below(is_far ? 5 : 7))];
        return origin + Seconds{below(4000 * ten), ten};
      }
      case 2:
        return origin + below(10'000'000) * Seconds{1, below(2) == 0 ? 30000 : 30};
      default:
        return whole_periods_behind(origin, width);
    }
  }

  double factor() { return std::uniform_real_distribution<double>(0, 1)(m_random); }

 private:
  /// The first multiples of a width from an origin on.
  Seconds whole_periods_behind(const Seconds& origin, const Seconds& width) {
    const Wide first = origin.numerator * width.denominator / width.numerator;
    return (static_cast<std::int64_t>(first) + below(1'000'000)) * width;
  }

  std::mt19937_64 m_random{41};
};

/// Whether a time is in the bin between two edges, by the rule of time_bins.hpp.
bool is_between(double edge, double time, double next) {
  return (time >= edge || time == nine_digits(edge)) && time < next && (time != nine_digits(next));
}

TEST(ExactTimes, EventsOnTheGridAreInTheirBin) {
  Draw draw;
  constexpr int grids = 125'000;
  constexpr int events = 8;
  std::int64_t wrong = 0;
  for (int i = 0; i < grids; ++i) {
    const Seconds width = draw.period();
    const Seconds start = draw.start(width);
    const std::int64_t most = draw.below(3) == 0 ? 100 : 10'000'000;
    const MeantPeriod period = meant_period(nearest(width));
    const double first = nearest(start);
    const double rate = nearest({width.denominator, static_cast<std::int64_t>(width.numerator)});
    const bool is_rate_exact = std::fma(-rate, static_cast<double>(width.numerator),
                                        static_cast<double>(width.denominator)) == 0 ||
                               std::fmod(1e9, static_cast<double>(width.denominator)) == 0;
    const Bins bins(first, first + static_cast<double>(most + 10) * period.high, period);
    for (int j = 0; j < events; ++j) {
      const std::int64_t k = draw.below(most);
      const double edge = nearest(start + k * width);
      const double next = nearest(start + (k + 1) * width);
      const double before = std::nextafter(edge, -1e300);
      const double inside = edge + draw.factor() * (next - edge);
      bool is_right = bins.edge(k) == edge && bins.bin_of(edge) == k;
      const bool is_written_so = !is_rate_exact && before == first + static_cast<double>(k) / rate;
      if (k > 0 && before != nine_digits(edge) && !is_written_so) {
        is_right = is_right && bins.bin_of(before) == k - 1;
      }
      if (k > 0 && is_written_so) is_right = is_right && bins.bin_of(before) == k;
      if (is_between(edge, inside, next)) is_right = is_right && bins.bin_of(inside) == k;
      if (is_right) continue;
      if (++wrong > 10) continue;
      ADD_FAILURE() << "width " << static_cast<std::int64_t>(width.numerator) << "/"
                    << width.denominator << ", start " << static_cast<double>(start.numerator)
                    << "/" << start.denominator << ", bin " << k << ": edge " << bins.edge(k) - edge
                    << " behind the right one; the time on it is in bin "
                    << bins.bin_of(edge).value_or(-1) << ", the one before in bin "
                    << bins.bin_of(before).value_or(-1);
    }
  }
  EXPECT_EQ(wrong, 0);
}

TEST(ExactTimes, WidthsAndRatesAreTheFractionsThatWereRounded) {
  for (const Seconds& period : periods) {
    const double seconds = nearest(period);
    const MeantPeriod found = meant_period(seconds);
    EXPECT_EQ(found.high, seconds);
    EXPECT_EQ(found.numerator * static_cast<double>(period.denominator),
              found.denominator * static_cast<double>(period.numerator))
        << seconds;
    const double rate = nearest({period.denominator, static_cast<std::int64_t>(period.numerator)});
    const MeantPeriod of_rate = period_of_rate(rate);
    EXPECT_EQ(of_rate.high, seconds);
    EXPECT_EQ(of_rate.numerator * static_cast<double>(period.denominator),
              of_rate.denominator * static_cast<double>(period.numerator))
        << rate;
  }
  const MeantPeriod digits = meant_period(0.012345678);
  EXPECT_EQ(digits.numerator / digits.denominator, 0.012345678);
  EXPECT_EQ(meant_period(1 / 29999.954).denominator, 14999977);
  EXPECT_EQ(meant_period(1 / 59.94).denominator, 2997);
  EXPECT_EQ(meant_period(1 / (60000.0 / 1001)).denominator, 60000);
  EXPECT_EQ(meant_period(std::sqrt(2.0)).denominator, 0);
  EXPECT_EQ(meant_period(std::sqrt(2.0)).high, std::sqrt(2.0));
}

TEST(ExactTimes, TimesThatWereRoundedToNineDigitsAreOnEdges) {
  for (const double rate : {30.0, 30000.0, 59.94}) {
    const TimeBins bins(1 / rate, 0.0, 1000 / rate);
    ASSERT_EQ(bins.rows(), 1000);
    for (std::int64_t k = 0; k < 1000; ++k) {
      const double time = static_cast<double>(k) / rate;
      ASSERT_EQ(bins.row_of(time), k) << rate;
      ASSERT_EQ(bins.row_of(std::round(time * 1e9) / 1e9), k) << rate;
      if (k > 0) {
        ASSERT_EQ(bins.row_of(time - 1e-9), k - 1) << rate;
      }
    }
  }
}

TEST(ExactTimes, IntervalsThatStartOnSamplesLoseNoEvent) {
  std::vector<Interval> trials;
  for (int i = 0; i < 200; ++i) {
    const std::int64_t sample = 61528 + 3000 * i;
    trials.push_back(
        {static_cast<double>(sample) / 30000, static_cast<double>(sample + 3000) / 30000});
  }
  const TimeBins bins(0.001, trials);
  ASSERT_EQ(bins.rows(), 200 * 100);
  for (std::int64_t row = 0; row < bins.rows(); ++row) {
    const std::int64_t sample = 61528 + 30 * row;
    const double time = static_cast<double>(sample) / 30000;
    ASSERT_EQ(bins.row_of(time), row);
    if (row > 0) {
      ASSERT_EQ(bins.row_of(std::nextafter(time, 0.0)), row - 1);
    }
  }
}

TEST(ExactTimes, IntervalsThatStartOnFramesOfARateThatIsNoDouble) {
  constexpr double rate = 59.94;
  for (int first = 1; first < 3000; first += 7) {
    const double start = static_cast<double>(first) / rate;
    const TimeBins bins(1 / rate, {{start, static_cast<double>(first + 50) / rate}});
    ASSERT_EQ(bins.rows(), 50);
    for (int k = 0; k < 50; ++k) {
      ASSERT_EQ(bins.row_of(static_cast<double>(first + k) / rate), k) << first;
      ASSERT_EQ(bins.row_of((static_cast<double>(first + k) + 0.5) / rate), k) << first;
    }
  }
}

TEST(ExactTimes, BinsCrossZero) {
  const Bins bins(-1.0, 1.0, meant_period(1.0 / 30));
  EXPECT_EQ(bins.count(), 60);
  EXPECT_EQ(bins.edge(30), 0.0);
  EXPECT_EQ(bins.bin_of(0.0), 30);
  EXPECT_EQ(bins.bin_of(-1e-300), 29);
  EXPECT_EQ(bins.bin_of(1.0 / 30), 31);
}

TEST(ExactTimes, BinsAsNarrowAsTimesAreApart) {
  const Bins nanoseconds(0.0, 1e-3, meant_period(1e-9));
  for (std::int64_t k = 0; k < 1'000'000; k += 997) {
    ASSERT_EQ(nanoseconds.bin_of(static_cast<double>(k) / 1e9), k);
  }
  const Bins microseconds(1.6e9, 1.6e9 + 1, meant_period(1e-6));
  for (std::int64_t k = 0; k < 1'000'000; k += 997) {
    ASSERT_EQ(microseconds.bin_of((1.6e15 + static_cast<double>(k)) / 1e6), k);
  }
}

TEST(ExactTimes, StopsAreIncludedOrNot) {
  const std::vector<Interval> one{{0.0, 1.0}};
  EXPECT_EQ(TimeBins(0.4, one).rows(), 3);
  EXPECT_EQ(TimeBins(0.4, one).row_of(1.0), 2);
  EXPECT_EQ(TimeBins(0.4, one, IntervalStop::excluded).rows(), 2);
  const std::vector<Interval> whole{{0.0, 1.1}};
  EXPECT_EQ(TimeBins(0.4, whole).row_of(1.1), 2);
  EXPECT_FALSE(TimeBins(0.4, whole, IntervalStop::excluded).row_of(1.1));
  EXPECT_EQ(TimeBins(0.4, whole, IntervalStop::excluded).row_of(std::nextafter(1.1, 0.0)), 2);
  EXPECT_THROW(TimeBins(0.4, one, static_cast<IntervalStop>(7)), Error);
}

TEST(ExactTimes, BinsBeginWhereARecordingDoes) {
  EXPECT_EQ(start_of_bins(0.01, 0.3, 100), 0.0);
  EXPECT_EQ(start_of_bins(0.01, 80'000, 80'100), 0.0);   // less than a day
  EXPECT_EQ(start_of_bins(0.01, 90'000, 200'000), 0.0);  // its own length is longer
  EXPECT_EQ(start_of_bins(0.01, 1.6e9 + 0.005, 1.6e9 + 60), 1.6e9);
  EXPECT_EQ(start_of_bin(1.0 / 30, 61.0 / 30), 61.0 / 30);
  EXPECT_EQ(start_of_bin(0.1, -0.05), -0.1);
  EXPECT_EQ(start_of_bin(0.1, 0.75, 0.05), 0.75);
  EXPECT_THROW((void)start_of_bin(1e-9, 1e11), Error);
}

TEST(ExactTimes, SamplesHaveTheTimesThatWereWritten) {
  for (const double rate : {30.0, 59.94, 30000.0, 24414.0625, 1250.0}) {
    for (const double start : {0.0, 12.345, 1.6e9}) {
      const SeriesDescription series{.rate_hz = rate, .start_seconds = start};
      for (std::int64_t sample = 0; sample < 20'000; sample += 7) {
        const double time = series.seconds_of(sample);
        ASSERT_NEAR(time, start + static_cast<double>(sample) / rate, 3e-7);
        ASSERT_EQ(series.sample_at(time), sample);
        ASSERT_EQ(series.sample_behind(time), sample + 1);
        if (start == 0 && rate != 59.94) {
          ASSERT_EQ(time, static_cast<double>(sample) / rate);
        }
      }
    }
  }
}

}  // namespace
}  // namespace exact_times_tests
