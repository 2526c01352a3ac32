// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "blocks/slots.hpp"
#include "machine/device_memory.hpp"
#include "streams/pipeline.hpp"
#include "types/events.hpp"
#include "types/without_warnings.hpp"

#include <synelix/seam/place.hpp>
#include <synelix/series.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

/// \file
/// The slots of a stream: whether its blocks go through a device, and their memory there.

namespace synelix::stream {

/// Whether blocks go through a device, and their memory there.
/// \param budget  of the device; absent: a quarter of what is free
/// \throws Error for Staging::never if kernels cannot access memory of the host
template <class ExecutionSpace>
std::optional<DeviceSide> device_side(const ExecutionSpace& exec, Staging staging,
                                      std::optional<std::int64_t> budget) {
  const bool is_reached = shares_host_memory(exec);
  if (staging != Staging::always && is_reached) return std::nullopt;
  if (staging == Staging::never) {
    throw Error("staging",
                "the value is never, but the device does not reach the memory of this stream",
                "Give automatic or always");
  }
  DeviceSide device;
  if (staging == Staging::always) device.reason = StagingReason::asked_for;
  device.budget = budget ? *budget : default_budget_of(exec);
  device.most = budget ? *budget : free_bytes(exec);
  return device;
}

/// The reason why blocks of a space do not go through a device.
template <class ExecutionSpace>
constexpr StagingReason reason_without() {
  return seam::is_on_host<ExecutionSpace> ? StagingReason::near : StagingReason::shared_memory;
}

/// Bytes of events on a device.
inline std::int64_t bytes_on_device(const SeriesShape& events) {
  return EventLists(events.channels, events.events, true).bytes();
}

/// The events for a plan: copies on the device, or the caller's if kernels can access them.
template <class ExecutionSpace>
Events events_for(const ExecutionSpace& exec, const StreamPlan& plan, const Events& events) {
  return plan.choice.staging.is_staged() ? copy_events(exec, events) : events;
}

/// A plan for each slot, on its instance; only one of them warns. `make(instance)` makes a plan.
template <class Slots, class Make>
auto plans_for(const Slots& slots, const Make& make) {
  std::vector<decltype(make(slots.instance(0)))> plans;
  plans.push_back(make(slots.instance(0)));
  const WithoutWarnings silence;
  for (std::size_t k = 1; k < slots.count(); ++k) plans.push_back(make(slots.instance(k)));
  return plans;
}

/// The slots of a plan, with the memory of each on a device.
template <class ExecutionSpace>
blocks::Slots<ExecutionSpace> slots_for(const ExecutionSpace& exec, const StreamPlan& plan,
                                        std::span<Source* const> sources) {
  const StagedBlocks& staged = plan.choice.staging;
  if (!staged.is_staged()) return {exec, "synelix::stream"};
  blocks::SlotBytes bytes;
  for (std::size_t i = 0; i < plan.inputs.size(); ++i) {
    const StreamInputPlan& input = plan.inputs[i];
    bytes.inputs.push_back(input.block_samples * input.block_channels *
                           size_of(sources[i]->shape().type));
  }
  bytes.output =
      plan.block.rows * plan.block.channels * plan.block.bases * size_of(plan.features.type);
  return {exec, "synelix::stream", staged.slots, bytes};
}

/// The samples of input i, (samples, channels), in memory for kernels of the slot, which start
/// after the copy.
template <class ExecutionSpace>
Strided samples_in(const blocks::Slots<ExecutionSpace>& slots, std::size_t slot, std::size_t i,
                   const Input& read) {
  Strided samples;
  samples.data =
      slots.input(slot, i, read.buffer, read.samples.size() * read.channels * size_of(read.type));
  samples.type = read.type;
  samples.rank = 2;
  samples.extents = {read.samples.size(), read.channels};
  samples.strides = {read.channels, 1};
  return samples;
}

}  // namespace synelix::stream
