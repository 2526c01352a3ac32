// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/types/glm_score.hpp>

#include <cstdint>
#include <vector>

/// \file
/// `RecurrentNetwork`: units whose rates depend on their past activity, row by row.

namespace synelix::glm {

/// The state of a network between two rows.
class RecurrentNetwork {
 public:
  /// \throws Error if extents differ, or an initial count is not finite
  explicit RecurrentNetwork(const RecurrentModel& model);

  [[nodiscard]] std::int64_t units() const { return m_units; }
  [[nodiscard]] const std::vector<double>& intercepts() const { return m_intercepts; }

  /// Draws the activity of the next row. `drive` has the predictors of the external inputs, with
  /// intercepts.
  /// \throws Error if a rate is not the mean of a Poisson distribution
  void step(const double* drive, std::uint64_t seed);

  /// The counts of the last row.
  [[nodiscard]] const std::vector<double>& counts() const { return m_counts; }
  [[nodiscard]] const std::vector<double>& rates() const { return m_rates; }

 private:
  void add_coupling();
  void check_rate(std::int64_t unit) const;
  void spread(std::int64_t row, std::int64_t unit, double count);
  [[nodiscard]] double* features_of(std::int64_t row, std::int64_t unit);

  std::int64_t m_window;
  std::int64_t m_bases;
  std::int64_t m_units = 0;
  InverseLink m_link;
  std::vector<double> m_taps;        ///< (window, bases)
  std::vector<double> m_coupling;    ///< (units, bases, units)
  std::vector<double> m_intercepts;  ///< (units)
  /// Features of the next `window` rows from the activity so far, (window, units, bases); row t is
  /// stored at t % window.
  std::vector<double> m_features;
  std::vector<std::int64_t> m_last_active;  ///< row in which a unit last had a count
  std::vector<double> m_rates;
  std::vector<double> m_counts;
  std::int64_t m_row = 0;
};

}  // namespace synelix::glm
