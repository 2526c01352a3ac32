// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// stream_convolve: checks, plans the blocks, makes a ConvolvePlan for each slot, and runs the
// pipeline with them.
#include "machine/spaces.hpp"
#include "streams/fingerprint.hpp"
#include "streams/input_files.hpp"
#include "streams/pipeline.hpp"
#include "streams/stream_plan.hpp"
#include "streams/stream_slots.hpp"

#include <synelix/session.hpp>
#include <synelix/stream.hpp>

#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace synelix {
namespace {

/// The shape, extents and source of the input of a stream: a Source, or Events.
struct Origin {
  const SeriesShape& shape;
  std::vector<std::int64_t> channel_extents;
  Source* source = nullptr;
  const Source* read_only = nullptr;
  const Events* events = nullptr;
};

template <class Scalar, class ExecutionSpace>
stream::Prepared prepared_convolution(const ExecutionSpace& exec, const Origin& origin,
                                      const FilterBank<Scalar, ExecutionSpace>& bank,
                                      const Sink& sink, const ConvolveOptions& options,
                                      const StreamOptions& stream) {
  require_running("synelix::stream_convolve");
  if (origin.events != nullptr) require_on_host(*origin.events);
  std::optional<stream::DeviceSide> device =
      stream::device_side(exec, options.staging, options.budget);
  if (device && origin.events != nullptr) {
    device->event_bytes = stream::bytes_on_device(origin.shape);
  }
  const index::Reach reach{bank.window(),
                           lag_offset(options.causality, options.shift, bank.window())};
  const FeaturesShape features{.channels = origin.shape.channels,
                               .bases = bank.bases(),
                               .channel_extents = origin.channel_extents,
                               .type = stored_type<Scalar>};
  const auto chosen = [&](std::int64_t budget) {
    ConvolveOptions tried = options;
    tried.budget = budget;
    return choose(exec, origin.shape, bank, tried);
  };
  std::vector<stream::Feed> feeds;
  if (origin.read_only != nullptr) {
    const Choice choice = chosen(std::numeric_limits<std::int64_t>::max() / 4);
    feeds.push_back({origin.read_only, index::reach_by(choice, reach)});
  }
  return prepare(stream::StreamProblem{.features = features,
                                       .grid = origin.shape,
                                       .reach = reach,
                                       .feeds = feeds,
                                       .cut = stream::Cut::all_sides,
                                       .rule = {options.border, options.every},
                                       .batch = options.batch,
                                       .budget = device ? options.host_budget : options.budget,
                                       .device = device,
                                       .reason = stream::reason_without<ExecutionSpace>(),
                                       .samples = stream.samples,
                                       .held_bytes = stream.held_bytes,
                                       .sink = sink,
                                       .choose = chosen});
}

/// What is known about the series other than values: from the source first, then from the caller.
SeriesDescription described(const Origin& origin, const StreamOptions& stream) {
  if (origin.read_only == nullptr) return stream.series;
  SeriesDescription result = origin.read_only->description();
  const SeriesDescription& given = stream.series;
  if (!result.rate_hz) {
    result.rate_hz = given.rate_hz;
    result.start_seconds = given.start_seconds;
    result.segments = given.segments;
    result.bin_seconds = given.bin_seconds;
  }
  if (result.first_sample == 0) result.first_sample = given.first_sample;
  if (result.channel_ids.empty()) result.channel_ids = given.channel_ids;
  if (result.name.empty()) result.name = given.name;
  if (result.fingerprint.empty()) result.fingerprint = given.fingerprint;
  stream::add_files(result.files, given.files);
  return result;
}

template <class Scalar, class ExecutionSpace>
StreamReport run_convolution(const ExecutionSpace& exec, const Origin& origin,
                             const FilterBank<Scalar, ExecutionSpace>& bank, Sink& sink,
                             const ConvolveOptions& options, const StreamOptions& stream) {
  const Kokkos::Profiling::ScopedRegion region("synelix::stream_convolve");
  const auto kept = std::make_shared<const stream::Prepared>(
      prepared_convolution(exec, origin, bank, sink, options, stream));
  const stream::Prepared& ready = *kept;
  ConvolveOptions share = options;
  share.budget = ready.workspace_budget;
  std::vector<Source*> sources;
  if (origin.source != nullptr) sources = {origin.source};
  const auto slots = stream::slots_for(exec, ready.plan, sources);
  const auto plans = stream::plans_for(slots, [&](const ExecutionSpace& instance) {
    return ConvolvePlan<Scalar, ExecutionSpace>(instance, origin.shape, bank, share);
  });
  std::optional<Events> events;
  if (origin.events != nullptr) events = stream::events_for(exec, ready.plan, *origin.events);

  stream::Compute compute;
  compute.start = [&](std::size_t slot, const Block& block, std::span<const stream::Input> read,
                      const blocks::Buffer& output) {
    const ExecutionSpace& instance = slots.instance(slot);
    const std::array<std::int64_t, 3> extents = {block.rows.size(), block.channels.size(),
                                                 block.bases.size()};
    const StridedOutput features(reinterpret_cast<Scalar*>(slots.output(slot, output)), extents);
    if (events) {
      plans[slot].run_block(instance, block, *events, features);
    } else {
      plans[slot].run_block(instance, block, stream::samples_in(slots, slot, 0, read[0]),
                            read[0].samples.begin, features);
    }
    slots.fetch(slot, output,
                extents[0] * extents[1] * extents[2] * static_cast<std::int64_t>(sizeof(Scalar)));
  };
  compute.wait = [&](std::size_t slot) { slots.wait(slot); };
  const Taps& taps = bank.taps();
  Choice choice = plans.front().choice();
  choice.staging = ready.plan.choice.staging;
  const SeriesDescription series = described(origin, stream);
  // An input without a fingerprint cannot be recognized, so such a run cannot be resumed.
  const bool is_known = origin.events != nullptr || !series.fingerprint.empty();
  const FeaturesDescription description{
      .shape = ready.plan.features,
      .block = ready.plan.block,
      .chunk = ready.plan.chunk,
      .window = bank.window(),
      .options = options,
      .choice = choice,
      .series = series,
      .basis = taps.basis,
      .basis_parameters = taps.parameters,
      .fingerprint =
          is_known ? stream::joined(stream::fingerprint_of(origin.shape, series, origin.events),
                                    stream::fingerprint_of(taps, options, choice,
                                                           ready.plan.features, ready.plan.rows))
                   : Fingerprint(),
      .samples_of_rows = stream::samples_of_rows(kept)};
  return run_pipeline(ready, sources, sink, description, compute, stream);
}

}  // namespace

template <class ExecutionSpace>
bool seam::goes_through_device(const ExecutionSpace& exec, Staging staging) {
  return stream::device_side(exec, staging, std::nullopt).has_value();
}

template <class Scalar, class ExecutionSpace>
StreamPlan plan_stream(const ExecutionSpace& exec, const Source& source,
                       const FilterBank<Scalar, ExecutionSpace>& bank, const Sink& sink,
                       const ConvolveOptions& options, const StreamOptions& stream) {
  const Origin origin{source.shape(), source.channel_extents(), nullptr, &source, nullptr};
  return prepared_convolution(exec, origin, bank, sink, options, stream).plan;
}

template <class Scalar, class ExecutionSpace>
StreamPlan plan_stream(const ExecutionSpace& exec, const Events& events,
                       const FilterBank<Scalar, ExecutionSpace>& bank, const Sink& sink,
                       const ConvolveOptions& options, const StreamOptions& stream) {
  const Origin origin{events.shape(), {events.shape().channels}, nullptr, nullptr, &events};
  return prepared_convolution(exec, origin, bank, sink, options, stream).plan;
}

template <class Scalar, class ExecutionSpace>
StreamReport stream_convolve(const ExecutionSpace& exec, Source& source,
                             const FilterBank<Scalar, ExecutionSpace>& bank, Sink& sink,
                             const ConvolveOptions& options, const StreamOptions& stream) {
  const Origin origin{source.shape(), source.channel_extents(), &source, &source, nullptr};
  return run_convolution(exec, origin, bank, sink, options, stream);
}

template <class Scalar, class ExecutionSpace>
StreamReport stream_convolve(const ExecutionSpace& exec, const Events& events,
                             const FilterBank<Scalar, ExecutionSpace>& bank, Sink& sink,
                             const ConvolveOptions& options, const StreamOptions& stream) {
  const Origin origin{events.shape(), {events.shape().channels}, nullptr, nullptr, &events};
  return run_convolution(exec, origin, bank, sink, options, stream);
}

#define SYNELIX_INSTANTIATE_FROM(Scalar, Space, Input, ConstInput)                              \
  template StreamPlan plan_stream(const Space&, ConstInput&, const FilterBank<Scalar, Space>&,  \
                                  const Sink&, const ConvolveOptions&, const StreamOptions&);   \
  template StreamReport stream_convolve(const Space&, Input&, const FilterBank<Scalar, Space>&, \
                                        Sink&, const ConvolveOptions&, const StreamOptions&);
#define SYNELIX_INSTANTIATE(Space) template bool seam::goes_through_device(const Space&, Staging);
SYNELIX_FOR_EACH_SPACE(SYNELIX_INSTANTIATE)
#undef SYNELIX_INSTANTIATE
#define SYNELIX_INSTANTIATE(Scalar, Space)                      \
  SYNELIX_INSTANTIATE_FROM(Scalar, Space, Source, const Source) \
  SYNELIX_INSTANTIATE_FROM(Scalar, Space, const Events, const Events)
SYNELIX_FOR_EACH_SCALAR_AND_SPACE(SYNELIX_INSTANTIATE)
#undef SYNELIX_INSTANTIATE
#undef SYNELIX_INSTANTIATE_FROM

}  // namespace synelix
