// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// stream_features: checks, plans the blocks, computes the ranges that are not given, makes a
// FeaturesPlan for each slot, and runs the pipeline with them.
#include "machine/spaces.hpp"
#include "streams/fingerprint.hpp"
#include "streams/input_ranges.hpp"
#include "streams/pipeline.hpp"
#include "streams/stream_plan.hpp"
#include "streams/stream_slots.hpp"

#include <synelix/session.hpp>
#include <synelix/stream_features.hpp>

#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace synelix {
namespace {

/// The part of a choice that the pipeline needs.
Choice summary(const FeaturesChoice& features) {
  Choice choice;
  if (!features.choices.empty()) choice = features.choices.front();
  choice.rows = features.rows;
  choice.workspace_bytes = features.workspace_bytes;
  choice.flops = features.flops;
  choice.bytes = features.bytes;
  choice.seconds = features.seconds;
  choice.candidates.clear();  // each basis has its own
  return choice;
}

template <class Scalar, class ExecutionSpace>
stream::Prepared prepared_design(const ExecutionSpace& exec, const Expression& expression,
                                 const stream::Origins& origins, const Sink& sink,
                                 const FeaturesOptions& options, const StreamOptions& stream) {
  require_running("synelix::stream_features");
  const auto chosen = [&](std::int64_t budget) {
    FeaturesOptions tried = options;
    tried.budget = budget;
    return choose_features<Scalar>(exec, expression, origins.shapes, tried);
  };
  const FeaturesChoice choice = chosen(std::numeric_limits<std::int64_t>::max() / 4);
  if (choice.columns == 0) {
    throw Error("expression", "it makes no column", "Give an expression of at least one column");
  }
  stream::require_no_samples(expression);
  const stream::Reaches reaches(origins, choice);
  std::optional<stream::DeviceSide> device =
      stream::device_side(exec, options.staging, options.budget);
  for (const Events* const events : origins.trains) {
    require_on_host(*events);
    if (device) device->event_bytes += stream::bytes_on_device(events->shape());
  }
  stream::Prepared ready = prepare(stream::StreamProblem{
      .features = {.channels = 1, .bases = choice.columns, .type = stored_type<Scalar>},
      .grid = origins.shapes.front().series,
      .reach = reaches.rows,
      .feeds = reaches.feeds,
      .cut = stream::Cut::rows,
      .rule = {options.border, options.every},
      .batch = {.samples = options.batch.samples, .channels = {}, .bases = {}},
      .budget = device ? options.host_budget : options.budget,
      .device = device,
      .reason = stream::reason_without<ExecutionSpace>(),
      .samples = stream.samples,
      .held_bytes = stream.held_bytes,
      .sink = sink,
      .choose = [&](std::int64_t budget) { return summary(chosen(budget)); }});
  ready.plan.terms = choice.terms;
  return ready;
}

/// How inputs are read for their ranges.
stream::RangeReading range_reading(const StreamPlan& plan, const StreamOptions& stream) {
  const bool is_staged = plan.choice.staging.is_staged();
  return {.staging = plan.choice.staging,
          .room = is_staged ? std::min(plan.budget, plan.device_budget) : plan.budget,
          .cancel = stream.cancel};
}

/// All spike trains, in memory that kernels can access.
template <class ExecutionSpace>
std::vector<Events> reached_trains(const ExecutionSpace& exec, const stream::Origins& origins,
                                   const StreamPlan& plan) {
  std::vector<Events> result;
  result.reserve(origins.trains.size());
  for (const Events* const events : origins.trains) {
    result.push_back(stream::events_for(exec, plan, *events));
  }
  return result;
}

/// Parameters and bounds of a basis, which determine its columns if it has no taps.
std::string parameters_text(const Component& component) {
  stream::Checksum checksum;
  for (const auto& [name, value] : component.parameters) {
    checksum.add(name.data(), name.size());
    std::visit(
        [&](const auto& held) {
          if constexpr (requires { held.data(); }) {
            checksum.add(held.data(), held.size() * sizeof(*held.data()));
          } else {
            checksum.add(&held, sizeof(held));
          }
        },
        value);
  }
  for (const Bounds& bounds : component.bounds) {
    checksum.add(&bounds.lower, sizeof(bounds.lower)).add(&bounds.upper, sizeof(bounds.upper));
  }
  return "checksum " + checksum.text();
}

/// Text of the ranges for bases without bounds. Parts of one output need the same ranges.
std::string ranges_text(const InputStatistics& of_input) {
  stream::Checksum checksum;
  for (const SampleRange& range : of_input.ranges) {
    checksum.add(&range.lower, sizeof(range.lower)).add(&range.upper, sizeof(range.upper));
  }
  return std::to_string(of_input.ranges.size()) + ", checksum " + checksum.text();
}

/// The caller's fingerprint and everything that is known about the design here. Empty if the caller
/// gives none, because user-supplied taps have no name.
Fingerprint design_fingerprint(const stream::Prepared& ready, const FeaturesChoice& choice,
                               const FeaturesOptions& options, const stream::Origins& origins,
                               const StreamOptions& stream,
                               const std::vector<InputStatistics>& statistics) {
  Fingerprint result = stream.series.fingerprint;
  if (result.empty()) return result;
  result.emplace_back("bin centers", stream::centers_text(stream.series));
  for (std::size_t i = 0; i < origins.shapes.size(); ++i) {
    const Events* const events = origins.events[i];
    const SeriesDescription series =
        events != nullptr ? SeriesDescription{} : origins.sources[origins.number[i]]->description();
    const std::string of_input = " of input " + std::to_string(i);
    for (const auto& [name, value] :
         stream::fingerprint_of(origins.shapes[i].series, series, events)) {
      result.emplace_back(name + of_input, value);
    }
    if (statistics[i].ranges.empty()) continue;
    result.emplace_back("ranges" + of_input, ranges_text(statistics[i]));
  }
  for (std::size_t i = 0; i < choice.components.size(); ++i) {
    const Component& component = choice.components[i];
    Taps taps;
    if (component.taps != nullptr) taps = *component.taps;
    taps.basis = component.basis;
    taps.bases = component.bases;
    ConvolveOptions aligned;
    aligned.causality = component.causality;
    aligned.shift = component.shift;
    aligned.border = options.border;
    aligned.every = options.every;
    for (const auto& [name, value] : stream::fingerprint_of(taps, aligned, choice.choices[i],
                                                            ready.plan.features, ready.plan.rows)) {
      result.emplace_back(name + " of basis " + std::to_string(i), value);
    }
    result.emplace_back("parameters of basis " + std::to_string(i), parameters_text(component));
  }
  return result;
}

FeaturesDescription description_of(const std::shared_ptr<const stream::Prepared>& kept,
                                   const FeaturesChoice& choice, const FeaturesOptions& options,
                                   const stream::Origins& origins, const StreamOptions& stream,
                                   const std::vector<InputStatistics>& statistics) {
  const stream::Prepared& ready = *kept;
  FeaturesDescription description{
      .shape = ready.plan.features,
      .block = ready.plan.block,
      .chunk = ready.plan.chunk,
      .choice = ready.plan.choice,
      .series = stream.series,
      .fingerprint = design_fingerprint(ready, choice, options, origins, stream, statistics),
      .terms = choice.terms};
  description.options.border = options.border;
  description.options.every = options.every;
  for (const Component& component : choice.components) {
    description.window = std::max(description.window, component.window);
  }
  if (!description.series.rate_hz && !origins.sources.empty()) {
    const SeriesDescription first = origins.sources.front()->description();
    description.series.rate_hz = first.rate_hz;
    description.series.start_seconds = first.start_seconds;
    description.series.segments = first.segments;
    description.series.first_sample = first.first_sample;
    description.series.bin_seconds = first.bin_seconds;
  }
  description.series.channel_ids.clear();
  description.samples_of_rows = stream::samples_of_rows(kept);
  return description;
}

}  // namespace

InputShape StreamInput::shape() const {
  if (m_events != nullptr) return {m_events->shape(), {}};
  InputShape shape{m_source->shape(), {}};
  if (shape.series.channels > 1) shape.channel_extents = m_source->channel_extents();
  return shape;
}

template <class Scalar, class ExecutionSpace>
StreamPlan plan_features_stream(const ExecutionSpace& exec, const Expression& expression,
                                std::span<const StreamInput> inputs, const Sink& sink,
                                const FeaturesOptions& options, const StreamOptions& stream) {
  return prepared_design<Scalar>(exec, expression, stream::Origins(inputs), sink, options, stream)
      .plan;
}

template <class ExecutionSpace>
std::vector<InputStatistics> find_statistics(const ExecutionSpace& exec,
                                             const Expression& expression,
                                             std::span<const StreamInput> inputs,
                                             const StreamPlan& plan, const StreamOptions& stream) {
  require_running("synelix::find_statistics");
  stream::require_no_samples(expression);
  return stream::statistics_of(exec, expression, stream::Origins(inputs),
                               range_reading(plan, stream));
}

template <class Scalar, class ExecutionSpace>
StreamReport stream_features(const ExecutionSpace& exec, const Expression& expression,
                             std::span<const StreamInput> inputs, Sink& sink,
                             const FeaturesOptions& options, const StreamOptions& stream,
                             const std::vector<InputStatistics>& known) {
  const stream::Origins origins(inputs);
  const Kokkos::Profiling::ScopedRegion region("synelix::stream_features");
  const auto kept = std::make_shared<const stream::Prepared>(
      prepared_design<Scalar>(exec, expression, origins, sink, options, stream));
  const stream::Prepared& ready = *kept;
  FeaturesOptions share = options;
  share.budget = ready.workspace_budget;
  const std::vector<InputStatistics> statistics =
      stream::statistics_of(exec, expression, origins, range_reading(ready.plan, stream), known);
  const auto slots = stream::slots_for(exec, ready.plan, origins.sources);
  const auto plans = stream::plans_for(slots, [&](const ExecutionSpace& instance) {
    return FeaturesPlan<Scalar, ExecutionSpace>(instance, expression, origins.shapes, share,
                                                statistics);
  });
  const std::vector<Events> trains = reached_trains(exec, origins, ready.plan);
  std::vector<InputBlock> input_blocks(inputs.size());
  stream::Compute compute;
  compute.start = [&](std::size_t slot, const Block& block, std::span<const stream::Input> read,
                      const blocks::Buffer& output) {
    std::vector<InputBlock> of_sources(read.size());
    for (std::size_t i = 0; i < read.size(); ++i) {
      of_sources[i].samples = stream::samples_in(slots, slot, i, read[i]);
      of_sources[i].first_sample = read[i].samples.begin;
    }
    for (std::size_t i = 0; i < input_blocks.size(); ++i) {
      if (origins.events[i] != nullptr) {
        input_blocks[i].events = &trains[origins.number[i]];
      } else {
        input_blocks[i] = of_sources[origins.number[i]];
      }
    }
    const std::array<std::int64_t, 2> extents = {block.rows.size(), block.bases.size()};
    plans[slot].run_block(
        slots.instance(slot), block.rows, input_blocks,
        StridedOutput(reinterpret_cast<Scalar*>(slots.output(slot, output)), extents));
    slots.fetch(slot, output, extents[0] * extents[1] * static_cast<std::int64_t>(sizeof(Scalar)));
  };
  compute.wait = [&](std::size_t slot) { slots.wait(slot); };
  return run_pipeline(
      ready, origins.sources, sink,
      description_of(kept, plans.front().choice(), options, origins, stream, statistics), compute,
      stream);
}

#define SYNELIX_INSTANTIATE(Scalar, Space)                                        \
  template StreamPlan plan_features_stream<Scalar, Space>(                        \
      const Space&, const Expression&, std::span<const StreamInput>, const Sink&, \
      const FeaturesOptions&, const StreamOptions&);                              \
  template StreamReport stream_features<Scalar, Space>(                           \
      const Space&, const Expression&, std::span<const StreamInput>, Sink&,       \
      const FeaturesOptions&, const StreamOptions&, const std::vector<InputStatistics>&);
SYNELIX_FOR_EACH_SCALAR_AND_SPACE(SYNELIX_INSTANTIATE)
#undef SYNELIX_INSTANTIATE

#define SYNELIX_INSTANTIATE(SPACE)                                                      \
  template std::vector<InputStatistics> find_statistics<SPACE>(                         \
      const SPACE&, const Expression&, std::span<const StreamInput>, const StreamPlan&, \
      const StreamOptions&);
SYNELIX_FOR_EACH_SPACE(SYNELIX_INSTANTIATE)
#undef SYNELIX_INSTANTIATE

}  // namespace synelix
