// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "glm/design/arguments.hpp"
#include "glm/rows/families.hpp"
#include "glm/score/model_view.hpp"
#include "glm/score/rate_walk.hpp"
#include "glm/sweep/host_items.hpp"
#include "launch/region.hpp"

#include <synelix/error.hpp>
#include <synelix/types/glm_score.hpp>

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace synelix {

namespace {

/// Means of one row and target, from its linear predictors.
void rates_of(const glm::ModelView& model, const double* predictors, double offset, double* rates) {
  if (model.classes > 1) {
    glm::softmax(predictors, model.classes, rates);
  } else {
    rates[0] = glm::mean_of(model.loss.inverse_link, predictors[0] + offset);
  }
  for (std::int64_t k = 0; k < model.classes; ++k) rates[k] = glm::canonical_value(rates[k]);
}

}  // namespace

void predict(const DesignMatrix& design, const FitResult& model, const StridedOutput& rates,
             const Operand& offset) {
  const plan::Region region("synelix::predict");
  const glm::ModelView view = glm::view_of(design, model);
  glm::check_rows_by_targets("rates", rates, design.rows(), view.targets, view.classes);
  const glm::OffsetColumns offsets(offset, design.rows(), view.targets);
  glm::check_result_apart(design.pass(), "rates", rates, plan::Arguments().reads("offset", offset));
  const glm::OutputRows output(rates, view.classes);
  glm::RateWalk walk(design.pass(), view);
  glm::OutsideRows outside(view);
  walk.each([&](const glm::WalkedRows& part) {
    const glm::WalkItems items(part.rows, view.targets);
    outside.begin(items);
    sweep::run_host_loop("synelix::predict::rates", items.count, [&](std::int64_t item) {
      const std::int64_t target = items.target(item);
      const Range block = items.block(item);
      std::vector<double> means(static_cast<std::size_t>(view.classes));
      for (std::int64_t t = block.begin; t < block.end; ++t) {
        const double* const predictors = part.of(t, target, view.classes);
        const double offset_of_row = offsets.value(t, target);
        rates_of(view, predictors, offset_of_row, means.data());
        if (view.classes == 1) outside.look(item, t, predictors[0] + offset_of_row, means[0]);
        for (std::int64_t k = 0; k < view.classes; ++k) {
          output.write(t, target, k, means[static_cast<std::size_t>(k)]);
        }
      }
    });
    outside.add(items);
  });
  for (const std::string& text : outside.warnings()) warn(text);
}

void predict_rows(const DesignMatrix& design, const FitResult& model, const TakeMeans& take,
                  std::optional<Range> rows) {
  const plan::Region region("synelix::predict");
  const glm::ModelView view = glm::view_of(design, model);
  const Range wanted = rows.value_or(Range{0, design.rows()});
  if (wanted.begin < 0 || wanted.begin > wanted.end || wanted.end > design.rows()) {
    throw Error("rows",
                std::to_string(wanted.begin) + " to " + std::to_string(wanted.end) +
                    " are not a range of the " + std::to_string(design.rows()) + " rows",
                "Give a range within the design");
  }
  glm::RateWalk walk(design.pass(), view, 2);
  glm::OutsideRows outside(view);
  std::vector<double> means;
  walk.each(wanted, [&](const glm::WalkedRows& part) {
    means.resize(static_cast<std::size_t>(part.rows.size() * view.predictors()));
    const glm::WalkItems items(part.rows, view.targets);
    outside.begin(items);
    sweep::run_host_loop("synelix::predict::rates", items.count, [&](std::int64_t item) {
      const std::int64_t target = items.target(item);
      const Range block = items.block(item);
      for (std::int64_t t = block.begin; t < block.end; ++t) {
        double* const row = means.data() + (t - part.rows.begin) * view.predictors();
        const double* const predictors = part.of(t, target, view.classes);
        double* const rates = row + target * view.classes;
        rates_of(view, predictors, 0, rates);
        if (view.classes == 1 && t >= wanted.begin) outside.look(item, t, *predictors, *rates);
      }
    });
    outside.add(items);
    const Range taken{std::max(part.rows.begin, wanted.begin), part.rows.end};
    take(taken, std::span<const double>(means).subspan(
                    static_cast<std::size_t>((taken.begin - part.rows.begin) * view.predictors())));
  });
  for (const std::string& text : outside.warnings()) warn(text);
}

}  // namespace synelix
