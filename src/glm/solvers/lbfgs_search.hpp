// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "glm/solvers/preconditioner.hpp"
#include "glm/solvers/search_base.hpp"

#include <cstdint>
#include <vector>

/// \file
/// `LbfgsSearch`: L-BFGS with a preconditioner, for smooth penalties and many columns.

namespace synelix::glm {

/// The inverse Hessian is the preconditioner, corrected by the last 30 steps. The model is linear,
/// so one solve with the preconditioner serves a step: those of earlier gradients are kept.
/// The distance in standard errors is the one of that inverse Hessian.
/// Source: Nocedal and Wright, "Numerical Optimization", 2nd edition, 2006, section 7.2.
class LbfgsSearch final : public SearchBase {
 public:
  explicit LbfgsSearch(SearchProblem problem);
  void exchange(SolverState& state) override;

 private:
  void take(Answer answer) override;
  /// The gradient of the objective at a point.
  [[nodiscard]] std::vector<double> slope_of(const std::vector<double>& gradient,
                                             const std::vector<double>& point) const;
  void remember(const std::vector<double>& slope, const std::vector<double>& image);
  void forget();
  void make_direction();
  void begin_line(double gain);
  void shorten(double objective);
  bool stops(double gain);
  void step();

  Preconditioner m_preconditioner;  ///< follows from the problem
  std::vector<double> m_slope;      ///< gradient of the objective at the best point
  std::vector<double> m_image;      ///< preconditioner times that
  std::vector<double> m_direction;  ///< of the line
  std::vector<double> m_steps;      ///< (count, size), the oldest first
  std::vector<double> m_changes;    ///< of the gradient of the objective
  std::vector<double> m_images;     ///< preconditioner times the changes
  std::vector<double> m_products;   ///< of each step with its change
  double m_scale = 1;               ///< of the preconditioner
  double m_line_slope = 0;          ///< along the direction, below 0
  double m_length = 1;              ///< of the question, along the direction
  double m_lower = 0;               ///< the line's minimum lies behind this length
  double m_upper = 0;               ///< and before this one; 0: not known
  double m_least_violation = -1;
  std::int64_t m_line_evaluations = 0;
  std::int64_t m_accepts_any = 1;
  std::int64_t m_stalls = 0;
};

}  // namespace synelix::glm
