// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "glm/path/quadratic_path.hpp"

#include "glm/algebra/cholesky.hpp"
#include "glm/sweep/host_items.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace synelix::glm {

namespace {

/// result = hessian point.
void multiply_hessian(const std::vector<double>& hessian, std::span<const double> point,
                      double* result) {
  const auto size = static_cast<std::int64_t>(point.size());
  for (std::int64_t i = 0; i < size; ++i) {
    result[i] = dot(hessian.data() + i * size, point.data(), size);
  }
}

/// Sums of some rows, one for each target. Targets with the same rows share a Hessian.
class RowSums {
 public:
  RowSums(const FitProblem& problem, const PathProblem& path, Walks& walks)
      : m_problem(problem), m_walks(walks) {
    // The centers of all rows, also for folds, so that sums of folds can be added.
    const std::int64_t size = problem.parameters();
    for (std::size_t i = 0; i < path.units; ++i) {
      const PathSide& side = path.sides[i];
      for (auto first = side.null.begin(); first != side.null.end(); first += size) {
        m_centers.push_back(std::make_shared<const std::vector<double>>(first, first + size));
      }
    }
  }

  /// \param choices  the rows of each list, without their target
  std::vector<std::vector<QuadraticLoss>> read(const std::vector<RowsOf>& choices) {
    const auto targets = static_cast<std::size_t>(m_problem.targets);
    std::vector<Request> requests;
    for (const RowsOf& choice : choices) {
      for (std::size_t i = 0; i < targets; ++i) {
        Request request;
        request.parameters = m_centers[i]->data();
        request.rows = choice;
        request.rows.target = static_cast<std::int64_t>(i);
        request.wants_hessian = m_problem.sides[i].same_rows == i;
        requests.push_back(request);
      }
    }
    std::vector<std::vector<QuadraticLoss>> found(choices.size(),
                                                  std::vector<QuadraticLoss>(targets));
    m_walks.all(requests, {}, [&](std::size_t k, Sums& sums) {
      QuadraticLoss& loss = found[k / targets][k % targets];
      loss.loss = sums.loss;
      loss.weight = sums.weight;
      loss.center = m_centers[k % targets];
      loss.gradient = std::move(sums.gradient);
      if (requests[k].wants_hessian) {
        loss.hessian = std::make_shared<const std::vector<double>>(std::move(sums.hessian));
      }
    });
    for (std::vector<QuadraticLoss>& of_targets : found) share(of_targets);
    return found;
  }

  /// Targets of one list with the same rows share the Hessian of the first of them.
  void share(std::vector<QuadraticLoss>& of_targets) const {
    for (std::size_t i = 0; i < of_targets.size(); ++i) {
      const std::size_t first = m_problem.sides[i].same_rows;
      if (first != i) of_targets[i].hessian = of_targets[first].hessian;
    }
  }

  /// to += factor * other, for all targets.
  void add(std::vector<QuadraticLoss>& to, const std::vector<QuadraticLoss>& other,
           double factor) const {
    for (std::size_t i = 0; i < to.size(); ++i) {
      to[i].loss += factor * other[i].loss;
      to[i].weight += factor * other[i].weight;
      for (std::size_t j = 0; j < to[i].gradient.size(); ++j) {
        to[i].gradient[j] += factor * other[i].gradient[j];
      }
      if (m_problem.sides[i].same_rows != i) continue;
      auto hessian = std::make_shared<std::vector<double>>(*to[i].hessian);
      for (std::size_t j = 0; j < hessian->size(); ++j) {
        (*hessian)[j] += factor * (*other[i].hessian)[j];
      }
      to[i].hessian = std::move(hessian);
    }
    share(to);
  }

 private:
  const FitProblem& m_problem;
  Walks& m_walks;
  std::vector<std::shared_ptr<const std::vector<double>>> m_centers;  ///< of each target
};

/// The path of one side, from the largest strength down.
class QuadraticPath {
 public:
  QuadraticPath(const PathShape& shape, const PathSide& side,
                const std::vector<const QuadraticLoss*>& losses)
      : m_shape(shape), m_side(side), m_losses(losses) {
    std::vector<double> hessian;
    for (const QuadraticLoss* loss : losses) {
      for (const double value : *loss->hessian) hessian.push_back(value / loss->weight);
    }
    shape.free_of(side, side.penalty).gather_hessian(hessian, m_hessian);
  }

  void solve(std::vector<PathAnswer>& answers) {
    std::vector<double> point = m_side.null;
    for (std::size_t r = 0; r < answers.size(); ++r) {
      PathAnswer& answer = answers[r];
      const BoundPenalty penalty = times(m_side.penalty, m_side.strengths[r]);
      std::vector<double> gradient;
      read_losses(point, gradient, answer.losses);
      // The second solve removes the rounding errors due to a distant center.
      for (int i = 0; i < 2; ++i) {
        const std::vector<double> center = point;
        answer.standard_errors_away =
            minimize(m_shape, m_side, penalty, {m_hessian, gradient, center}, point);
        gradient.clear();
        read_losses(point, gradient, answer.losses);
      }
      answer.parameters = point;
      answer.optimality = m_shape.violation(penalty, point, gradient) / m_side.gradient_scale;
      answer.evaluations = 1;
      const bool is_converged = answer.optimality <= m_shape.optimality_tolerance &&
                                !(answer.standard_errors_away > m_shape.standard_errors_tolerance);
      answer.stop = is_converged ? Stop::converged : Stop::no_decrease;
    }
  }

 private:
  /// Mean losses of the blocks, and the gradient of their sum.
  void read_losses(std::span<const double> point, std::vector<double>& gradient,
                   std::vector<double>& losses) const {
    const auto size = static_cast<std::size_t>(m_shape.parameters());
    losses.clear();
    for (std::size_t block = 0; block < m_losses.size(); ++block) {
      losses.push_back(m_losses[block]->mean_at(point.subspan(block * size, size), gradient));
    }
  }

  const PathShape& m_shape;
  const PathSide& m_side;
  const std::vector<const QuadraticLoss*>& m_losses;
  std::vector<double> m_hessian;  ///< of free parameters
};

}  // namespace

double QuadraticLoss::mean_at(std::span<const double> point,
                              std::vector<double>& gradient_there) const {
  std::vector<double> distance(point.size());
  for (std::size_t j = 0; j < point.size(); ++j) distance[j] = point[j] - (*center)[j];
  std::vector<double> product(point.size());
  multiply_hessian(*hessian, distance, product.data());
  double sum = loss;
  for (std::size_t j = 0; j < point.size(); ++j) {
    sum += (gradient[j] + 0.5 * product[j]) * distance[j];
    gradient_there.push_back((gradient[j] + product[j]) / weight);
  }
  return sum / weight;
}

double QuadraticLoss::sum_at(std::span<const double> point) const {
  std::vector<double> unused;
  return mean_at(point, unused) * weight;
}

QuadraticLosses read_quadratic(const FitProblem& problem, const PathProblem& path, Walks& walks,
                               const FoldedRows* folded) {
  RowSums sums(problem, path, walks);
  QuadraticLosses losses;
  const auto take = [](std::vector<QuadraticLoss>& to, const std::vector<QuadraticLoss>& from) {
    to.insert(to.end(), from.begin(), from.end());
  };
  if (folded == nullptr) {
    take(losses.training, sums.read({RowsOf{}}).front());
    return losses;
  }
  // Each row is in one fold or in none. So the sums of all rows are the sums of these, and those of
  // training rows are the sums of all rows minus the rows that are left out.
  const int folds = folded->count();
  std::vector<RowsOf> choices;
  for (int fold = 0; fold <= folds; ++fold) choices.push_back({0, RowsOf::Fold::only, fold});
  const bool has_gaps = folded->left_out(0) != 0;
  for (int fold = 0; has_gaps && fold < folds; ++fold) {
    choices.push_back({0, RowsOf::Fold::only, folded->left_out(fold)});
  }
  const std::vector<std::vector<QuadraticLoss>> parts = sums.read(choices);
  std::vector<QuadraticLoss> all = parts.front();
  for (int fold = 1; fold <= folds; ++fold) {
    sums.add(all, parts[static_cast<std::size_t>(fold)], 1.0);
  }
  take(losses.training, all);
  for (int fold = 0; fold < folds; ++fold) {
    std::vector<QuadraticLoss> training = all;
    const int left_out = has_gaps ? folds + 1 + fold : fold;
    sums.add(training, parts[static_cast<std::size_t>(left_out)], -1.0);
    take(losses.training, training);
    take(losses.test, parts[static_cast<std::size_t>(fold)]);
  }
  return losses;
}

PathAnswers solve_quadratic(const FitProblem& problem, const PathProblem& path,
                            const PathShape& shape, const QuadraticLosses& losses) {
  PathAnswers answers = open_answers(path);
  sweep::run_host_loop("synelix::fit_path::quadratic", static_cast<std::int64_t>(answers.size()),
                       [&](std::int64_t item) {
                         const auto i = static_cast<std::size_t>(item);
                         const PathSide& side = path.sides[i];
                         // Right-hand sides of a problem are ordered (all rows and folds, targets).
                         const std::size_t first =
                             i / path.units * static_cast<std::size_t>(problem.targets) +
                             (side.rows.size() > 1 ? 0 : i % path.units);
                         std::vector<const QuadraticLoss*> of_blocks;
                         of_blocks.reserve(side.rows.size());
                         for (std::size_t block = 0; block < side.rows.size(); ++block) {
                           of_blocks.push_back(&losses.training[first + block]);
                         }
                         if (side.is_settled) {
                           std::vector<double> unused;
                           for (PathAnswer& settled : answers[i]) {
                             settled.losses = {of_blocks.front()->mean_at(side.null, unused)};
                           }
                           return;
                         }
                         QuadraticPath(shape, side, of_blocks).solve(answers[i]);
                       });
  return answers;
}

}  // namespace synelix::glm
