// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "glm/fit/predictor_walk.hpp"
#include "glm/rows/families.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace synelix::glm {
namespace {

/// A predictor below this fraction of the predictor of the mean is at the border.
constexpr double share_of_border = 1e-3;
constexpr std::size_t most_rows_named = 8;
constexpr std::size_t most_sides_named = 8;

struct BorderRows {
  std::int64_t count = 0;
  std::vector<std::string> first = {};
};

std::string sentence_of(const FitProblem& problem, const Side& side, const BorderRows& rows) {
  const Loss& loss = problem.loss.loss;
  std::string text = "target " + std::to_string(side.rows.target) + " ends at the border of " +
                     name_of(loss.family) + " with the inverse link " + name_of(loss.inverse_link) +
                     ", which needs predictors above 0: in " + std::to_string(rows.count) +
                     (rows.count == 1 ? " row" : " rows") + " they are almost 0 or below, rows " +
                     listed(rows.first);
  const auto named = static_cast<std::int64_t>(rows.first.size());
  if (rows.count > named) text += " and " + std::to_string(rows.count - named) + " more";
  return text + "; use the inverse link exp, or leave these rows out";
}

}  // namespace

std::vector<std::string> border_warnings(
    const FitProblem& problem, const std::vector<std::size_t>& sides,
    const std::vector<const std::vector<double>*>& parameters) {
  if (sides.empty()) return {};
  std::vector<double> limits;
  for (const std::size_t i : sides) {
    const Side& side = problem.sides[i];
    limits.push_back(share_of_border * (null_point(problem, side).back() + side.facts.offset));
  }
  std::vector<BorderRows> found(sides.size());
  walk_predictors(problem, sides, parameters, [&](const PredictedRows& rows) {
    BorderRows& own = found[rows.side];
    for (std::int64_t i = 0; i < rows.count; ++i) {
      // NaN, from a predictor that overflowed, counts as outside, too.
      if (rows.weights[i] == 0 || rows.predictors[i] >= limits[rows.side]) continue;
      if (own.count++ < static_cast<std::int64_t>(most_rows_named)) {
        own.first.push_back(std::to_string(rows.first + i));
      }
    }
  });
  std::vector<std::string> sentences;
  std::int64_t left = 0;
  for (std::size_t k = 0; k < sides.size(); ++k) {
    if (found[k].count == 0) continue;
    if (sentences.size() < most_sides_named) {
      sentences.push_back(sentence_of(problem, problem.sides[sides[k]], found[k]));
    } else {
      ++left;
    }
  }
  if (left > 0) sentences.push_back(std::to_string(left) + " more targets end at that border");
  return sentences;
}

}  // namespace synelix::glm
