// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "glm/solvers/hessian_models.hpp"
#include "glm/solvers/search_base.hpp"

#include <cstdint>
#include <vector>

/// \file
/// `NewtonSearch`: Newton's method with few Hessians, for smooth and nonsmooth penalties.

namespace synelix::glm {

/// Each step goes to the minimum of a quadratic model of the loss plus the penalty itself. The
/// Hessian of the model is kept as long as steps contract well, because it costs as much as many
/// gradients.
///
/// With many rows, the search begins on every eighth block, until it is close to the optimum of
/// that part. Then it uses one Hessian of all rows, and gradients.
///
/// Convergence in standard errors needs the Hessian at the optimum. The distance counts as known if
/// the Hessian was evaluated at this point. It is also known if the last step with the same Hessian
/// reduced the squared distance to a quarter or less: then the model is good along the way, and the
/// distance is corrected for its error. Otherwise the Hessian is requested.
///
/// A point without a finite objective is not accepted; the step is shortened. A part of the rows,
/// or products in float, may lead to such a point. Then the search restarts at its start.
class NewtonSearch final : public SearchBase {
 public:
  explicit NewtonSearch(SearchProblem problem);

 private:
  void take(Answer answer) override;
  void retreat(double objective);
  void leave_outside();
  void begin_anew();
  void take_hessian(std::span<const double> hessian);
  void use_model();
  void propose(double gain);
  void make_direction();
  [[nodiscard]] bool knows_distance() const;
  bool stops();
  [[nodiscard]] bool exceeds_rounding() const;
  void judge_convergence();
  [[nodiscard]] bool is_fair_part() const;
  /// `norm_of` for the parameters that may grow without bound.
  [[nodiscard]] double unbounded_norm_of(const std::vector<double>& values) const;
  [[nodiscard]] std::vector<std::int64_t> unbounded() const;
  void choose_stage();
  [[nodiscard]] bool pays_hessian() const;
  [[nodiscard]] double progress_to_make() const;
  void ask_again();
  void step();

  std::vector<double> m_hessian;    ///< of the model, free parameters
  std::vector<double> m_direction;  ///< from the best point to the minimum of the model
  double m_length = 1;              ///< of the step along the direction
  double m_slope = 0;               ///< predicted by the model's linear part and the penalty
  double m_decrement = 0;           ///< squared distance to the model's minimum, in its Hessian
  double m_progress = 0;            ///< measure of the distance that contractions compare
  double m_contraction = -1;        ///< of the last step; below 0: not known
  double m_last_progress = -1;
  double m_least_progress = -1;
  double m_step_norm = 0;
  double m_last_step_norm = 0;
  bool m_has_model = false;
  bool m_model_is_exact = false;  ///< from all rows
  bool m_model_is_double = false;
  std::int64_t m_model_age = 0;  ///< accepted points since its Hessian was evaluated
  bool m_accepts_any = true;     ///< the next answer is accepted without a comparison
  std::int64_t m_halvings = 0;
  std::int64_t m_stalls = 0;
  std::int64_t m_even_steps = 0;  ///< steps of equal size with almost no decrease
  bool m_is_suspect = false;      ///< converged, except for the size of the step
  bool m_needs_double_hessian = false;

  /// For nonsmooth penalties: coefficients that they do not bound. Follows from the problem.
  std::vector<std::int64_t> m_unbounded;
  SmoothModel m_smooth;  ///< follows from m_hessian
};

}  // namespace synelix::glm
