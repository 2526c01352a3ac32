// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "glm/penalty/bound_penalty.hpp"

#include "types/number_text.hpp"

#include <synelix/error.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>

namespace synelix::glm {

bool BoundPenalty::is_smooth() const {
  const auto counts = [](double strength) { return strength > 0; };
  if (std::any_of(l1.begin(), l1.end(), counts)) return false;
  return std::none_of(groups.begin(), groups.end(), [&](std::int64_t group) {
    return group >= 0 && counts(group_strengths[group]);
  });
}

double BoundPenalty::value(std::span<const double> coefficients) const {
  double smooth = 0;
  for (std::size_t j = 0; j < ridge.size(); ++j) {
    smooth += ridge[j] / 2 * coefficients[j] * coefficients[j];
  }
  double sparse = 0;
  for (std::size_t j = 0; j < l1.size(); ++j) sparse += l1[j] * std::fabs(coefficients[j]);
  std::vector<double> squares(group_strengths.size(), 0.0);
  for (std::size_t j = 0; j < groups.size(); ++j) {
    if (groups[j] >= 0) squares[groups[j]] += coefficients[j] * coefficients[j];
  }
  for (std::size_t g = 0; g < squares.size(); ++g) {
    sparse += group_strengths[g] * std::sqrt(squares[g]);
  }
  return smooth + sparse;
}

double BoundPenalty::violation(std::span<const double> coefficients,
                               std::span<const double> gradient) const {
  double worst = 0;
  const auto take = [&](double violation) {
    if (std::isnan(violation) || violation > worst) worst = violation;  // NaN stays visible
  };
  const auto slope = [&](std::size_t j) {
    return ridge.empty() ? gradient[j] : gradient[j] + ridge[j] * coefficients[j];
  };
  const auto counts = [&](std::size_t j) { return is_free.empty() || is_free[j] != 0; };
  std::vector<double> squares(group_strengths.size(), 0.0);
  for (std::size_t j = 0; j < coefficients.size(); ++j) {
    if (!counts(j)) continue;
    if (!groups.empty() && groups[j] >= 0) {
      squares[groups[j]] += coefficients[j] * coefficients[j];
      continue;
    }
    const double pull = l1.empty() ? 0.0 : l1[j];
    take(coefficients[j] != 0 ? std::fabs(slope(j) + std::copysign(pull, coefficients[j]))
                              : std::max(std::fabs(slope(j)) - pull, 0.0));
  }
  if (groups.empty()) return worst;
  std::vector<double> distances(group_strengths.size(), 0.0);
  for (std::size_t j = 0; j < coefficients.size(); ++j) {
    if (!counts(j) || groups[j] < 0) continue;
    const double norm = std::sqrt(squares[groups[j]]);
    const double pull = norm > 0 ? group_strengths[groups[j]] * coefficients[j] / norm : 0.0;
    const double value = slope(j) + pull;
    distances[groups[j]] += value * value;
  }
  for (std::size_t g = 0; g < distances.size(); ++g) {
    const double distance = std::sqrt(distances[g]);
    take(squares[g] > 0 ? distance : std::max(distance - group_strengths[g], 0.0));
  }
  return worst;
}

namespace {

void check_strength(double value) {
  if (std::isfinite(value) && value >= 0) return;
  throw Error("penalty.strength", number_text(value) + " is not a number from 0 on",
              "Give 0 or more");
}

/// What `each` has one number for, and how many.
struct Extent {
  const char* name;
  std::int64_t size;
};

Extent extent_of(Strength::Per per, const PenaltyShape& shape, std::int64_t groups) {
  switch (per) {
    case Strength::Per::all:
      return {"penalty", 0};
    case Strength::Per::coefficient:
      return {"column", shape.columns};
    case Strength::Per::target:
      return {"target", shape.targets};
    case Strength::Per::coefficient_of_target:
      return {"column and target", shape.columns * shape.targets};
    case Strength::Per::group:
      return {"group", groups};
  }
  throw Error("penalty.strength", "the value of Strength::Per is unknown",
              "Use one of its declared values");
}

/// \param groups  number of groups, -1 if the penalty has none
void check(const Strength& strength, const PenaltyShape& shape, std::int64_t groups) {
  const Extent extent = extent_of(strength.per, shape, groups);
  if (strength.per == Strength::Per::group && groups < 0) {
    throw Error("penalty.strength", "a strength for each group needs a penalty with groups",
                "Use GroupLasso, or another Strength::Per");
  }
  if (groups >= 0 && (strength.per == Strength::Per::coefficient ||
                      strength.per == Strength::Per::coefficient_of_target)) {
    throw Error("penalty.strength", "a group has one strength, not one for each coefficient",
                "Use Strength::Per::group, target or all");
  }
  if (strength.per == Strength::Per::all) {
    if (!strength.each.empty()) {
      throw Error(
          "penalty.strength",
          std::to_string(strength.each.size()) + " numbers are given for Strength::Per::all",
          "Say what each of them is for, or give one number");
    }
    return check_strength(strength.value);
  }
  if (static_cast<std::int64_t>(strength.each.size()) != extent.size) {
    throw Error("penalty.strength",
                std::to_string(strength.each.size()) + " numbers do not match the " +
                    std::to_string(extent.size) + " of one for each " + extent.name,
                "Give " + std::to_string(extent.size));
  }
  for (const double value : strength.each) check_strength(value);
}

/// The strength of a coefficient; `group` is only used if the coefficient is in one.
double strength_at(const Strength& strength, const PenaltyShape& shape, std::int64_t column,
                   std::int64_t target, std::int64_t group) {
  switch (strength.per) {
    case Strength::Per::all:
      return strength.value;
    case Strength::Per::coefficient:
      return strength.each[column];
    case Strength::Per::target:
      return strength.each[target];
    case Strength::Per::coefficient_of_target:
      return strength.each[column * shape.targets + target];
    case Strength::Per::group:
      return strength.each[group];
  }
  return 0;
}

void check_penalty_mask(const PenaltyShape& shape) {
  if (shape.mask.empty()) return;
  const auto size = static_cast<std::int64_t>(shape.mask.size());
  if (size != shape.columns * shape.targets) {
    throw Error("feature_mask",
                std::to_string(size) + " values do not match " + std::to_string(shape.columns) +
                    " columns by " + std::to_string(shape.targets) + " targets",
                "Give " + std::to_string(shape.columns * shape.targets));
  }
  for (const std::uint8_t value : shape.mask) {
    if (value > 1) {
      throw Error("feature_mask", std::to_string(value) + " is neither 0 nor 1",
                  "Give 1 for columns that a target uses, else 0");
    }
  }
}

/// Checks the groups. Returns how many there are.
std::int64_t groups_in(const GroupLasso& penalty, const PenaltyShape& shape) {
  const auto size = static_cast<std::int64_t>(penalty.groups.size());
  if (size != shape.columns && size != shape.columns * shape.targets) {
    throw Error("penalty.groups",
                std::to_string(size) + " values match neither " + std::to_string(shape.columns) +
                    " columns nor columns by " + std::to_string(shape.targets) + " targets",
                "Give a group for each column, such as groups_of_channels gives");
  }
  std::int64_t groups = 0;
  for (const std::int64_t group : penalty.groups) {
    if (group < -1 || group >= size) {
      throw Error("penalty.groups",
                  std::to_string(group) + " is not the number of a group of " +
                      std::to_string(size) + " coefficients",
                  "Number groups 0, 1, ..., and give -1 for none");
    }
    groups = std::max(groups, group + 1);
  }
  std::vector<std::uint8_t> is_there(groups, 0);
  for (const std::int64_t group : penalty.groups) {
    if (group >= 0) is_there[group] = 1;
  }
  const auto missing = std::find(is_there.begin(), is_there.end(), 0);
  if (missing != is_there.end()) {
    throw Error("penalty.groups",
                "group " + std::to_string(missing - is_there.begin()) + " of " +
                    std::to_string(groups) + " has no coefficient",
                "Number groups 0, 1, ... without gaps");
  }
  return groups;
}

bool has_groups_of_targets(const GroupLasso& penalty, const PenaltyShape& shape) {
  return static_cast<std::int64_t>(penalty.groups.size()) != shape.columns;
}

/// Fills the parts of a penalty for targets [first, end).
class Binder {
 public:
  Binder(const PenaltyShape& shape, std::int64_t first, std::int64_t end)
      : m_shape(shape), m_first(first), m_end(end) {}

  BoundPenalty operator()(const NoPenalty&) const { return {}; }
  BoundPenalty operator()(const Ridge& penalty) const {
    return of_coefficients(penalty.strength, 1, 0);
  }
  BoundPenalty operator()(const Lasso& penalty) const {
    return of_coefficients(penalty.strength, 0, 1);
  }
  BoundPenalty operator()(const ElasticNet& penalty) const {
    if (!(penalty.ratio > 0 && penalty.ratio <= 1)) {
      throw Error("penalty.ratio", number_text(penalty.ratio) + " is not above 0 and at most 1",
                  "Use Ridge for 0");
    }
    return of_coefficients(penalty.strength, 1 - penalty.ratio, penalty.ratio);
  }
  BoundPenalty operator()(const GroupLasso& penalty) const;

 private:
  [[nodiscard]] BoundPenalty of_coefficients(const Strength& strength, double ridge,
                                             double l1) const;

  const PenaltyShape& m_shape;
  std::int64_t m_first;
  std::int64_t m_end;
};

BoundPenalty Binder::of_coefficients(const Strength& strength, double ridge, double l1) const {
  check(strength, m_shape, -1);
  BoundPenalty bound;
  bool is_zero = true;
  for (std::int64_t target = m_first; target < m_end; ++target) {
    for (std::int64_t column = 0; column < m_shape.columns; ++column) {
      const double value = strength_at(strength, m_shape, column, target, -1);
      is_zero = is_zero && value == 0;
      for (std::int64_t c = 0; c < m_shape.classes; ++c) {
        if (ridge > 0) bound.ridge.push_back(ridge * value);
        if (l1 > 0) bound.l1.push_back(l1 * value);
      }
    }
  }
  return is_zero ? BoundPenalty{} : bound;
}

BoundPenalty Binder::operator()(const GroupLasso& penalty) const {
  const std::int64_t groups = groups_in(penalty, m_shape);
  check(penalty.strength, m_shape, groups);
  const bool of_targets = has_groups_of_targets(penalty, m_shape);
  if (penalty.strength.per == Strength::Per::target && reaches_across_targets(penalty, m_shape)) {
    throw Error("penalty.strength", "a group of several targets cannot have a strength of each",
                "Use Strength::Per::group or all");
  }
  BoundPenalty bound;
  // Groups are renumbered, separately for each target, and only those of these targets.
  std::vector<std::int64_t> number(groups, -1);
  std::vector<double> sizes;
  for (std::int64_t target = m_first; target < m_end; ++target) {
    if (!of_targets) std::fill(number.begin(), number.end(), -1);
    for (std::int64_t column = 0; column < m_shape.columns; ++column) {
      const std::int64_t group =
          penalty.groups[of_targets ? column * m_shape.targets + target : column];
      if (group >= 0 && number[group] < 0) {
        number[group] = static_cast<std::int64_t>(sizes.size());
        sizes.push_back(0);
        bound.group_strengths.push_back(
            strength_at(penalty.strength, m_shape, column, target, group));
      }
      const std::int64_t own = group < 0 ? -1 : number[group];
      if (own >= 0) sizes[own] += static_cast<double>(m_shape.classes);
      bound.groups.insert(bound.groups.end(), m_shape.classes, own);
    }
  }
  const auto is_zero = [](double value) { return value == 0; };
  if (std::all_of(bound.group_strengths.begin(), bound.group_strengths.end(), is_zero)) return {};
  for (std::size_t g = 0; g < sizes.size(); ++g) bound.group_strengths[g] *= std::sqrt(sizes[g]);
  return bound;
}

}  // namespace

bool reaches_across_targets(const Penalty& penalty, const PenaltyShape& shape) {
  const auto* const lasso = std::get_if<GroupLasso>(&penalty);
  if (lasso == nullptr || shape.targets == 1 || !has_groups_of_targets(*lasso, shape)) return false;
  std::vector<std::int64_t> target_of(groups_in(*lasso, shape), -1);
  for (std::size_t i = 0; i < lasso->groups.size(); ++i) {
    const std::int64_t group = lasso->groups[i];
    const std::int64_t target = static_cast<std::int64_t>(i) % shape.targets;
    if (group < 0) continue;
    if (target_of[group] >= 0 && target_of[group] != target) return true;
    target_of[group] = target;
  }
  return false;
}

BoundPenalty bind(const Penalty& penalty, const PenaltyShape& shape, std::int64_t target) {
  check_penalty_mask(shape);
  const bool is_all = target == all_targets;
  if (!is_all && reaches_across_targets(penalty, shape)) {
    throw Error("penalty.groups", "a group holds coefficients of several targets",
                "Fit all targets together");
  }
  const std::int64_t first = is_all ? 0 : target;
  const std::int64_t end = is_all ? shape.targets : target + 1;
  BoundPenalty bound = std::visit(Binder(shape, first, end), penalty);
  if (shape.mask.empty()) return bound;
  for (std::int64_t t = first; t < end; ++t) {
    for (std::int64_t column = 0; column < shape.columns; ++column) {
      bound.is_free.insert(bound.is_free.end(), shape.classes,
                           shape.mask[column * shape.targets + t]);
    }
  }
  return bound;
}

}  // namespace synelix::glm

namespace synelix {

std::vector<std::int64_t> groups_of_channels(const std::vector<Term>& terms) {
  std::int64_t columns = 0;
  for (const Term& term : terms) columns = std::max(columns, term.columns.end);
  std::vector<std::int64_t> groups(columns, -1);
  std::int64_t group = 0;
  for (const Term& term : terms) {
    for (std::int64_t channel = 0; channel < term.channels; ++channel, ++group) {
      for (std::int64_t basis = 0; basis < term.bases; ++basis) {
        groups[term.columns.begin + channel * term.bases + basis] = group;
      }
    }
  }
  return groups;
}

}  // namespace synelix
