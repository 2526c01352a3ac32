// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "convolve/plan/row_table.hpp"
#include "design/plan/prepared_design.hpp"
#include "launch/apart.hpp"
#include "launch/arrays.hpp"
#include "launch/reached.hpp"
#include "launch/watched_parts.hpp"
#include "machine/host_memory.hpp"
#include "machine/spaces.hpp"

#include <synelix/features.hpp>
#include <synelix/types/session.hpp>

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <algorithm>
#include <set>
#include <string>
#include <utility>

namespace synelix {
namespace {

std::string input_name(std::size_t i) { return "inputs[" + std::to_string(i) + "]"; }

/// One warning for each window and causality, for any number of bases that have them.
void warn_of(const plan::DesignLayout& design, const FeaturesOptions& options) {
  std::set<std::pair<std::int64_t, Causality>> warned;
  const SeriesShape& shape = design.inputs.front().series;
  for (const Component& component : design.components) {
    if (component.mode == Mode::eval) continue;
    if (!warned.emplace(component.window, component.causality).second) continue;
    bool has_short_epoch = shape.epochs.empty() && shape.samples < component.window;
    for (const Epoch& epoch : shape.epochs) {
      has_short_epoch = has_short_epoch || (epoch.size() > 0 && epoch.size() < component.window);
    }
    plan::warn_of("compute_features", shape, component.window, has_short_epoch,
                  plan::convolve_options(component, shape, options));
  }
}

/// Whether samples have these scales and offsets. Allocates nothing, because each run calls it.
bool is_scaling_of(const Scaling& scaling, const Operand& samples) {
  const auto same = [](double one, const std::vector<double>& each, const PerChannel& found) {
    if (!found.is_each()) return each.empty() && one == found.all();
    return is_reached_by_host(found.memory_space()) &&
           std::equal(each.begin(), each.end(), found.each(), found.each() + found.count());
  };
  return same(scaling.scale, scaling.channel_scale, samples.scale()) &&
         same(scaling.offset, scaling.channel_offset, samples.offset());
}

/// Refuses an input of a run that differs from the plan's.
template <class ExecutionSpace>
void check_input(const ExecutionSpace& exec, const InputShape& bound, const AnySeries& input,
                 std::size_t i) {
  const SeriesShape& shape = bound.series;
  plan::check_reached(exec, input, i);
  if (input.events() != nullptr) return plan::check_series(shape, input.events()->shape());
  if (input.series() != nullptr) return plan::check_series(shape, input.series()->shape());
  const Strided& data = input.samples().array();
  std::int64_t channels = 1;
  for (int d = 1; d < data.rank; ++d) channels *= data.extents[static_cast<std::size_t>(d)];
  if (shape.has_events || data.extents[0] != shape.samples || channels != shape.channels ||
      data.type != shape.type || !shape.epochs.empty() ||
      !is_scaling_of(shape.scaling, input.samples()) || data.data == nullptr) {
    throw Error(input_name(i),
                plan::extents_text(data) + " of " + std::string(name_of(data.type)) +
                    " in one epoch differs from the plan",
                "Use " + std::to_string(shape.samples) + " samples x " +
                    std::to_string(shape.channels) + " channels of " +
                    (shape.has_events ? "events" : std::string(name_of(shape.type))) +
                    ", with the epochs and scaling of the plan");
  }
}

void check_matrix(const StridedOutput& features, StoredType type, std::int64_t rows,
                  std::int64_t columns) {
  Strided series;
  series.rank = 1;
  series.extents[0] = rows;
  plan::check_features(features, type, series, 0, rows, columns);
}

void check_count(std::size_t found, std::size_t bound) {
  if (found != bound) {
    throw Error("inputs", std::to_string(found) + " is the wrong number of inputs",
                "Pass " + std::to_string(bound) + ", as the plan has");
  }
}

/// Refuses a block that lacks needed samples of an input.
template <class ExecutionSpace>
void check_block(const ExecutionSpace& exec, const InputShape& bound, const InputBlock& block,
                 Range needed, std::size_t i) {
  const SeriesShape& shape = bound.series;
  if (shape.has_events && block.events != nullptr) {
    plan::check_reached(exec, *block.events, "blocks[" + std::to_string(i) + "]");
    return plan::check_series(shape, block.events->shape());
  }
  const Strided& found = block.samples;
  plan::check_reached(exec, found, "blocks[" + std::to_string(i) + "]");
  const bool holds = needed.size() == 0 || (found.data != nullptr && block.first_sample >= 0 &&
                                            needed.begin >= block.first_sample &&
                                            needed.end - block.first_sample <= found.extents[0]);
  const bool is_empty = needed.size() == 0 && found.rank == 0;
  if (shape.has_events || block.events != nullptr || !holds ||
      (!is_empty &&
       (found.rank != 2 || found.type != shape.type || found.extents[1] != shape.channels))) {
    throw Error(
        "blocks[" + std::to_string(i) + "]",
        (block.events != nullptr
             ? std::string("a block of events")
             : plan::extents_text(found) + " of " + std::string(name_of(found.type)) +
                   " from sample " + std::to_string(block.first_sample)) +
            " does not hold what the rows need",
        "Pass " + (shape.has_events ? std::string("events")
                                    : "(samples, " + std::to_string(shape.channels) +
                                          " channels) of " + std::string(name_of(shape.type)) +
                                          " with samples [" + std::to_string(needed.begin) + ", " +
                                          std::to_string(needed.end) + ")"));
  }
}

/// Refuses features that overlap an input.
void check_apart(const StridedOutput& features, std::size_t i, const char* list,
                 const Operand& input) {
  plan::Arguments arguments;
  arguments.writes("features", features).of_entry(list, static_cast<std::int64_t>(i));
  plan::check_apart(arguments.reads("", input));
}

}  // namespace

InputShape AnySeries::shape() const {
  InputShape result;
  if (m_events != nullptr) {
    result.series = m_events->shape();
    return result;
  }
  result.series = m_series != nullptr ? m_series->shape() : StridedSeries(m_samples).shape();
  const Strided& array = m_samples.array();
  for (int d = 0; d < array.rank; ++d) {
    if (d == m_axis) continue;
    result.channel_extents.push_back(array.extents[static_cast<std::size_t>(d)]);
  }
  return result;
}

template <class Scalar, class ExecutionSpace>
struct FeaturesPlan<Scalar, ExecutionSpace>::State {
  plan::PreparedDesign<Scalar, ExecutionSpace> design;
  std::string region = "synelix::compute_features";
};

template <class Scalar, class ExecutionSpace>
FeaturesPlan<Scalar, ExecutionSpace>::FeaturesPlan(const ExecutionSpace& exec,
                                                   const Expression& expression,
                                                   const std::vector<InputShape>& inputs,
                                                   const FeaturesOptions& options,
                                                   const std::vector<InputStatistics>& statistics) {
  require_running("synelix::FeaturesPlan");
  std::vector<std::int64_t> columns;
  columns.reserve(statistics.size());
  for (const InputStatistics& entry : statistics) columns.push_back(entry.orthonormal_columns);
  plan::DesignLayout design = plan::lay_out(expression, inputs, options, columns);
  warn_of(design, options);
  const Kokkos::Profiling::ScopedRegion region("synelix::compute_features::plan");
  m_state = std::unique_ptr<State>(new State{{exec, std::move(design), options, statistics}});
}

template <class Scalar, class ExecutionSpace>
FeaturesPlan<Scalar, ExecutionSpace>::FeaturesPlan(FeaturesPlan&&) noexcept = default;
template <class Scalar, class ExecutionSpace>
FeaturesPlan<Scalar, ExecutionSpace>& FeaturesPlan<Scalar, ExecutionSpace>::operator=(
    FeaturesPlan&&) noexcept = default;
template <class Scalar, class ExecutionSpace>
FeaturesPlan<Scalar, ExecutionSpace>::~FeaturesPlan() = default;

template <class Scalar, class ExecutionSpace>
const FeaturesChoice& FeaturesPlan<Scalar, ExecutionSpace>::choice() const {
  return m_state->design.choice();
}

template <class Scalar, class ExecutionSpace>
Range FeaturesPlan<Scalar, ExecutionSpace>::samples_for(std::int64_t input, Range rows) const {
  const auto count = static_cast<std::int64_t>(m_state->design.design().inputs.size());
  if (input < 0 || input >= count) {
    throw Error("input", std::to_string(input) + " is not an input of the plan",
                "Use 0 to " + std::to_string(count - 1));
  }
  plan::check_range("rows", rows, choice().rows);
  return m_state->design.samples_for(input, rows);
}

template <class Scalar, class ExecutionSpace>
void FeaturesPlan<Scalar, ExecutionSpace>::run_all(const ExecutionSpace& exec,
                                                   std::span<const AnySeries> inputs,
                                                   const StridedOutput& features) const {
  run_parts(exec, inputs, features, nullptr);
}

template <class Scalar, class ExecutionSpace>
void FeaturesPlan<Scalar, ExecutionSpace>::run_watched(const ExecutionSpace& exec,
                                                       std::span<const AnySeries> inputs,
                                                       const StridedOutput& features,
                                                       const Watch& watch) const {
  run_parts(exec, inputs, features, &watch);
}

template <class Scalar, class ExecutionSpace>
void FeaturesPlan<Scalar, ExecutionSpace>::run_parts(const ExecutionSpace& exec,
                                                     std::span<const AnySeries> inputs,
                                                     const StridedOutput& features,
                                                     const Watch* watch) const {
  require_running("synelix::compute_features");
  const auto& bound = m_state->design;
  check_count(inputs.size(), bound.design().inputs.size());
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    check_input(exec, bound.design().inputs[i], inputs[i], i);
  }
  check_matrix(features, stored_type<Scalar>, rows(), columns());
  plan::check_reached(exec, features, "features");
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const AnySeries& input = inputs[i];
    if (input.events() == nullptr) check_apart(features, i, "inputs", input.samples());
  }
  if (rows() == 0 || columns() == 0) return;
  const Kokkos::Profiling::ScopedRegion region(m_state->region);
  const auto feed = [&](std::int64_t i) -> plan::Feed {
    const AnySeries& input = inputs[static_cast<std::size_t>(i)];
    return {&input.samples().array(), input.sample_axis(), 0, input.events()};
  };
  const plan::RowsInParts sizes{.rows = rows(),
                                .together = std::max<std::int64_t>(1, choice().product_rows),
                                .seconds = choice().seconds};
  plan::RowParts parts("compute_features", sizes, watch);
  while (const auto part = parts.next()) {
    bound.compute(exec, *part, feed, plan::from_row<Scalar>(features, part->begin, 0));
    if (watch == nullptr) continue;
    exec.fence("synelix::compute_features: the plan's workspace is released");
  }
}

template <class Scalar, class ExecutionSpace>
void FeaturesPlan<Scalar, ExecutionSpace>::run_block(const ExecutionSpace& exec, Range rows,
                                                     std::span<const InputBlock> blocks,
                                                     StridedOutput features) const {
  require_running("synelix::compute_features");
  const auto& bound = m_state->design;
  plan::check_range("rows", rows, choice().rows);
  check_count(blocks.size(), bound.design().inputs.size());
  check_matrix(features, stored_type<Scalar>, rows.size(), columns());
  plan::check_reached(exec, features, "features");
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    check_block(exec, bound.design().inputs[i], blocks[i],
                bound.samples_for(static_cast<std::int64_t>(i), rows), i);
    if (blocks[i].events == nullptr && blocks[i].samples.rank > 0) {
      check_apart(features, i, "blocks", blocks[i].samples);
    }
  }
  if (rows.size() == 0 || columns() == 0) return;
  const Kokkos::Profiling::ScopedRegion region(m_state->region);
  const auto feed = [&](std::int64_t i) -> plan::Feed {
    const InputBlock& block = blocks[static_cast<std::size_t>(i)];
    return {&block.samples, 0, block.first_sample, block.events};
  };
  bound.compute(exec, rows, feed, features);
}

template <class Scalar, class ExecutionSpace>
FeaturesChoice choose_features(const ExecutionSpace& exec, const Expression& expression,
                               const std::vector<InputShape>& inputs,
                               const FeaturesOptions& options) {
  require_running("synelix::choose_features");
  plan::DesignMemory memory;
  return plan::make_choice<Scalar>(exec, plan::lay_out(expression, inputs, options, {}), options,
                                   memory);
}

#define SYNELIX_INSTANTIATE(SCALAR, SPACE)                \
  template class FeaturesPlan<SCALAR, SPACE>;             \
  template FeaturesChoice choose_features<SCALAR, SPACE>( \
      const SPACE&, const Expression&, const std::vector<InputShape>&, const FeaturesOptions&);
SYNELIX_FOR_EACH_SCALAR_AND_SPACE(SYNELIX_INSTANTIATE)
#undef SYNELIX_INSTANTIATE

}  // namespace synelix
