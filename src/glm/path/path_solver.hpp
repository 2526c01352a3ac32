// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "glm/fit/lockstep.hpp"
#include "glm/path/path_side.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <span>
#include <utility>
#include <vector>

/// \file
/// `PathSolver`: the paths of many sides in one lock-step.
///
/// About ten neighboring strengths of a side form a group. Groups are processed from the largest
/// strengths down. The models of a group begin at the minimum of a quadratic model at the last
/// answer of the group before. Then each walk evaluates all unfinished models of all sides. Optimal
/// models are finished. The others move to the minimum of the quadratic model with their own
/// gradient and the Hessian of their group, if that lowers the objective. The Hessian is evaluated
/// at the middle of the group, on the first walk. Models that do not converge get a separate search
/// (solvers/search.hpp), which has its own Hessians.

namespace synelix::glm {

/// The answers for each side and strength.
using PathAnswers = std::vector<std::vector<PathAnswer>>;

/// Bytes of a path, and of its share of the budget.
struct PathMemory {
  std::int64_t matrix = 0;  ///< of a Hessian
  std::int64_t vector = 0;  ///< of parameters
  std::int64_t search = 0;  ///< of a model that is searched separately, with its sums
  std::int64_t batch = 0;   ///< for sides that are solved together

  /// Bytes of sides that share a Hessian: the Hessian and the one that replaces it, a model that is
  /// being minimized, and the unfinished strengths of each side.
  [[nodiscard]] std::int64_t of_hessian_owner(std::int64_t blocks, std::int64_t sides) const;
};

/// Finds paths by walks over the rows.
class PathSolver {
 public:
  /// \param may_use_float  as SearchProblem
  PathSolver(Walks& walks, const PathShape& shape, WalkListener listener, bool may_use_float,
             const PathMemory& memory)
      : m_walks(walks),
        m_shape(shape),
        m_listener(listener),
        m_may_use_float(may_use_float),
        m_memory(memory) {}

  /// Once cancelled, unfinished models have the state of the last walk.
  PathAnswers solve(const std::vector<PathSide>& sides);

 private:
  /// An unfinished model.
  struct Open {
    std::size_t side = 0;
    std::size_t strength = 0;
    BoundPenalty penalty = {};
    std::vector<double> trial = {};         ///< the point to evaluate next
    std::vector<double> point = {};         ///< the best so far
    std::vector<double> gradient = {};      ///< of the mean loss there
    std::vector<double> losses = {};        ///< mean losses of the blocks there
    std::vector<double> trial_losses = {};  ///< found by a walk at the trial
    std::vector<double> trial_gradient = {};
    double objective = std::numeric_limits<double>::infinity();
    double optimality = std::numeric_limits<double>::infinity();
    double standard_errors_away = std::numeric_limits<double>::quiet_NaN();
    std::int64_t evaluations = 0;
    int halvings = 0;
    bool is_known = false;  ///< the point was evaluated in double
    bool is_optimal = false;
    bool is_left = false;  ///< it needs a separate search
    bool may_separate = false;
  };
  /// The start of the next group of a side.
  struct Last {
    std::vector<double> parameters = {};
    std::vector<double> gradient = {};
    std::vector<double> losses = {};  ///< mean losses of the blocks
  };

  /// Calls body(). Returns false if the caller cancels the path meanwhile. Results of an unfinished
  /// walk are not used.
  template <class Body>
  bool finishes_walks(const Body& body) {
    m_is_cancelled = m_is_cancelled || !finishes(m_listener.cancel, body);
    return !m_is_cancelled;
  }
  void evaluate_settled();
  void run_batch(const std::vector<std::size_t>& batch);
  void start_batch(const std::vector<std::size_t>& batch);
  void open_group(const std::vector<std::size_t>& batch, std::size_t first, std::size_t last);
  void walk(WalkKind kind, bool with_hessians);
  bool take(Open& open, bool is_double);
  void advance(Open& open) const;
  static void end(Open& open);
  [[nodiscard]] std::vector<std::size_t> places_of_hessians() const;
  void search_the_rest();
  bool search_some(std::span<const std::size_t> searched);
  void read_losses(std::span<const std::size_t> searched);
  void close_group(std::size_t last);
  void evaluate_last(const std::vector<std::size_t>& sides, bool with_hessians);
  void keep_hessian(std::size_t side, std::span<const double> hessian);
  /// Valid until the next `clear` of m_points. Parameters are in the coordinates of the side.
  [[nodiscard]] Request request_of(const PathSide& side, std::size_t block,
                                   const std::vector<double>& parameters);
  /// Turns sums of a walk into means in the coordinates of a side.
  void take_means(const PathSide& side, std::size_t block, Sums& sums) const;
  [[nodiscard]] std::vector<std::vector<std::size_t>> batches() const;
  void report();

  Walks& m_walks;
  const PathShape& m_shape;
  WalkListener m_listener;
  bool m_may_use_float;
  PathMemory m_memory;
  const std::vector<PathSide>* m_sides = nullptr;
  PathAnswers m_answers;
  std::vector<Last> m_last;                     ///< of each side
  std::vector<std::vector<double>> m_hessians;  ///< of each side, free parameters
  std::vector<std::uint8_t> m_is_separated;     ///< of each side
  std::vector<Open> m_open;
  std::deque<std::vector<double>> m_points;  ///< of requests, in coordinates of the design
  std::int64_t m_done = 0;                   ///< finished models
  std::int64_t m_all = 0;
  std::int64_t m_start = 0;  ///< nanoseconds of the steady clock
  bool m_is_cancelled = false;
};

}  // namespace synelix::glm
