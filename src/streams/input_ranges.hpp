// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "blocks/in_flight.hpp"
#include "streams/design_origins.hpp"
#include "streams/pipeline.hpp"
#include "streams/stream_slots.hpp"

#include <synelix/features.hpp>
#include <synelix/stream_features.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

/// \file
/// The ranges of inputs whose bases have no bounds: one pass over each input before the first
/// block.

namespace synelix::stream {

/// How an input is read for its range.
struct RangeReading {
  StagedBlocks staging = {};
  std::int64_t room = 0;  ///< bytes that may be held
  const std::atomic<bool>* cancel = nullptr;
};

/// The ranges of an input, by one pass over it in blocks.
template <class ExecutionSpace>
std::vector<SampleRange> ranges_of(const ExecutionSpace& exec, Source& source,
                                   const RangeReading& reading) {
  /// Larger blocks do not make a pass over an input faster.
  constexpr std::int64_t bytes_enough = mebibytes(16);
  const SeriesShape& shape = source.shape();
  const std::int64_t sample_bytes = shape.channels * size_of(shape.type);
  const std::int64_t bytes = std::min(reading.room / 4, bytes_enough);
  const std::int64_t step =
      std::clamp<std::int64_t>(bytes / sample_bytes, 1, std::max<std::int64_t>(shape.samples, 1));
  source.begin(step, shape.channels, source.own_bytes(step, shape.channels, bytes));
  StreamPlan plan;
  plan.inputs = {{.block_samples = step, .block_channels = shape.channels}};
  plan.choice.staging = reading.staging;
  plan.choice.staging.slots = 1;
  const blocks::Buffer buffer = buffer_for(plan.choice.staging, step * sample_bytes);
  Source* const sources[] = {&source};
  const auto slots = slots_for(exec, plan, sources);
  blocks::InFlight<Range> in_flight(
      1, [&](std::size_t slot) { slots.wait(slot); }, [](Range, std::size_t) {});
  std::vector<SampleRange> ranges(static_cast<std::size_t>(shape.channels));
  for (std::int64_t first = 0; first < shape.samples; first += step) {
    if (reading.cancel != nullptr && reading.cancel->load()) {
      throw Cancelled("stream: cancelled while the range of an input was looked for");
    }
    const Range samples{first, std::min(first + step, shape.samples)};
    source.read(samples, {0, shape.channels}, buffer.data());
    in_flight.add(samples, [&](std::size_t slot) {
      const Input read{buffer, samples, shape.channels, shape.type};
      const InputBlock block{
          .samples = samples_in(slots, slot, 0, read), .first_sample = first, .events = nullptr};
      const std::vector<SampleRange> found = find_ranges(slots.instance(slot), shape, block);
      for (std::size_t c = 0; c < ranges.size(); ++c) ranges[c].merge(found[c]);
    });
  }
  return ranges;
}

/// The statistics of all samples of each input that the plan needs. \param known for each input,
/// the statistics that need no pass; empty: none
template <class ExecutionSpace>
std::vector<InputStatistics> statistics_of(const ExecutionSpace& exec, const Expression& expression,
                                           const Origins& origins, const RangeReading& reading,
                                           const std::vector<InputStatistics>& known = {}) {
  const std::vector<InputUse> uses = input_uses(expression);
  if (!known.empty() && known.size() != uses.size()) {
    throw Error("statistics",
                "there are " + std::to_string(known.size()) + " entries for " +
                    std::to_string(uses.size()) + " inputs",
                "Give one for each input (find_statistics), or none");
  }
  std::vector<InputStatistics> statistics(uses.size());
  for (std::size_t i = 0; i < known.size(); ++i) {
    if (uses[i].needs_ranges) statistics[i].ranges = known[i].ranges;
  }
  for (std::size_t i = 0; i < uses.size() && i < origins.shapes.size(); ++i) {
    if (!uses[i].needs_ranges || !statistics[i].ranges.empty()) continue;
    if (origins.events[i] != nullptr) {
      statistics[i].ranges =
          find_ranges(exec, origins.shapes[i].series, InputBlock{.events = origins.events[i]});
      continue;
    }
    for (std::size_t k = 0; k < i; ++k) {
      const bool is_known = origins.events[k] == nullptr && !statistics[k].ranges.empty() &&
                            origins.number[k] == origins.number[i];
      if (is_known) statistics[i].ranges = statistics[k].ranges;
    }
    if (!statistics[i].ranges.empty()) continue;
    statistics[i].ranges = ranges_of(exec, *origins.sources[origins.number[i]], reading);
  }
  return statistics;
}

}  // namespace synelix::stream
