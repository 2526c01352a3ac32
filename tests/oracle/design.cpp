// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "oracle/design.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>
#include <variant>

namespace oracle {
namespace {

constexpr double nan_value = std::numeric_limits<double>::quiet_NaN();

template <class Value>
Table filled_table(const Timeline& time, std::int64_t channels, std::int64_t columns,
                   const Value& value) {
  Table table{channels, columns, {}};
  for (std::int64_t t = 0; t < time.samples; ++t) {
    for (std::int64_t c = 0; c < channels; ++c) {
      for (std::int64_t b = 0; b < columns; ++b) table.values.push_back(value(t, c, b));
    }
  }
  return table;
}

/// Splines of one order on knots at u.
std::vector<double> splines(double u, const std::vector<double>& t, std::int64_t order) {
  std::vector<double> n;
  for (std::size_t i = 0; i + 1 < t.size(); ++i) n.push_back(t[i] <= u && u < t[i + 1] ? 1 : 0);
  for (std::size_t m = 2; m <= static_cast<std::size_t>(order); ++m) {
    for (std::size_t i = 0; i + m < t.size(); ++i) {
      const double rise = t[i + m - 1] - t[i];
      const double fall = t[i + m] - t[i + 1];
      n[i] = (rise > 0 ? (u - t[i]) / rise * n[i] : 0) +
             (fall > 0 ? (t[i + m] - u) / fall * n[i + 1] : 0);
    }
  }
  return n;
}

/// Knot i of even intervals from 0 to just above 1, rounded as numpy.linspace rounds it.
double even_knot(std::int64_t i, std::int64_t intervals) {
  const double top = 1.0 + std::numeric_limits<double>::epsilon();
  const double step = top / static_cast<double>(intervals);
  return i == intervals ? top : step * static_cast<double>(i);
}

std::vector<double> clamped(std::int64_t bases, std::int64_t order) {
  const std::int64_t intervals = bases - order + 1;
  std::vector<double> knots(static_cast<std::size_t>(order - 1), 0.0);
  for (std::int64_t i = 0; i <= intervals; ++i) knots.push_back(even_knot(i, intervals));
  knots.insert(knots.end(), static_cast<std::size_t>(order - 1), knots.back());
  return knots;
}

/// All functions of a basis of one input at u; `x` is the sample, `span` the length of its range.
std::vector<double> functions_at(const synelix::EvalBasis& basis, double u, double x, double span) {
  using namespace synelix;
  std::vector<double> result;
  const auto bump = [](double z) {
    return 0.5 * (1 + std::cos(std::numbers::pi * std::clamp(z, -1.0, 1.0)));
  };
  if (const auto* linear = std::get_if<RaisedCosineLinear>(&basis)) {
    const auto n = static_cast<double>(linear->bases - 1);
    for (double b = 0; b <= n; ++b) result.push_back(bump((u - b / n) * n / linear->width));
  } else if (const auto* log = std::get_if<RaisedCosineLog>(&basis)) {
    const auto last = static_cast<double>(log->bases - 1);
    const double n = log->decay == Decay::to_zero ? last + log->width : last;
    const double s = std::log(1 + log->time_scaling * u) / std::log(1 + log->time_scaling);
    for (double b = 0; b <= last; ++b) result.push_back(bump((s * n - b) / log->width));
  } else if (const auto* spline = std::get_if<BSpline>(&basis)) {
    result = splines(u, clamped(spline->bases, spline->order), spline->order);
    result.resize(static_cast<std::size_t>(spline->bases));
  } else if (const auto* m = std::get_if<MSpline>(&basis)) {
    const auto knots = clamped(m->bases, m->order);
    result = splines(u, knots, m->order);
    result.resize(static_cast<std::size_t>(m->bases));
    for (std::size_t b = 0; b < result.size(); ++b) {
      result[b] *= static_cast<double>(m->order) /
                   (knots[b + static_cast<std::size_t>(m->order)] - knots[b]) / span;
    }
  } else if (const auto* cyclic = std::get_if<CyclicBSpline>(&basis)) {
    const double top = 1.0 + std::numeric_limits<double>::epsilon();
    std::vector<double> knots;
    for (std::int64_t i = 0; i < cyclic->bases + cyclic->order; ++i) {
      knots.push_back(even_knot(i - cyclic->order + 1, cyclic->bases));
    }
    result.assign(static_cast<std::size_t>(cyclic->bases), 0.0);
    for (const double turn : {0.0, -top, top}) {
      const auto part = splines(u + turn, knots, cyclic->order);
      for (std::size_t b = 0; b < result.size(); ++b) result[b] += part[b];
    }
  } else if (std::holds_alternative<Identity>(basis)) {
    result.push_back(x);
  }
  return result;
}

/// The least and greatest sample of a channel in epochs.
std::pair<double, double> range_of(const Timeline& time, const std::vector<double>& x,
                                   std::int64_t channels, std::int64_t c) {
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  for (std::int64_t t = 0; t < time.samples; ++t) {
    const double value = x[static_cast<std::size_t>(t * channels + c)];
    if (time.epoch_of(t).size() == 0 || std::isnan(value)) continue;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  return {low, high};
}

}  // namespace

Table convolved(const Timeline& time, const std::vector<double>& x, std::int64_t channels,
                const std::vector<double>& taps, std::int64_t window, synelix::Causality causality,
                synelix::Shift shift) {
  const auto columns = static_cast<std::int64_t>(taps.size()) / window;
  const std::int64_t lag = synelix::lag_offset(causality, shift, window);
  return filled_table(time, channels, columns, [&](auto t, auto c, auto b) {
    const synelix::Epoch epoch = time.epoch_of(t);
    if (epoch.size() == 0) return nan_value;
    double sum = 0.0;
    for (std::int64_t w = 0; w < window; ++w) {
      const std::int64_t s = t + lag - w;
      if (s < epoch.begin || s >= epoch.end) {
        if (time.border != synelix::Border::zero) return nan_value;
        continue;
      }
      sum += taps[static_cast<std::size_t>(w * columns + b)] *
             x[static_cast<std::size_t>(s * channels + c)];
    }
    return sum;
  });
}

Table evaluated(const Timeline& time, const std::vector<double>& x, std::int64_t channels,
                const synelix::EvalBasis& basis, const std::vector<synelix::Bounds>& bounds,
                double fill, synelix::Outside outside) {
  const auto columns = static_cast<std::int64_t>(functions_at(basis, 0.5, 0.5, 1.0).size());
  const auto is_outside = [&](std::int64_t t, std::int64_t c) {
    const double value = x[static_cast<std::size_t>(t * channels + c)];
    return !bounds.empty() && (value < bounds[0].lower || value > bounds[0].upper);
  };
  // All functions of a sample at once, NaN or `fill` in each.
  const auto functions_of = [&](std::int64_t t, std::int64_t c, std::pair<double, double> range) {
    const auto each = [&](double v) { return std::vector<double>(std::size_t(columns), v); };
    if (time.epoch_of(t).size() == 0) return each(nan_value);
    bool fills = is_outside(t, c);
    for (std::int64_t k = 0; k < channels && outside == synelix::Outside::row; ++k) {
      fills = fills || is_outside(t, k);
    }
    if (fills) return each(fill);
    const double value = x[static_cast<std::size_t>(t * channels + c)];
    if (std::isnan(value)) return each(nan_value);
    const double span = range.first == range.second ? 1.0 : range.second - range.first;
    return functions_at(basis, (value - range.first) / span, value, span);
  };
  std::vector<std::pair<double, double>> ranges;
  for (std::int64_t c = 0; c < channels; ++c) {
    ranges.push_back(bounds.empty() ? range_of(time, x, channels, c)
                                    : std::pair(bounds[0].lower, bounds[0].upper));
  }
  Table table{channels, columns, {}};
  for (std::int64_t t = 0; t < time.samples; ++t) {
    for (std::int64_t c = 0; c < channels; ++c) {
      const std::vector<double> row = functions_of(t, c, ranges[static_cast<std::size_t>(c)]);
      table.values.insert(table.values.end(), row.begin(), row.end());
    }
  }
  return table;
}

Table fourier(const Timeline& time, const std::vector<std::vector<double>>& x,
              std::int64_t channels, const std::vector<std::int64_t>& combinations,
              const std::vector<synelix::Bounds>& bounds) {
  const std::size_t dimensions = x.size();
  const auto count = static_cast<std::int64_t>(combinations.size() / dimensions);
  bool has_zero = true;
  for (std::size_t d = 0; d < dimensions; ++d) has_zero = has_zero && combinations[d] == 0;
  return filled_table(time, channels, 2 * count - (has_zero ? 1 : 0), [&](auto t, auto c, auto b) {
    if (time.epoch_of(t).size() == 0) return nan_value;
    const std::int64_t i = b < count ? b : b - count + (has_zero ? 1 : 0);
    long double periods = 0;
    for (std::size_t d = 0; d < dimensions; ++d) {
      const auto [low, high] = bounds.empty() ? range_of(time, x[d], channels, c)
                                              : std::pair(bounds[bounds.size() == 1 ? 0 : d].lower,
                                                          bounds[bounds.size() == 1 ? 0 : d].upper);
      const double place = (x[d][static_cast<std::size_t>(t * channels + c)] - low) /
                           (high == low ? 1.0 : high - low);
      periods +=
          static_cast<long double>(place) *
          static_cast<long double>(combinations[static_cast<std::size_t>(i) * dimensions + d]);
    }
    const long double angle = 2 * std::numbers::pi_v<long double> * (periods - std::round(periods));
    return static_cast<double>(b < count ? std::cos(angle) : std::sin(angle));
  });
}

Table beside(const Timeline& time, const Table& a, const Table& b) {
  return filled_table(time, a.channels, a.columns + b.columns, [&](auto t, auto c, auto k) {
    return k < a.columns ? a.at(t, c, k) : b.at(t, c, k - a.columns);
  });
}

Table times(const Timeline& time, const Table& a, const Table& b) {
  return filled_table(time, a.channels, a.columns * b.columns, [&](auto t, auto c, auto k) {
    return a.at(t, c, k / b.columns) * b.at(t, c, k % b.columns);
  });
}

}  // namespace oracle
