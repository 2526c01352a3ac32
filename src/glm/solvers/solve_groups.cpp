// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "glm/algebra/cholesky.hpp"
#include "glm/algebra/semidefinite.hpp"
#include "glm/solvers/model_state.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

namespace synelix::glm {
namespace {

/// A group of coefficients, or one coefficient of no group.
struct Block {
  std::vector<std::int64_t> members;
  double strength = 0;
  Eigen eigen;  ///< of the Hessian of the members with the ridge
};

std::vector<Block> blocks_of_groups(const ModelState& state) {
  const BoundPenalty& penalty = state.penalty();
  std::vector<Block> blocks(penalty.group_strengths.size());
  for (std::size_t g = 0; g < blocks.size(); ++g) blocks[g].strength = penalty.group_strengths[g];
  for (std::int64_t i = 0; i < state.size(); ++i) {
    const std::int64_t group = penalty.groups[i];
    if (group >= 0) {
      blocks[group].members.push_back(i);
    } else {
      blocks.push_back({{i}, 0.0, {}});
    }
  }
  std::erase_if(blocks, [](const Block& block) { return block.members.empty(); });
  for (Block& block : blocks) {
    const auto n = static_cast<std::int64_t>(block.members.size());
    std::vector<double> matrix(n * n);
    for (std::int64_t i = 0; i < n; ++i) {
      for (std::int64_t j = 0; j < n; ++j) {
        matrix[i * n + j] = state.hessian(block.members[i], block.members[j]);
      }
      matrix[i * n + i] += state.ridge(block.members[i]);
    }
    block.eigen = eigen_of(n, std::move(matrix));
    // Directions without curvature get a small one, so that the minimum of a block exists.
    const double least = 1e-12 * std::max(block.eigen.values.back(), 0.0);
    for (double& value : block.eigen.values) value = std::max(value, least);
  }
  return blocks;
}

/// The norm r of the minimum of b'Ab/2 - v'b + strength |b|, |v| > strength: the root of
/// sum_i (a_i / (e_i r + strength))^2 = 1, with a the components of v and e the eigenvalues of A.
/// Uses Newton's method on the inverse square root of the sum, which is nearly linear.
double norm_of_minimum(const std::vector<double>& eigenvalues, const std::vector<double>& parts,
                       double strength, double start) {
  double r = start;
  double low = 0;
  double high = -1;  // not known yet
  for (int step = 0; step < 100; ++step) {
    double sum = 0;
    double slope = 0;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const double whole = eigenvalues[i] * r + strength;
      if (whole == 0) continue;
      const double part = parts[i] / whole;
      sum += part * part;
      slope -= 2 * part * part * eigenvalues[i] / whole;
    }
    (sum > 1 ? low : high) = r;
    double next = slope < 0 ? r - 2 * sum * (std::sqrt(sum) - 1) / slope : 2 * r;
    if (!(next > low) || (high >= 0 && !(next < high))) {
      next = high < 0 ? 2 * r : (low + high) / 2;
    }
    if (std::fabs(next - r) <= 1e-15 * r) return next;
    r = next;
  }
  return r;
}

/// Vectors of one block, reused for all blocks.
struct BlockVectors {
  std::vector<double> pull;    ///< minus the gradient without the block's own values
  std::vector<double> parts;   ///< the same along the eigenvectors
  std::vector<double> values;  ///< the minimum
};

/// Minimizes over one block, with the others fixed.
void minimize_block(const Block& block, ModelState& state, BlockVectors& vectors) {
  const auto n = static_cast<std::int64_t>(block.members.size());
  const std::vector<double>& e = block.eigen.values;
  if (!(e.back() > 0)) return;  // columns of zeros
  std::vector<double>& v = vectors.pull;
  v.resize(block.members.size());
  double norm = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    double sum = -state.gradient(block.members[i]);
    for (const std::int64_t j : block.members)
      sum += state.hessian(block.members[i], j) * state.value(j);
    v[i] = sum;
    norm += sum * sum;
  }
  norm = std::sqrt(norm);
  if (norm <= block.strength) {
    for (const std::int64_t i : block.members) state.set(i, 0.0);
    return;
  }
  std::vector<double>& parts = vectors.parts;
  parts.resize(block.members.size());
  for (std::int64_t i = 0; i < n; ++i) parts[i] = dot(&block.eigen.vectors[i * n], v.data(), n);
  const double start = (norm - block.strength) / e.back();
  const double r = block.strength > 0 ? norm_of_minimum(e, parts, block.strength, start) : 1.0;
  std::vector<double>& values = vectors.values;
  values.assign(block.members.size(), 0.0);
  for (std::int64_t i = 0; i < n; ++i) {
    const double part = parts[i] / (e[i] + block.strength / r);
    for (std::int64_t j = 0; j < n; ++j) values[j] += part * block.eigen.vectors[i * n + j];
  }
  for (std::int64_t j = 0; j < n; ++j) state.set(block.members[j], values[j]);
}

double norm_of(const Block& block, const ModelState& state) {
  double sum = 0;
  for (const std::int64_t i : block.members) sum += state.value(i) * state.value(i);
  return std::sqrt(sum);
}

/// The step of Newton's method over the nonzero blocks, where the penalty is smooth.
struct NewtonStep {
  std::vector<std::int64_t> members;
  std::vector<double> change;
};

bool make_step(const Tiles& tiles, const std::vector<Block>& blocks, const ModelState& state,
               NewtonStep& step) {
  struct Part {
    std::size_t begin;
    double norm;
    double strength;
    std::size_t size;
  };
  std::vector<Part> parts;
  step = {};
  for (const Block& block : blocks) {
    const double norm = norm_of(block, state);
    if (!(block.eigen.values.back() > 0) || (block.strength > 0 && norm == 0)) continue;
    parts.push_back({step.members.size(), norm, block.strength, block.members.size()});
    for (const std::int64_t i : block.members) {
      step.members.push_back(i);
      const double pull = block.strength > 0 ? block.strength / norm : 0.0;
      step.change.push_back(-(state.gradient(i) + (state.ridge(i) + pull) * state.value(i)));
    }
  }
  const std::size_t n = step.members.size();
  const auto add = [&](std::vector<double>& matrix) {
    for (const Part& part : parts) {
      if (part.strength == 0) continue;
      const double pull = part.strength / part.norm;
      for (std::size_t i = part.begin; i < part.begin + part.size; ++i) {
        const double own = state.value(step.members[i]) / part.norm;
        for (std::size_t j = part.begin; j <= i; ++j) {
          matrix[i * n + j] -= pull * own * state.value(step.members[j]) / part.norm;
        }
        matrix[i * n + i] += pull;
      }
    }
  };
  return state.solve(tiles, step.members, add, step.change);
}

/// Changes of model and penalty of the blocks. `ModelState` has no value of the model, but a change
/// adds to the model the mean of the gradients before and after, times the change.
class Descent {
 public:
  explicit Descent(ModelState& state) : m_state(state) {}

  /// Takes the step, halved until the sum of model and penalty falls. Returns false if it does not.
  bool take(const NewtonStep& step) {
    std::vector<double> from(m_state.size());
    std::vector<double> slopes(m_state.size());
    for (std::int64_t i = 0; i < m_state.size(); ++i) {
      from[i] = m_state.value(i);
      slopes[i] = m_state.gradient(i);
    }
    const double before = m_state.penalty().value(from);
    std::vector<double> to = from;
    double length = 1;
    for (int halving = 0; halving < 12; ++halving, length /= 2) {
      for (std::size_t k = 0; k < step.members.size(); ++k) {
        const std::int64_t i = step.members[k];
        to[i] = from[i] + length * step.change[k];
        m_state.set(i, to[i]);
      }
      double change = m_state.penalty().value(to) - before;
      for (const std::int64_t i : step.members) {
        change += (slopes[i] + m_state.gradient(i)) / 2 * (to[i] - from[i]);
      }
      if (change <= 1e-15 * std::fabs(before)) return halving < 4;
    }
    for (const std::int64_t i : step.members) m_state.set(i, from[i]);
    return false;
  }

 private:
  ModelState& m_state;
};

}  // namespace

ModelSolution solve_groups(const Tiles& tiles, ModelState& state, double tolerance) {
  constexpr int sweeps_at_once = 3;
  constexpr int most_rounds = 100;
  constexpr int most_steps = 10;
  const std::vector<Block> blocks = blocks_of_groups(state);
  BlockVectors vectors;
  ModelSolution result;
  double last = -1;
  for (int round = 0; round < most_rounds; ++round) {
    for (int sweep = 0; sweep < sweeps_at_once; ++sweep, ++result.sweeps) {
      for (const Block& block : blocks) minimize_block(block, state, vectors);
    }
    result.violation = state.violation();
    if (result.violation <= tolerance) break;
    for (int step = 0; step < most_steps; ++step) {
      NewtonStep newton;
      ++result.factors;
      if (!make_step(tiles, blocks, state, newton) || !Descent(state).take(newton)) break;
      const double before = result.violation;
      result.violation = state.violation();
      if (result.violation <= tolerance || result.violation > 0.5 * before) break;
    }
    state.refresh();
    result.violation = state.violation();
    if (result.violation <= tolerance) break;
    if (round > 5 && result.violation > 0.9 * last) break;  // rounding allows no more
    last = result.violation;
  }
  return result;
}

}  // namespace synelix::glm
