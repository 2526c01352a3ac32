// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracle/convolution.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace oracle {

std::int64_t lag(const Problem& problem) {
  const bool shifted = problem.shift == Shift::on || (problem.shift == Shift::automatic &&
                                                      problem.causality != Causality::acausal);
  if (problem.causality == Causality::acausal) return problem.window / 2;
  if (problem.causality == Causality::causal) return shifted ? -1 : 0;
  return shifted ? problem.window : problem.window - 1;
}

namespace {

/// sum over w of taps(w, b) x(t + lag - w, c), with 0 for samples outside the epoch.
double explicit_sum(const Problem& problem, Epoch epoch, std::int64_t t, std::int64_t c,
                    std::int64_t b) {
  double sum = 0.0;
  for (std::int64_t w = 0; w < problem.window; ++w) {
    const std::int64_t s = t + lag(problem) - w;
    const bool inside = epoch.begin <= s && s < epoch.end;
    const double sample =
        inside ? problem.x[static_cast<std::size_t>(s * problem.channels + c)] : 0.0;
    sum += problem.taps[static_cast<std::size_t>(w * problem.bases + b)] * sample;
  }
  return sum;
}

/// Adds the rows of an epoch, or of a gap between epochs.
void append_rows(const Problem& problem, Epoch range, bool is_gap, Features& features) {
  for (std::int64_t t = range.begin; t < range.end; ++t) {
    if ((t - range.begin) % problem.every != 0) continue;
    const std::int64_t newest = t + lag(problem);
    const std::int64_t oldest = newest - (problem.window - 1);
    const bool whole = !is_gap && oldest >= range.begin && newest < range.end;
    if (problem.border == Border::valid && !whole) continue;
    features.samples.push_back(t);
    for (std::int64_t c = 0; c < problem.channels; ++c) {
      for (std::int64_t b = 0; b < problem.bases; ++b) {
        const bool has_value = !is_gap && (whole || problem.border == Border::zero);
        features.values.push_back(has_value ? explicit_sum(problem, range, t, c, b)
                                            : std::numeric_limits<double>::quiet_NaN());
      }
    }
  }
}

}  // namespace

Features convolve(const Problem& problem) {
  Features features;
  Epochs epochs = problem.epochs;
  if (epochs.empty()) epochs.push_back({0, problem.samples});
  std::int64_t border = 0;
  for (const Epoch& epoch : epochs) {
    append_rows(problem, {border, epoch.begin}, true, features);
    append_rows(problem, epoch, false, features);
    border = epoch.end;
  }
  append_rows(problem, {border, problem.samples}, true, features);
  return features;
}

}  // namespace oracle
