// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "convolve/choice/work_bytes.hpp"

#include <algorithm>
#include <cmath>

namespace synelix::chooser {

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

}  // namespace synelix::chooser
