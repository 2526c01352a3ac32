// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tool/options/request.hpp"
#include "tool/text/fit_estimate.hpp"
#include "tool/text/progress.hpp"

#include <synelix/glm.hpp>

#include <chrono>
#include <cstdint>
#include <string>

/// \file
/// The progress of a fit.

namespace synelix::tool {

/// Shows how far a fit is, and remembers it.
class FitDisplay {
 public:
  /// \param targets  of the model that is written
  FitDisplay(const Messages& messages, double tolerance, std::int64_t targets);

  void show(const FitProgress& progress);

  /// Walks over the rows, of the path or of the model behind it.
  [[nodiscard]] std::int64_t passes() const { return m_passes; }
  /// "2 of 3 targets were done"
  [[nodiscard]] std::string text() const;

 private:
  ProgressDisplay m_display;
  FitEstimate m_estimate;
  std::chrono::steady_clock::time_point m_start = std::chrono::steady_clock::now();
  FitProgress m_last;
  std::int64_t m_targets;
  std::int64_t m_passes = 0;
};

}  // namespace synelix::tool
