// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "glm/path/cross_validation.hpp"

#include "glm/fit/fit_problem.hpp"
#include "glm/path/folded_rows.hpp"
#include "types/missing.hpp"
#include "types/number_text.hpp"

#include <synelix/error.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

namespace synelix {

const char* name_of(Choose choose) {
  switch (choose) {
    case Choose::best:
      return "best";
    case Choose::one_standard_error:
      return "one_standard_error";
  }
  return "unknown";
}

namespace glm {

namespace {

constexpr std::int64_t most_folds = 100;

/// The strengths of a penalty for each target, expanded to numbers for each coefficient or each
/// group.
class TargetStrengths {
 public:
  TargetStrengths(std::int64_t columns, const std::vector<double>& factors)
      : m_columns(columns), m_factors(factors) {}

  [[nodiscard]] Strength of_coefficients(const Strength& strength) const {
    const auto targets = static_cast<std::int64_t>(m_factors.size());
    if (strength.per == Strength::Per::all || strength.per == Strength::Per::target) {
      std::vector<double> each = m_factors;
      for (std::size_t i = 0; i < each.size(); ++i) {
        each[i] *= strength.per == Strength::Per::all ? strength.value : strength.each[i];
      }
      return {std::move(each), Strength::Per::target};
    }
    std::vector<double> each;
    for (std::int64_t j = 0; j < m_columns; ++j) {
      for (std::int64_t i = 0; i < targets; ++i) {
        const std::int64_t at = strength.per == Strength::Per::coefficient ? j : j * targets + i;
        each.push_back(strength.each[static_cast<std::size_t>(at)] *
                       m_factors[static_cast<std::size_t>(i)]);
      }
    }
    return {std::move(each), Strength::Per::coefficient_of_target};
  }

  Penalty operator()(const NoPenalty& penalty) const { return penalty; }
  Penalty operator()(const Ridge& penalty) const {
    return Ridge{of_coefficients(penalty.strength)};
  }
  Penalty operator()(const Lasso& penalty) const {
    return Lasso{of_coefficients(penalty.strength)};
  }
  Penalty operator()(const ElasticNet& penalty) const {
    return ElasticNet{of_coefficients(penalty.strength), penalty.ratio};
  }
  /// Each target gets its own groups with their own strengths. If groups span targets, all targets
  /// have one factor.
  Penalty operator()(const GroupLasso& penalty) const {
    const auto targets = static_cast<std::int64_t>(m_factors.size());
    std::int64_t groups = 0;
    for (const std::int64_t group : penalty.groups) groups = std::max(groups, group + 1);
    const auto base = [&](std::int64_t group, std::int64_t target) {
      const Strength& strength = penalty.strength;
      if (strength.per == Strength::Per::all) return strength.value;
      const std::int64_t at = strength.per == Strength::Per::group ? group : target;
      return strength.each[static_cast<std::size_t>(at)];
    };
    std::vector<double> each;
    const bool has_groups_of_targets =
        static_cast<std::int64_t>(penalty.groups.size()) != m_columns;
    const bool is_one = std::all_of(m_factors.begin(), m_factors.end(),
                                    [&](double factor) { return factor == m_factors.front(); });
    if (is_one && penalty.strength.per != Strength::Per::target) {
      for (std::int64_t g = 0; g < groups; ++g) each.push_back(base(g, 0) * m_factors.front());
      return GroupLasso{{std::move(each), Strength::Per::group}, penalty.groups};
    }
    if (has_groups_of_targets) return of_separate_groups(penalty, base);
    GroupLasso found;
    for (const std::int64_t group : penalty.groups) {
      for (std::int64_t i = 0; i < targets; ++i) {
        found.groups.push_back(group < 0 ? -1 : group * targets + i);
      }
    }
    for (std::int64_t g = 0; g < groups; ++g) {
      for (std::int64_t i = 0; i < targets; ++i) {
        each.push_back(base(g, i) * m_factors[static_cast<std::size_t>(i)]);
      }
    }
    found.strength = {std::move(each), Strength::Per::group};
    return found;
  }

 private:
  /// For groups of (columns, targets), none of which spans two targets.
  template <class Base>
  [[nodiscard]] Penalty of_separate_groups(const GroupLasso& penalty, const Base& base) const {
    const auto targets = static_cast<std::int64_t>(m_factors.size());
    std::vector<double> each;
    for (std::size_t k = 0; k < penalty.groups.size(); ++k) {
      const std::int64_t group = penalty.groups[k];
      if (group < 0) continue;
      const std::int64_t target = static_cast<std::int64_t>(k) % targets;
      if (static_cast<std::int64_t>(each.size()) <= group) {
        each.resize(static_cast<std::size_t>(group + 1), 0.0);
      }
      each[static_cast<std::size_t>(group)] =
          base(group, target) * m_factors[static_cast<std::size_t>(target)];
    }
    return GroupLasso{{std::move(each), Strength::Per::group}, penalty.groups};
  }

  std::int64_t m_columns;
  const std::vector<double>& m_factors;
};

bool is_better(ScoreKind kind, double a, double b) {
  return kind == ScoreKind::deviance ? a < b : a > b;
}

/// The row of the path that is chosen for a target. Strengths descend; of equal scores, the one
/// with the largest strength is chosen.
std::int64_t choice_of(const CrossValidationOptions& validation,
                       const CrossValidationResult& result, std::int64_t target) {
  const auto at = [&](std::int64_t r) {
    return static_cast<std::size_t>(r * result.path.targets + target);
  };
  std::int64_t best = 0;
  // A score is not finite if the model gives a test row a mean that the family cannot have.
  for (std::int64_t r = 1; r < result.path.count; ++r) {
    if (!std::isfinite(result.mean[at(r)])) continue;
    if (!std::isfinite(result.mean[at(best)]) ||
        is_better(validation.score, result.mean[at(r)], result.mean[at(best)])) {
      best = r;
    }
  }
  const double error = result.standard_error[at(best)];
  if (validation.choose == Choose::best || !std::isfinite(error)) return best;
  const double limit =
      result.mean[at(best)] + (validation.score == ScoreKind::deviance ? error : -error);
  for (std::int64_t r = 0; r < best; ++r) {
    if (std::isfinite(result.mean[at(r)]) &&
        !is_better(validation.score, limit, result.mean[at(r)])) {
      return r;
    }
  }
  return best;
}

}  // namespace

std::vector<std::uint8_t> folds_of_rows(std::int64_t rows,
                                        const CrossValidationOptions& validation) {
  if (validation.gap < 0) {
    throw Error("gap", std::to_string(validation.gap) + " is below 0", "Use 0 or more rows");
  }
  const std::vector<std::uint8_t>& given = validation.fold_of_row;
  if (given.empty()) {
    if (validation.folds < 2 || validation.folds > std::min(most_folds, rows)) {
      throw Error("folds", std::to_string(validation.folds) + " is out of range",
                  "Use 2 to " + std::to_string(std::min(most_folds, rows)));
    }
    return blocks_of_rows(rows, validation.folds);
  }
  if (static_cast<std::int64_t>(given.size()) != rows) {
    throw Error("fold_of_row",
                std::to_string(given.size()) + " numbers do not match the " + std::to_string(rows) +
                    " rows of the design",
                "Give the fold of each row");
  }
  std::vector<bool> is_there(most_folds, false);
  std::int64_t count = 0;
  for (std::size_t t = 0; t < given.size(); ++t) {
    if (given[t] == no_fold) continue;
    if (given[t] >= most_folds) {
      throw Error("fold_of_row",
                  "the " + std::to_string(given[t]) + " of row " + std::to_string(t) +
                      " is neither below 100 nor 255",
                  "Number folds 0, 1, ..., and give 255 for rows in no test set");
    }
    is_there[given[t]] = true;
    count = std::max<std::int64_t>(count, given[t] + 1);
  }
  const auto missing = std::find(is_there.begin(), is_there.end(), false) - is_there.begin();
  if (count < 2 || missing < count) {
    throw Error("fold_of_row",
                count < 2 ? std::string("there are fewer than 2 folds")
                          : "no row is in fold " + std::to_string(missing),
                "Number folds 0, 1, ... without gaps");
  }
  return given;
}

void choose_strengths(const CrossValidationOptions& validation,
                      const std::vector<std::uint8_t>& counts, CrossValidationResult& result) {
  const auto targets = static_cast<std::size_t>(result.path.targets);
  const std::size_t each = static_cast<std::size_t>(result.path.count) * targets;
  result.mean.assign(each, missing);
  result.standard_error.assign(each, missing);
  std::vector<double> scores;
  for (std::size_t i = 0; i < each; ++i) {
    scores.clear();
    for (std::size_t fold = 0; fold < static_cast<std::size_t>(result.folds); ++fold) {
      if (counts[fold * targets + i % targets]) scores.push_back(result.scores[fold * each + i]);
    }
    if (scores.empty()) continue;
    const auto folds = static_cast<double>(scores.size());
    double mean = 0;
    double squares = 0;
    for (const double score : scores) mean += score / folds;
    for (const double score : scores) squares += (score - mean) * (score - mean);
    result.mean[i] = mean;
    if (folds > 1) result.standard_error[i] = std::sqrt(squares / (folds - 1) / folds);
  }
  for (std::int64_t target = 0; target < result.path.targets; ++target) {
    result.chosen.push_back(choice_of(validation, result, target));
  }
}

std::vector<std::string> warnings_of_ends(const CrossValidationOptions& validation,
                                          const std::vector<bool>& has_choice,
                                          const CrossValidationResult& result) {
  std::vector<std::string> without_effect;
  std::vector<std::string> firsts;
  std::vector<std::string> lasts;
  const std::size_t targets = result.chosen.size();
  for (std::size_t i = 0; i < targets; ++i) {
    const std::int64_t row = result.chosen[i];
    const std::size_t at = static_cast<std::size_t>(row) * targets + i;
    const bool is_end = row == 0 || row == result.path.count - 1;
    if (!is_end || result.path.count < 2 || !has_choice[i] || !std::isfinite(result.mean[at])) {
      continue;
    }
    std::vector<std::string>& names =
        row > 0 ? lasts : (result.path.nonzero[at] == 0 ? without_effect : firsts);
    names.push_back(std::to_string(i) + " (" + number_text(result.path.strengths[at]) + ")");
  }
  std::vector<std::string> warnings;
  const auto add = [&](const std::string& text, const std::vector<std::string>& names) {
    if (names.empty()) return;
    warnings.push_back(text + ": targets (strength) " + listed(names));
  };
  const bool takes_best = validation.choose == Choose::best;
  add(std::string("the strength that was chosen is the first of the path, where all coefficients "
                  "are 0. ") +
          (takes_best ? "The folds see no effect of the features"
                      : "No other is better by a standard error; the choice `best` (in the "
                        "program --choose min) takes the best"),
      without_effect);
  add("the strength that was chosen is the first of the path, and a larger one may be better. Give "
      "larger strengths",
      firsts);
  add("the strength that was chosen is the last of the path, and a smaller one may be better. Give "
      "a smaller ratio (in the program --path-ratio), or smaller strengths",
      lasts);
  return warnings;
}

Penalty chosen_penalty(const Penalty& penalty, std::int64_t columns,
                       const std::vector<double>& strengths) {
  return std::visit(TargetStrengths(columns, strengths), penalty);
}

}  // namespace glm

}  // namespace synelix
