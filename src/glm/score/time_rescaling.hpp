// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "glm/score/model_view.hpp"
#include "glm/score/rate_walk.hpp"
#include "glm/score/score_sums.hpp"

#include <synelix/types/glm_score.hpp>

#include <cstdint>
#include <vector>

/// \file
/// Intervals between the events of a target, in units of its rates.

namespace synelix::glm {

/// The intervals of a target: rows are added in order.
class RescaledIntervals {
 public:
  /// \param kind  not `none`
  RescaledIntervals(EventKind kind, std::uint64_t seed, std::int64_t target);
  /// Adds a row that counts, with the mean and the number of its events.
  void add(std::int64_t row, double mean, double events);
  /// The result. \throws Error if a target was not a count
  [[nodiscard]] TimeRescaling result() const;

 private:
  void add_poisson(std::int64_t row, double mean, double events);
  void add_bernoulli(std::int64_t row, double mean, double events);
  void end_interval(double interval);

  EventKind m_kind;
  std::uint64_t m_seed;
  std::int64_t m_target;
  double m_since_event = 0;
  std::int64_t m_intervals = 0;
  std::vector<std::int64_t> m_histogram;  ///< of z
  std::int64_t m_bad_row = -1;            ///< first row whose target is not a count
  double m_bad_value = 0;
};

/// Adds the rows of a part to the intervals of a target.
void add_rows(const ModelView& model, const ScoredRows& rows, const WalkedRows& part,
              std::int64_t target, RescaledIntervals& intervals);

}  // namespace synelix::glm
