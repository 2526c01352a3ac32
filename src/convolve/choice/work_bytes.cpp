// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "convolve/choice/work_bytes.hpp"

#include <synelix/choice.hpp>

#include <algorithm>
#include <cmath>

namespace synelix::chooser {
namespace {

/// What all numbers of bytes that were tried take together, over other stores, where features of
/// more than `from` go past the caches: the mean of logarithms.
double cost_of(std::span<const StoreTimes> tried, std::int64_t from) {
  double cost = 0.0;
  for (const StoreTimes& one : tried) {
    if (one.bytes > from) cost += std::log(one.ratio);
  }
  return cost / static_cast<double>(tried.size());
}

}  // namespace

double ratio_of(const std::vector<double>& times, const std::vector<double>& others) {
  std::vector<double> ratios(times.size());
  for (std::size_t k = 0; k < times.size(); ++k) ratios[k] = times[k] / others[k];
  const auto middle = ratios.begin() + static_cast<std::ptrdiff_t>(ratios.size() / 2);
  std::nth_element(ratios.begin(), middle, ratios.end());
  return *middle;
}

std::size_t best_of(std::span<const RunTimes> problems) {
  std::size_t best = 0;
  double least = std::log(clear_gain);
  for (std::size_t i = 1; i < problems.front().size(); ++i) {
    double mean = 0.0;
    double worst = 0.0;
    for (const RunTimes& times : problems) {
      const double ratio = ratio_of(times[i], times[0]);
      mean += std::log(ratio) / static_cast<double>(problems.size());
      worst = std::max(worst, ratio);
    }
    if (mean >= least || worst > most_loss) continue;
    best = i;
    least = mean;
  }
  return best;
}

std::int64_t streamed_from(std::span<const StoreTimes> tried, std::int64_t table) {
  if (tried.empty()) return 0;
  std::int64_t best = 0;
  double least = cost_of(tried, table) + std::log(clear_gain) / static_cast<double>(tried.size());
  std::int64_t before = tried.front().bytes - 1;  // no guess about fewer bytes
  for (std::size_t i = 0; i <= tried.size(); ++i) {
    // Between two that were tried; beyond all of them, never.
    const std::int64_t from =
        i == tried.size() ? most_work_bytes
                          : static_cast<std::int64_t>(std::sqrt(
                                static_cast<double>(before) * static_cast<double>(tried[i].bytes)));
    const double cost = cost_of(tried, from);
    if (cost < least) {
      best = from;
      least = cost;
    }
    if (i < tried.size()) before = tried[i].bytes;
  }
  return best;
}

}  // namespace synelix::chooser
