// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "glm/solvers/free_parameters.hpp"
#include "glm/solvers/search.hpp"

#include "glm/algebra/product.hpp"

#include <cstdint>
#include <span>
#include <vector>

/// \file
/// `SearchBase`: the common parts of searches: the open question, the best point, counts, and when
/// to stop.

namespace synelix::glm {

inline constexpr double float_optimality = 1e-4;  ///< below, products are in double
inline constexpr double sufficient = 1e-4;        ///< fraction of the predicted decrease

/// The common part of searches. Points are free parameters; the caller sees all of them.
class SearchBase : public Search {
 public:
  explicit SearchBase(SearchProblem problem);

  [[nodiscard]] Question ask() const final;
  void tell(const Point& point) final;
  [[nodiscard]] bool is_done() const final { return m_is_done; }
  [[nodiscard]] Stop stop() const final { return m_stop; }
  [[nodiscard]] std::span<const double> parameters() const final { return m_answer; }
  [[nodiscard]] double objective() const final { return m_objective; }
  [[nodiscard]] double optimality() const final { return m_optimality; }
  [[nodiscard]] double standard_errors_away() const final { return m_away; }
  [[nodiscard]] std::int64_t evaluations() const final { return m_evaluations; }
  [[nodiscard]] std::int64_t hessians() const final { return m_hessians; }

 protected:
  /// The answer to the question at `m_trial`: its objective and the gradient of the loss there.
  struct Answer {
    double objective;
    std::vector<double> gradient;
    std::span<const double> hessian;
    bool is_finite;
  };
  virtual void take(Answer answer) = 0;

  [[nodiscard]] const SearchProblem& problem() const { return m_problem; }
  [[nodiscard]] const FreeParameters& free() const { return m_free; }
  [[nodiscard]] const BoundPenalty& penalty() const { return m_free.penalty(); }
  [[nodiscard]] const Tiles& tiles() const { return *m_tiles; }
  [[nodiscard]] std::int64_t size() const { return m_free.size(); }

  /// Requests the evaluation of `m_trial`.
  void ask_trial(bool wants_hessian);
  /// Makes the trial point the best one.
  void accept(Answer answer);
  /// Restarts at the start, on all rows and with products in double, because the best point has no
  /// finite objective there. Later answers are compared with the answer of the start. Ends the
  /// search if the start was the question, or no evaluation is left.
  void return_to_start(bool wants_hessian);
  void finish(Stop stop);
  [[nodiscard]] bool is_out_of_evaluations() const {
    return m_evaluations >= m_problem.most_evaluations;
  }
  [[nodiscard]] double violation() const;
  /// How far an objective may rise by rounding alone.
  [[nodiscard]] double allowance(double objective) const;
  /// sqrt(sum_j weights_j values_j^2).
  [[nodiscard]] double norm_of(const std::vector<double>& values) const;

  std::vector<double> m_trial;     ///< free parameters of the question
  std::vector<double> m_best;      ///< free parameters of the best point
  std::vector<double> m_gradient;  ///< of the mean loss at the best point
  /// Curvature of each parameter when it was first known: the weights of step lengths.
  std::vector<double> m_reference;
  double m_objective = 0;
  double m_optimality = 0;
  double m_away = 0;
  double m_weight = 0;       ///< of the rows of the best point
  std::int64_t m_every = 1;  ///< as Question
  bool m_is_double = true;
  bool m_best_is_double = false;

 private:
  SearchProblem m_problem;
  FreeParameters m_free;
  const Tiles* m_tiles;
  std::vector<double> m_start;   ///< free parameters; follows from the problem
  std::vector<double> m_asked;   ///< all parameters of the question
  std::vector<double> m_answer;  ///< all parameters of the best point
  bool m_wants_hessian = false;
  std::int64_t m_evaluations = 0;
  std::int64_t m_hessians = 0;
  bool m_is_done = false;
  Stop m_stop = Stop::converged;
};

}  // namespace synelix::glm
