// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "glm/design/arguments.hpp"
#include "glm/random/distributions.hpp"
#include "glm/rows/families.hpp"
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
      : m_model(model), m_offsets(offsets), m_seed(seed), m_outside(model) {}

  /// Called before and after the items of a part.
  /// @{
  void begin(const glm::WalkItems& items) { m_outside.begin(items); }
  void end(const glm::WalkItems& items) { m_outside.add(items); }
  /// @}
  /// Warns in how many rows the family has no distribution.
  void warn_of_outside() const {
    for (const std::string& text : m_outside.warnings()) warn(text);
  }

  /// Calls take(row, target, value) for the rows of an item, in their order.
  /// \param memory  as many values as there are classes
  template <class Take>
  void each(const glm::WalkedRows& part, const glm::WalkItems& items, std::int64_t item,
            double* memory, const Take& take) {
    const Range block = items.block(item);
    const std::int64_t target = items.target(item);
    const auto i = static_cast<std::size_t>(target);
    for (std::int64_t t = block.begin; t < block.end; ++t) {
      const double* const predictors = part.of(t, target, m_model.classes);
      glm::RandomStream stream(m_seed, t, target);
      double value = 0;
      if (m_model.classes > 1) {
        glm::softmax(predictors, m_model.classes, memory);
        value = glm::draw_class(stream, memory, m_model.classes);
      } else {
        const double predictor = predictors[0] + m_offsets.value(t, target);
        const double mean = glm::mean_of(m_model.loss.inverse_link, predictor);
        m_outside.look(item, t, predictor, mean);
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
  glm::OutsideRows m_outside;
};

/// Refuses parameters of distributions that are NaN because the fit has no degrees of freedom.
void check_distributions(const glm::ModelView& model) {
  const glm::FamilyRow& family = glm::family_row(model.loss.family);
  const bool has_scale = family.has_scale();
  if (!has_scale && !family.has_dispersion) return;
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
  if (glm::family_row(family).counts_events) return;
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
  TargetDraws draws(view, offsets, seed);
  glm::RateWalk walk(design.pass(), view);
  walk.each([&](const glm::WalkedRows& part) {
    const glm::WalkItems items(part.rows, view.targets);
    draws.begin(items);
    sweep::run_host_loop("synelix::simulate::draws", items.count, [&](std::int64_t item) {
      std::vector<double> memory(static_cast<std::size_t>(view.classes));
      draws.each(part, items, item, memory.data(),
                 [&](std::int64_t t, std::int64_t target, double value) {
                   output.write(t, target, 0, glm::canonical_value(value));
                 });
    });
    draws.end(items);
  });
  draws.warn_of_outside();
}

Events simulate_events(const DesignMatrix& design, const FitResult& model, std::uint64_t seed,
                       const Operand& offset) {
  const plan::Region region("synelix::simulate_events");
  const glm::ModelView view = glm::view_of(design, model);
  check_counts(view.loss.family);
  check_distributions(view);
  const glm::OffsetColumns offsets(offset, design.rows(), view.targets);
  TargetDraws draws(view, offsets, seed);
  std::vector<Events::Train> trains(static_cast<std::size_t>(view.targets));
  glm::RateWalk walk(design.pass(), view);
  walk.each([&](const glm::WalkedRows& part) {
    const glm::WalkItems items(part.rows, view.targets);
    draws.begin(items);
    std::vector<Events::Train> found(static_cast<std::size_t>(items.count));
    sweep::run_host_loop("synelix::simulate_events::draws", items.count, [&](std::int64_t item) {
      Events::Train& train = found[static_cast<std::size_t>(item)];
      draws.each(part, items, item, nullptr, [&](std::int64_t t, std::int64_t, double value) {
        if (!(value > 0)) return;
        train.samples.push_back(t);
        train.counts.push_back(static_cast<float>(value));
      });
    });
    draws.end(items);
    for (std::int64_t item = 0; item < items.count; ++item) {
      const Events::Train& block = found[static_cast<std::size_t>(item)];
      Events::Train& train = trains[static_cast<std::size_t>(items.target(item))];
      train.samples.insert(train.samples.end(), block.samples.begin(), block.samples.end());
      train.counts.insert(train.counts.end(), block.counts.begin(), block.counts.end());
    }
  });
  draws.warn_of_outside();
  return {design.rows(), trains};
}

}  // namespace synelix
