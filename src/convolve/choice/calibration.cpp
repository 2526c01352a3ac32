// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "convolve/choice/calibration.hpp"

#include "convolve/choice/choose.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <vector>

namespace synelix::chooser {
namespace {

constexpr std::size_t step_count = std::size(all_steps);
using Row = std::array<double, step_count>;

/// The weight of the expected time of a step, relative to one run that takes only that step.
constexpr double weight_of_expected = 0.02;
/// Relative errors above this one reduce the weight of a run.
constexpr double usual_error = 0.15;

/// Minimizes sum of weights x (rows . x - 1)^2 + weight_of_expected x |x - 1|^2 over x >= 0, one
/// unknown after the other until they no longer change. The function is convex, so this is the
/// global minimum.
Row solve(const std::vector<Row>& rows, const std::vector<double>& weights) {
  std::array<Row, step_count> normal{};
  Row right{};
  for (std::size_t j = 0; j < step_count; ++j) {
    normal[j][j] = weight_of_expected;
    right[j] = weight_of_expected;
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t j = 0; j < step_count; ++j) {
      right[j] += weights[i] * rows[i][j];
      for (std::size_t k = 0; k < step_count; ++k) {
        normal[j][k] += weights[i] * rows[i][j] * rows[i][k];
      }
    }
  }
  Row x;
  x.fill(1.0);
  for (int sweep = 0; sweep < 1000; ++sweep) {
    double change = 0.0;
    for (std::size_t j = 0; j < step_count; ++j) {
      double residual = right[j];
      for (std::size_t k = 0; k < step_count; ++k) residual -= normal[j][k] * x[k];
      const double next = std::max(0.0, x[j] + residual / normal[j][j]);
      change = std::max(change, std::abs(next - x[j]));
      x[j] = next;
    }
    if (change < 1e-9) break;
  }
  return x;
}

}  // namespace

Steps fit_steps(std::span<const Measurement> runs, const Steps& expected) {
  std::vector<Row> rows;  // parts of each run's time, with the expected times
  for (const Measurement& run : runs) {
    Row& row = rows.emplace_back();
    for (std::size_t j = 0; j < step_count; ++j) {
      const auto step = all_steps[j].value;
      row[j] = run.counts.*step * expected.*step / run.nanoseconds;
    }
  }
  std::vector<double> weights(rows.size(), 1.0);
  Row x{};
  for (int round = 0; round < 10; ++round) {
    x = solve(rows, weights);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      double predicted = 0.0;
      for (std::size_t j = 0; j < step_count; ++j) predicted += rows[i][j] * x[j];
      weights[i] = usual_error / std::max(usual_error, std::abs(predicted - 1.0));
    }
  }
  Steps found;
  for (std::size_t j = 0; j < step_count; ++j) {
    found.*all_steps[j].value = expected.*all_steps[j].value * x[j];
  }
  return found;
}

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
