// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "glm/solvers/preconditioner.hpp"
#include "glm/solvers/search_base.hpp"

#include <cstdint>
#include <span>
#include <vector>

/// \file
/// `LbfgsSearch`: L-BFGS with a preconditioner, for smooth penalties and many columns.

namespace synelix::glm {

/// The inverse Hessian is the preconditioner, corrected by the last 30 steps. The preconditioner is
/// linear, so a step needs one solve with it: solutions for earlier gradients are kept. After two
/// steps, the preconditioner gets the exact rows of the Hessian of one channel. Not at the start,
/// because there all rows have the same weight, and the Gram matrix gives these rows already. The
/// distance in standard errors uses that inverse Hessian. Source: Nocedal and Wright, "Numerical
/// Optimization", 2nd edition, 2006, section 7.2.
class LbfgsSearch final : public SearchBase {
 public:
  explicit LbfgsSearch(SearchProblem problem);
  [[nodiscard]] Range wants_rows() const override { return m_wanted_rows; }
  void take_rows(std::span<const double> hessian) override;

 private:
  void take(Answer answer) override;
  void begin_anew();
  /// The gradient of the objective at a point.
  [[nodiscard]] std::vector<double> slope_of(const std::vector<double>& gradient,
                                             const std::vector<double>& point) const;
  void remember(const std::vector<double>& slope, const std::vector<double>& image);
  void forget();
  void make_direction();
  void begin_line(double gain);
  void shorten(double objective);
  enum class Verdict : std::uint8_t { open, converged, separated };

  bool stops(double gain);
  Verdict judge_length();
  bool wants_correction();
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
  double m_length = 1;              ///< length of the trial step along the direction
  double m_lower = 0;               ///< the line's minimum is beyond this length
  double m_upper = 0;               ///< and before this one; 0: not known
  double m_least_violation = -1;
  std::int64_t m_line_evaluations = 0;
  bool m_accepts_any = true;
  std::int64_t m_stalls = 0;
  std::int64_t m_long_steps = 0;  ///< long steps with small measures
  double m_long_length = 0;       ///< the length that others are compared with
  Range m_wanted_rows;            ///< of the Hessian, for the preconditioner; empty: none
  std::int64_t m_steps_made = 0;
};

}  // namespace synelix::glm
