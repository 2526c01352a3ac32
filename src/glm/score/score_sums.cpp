// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "glm/score/score_sums.hpp"

#include "glm/rows/families.hpp"
#include "glm/sweep/host_items.hpp"
#include "types/missing.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace synelix::glm {

namespace {

/// Rows that are read after each call of `Observed::begin`.
constexpr std::int64_t rows_of_part = 512 * rows_of_item;

/// ln of a probability, which is clamped to at least the machine epsilon, as in all losses.
double log_probability(double probability) {
  return std::log(std::max(probability, std::numeric_limits<double>::epsilon()));
}

/// The ratio to a number of the null model. If that is 0, as for a target without an event, there
/// is nothing to explain, and the ratio is NaN.
double over_null(double value, double null) {
  return null == 0 ? std::numeric_limits<double>::quiet_NaN() : value / null;
}

}  // namespace

Score ScoreSums::means() const {
  Score score;
  score.weight = weight;
  score.log_likelihood = log_likelihood / weight;
  score.null_log_likelihood = null_log_likelihood / weight;
  score.deviance = deviance / weight;
  score.null_deviance = null_deviance / weight;
  score.pseudo_r2_mcfadden = 1 - over_null(log_likelihood, null_log_likelihood);
  score.pseudo_r2_cohen = over_null(null_deviance - deviance, null_deviance);
  return score;
}

void ScoredRows::read(std::int64_t target, Range rows, Block& block) const {
  observed.read_targets(target, rows, block.targets);
  observed.read_weights({target, folds, fold}, rows, block.weights);
  if (observed.has_offset()) {
    observed.read_offsets(target, rows, block.offsets);
  } else {
    std::fill_n(block.offsets, rows.size(), 0.0);
  }
  for (std::int64_t t = rows.begin; t < rows.end; ++t) {
    const std::uint64_t word = valid[static_cast<std::size_t>(t / 64)];
    if ((word >> (t % 64) & 1U) == 0) block.weights[t - rows.begin] = 0;
  }
}

std::vector<double> null_means(const ScoredRows& rows, const ModelView& model) {
  const std::int64_t classes = model.classes;
  std::vector<double> sums(static_cast<std::size_t>(model.predictors()), 0.0);
  std::vector<double> weights(static_cast<std::size_t>(model.targets), 0.0);
  std::vector<double> of_items;
  const std::int64_t each = classes + 1;  // the sum of the weights is the last
  for (std::int64_t begin = 0; begin < rows.observed.rows(); begin += rows_of_part) {
    const Range part{begin, std::min(begin + rows_of_part, rows.observed.rows())};
    const WalkItems items(part, model.targets);
    of_items.assign(static_cast<std::size_t>(items.count * each), 0.0);
    rows.observed.begin(part);
    sweep::run_host_loop("synelix::score::null", items.count, [&](std::int64_t item) {
      const Range block = items.block(item);
      ScoredRows::Block known;
      rows.read(items.target(item), block, known);
      double* const sum = of_items.data() + item * each;
      for (std::int64_t i = 0; i < block.size(); ++i) {
        const double w = known.weights[i];
        if (w == 0) continue;
        const double y = known.targets[i];
        sum[classes] += w;
        if (classes > 1) {
          sum[static_cast<std::int64_t>(y)] += w;
        } else {
          sum[0] += w * y;
        }
      }
    });
    for (std::int64_t item = 0; item < items.count; ++item) {
      const double* const sum = of_items.data() + item * each;
      const std::int64_t target = items.target(item);
      weights[static_cast<std::size_t>(target)] += sum[classes];
      for (std::int64_t k = 0; k < classes; ++k) {
        sums[static_cast<std::size_t>(target * classes + k)] += sum[k];
      }
    }
  }
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const double weight = weights[i / static_cast<std::size_t>(classes)];
    sums[i] = weight > 0 ? sums[i] / weight : missing;
  }
  return sums;
}

namespace {

/// The sum of w l over a block of rows of a target without classes.
double loss_of_block(const ModelView& model, const WalkedRows& part, std::int64_t target,
                     Range block, const ScoredRows::Block& known) {
  double predictors[rows_of_item];
  for (std::int64_t t = block.begin; t < block.end; ++t) {
    const std::int64_t i = t - block.begin;
    predictors[i] = part.of(t, target, 1)[0] + known.offsets[i];
  }
  return model.of_row.of_rows({predictors, known.targets, known.weights, block.size(),
                               model.loss_of(target).dispersion, predictors, nullptr});
}

}  // namespace

ScoreSums sums_of_block(const ModelView& model, const WalkedRows& part, std::int64_t target,
                        Range block, const ScoredRows::Block& known, const double* null_means,
                        const OutputRows& residuals, std::int64_t item, OutsideRows& outside) {
  const Loss loss = model.loss_of(target);
  const double scale = model.scale[static_cast<std::size_t>(target)];
  // ln p of a row is a constant minus this times its loss.
  const FamilyRow& family = family_row(loss.family);
  const double per_loss = family.has_scale() ? family.deviance_of_loss / (2 * scale) : 1;
  ScoreSums sums;
  if (model.classes == 1) {
    sums.log_likelihood = -per_loss * loss_of_block(model, part, target, block, known);
  }
  for (std::int64_t t = block.begin; t < block.end; ++t) {
    const std::int64_t i = t - block.begin;
    const double w = known.weights[i];
    if (w == 0) {
      if (residuals.is_given()) residuals.write(t, target, 0, missing);
      continue;
    }
    const double y = known.targets[i];
    const double* const predictors = part.of(t, target, model.classes);
    ScoreSums row;
    double sign = 1;
    if (model.classes > 1) {
      const auto found = static_cast<std::int64_t>(y);
      const std::span<const double> of_classes(predictors, static_cast<std::size_t>(loss.classes));
      row.log_likelihood = -categorical_loss(of_classes, found);
      row.null_log_likelihood = log_probability(null_means[found]);
      row.deviance = -2 * row.log_likelihood;
      row.null_deviance = -2 * row.null_log_likelihood;
    } else {
      const double eta = predictors[0] + known.offsets[i];
      const double mu = mean_of(loss.inverse_link, eta);
      row.log_likelihood = log_likelihood(loss, y, 0, scale);  // the constant
      row.null_log_likelihood =
          row.log_likelihood - per_loss * loss_at_mean(loss, y, null_means[0]);
      // The formula has logarithms, which are not defined for such a mean: the row has probability
      // 0.
      const bool has_mean = !is_outside(loss, eta, mu);
      row.deviance =
          has_mean ? deviance(loss, y, mu, 1.0) : std::numeric_limits<double>::infinity();
      outside.look(item, t, eta, mu);
      row.null_deviance = deviance(loss, y, null_means[0], 1.0);
      sign = y < mu ? -1 : 1;
    }
    if (residuals.is_given()) {
      residuals.write(t, target, 0, sign * std::sqrt(std::max(row.deviance, 0.0)));
    }
    sums.weight += w;
    sums.log_likelihood += w * row.log_likelihood;
    sums.null_log_likelihood += w * row.null_log_likelihood;
    sums.deviance += w * row.deviance;
    sums.null_deviance += w * row.null_deviance;
  }
  return sums;
}

}  // namespace synelix::glm
