// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/types/glm.hpp>

#include <cstdint>
#include <span>
#include <vector>

/// \file
/// A solver requests evaluations and receives their results: it computes none itself. So one walk
/// over the rows serves the solvers of all right-hand sides (targets, folds, strengths), and the
/// state of a fit between two walks is a list of numbers that a checkpoint stores.

namespace synelix::glm {

/// The mean loss at a point. Sizes are those of `Sums`.
struct Point {
  double loss = 0;
  double weight = 0;                 ///< sum of row weights of the means
  std::span<const double> gradient;  ///< of the mean loss, without the penalty
  std::span<const double> hessian;   ///< of the mean loss; empty if not requested
};

/// The next evaluation that a solver needs.
struct Question {
  std::span<const double> parameters;
  bool wants_hessian = false;
  bool wants_double = true;  ///< products in double
  std::int64_t every = 1;    ///< as Pass::evaluate
};

/// The numbers of a solver between two walks, in a fixed order.
class SolverState {
 public:
  virtual ~SolverState() = default;
  virtual void number(double& value) = 0;
  virtual void number(std::int64_t& value) = 0;
  virtual void numbers(std::vector<double>& values) = 0;
};

/// The search for the optimum of one right-hand side, or of targets that share groups.
class Search {
 public:
  virtual ~Search() = default;
  /// The point to evaluate next. Not called once `is_done`.
  [[nodiscard]] virtual Question ask() const = 0;
  /// The answer to `ask`.
  virtual void tell(const Point& point) = 0;
  [[nodiscard]] virtual bool is_done() const = 0;
  [[nodiscard]] virtual Stop stop() const = 0;
  /// The best point so far.
  [[nodiscard]] virtual std::span<const double> parameters() const = 0;
  [[nodiscard]] virtual double objective() const = 0;
  [[nodiscard]] virtual double optimality() const = 0;
  [[nodiscard]] virtual double standard_errors_away() const = 0;
  [[nodiscard]] virtual std::int64_t evaluations() const = 0;
  [[nodiscard]] virtual std::int64_t hessians() const = 0;
  /// Columns of the design whose rows of the Hessian at `parameters` the search needs before it
  /// asks again. Empty: it needs none.
  [[nodiscard]] virtual Range wants_rows() const { return {}; }
  /// The answer to `wants_rows`: (columns.size(), all columns + 1), of the mean loss.
  virtual void take_rows(std::span<const double> /*hessian*/) {}
  /// Writes or reads the complete state of the search.
  virtual void exchange(SolverState& state) = 0;
};

}  // namespace synelix::glm
