// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "glm/design/arguments.hpp"
#include "glm/rows/check_targets.hpp"
#include "glm/rows/observed_arrays.hpp"
#include "glm/score/model_view.hpp"
#include "glm/score/rate_walk.hpp"
#include "glm/score/score_sums.hpp"
#include "glm/score/time_rescaling.hpp"
#include "glm/sweep/host_items.hpp"
#include "launch/region.hpp"

#include <synelix/error.hpp>
#include <synelix/types/glm_score.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace synelix {

namespace {

/// Sums of all targets over the rows of a walk, and the other results that are computed from the
/// rows.
class ScoreWalk {
 public:
  ScoreWalk(const glm::ModelView& model, const glm::ScoredRows& rows, const ScoreOptions& options)
      : m_model(model),
        m_rows(rows),
        m_residuals(options.deviance_residuals, 1),
        m_null_means(glm::null_means(rows, model)),
        m_outside(model),
        m_sums(static_cast<std::size_t>(model.targets)) {
    if (!options.time_rescaling) return;
    for (std::int64_t i = 0; i < model.targets; ++i) {
      m_intervals.emplace_back(glm::family_row(model.loss.family).events, options.seed, i);
    }
  }

  void add(const glm::WalkedRows& part) {
    const glm::WalkItems items(part.rows, m_model.targets);
    m_of_items.assign(static_cast<std::size_t>(items.count), {});
    m_outside.begin(items);
    m_rows.observed.begin(part.rows);
    sweep::run_host_loop("synelix::score::sums", items.count, [&](std::int64_t item) {
      const std::int64_t target = items.target(item);
      const Range block = items.block(item);
      glm::ScoredRows::Block known;
      m_rows.read(target, block, known);
      m_of_items[static_cast<std::size_t>(item)] = glm::sums_of_block(
          m_model, part, target, block, known, m_null_means.data() + target * m_model.classes,
          m_residuals, item, m_outside);
    });
    m_outside.add(items);
    for (std::int64_t item = 0; item < items.count; ++item) {
      m_sums[static_cast<std::size_t>(items.target(item))].add(
          m_of_items[static_cast<std::size_t>(item)]);
    }
    const auto targets = static_cast<std::int64_t>(m_intervals.size());
    sweep::run_host_loop("synelix::score::intervals", targets, [&](std::int64_t target) {
      glm::add_rows(m_model, m_rows, part, target, m_intervals[static_cast<std::size_t>(target)]);
    });
  }

  [[nodiscard]] ScoreResult result() const {
    ScoreResult result;
    glm::ScoreSums all;
    for (const glm::ScoreSums& sums : m_sums) {
      result.targets.push_back(sums.means());
      all.add(sums);
    }
    result.all = all.means();
    for (const auto& intervals : m_intervals) result.time_rescaling.push_back(intervals.result());
    result.warnings = m_outside.warnings();
    return result;
  }

 private:
  const glm::ModelView& m_model;
  const glm::ScoredRows& m_rows;
  glm::OutputRows m_residuals;
  std::vector<double> m_null_means;
  glm::OutsideRows m_outside;
  std::vector<glm::ScoreSums> m_sums;
  std::vector<glm::ScoreSums> m_of_items;
  std::vector<glm::RescaledIntervals> m_intervals;
};

void check_score_options(const glm::ModelView& model, std::int64_t rows,
                         const ScoreOptions& options) {
  if (options.deviance_residuals.rank > 0) {
    glm::check_rows_by_targets("deviance_residuals", options.deviance_residuals, rows,
                               model.targets);
  }
  const glm::FamilyRow& family = glm::family_row(model.loss.family);
  if (!options.time_rescaling || family.events != glm::EventKind::none) return;
  throw Error("time_rescaling", "targets of " + std::string(family.name) + " are not events",
              "Ask for it with poisson and bernoulli");
}

}  // namespace

const char* name_of(ScoreKind kind) {
  switch (kind) {
    case ScoreKind::log_likelihood:
      return "log_likelihood";
    case ScoreKind::pseudo_r2_mcfadden:
      return "pseudo_r2_mcfadden";
    case ScoreKind::pseudo_r2_cohen:
      return "pseudo_r2_cohen";
    case ScoreKind::deviance:
      return "deviance";
  }
  return "unknown";
}

double value_of(const Score& score, ScoreKind kind) {
  switch (kind) {
    case ScoreKind::log_likelihood:
      return score.log_likelihood;
    case ScoreKind::pseudo_r2_mcfadden:
      return score.pseudo_r2_mcfadden;
    case ScoreKind::pseudo_r2_cohen:
      return score.pseudo_r2_cohen;
    case ScoreKind::deviance:
      return score.deviance;
  }
  return 0;
}

ScoreResult score(const DesignMatrix& design, const Observations& observations,
                  const FitResult& model, const ScoreOptions& options) {
  const plan::Region region("synelix::score");
  const glm::ModelView view = glm::view_of(design, model);
  check_score_options(view, design.rows(), options);
  const glm::ObservedArrays observed(observations, design.rows());
  if (observed.targets() != view.targets) {
    throw Error("targets",
                "their " + std::to_string(observed.targets()) + " columns do not match the " +
                    std::to_string(view.targets) + " targets of the model",
                "Give the targets that the model was fitted to");
  }
  glm::check_result_apart(design.pass(), "deviance_residuals", options.deviance_residuals,
                          plan::Arguments()
                              .reads("targets", observations.targets.samples())
                              .reads("offset", observations.offset)
                              .reads("row_weights", observations.row_weights));
  const glm::ScoredRows rows{observed, design.pass().valid()};
  std::vector<glm::RowsOf> sides(static_cast<std::size_t>(view.targets));
  for (std::size_t i = 0; i < sides.size(); ++i) sides[i].target = static_cast<std::int64_t>(i);
  glm::check_targets(view.loss, observed, rows.valid, sides);
  ScoreWalk sums(view, rows, options);
  glm::RateWalk walk(design.pass(), view);
  walk.each([&](const glm::WalkedRows& part) { sums.add(part); });
  ScoreResult result = sums.result();
  for (const std::string& text : result.warnings) warn(text);
  return result;
}

}  // namespace synelix
