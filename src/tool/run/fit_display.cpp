// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tool/run/fit_display.hpp"

#include "tool/options/values.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace synelix::tool {
namespace {

std::string number_or_null(double number) {
  return std::isfinite(number) ? format_number(number) : "null";
}

}  // namespace

FitDisplay::FitDisplay(const Messages& messages, double tolerance, std::int64_t targets)
    : m_display(messages.quiet ? ProgressStyle::none : messages.progress, "fit"),
      m_estimate(tolerance, targets),
      m_targets(targets) {
  m_last.targets = targets;
}

void FitDisplay::show(const FitProgress& progress) {
  m_last = progress;
  m_passes = std::max(m_passes, progress.passes);  // a model at the end counts its own
  Advance advance;
  advance.is_estimate = true;
  advance.fraction =
      m_estimate.fraction({progress.targets_done, progress.targets, progress.worst_optimality});
  // A path and the model behind it each count their own seconds.
  advance.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - m_start).count();
  const std::string done = std::to_string(progress.targets_done);
  const std::string all = std::to_string(progress.targets);
  const std::string passes = std::to_string(progress.passes);
  advance.parts = done + " of " + all + " done, pass " + passes;
  const std::optional<double> left = advance.seconds_left();
  advance.json = "\"targets_done\": " + done + ", \"targets\": " + all + ", \"passes\": " + passes +
                 ", \"worst_optimality\": " + number_or_null(progress.worst_optimality) +
                 ", \"estimated_seconds_left\": " +
                 (left ? format_number(std::ceil(*left * 1000) / 1000) : "null");
  m_display.show(advance);
}

std::string FitDisplay::text() const {
  const char* const of = m_last.targets == m_targets ? " targets" : " models";
  return format_count(m_last.targets_done) + " of " + format_count(m_last.targets) + of +
         " were done";
}

}  // namespace synelix::tool
