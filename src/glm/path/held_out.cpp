// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "glm/path/cross_validation.hpp"

#include "glm/rows/families.hpp"

#include <synelix/error.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

namespace synelix::glm {

namespace {

/// Calls visit(target, weight) for the rows that count, in order.
template <class Visit>
void each_row(const ScoredRows& rows, std::int64_t target, const Visit& visit) {
  ScoredRows::Block known;
  const std::int64_t count = rows.observed.rows();
  for (std::int64_t begin = 0; begin < count; begin += rows_of_item) {
    const Range block{begin, std::min(begin + rows_of_item, count)};
    rows.observed.begin(block);
    rows.read(target, block, known);
    for (std::int64_t i = 0; i < block.size(); ++i) {
      if (known.weights[i] != 0) visit(known.targets[i], known.weights[i]);
    }
  }
}

HeldOut read_classes(const ScoredRows& rows, std::int64_t target, const Loss& loss) {
  HeldOut found;
  std::vector<double> weights(static_cast<std::size_t>(loss.classes), 0.0);
  each_row(rows, target, [&](double y, double w) {
    weights[static_cast<std::size_t>(y)] += w;
    found.weight += w;
  });
  found.is_constant = std::count(weights.begin(), weights.end(), 0.0) + 1 == loss.classes;
  for (const double weight : weights) {
    if (weight > 0) found.null_loss -= weight * std::log(weight / found.weight);
  }
  return found;
}

}  // namespace

HeldOut read_held_out(const ScoredRows& rows, std::int64_t target, const Loss& loss) {
  const FamilyRow& family = family_row(loss.family);
  if (family.has_classes()) return read_classes(rows, target, loss);
  HeldOut found;
  double sum = 0;
  double smallest = std::numeric_limits<double>::infinity();
  double largest = -smallest;
  each_row(rows, target, [&](double y, double w) {
    found.weight += w;
    sum += w * y;
    smallest = std::min(smallest, y);
    largest = std::max(largest, y);
  });
  found.is_constant = smallest == largest;
  const double mean = sum / found.weight;
  found.of_deviance = family.deviance_of_loss;
  each_row(rows, target, [&](double y, double w) {
    found.saturated_loss += w * loss_at_mean(loss, y, y);
    found.null_loss += w * loss_at_mean(loss, y, mean);
    if (!family.has_scale()) found.constants += w * log_likelihood(loss, y, 0.0, 1.0);
  });
  return found;
}

bool HeldOut::has(ScoreKind kind) const {
  if (kind == ScoreKind::pseudo_r2_mcfadden) return constants != null_loss;
  return kind != ScoreKind::pseudo_r2_cohen || !is_constant;
}

double HeldOut::score(ScoreKind kind, double loss) const {
  switch (kind) {
    case ScoreKind::log_likelihood:
      return (constants - loss) / weight;
    case ScoreKind::pseudo_r2_mcfadden:
      return 1 - (constants - loss) / (constants - null_loss);
    case ScoreKind::pseudo_r2_cohen:
      return (null_loss - loss) / (null_loss - saturated_loss);
    case ScoreKind::deviance:
      return of_deviance * (loss - saturated_loss) / weight;
  }
  return 0;
}

void check_score(const Loss& loss, ScoreKind kind) {
  if (!family_row(loss.family).has_scale() || kind == ScoreKind::deviance ||
      kind == ScoreKind::pseudo_r2_cohen)
    return;
  throw Error("score",
              std::string(name_of(kind)) + " of " + name_of(loss.family) +
                  " depends on phi, which folds do not estimate",
              "Use deviance or pseudo_r2_cohen");
}

}  // namespace synelix::glm
