// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Designs that are computed once, and their extents.
#include "design/plan/design_layout.hpp"
#include "launch/arrays.hpp"
#include "launch/reached.hpp"
#include "machine/spaces.hpp"

#include <synelix/features.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

namespace synelix {
namespace {

/// The same inputs, with events in memory that kernels can access. Events out of reach are copied
/// to `copies`.
template <class ExecutionSpace>
std::vector<AnySeries> with_near_events(const ExecutionSpace& exec,
                                        std::span<const AnySeries> inputs, Staging staging,
                                        std::vector<Events>& copies) {
  std::vector<AnySeries> result(inputs.begin(), inputs.end());
  copies.reserve(result.size());  // elements are referred to
  for (AnySeries& input : result) {
    const Events* const events = input.events();
    if (events == nullptr || !events->is_on_host() || staging == Staging::never) continue;
    if (staging != Staging::always && plan::is_reached(exec, events->memory_space())) continue;
    copies.push_back(copy_events(exec, *events));
    input = AnySeries(copies.back());
  }
  return result;
}

}  // namespace

DesignExtents feature_extents(const Expression& expression, const std::vector<InputShape>& inputs,
                              const FeaturesOptions& options,
                              const std::vector<InputStatistics>& statistics) {
  std::vector<std::int64_t> columns;
  columns.reserve(statistics.size());
  for (const InputStatistics& entry : statistics) columns.push_back(entry.orthonormal_columns);
  plan::DesignLayout design = plan::lay_out(expression, inputs, options, columns);
  return {.rows = design.rows.rows, .columns = design.columns, .terms = std::move(design.terms)};
}

template <class Scalar, class ExecutionSpace>
std::vector<Term> seam::compute_features_at(
    const ExecutionSpace& exec, const Expression& expression, std::span<const AnySeries> inputs,
    const FeaturesOptions& options,
    const std::function<StridedOutput(std::int64_t rows, std::int64_t columns)>& place) {
  std::vector<InputShape> shapes;
  shapes.reserve(inputs.size());
  for (const AnySeries& input : inputs) shapes.push_back(input.shape());
  std::vector<InputStatistics> statistics;
  const std::vector<InputUse> uses = input_uses(expression);
  if (std::any_of(uses.begin(), uses.end(),
                  [](const InputUse& use) { return use.needs_ranges || use.needs_samples; })) {
    // find_statistics reads samples, so all checks that need no samples come first.
    static_cast<void>(choose_features<Scalar>(exec, expression, shapes, options));
    statistics = find_statistics(exec, expression, inputs);
  }
  std::vector<Events> copies;
  const std::vector<AnySeries> near = with_near_events(exec, inputs, options.staging, copies);
  FeaturesOptions rest = options;
  for (const Events& copy : copies) {
    if (rest.budget) rest.budget = *rest.budget - copy.bytes();
  }
  const FeaturesPlan<Scalar, ExecutionSpace> plan(exec, expression, shapes, rest, statistics);
  plan.run_watched(exec, near, place(plan.rows(), plan.columns()), options.watch);
  return plan.terms();
}

template <class ExecutionSpace>
std::vector<Term> compute_features(const ExecutionSpace& exec, const Expression& expression,
                                   std::span<const AnySeries> inputs, const StridedOutput& features,
                                   const FeaturesOptions& options) {
  return plan::visit_scalar("features", features.type, [&]<class Scalar>() {
    return seam::compute_features_at<Scalar>(
        exec, expression, inputs, options,
        [&features](std::int64_t, std::int64_t) { return features; });
  });
}

#define SYNELIX_INSTANTIATE(SPACE)                                                       \
  template std::vector<Term> compute_features<SPACE>(                                    \
      const SPACE&, const Expression&, std::span<const AnySeries>, const StridedOutput&, \
      const FeaturesOptions&);
SYNELIX_FOR_EACH_SPACE(SYNELIX_INSTANTIATE)
#undef SYNELIX_INSTANTIATE
#define SYNELIX_INSTANTIATE(SCALAR, SPACE)                                                 \
  template std::vector<Term> seam::compute_features_at<SCALAR, SPACE>(                     \
      const SPACE&, const Expression&, std::span<const AnySeries>, const FeaturesOptions&, \
      const std::function<StridedOutput(std::int64_t, std::int64_t)>&);
SYNELIX_FOR_EACH_SCALAR_AND_SPACE(SYNELIX_INSTANTIATE)
#undef SYNELIX_INSTANTIATE

}  // namespace synelix
