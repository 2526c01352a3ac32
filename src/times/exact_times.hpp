// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cmath>
#include <cstdint>

/// \file
/// Exact times. A file stores 1/30 s or sample 61529 of a 30 kHz clock as the nearest double.
/// `meant_period` and `meant_time` find the fraction that was rounded, and `TimeGrid` gives the
/// doubles nearest to start + k * period. So a time that was written as k periods is on the k-th
/// point of the grid, for any start.
///
/// Numbers are sums of two doubles, exact to 2^-104. This determines the nearest double if the
/// denominators have less than 50 bits in total.

namespace synelix {

/// A period in seconds: high + low, where high is the given double.
struct MeantPeriod {
  double high = 0;
  double low = 0;
  double numerator = 0;    ///< of the fraction
  double denominator = 0;  ///< of the fraction; 0: unknown
};

/// A time in seconds: high + low, where high is the given double.
struct MeantTime {
  double high = 0;
  double low = 0;
};

/// The fraction that was rounded to this number of seconds, in this order: a decimal number of at
/// most nine digits after the point; a fraction p/q with p * q below 2^44, such as 1/30 and
/// 1001/60000; 1/rate in doubles, of a decimal rate such as 59.94 Hz or one of video. Otherwise the
/// number itself.
MeantPeriod meant_period(double seconds);

/// The same for the period of a rate: 1/59.94 s is 50/2997 s, and 1/76.92307692307692 s is 0.013 s.
MeantPeriod period_of_rate(double rate_hz);

/// The fraction that was rounded to this time: the point of the coarsest grid that has one. Grids
/// are decimal numbers, the samples of common rates, and multiples of the period and of decimal
/// parts of it. Otherwise the number itself. Doubles near 1.6e9 s are 2.4e-7 s apart, so a time
/// there may be a point of two grids. Grids with points closer than 1e-4 s cannot be distinguished
/// safely.
MeantTime meant_time(double seconds, const MeantPeriod& period);

/// A number of seconds rounded to nine digits after the point. From 2^22 s on, doubles are farther
/// apart than that, and the number is unchanged.
inline double nine_digits(double seconds) {
  constexpr double coarse = 4194304.0;
  if (!(std::abs(seconds) < coarse)) return seconds;
  return std::nearbyint(seconds * 1e9) / 1e9;
}

/// The times start + k * period.
class TimeGrid {
 public:
  /// Uses the exact value of the start, with this period as a candidate grid.
  TimeGrid(double start, const MeantPeriod& period);

  [[nodiscard]] double start() const { return m_start.high; }

  /// The double nearest to point k; of two equally near ones, the even one.
  [[nodiscard]] double time(double k) const;

  /// Whether a time is at or after point k. The double nearest to a point counts as the point. So
  /// does the point rounded to nine digits, since many programs round times. A quotient of doubles
  /// by a rate that is not a double, for example 59.94 Hz, also counts, unless the period is a
  /// whole number of nanoseconds.
  [[nodiscard]] bool is_reached(double k, double time) const {
    const double point = this->time(k);
    return time >= point || time == nine_digits(point) ||
           (m_rounded_rate > 0 && is_quotient(k, time));
  }

  /// The last point at or before a time: its bin.
  [[nodiscard]] std::int64_t index_of(double time) const;

 private:
  [[nodiscard]] bool is_quotient(double k, double time) const {
    return time == m_start.high + k / m_rounded_rate ||
           (m_is_counted && time == (m_periods_before + k) / m_rounded_rate);
  }

  MeantTime m_start;
  MeantPeriod m_period;
  double m_rounded_rate = 0;    ///< periods a second, if no double is this number
  double m_periods_before = 0;  ///< from 0 to the start, if `m_is_counted`
  bool m_is_counted = false;    ///< whether the start is a quotient by that rate
};

}  // namespace synelix
