// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "glm/design/arguments.hpp"
#include "glm/random/distributions.hpp"
#include "glm/rows/scalar_loss.hpp"
#include "glm/score/model_view.hpp"
#include "glm/score/rate_walk.hpp"
#include "glm/sweep/host_items.hpp"
#include "launch/region.hpp"

#include <synelix/error.hpp>
#include <synelix/types/glm_score.hpp>

#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace synelix {

namespace {

/// Draws the targets of a model.
class TargetDraws {
 public:
  TargetDraws(const glm::ModelView& model, const glm::OffsetColumns& offsets, std::uint64_t seed)
      : m_model(model), m_offsets(offsets), m_seed(seed) {}

  /// Calls take(row, target, value) for the rows of a block of a target, in their order.
  /// \param memory  as many values as there are classes
  template <class Take>
  void each(const glm::WalkedRows& part, Range block, std::int64_t target, double* memory,
            const Take& take) const {
    const auto i = static_cast<std::size_t>(target);
    for (std::int64_t t = block.begin; t < block.end; ++t) {
      const double* const predictors = part.of(t, target, m_model.classes);
      glm::RandomStream stream(m_seed, t, target);
      double value = 0;
      if (m_model.loss.family == Family::categorical) {
        glm::softmax(predictors, m_model.classes, memory);
        value = glm::draw_class(stream, memory, m_model.classes);
      } else {
        const double mean =
            glm::mean_of(m_model.loss.inverse_link, predictors[0] + m_offsets.value(t, target));
        value =
            glm::draw(stream, m_model.loss.family, mean, m_model.scale[i], m_model.dispersion[i]);
      }
      take(t, target, value);
    }
  }

 private:
  const glm::ModelView& m_model;
  const glm::OffsetColumns& m_offsets;
  std::uint64_t m_seed;
};

/// The parameters of distributions that a fit leaves NaN where it has no degrees of freedom.
void check_distributions(const glm::ModelView& model) {
  const Family family = model.loss.family;
  const bool has_scale = family == Family::gaussian || family == Family::gamma;
  if (!has_scale && family != Family::negative_binomial) return;
  for (std::int64_t i = 0; i < model.targets; ++i) {
    const auto& numbers = has_scale ? model.scale : model.dispersion;
    const double value = numbers[static_cast<std::size_t>(i)];
    if (std::isfinite(value) && value > 0) continue;
    throw Error(
        has_scale ? "model scale" : "model dispersion",
        "the " + std::to_string(value) + " of target " + std::to_string(i) + " is not above 0",
        "Set a finite number above 0");
  }
}

void check_counts(Family family) {
  if (family == Family::poisson || family == Family::bernoulli ||
      family == Family::negative_binomial) {
    return;
  }
  throw Error("model", std::string("targets of ") + name_of(family) + " are not counts of events",
              "Use simulate");
}

}  // namespace

void simulate(const DesignMatrix& design, const FitResult& model, std::uint64_t seed,
              const StridedOutput& targets, const Operand& offset) {
  const plan::Region region("synelix::simulate");
  const glm::ModelView view = glm::view_of(design, model);
  check_distributions(view);
  glm::check_rows_by_targets("targets", targets, design.rows(), view.targets);
  const glm::OffsetColumns offsets(offset, design.rows(), view.targets);
  glm::check_result_apart(design.pass(), "targets", targets,
                          plan::Arguments().reads("offset", offset));
  const glm::OutputRows output(targets, 1);
  const TargetDraws draws(view, offsets, seed);
  glm::RateWalk walk(design.pass(), view);
  walk.each([&](const glm::WalkedRows& part) {
    const glm::WalkItems items(part.rows, view.targets);
    sweep::run_host_loop("synelix::simulate::draws", items.count, [&](std::int64_t item) {
      std::vector<double> memory(static_cast<std::size_t>(view.classes));
      draws.each(part, items.block(item), items.target(item), memory.data(),
                 [&](std::int64_t t, std::int64_t target, double value) {
                   output.write(t, target, 0, glm::canonical_value(value));
                 });
    });
  });
}

Events simulate_events(const DesignMatrix& design, const FitResult& model, std::uint64_t seed,
                       const Operand& offset) {
  const plan::Region region("synelix::simulate_events");
  const glm::ModelView view = glm::view_of(design, model);
  check_counts(view.loss.family);
  check_distributions(view);
  const glm::OffsetColumns offsets(offset, design.rows(), view.targets);
  const TargetDraws draws(view, offsets, seed);
  std::vector<Events::Train> trains(static_cast<std::size_t>(view.targets));
  glm::RateWalk walk(design.pass(), view);
  walk.each([&](const glm::WalkedRows& part) {
    const glm::WalkItems items(part.rows, view.targets);
    std::vector<Events::Train> found(static_cast<std::size_t>(items.count));
    sweep::run_host_loop("synelix::simulate_events::draws", items.count, [&](std::int64_t item) {
      Events::Train& train = found[static_cast<std::size_t>(item)];
      draws.each(part, items.block(item), items.target(item), nullptr,
                 [&](std::int64_t t, std::int64_t, double value) {
                   if (!(value > 0)) return;
                   train.samples.push_back(t);
                   train.counts.push_back(static_cast<float>(value));
                 });
    });
    for (std::int64_t item = 0; item < items.count; ++item) {
      const Events::Train& block = found[static_cast<std::size_t>(item)];
      Events::Train& train = trains[static_cast<std::size_t>(items.target(item))];
      train.samples.insert(train.samples.end(), block.samples.begin(), block.samples.end());
      train.counts.insert(train.counts.end(), block.counts.begin(), block.counts.end());
    }
  });
  return {design.rows(), trains};
}

}  // namespace synelix
