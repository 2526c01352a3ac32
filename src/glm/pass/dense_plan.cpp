// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "glm/pass/dense_plan.hpp"

#include "index/segment.hpp"
#include "machine/budget.hpp"
#include "tune/fit.hpp"

#include <algorithm>
#include <cmath>

namespace synelix::glm {
namespace {

/// Right-hand sides of a work item: as many as share a part of rows, fewer if teams would idle.
std::int64_t group_of(const DenseExtent& extent, const DenseCut& cut) {
  const std::int64_t most = std::max<std::int64_t>(1, tune::fit_group / extent.classes);
  const std::int64_t teams_of_block = index::ceil_divide(cut.teams, cut.blocks);
  return std::clamp<std::int64_t>(index::ceil_divide(cut.sides, teams_of_block), 1, most);
}

/// Changes to the next smaller cut, reducing first what costs least. Returns false if there is
/// none.
bool shrink(const DenseExtent& extent, DenseCut& cut) {
  if (cut.weights > 1) {
    cut.weights = index::ceil_divide(cut.weights, 2);
  } else if (cut.sides > cut.group) {
    cut.sides = std::max(cut.group, index::ceil_divide(cut.sides, 2));
  } else if (cut.blocks > cut.teams) {
    cut.blocks = cut.teams;
  } else if (cut.parts_at_once > 1) {
    cut.parts_at_once = index::ceil_divide(cut.parts_at_once, 2);
  } else if (cut.parts < extent.most_parts && extent.weights > 0) {
    cut.parts = std::min(extent.most_parts, 2 * cut.parts);
  } else if (cut.blocks > 1) {
    cut.blocks = index::ceil_divide(cut.blocks, 2);
  } else if (cut.teams > 1) {
    cut.teams = index::ceil_divide(cut.teams, 2);
  } else if (cut.sides > 1) {
    cut.sides = index::ceil_divide(cut.sides, 2);
    cut.group = cut.sides;
  } else {
    return false;
  }
  return true;
}

}  // namespace

bool takes_one_by_one(std::int64_t predictors, int lanes) {
  return predictors * tune::fit_dots_divisor < lanes || predictors == 1;
}

DenseCut cut_within(std::int64_t budget, std::int64_t held, const DenseExtent& extent,
                    const std::function<std::int64_t(const DenseCut&)>& bytes) {
  constexpr std::int64_t waves = 2;  // blocks of a team, which balances blocks of unequal cost
  DenseCut cut;
  cut.teams = extent.teams;
  cut.blocks = std::min(extent.blocks, waves * extent.teams);
  cut.sides = std::max<std::int64_t>(1, extent.sides);
  cut.group = group_of(extent, cut);
  cut.weights = std::max<std::int64_t>(1, extent.weights);
  const std::int64_t items = cut.blocks * cut.weights;
  cut.parts = std::min(extent.most_parts, index::ceil_divide(waves * cut.teams, items));
  cut.parts_at_once = cut.parts;
  while (held + bytes(cut) > budget) {
    if (!shrink(extent, cut)) refuse_budget("options.budget", budget, held + bytes(cut));
  }
  return cut;
}

std::vector<sweep::CurvaturePart> parts_of(std::int64_t columns, Range rows, bool is_triangle,
                                           std::int64_t parts, std::int64_t panel,
                                           std::int64_t lanes) {
  const std::int64_t all = index::round_up(columns, lanes);
  const std::int64_t panels = index::ceil_divide(all, panel);
  std::vector<sweep::CurvaturePart> result;
  std::int64_t begin = 0;
  for (std::int64_t k = 1; k <= parts; ++k) {
    const double share = static_cast<double>(k) / static_cast<double>(parts);
    const double reach = (is_triangle ? std::sqrt(share) : share) * static_cast<double>(panels);
    const std::int64_t end =
        k == parts ? all : std::min(all, static_cast<std::int64_t>(std::lround(reach)) * panel);
    if (end <= begin) continue;
    sweep::CurvaturePart part;
    part.columns = {begin, end};
    part.rows = is_triangle ? Range{0, std::min(columns, end)} : rows;
    part.is_triangle = is_triangle;
    result.push_back(part);
    begin = end;
  }
  return result;
}

}  // namespace synelix::glm
