// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "glm/score/time_rescaling.hpp"

#include "glm/random/philox.hpp"
#include "glm/rows/families.hpp"
#include "types/missing.hpp"
#include "types/number_text.hpp"

#include <synelix/error.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>

namespace synelix::glm {

namespace {

/// Number of points at which two distribution functions are compared: 128 KiB of memory for each
/// target.
constexpr std::int64_t steps = 16384;
/// 95 % quantile of the Kolmogorov distribution, for many intervals.
constexpr double kolmogorov_95 = 1.36;
/// Larger counts of a row are not accepted as numbers of events.
constexpr double most_events = 1e9;

}  // namespace

RescaledIntervals::RescaledIntervals(EventKind kind, std::uint64_t seed, std::int64_t target)
    : m_kind(kind),
      m_seed(seed),
      m_target(target),
      m_histogram(static_cast<std::size_t>(steps), 0) {}

void RescaledIntervals::add(std::int64_t row, double mean, double events) {
  if (!(events >= 0 && events <= most_events) || events != std::floor(events)) {
    if (m_bad_row < 0) {
      m_bad_row = row;
      m_bad_value = events;
    }
    return;
  }
  if (m_kind == EventKind::uniform) {
    add_poisson(row, mean, events);
  } else {
    add_bernoulli(row, mean, events);
  }
}

/// Given their number, the events of a bin are uniformly distributed in its integrated rate. They
/// are drawn from the last to the first: the largest of n uniform numbers is distributed as the
/// n-th root of one (Devroye, "Non-uniform random variate generation", 1986, V.3). So the intervals
/// of a row are in reverse order, which does not matter for their histogram.
void RescaledIntervals::add_poisson(std::int64_t row, double mean, double events) {
  if (events == 0) {
    m_since_event += mean;
    return;
  }
  RandomStream stream(m_seed, row, m_target, Purpose::event_times);
  double behind = 1;  // place of the next event, as a fraction of the rate
  double rest = 0;
  double left = events;
  while (left > 0) {
    const double place = behind * std::pow(stream.uniform(), 1 / left);
    if (left == events) {
      rest = (1 - place) * mean;
    } else {
      end_interval((behind - place) * mean);
    }
    behind = place;
    --left;
  }
  end_interval(m_since_event + behind * mean);
  m_since_event = rest;
}

/// A bin has at most one event: the integrated rate of a bin is -ln(1 - mean), and the part of a
/// bin after its event is left out.
void RescaledIntervals::add_bernoulli(std::int64_t row, double mean, double events) {
  if (events == 0) {
    m_since_event += -std::log1p(-mean);
    return;
  }
  RandomStream stream(m_seed, row, m_target, Purpose::event_times);
  end_interval(m_since_event - std::log1p(-mean * stream.uniform()));
  m_since_event = 0;
}

void RescaledIntervals::end_interval(double interval) {
  const double z = -std::expm1(-interval);
  // A mean that is not finite gives an interval of NaN, which counts as the longest.
  const auto step = z < 1 ? static_cast<std::int64_t>(z * static_cast<double>(steps)) : steps - 1;
  ++m_histogram[static_cast<std::size_t>(std::clamp<std::int64_t>(step, 0, steps - 1))];
  ++m_intervals;
}

TimeRescaling RescaledIntervals::result() const {
  if (m_bad_row >= 0) {
    throw Error("targets",
                "the value " + number_text(m_bad_value) + " of row " + std::to_string(m_bad_row) +
                    " of target " + std::to_string(m_target) + " is not a number of events",
                "Give whole counts, or leave out time_rescaling");
  }
  if (m_intervals == 0) {
    return {0, missing, missing};
  }
  const auto n = static_cast<double>(m_intervals);
  TimeRescaling found{m_intervals, 0, kolmogorov_95 / std::sqrt(n)};
  std::int64_t below = 0;
  for (std::int64_t i = 0; i < steps; ++i) {
    below += m_histogram[static_cast<std::size_t>(i)];
    const double uniform = static_cast<double>(i + 1) / static_cast<double>(steps);
    found.statistic =
        std::max(found.statistic, std::fabs(static_cast<double>(below) / n - uniform));
  }
  return found;
}

void add_rows(const ModelView& model, const ScoredRows& rows, const WalkedRows& part,
              std::int64_t target, RescaledIntervals& intervals) {
  ScoredRows::Block known;
  const WalkItems items(part.rows, 1);
  for (std::int64_t item = 0; item < items.count; ++item) {
    const Range block = items.block(item);
    rows.read(target, block, known);
    for (std::int64_t t = block.begin; t < block.end; ++t) {
      const std::int64_t i = t - block.begin;
      if (known.weights[i] == 0) continue;
      const double eta = part.of(t, target, 1)[0] + known.offsets[i];
      intervals.add(t, mean_of(model.loss.inverse_link, eta), known.targets[i]);
    }
  }
}

}  // namespace synelix::glm
