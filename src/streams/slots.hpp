// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "blocks/buffer.hpp"
#include "streams/pipeline.hpp"
#include "vocabulary/device_memory.hpp"
#include "vocabulary/event_lists.hpp"
#include "vocabulary/instances.hpp"
#include "vocabulary/without_warnings.hpp"

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

/// \file
/// Where blocks of a stream are computed: on a device in slots, each with memory and an instance of
/// its own, so that copies and kernels of several blocks overlap; or where they were read.

namespace synelix::stream {

/// Whether blocks go through a device, and what they have there.
/// \param budget  of the device; absent: a quarter of what is free
/// \throws Error for Staging::never where kernels do not reach memory of the host
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

/// Why blocks of a space go through no device, where they do not.
template <class ExecutionSpace>
constexpr StagingReason reason_without() {
  return seam::is_on_host<ExecutionSpace> ? StagingReason::near : StagingReason::shared_memory;
}

/// Bytes of events on a device.
inline std::int64_t bytes_on_device(const SeriesShape& events) {
  return EventLists(events.channels, events.events, true).bytes();
}

/// What a plan takes events from: copies on the device, or the caller's where they are reached.
template <class ExecutionSpace>
Events events_for(const ExecutionSpace& exec, const StreamPlan& plan, const Events& events) {
  return plan.choice.staging.is_staged() ? copy_events(exec, events) : events;
}

/// A plan for each slot, on its instance; they warn once. `make(instance)` makes one.
template <class Slots, class Make>
auto plans_for(const Slots& slots, const Make& make) {
  std::vector<decltype(make(slots.instance(0)))> plans;
  plans.push_back(make(slots.instance(0)));
  const WithoutWarnings silence;
  for (std::size_t k = 1; k < slots.count(); ++k) plans.push_back(make(slots.instance(k)));
  return plans;
}

/// Memory and an instance for each block in flight; of blocks that are computed where they were
/// read, one instance and no memory.
template <class ExecutionSpace>
class Slots {
 public:
  /// \param types  stored type of each input of the plan
  Slots(const ExecutionSpace& exec, const StreamPlan& plan, std::vector<StoredType> types)
      : m_types(std::move(types)), m_is_staged(plan.choice.staging.is_staged()) {
    const auto count = static_cast<std::size_t>(slots_of(plan));
    m_instances = m_is_staged ? instances_of(exec, count) : std::vector<ExecutionSpace>{exec};
    if (!m_is_staged) return;
    const std::int64_t values = plan.block.rows * plan.block.channels * plan.block.bases;
    for (std::size_t k = 0; k < count; ++k) {
      Memory memory;
      for (std::size_t i = 0; i < plan.inputs.size(); ++i) {
        const StreamInputPlan& input = plan.inputs[i];
        memory.inputs.push_back(
            fresh(exec, "synelix::stream::slot_input",
                  input.block_samples * input.block_channels * size_of(m_types[i])));
      }
      memory.output =
          fresh(exec, "synelix::stream::slot_output", values * size_of(plan.features.type));
      m_memory.push_back(std::move(memory));
    }
    exec.fence("synelix::stream: memory of the slots is there");
  }
  Slots(const Slots&) = delete;
  Slots& operator=(const Slots&) = delete;
  /// Waits: of what fails, copies may still use buffers.
  ~Slots() {
    if (!m_is_staged) return;
    try {
      for (std::size_t k = 0; k < count(); ++k) finish(k);
    } catch (...) {  // NOLINT(bugprone-empty-catch): what went wrong before says more
    }
  }

  [[nodiscard]] std::size_t count() const { return m_instances.size(); }
  [[nodiscard]] const ExecutionSpace& instance(std::size_t slot) const { return m_instances[slot]; }

  /// What was read of input i, (samples, channels), where kernels of the slot reach it: they start
  /// when it is there.
  [[nodiscard]] Strided input(std::size_t slot, std::size_t i, const Input& read) const {
    Strided samples;
    samples.data = read.values;
    if (m_is_staged) {
      const std::int64_t bytes = read.samples.size() * read.channels * size_of(m_types[i]);
      const Bytes& memory = m_memory[slot].inputs[i];
      if (bytes > 0) {
        Kokkos::deep_copy(m_instances[slot], first(memory, bytes), pinned(read.values, bytes));
      }
      samples.data = memory.data();
    }
    samples.type = m_types[i];
    samples.rank = 2;
    samples.extents = {read.samples.size(), read.channels};
    samples.strides = {read.channels, 1};
    return samples;
  }
  /// Where kernels of the slot write what is to come to `values`.
  [[nodiscard]] void* output(std::size_t slot, void* values) const {
    return m_is_staged ? m_memory[slot].output.data() : values;
  }
  /// Brings what they wrote to the host, when they are done.
  void fetch(std::size_t slot, void* values, std::int64_t bytes) const {
    if (!m_is_staged || bytes == 0) return;
    Kokkos::deep_copy(m_instances[slot], pinned(values, bytes),
                      first(m_memory[slot].output, bytes));
  }
  /// Returns when all of that is done.
  void finish(std::size_t slot) const {
    m_instances[slot].fence("synelix::stream: the block is there");
  }

 private:
  using Bytes = Kokkos::View<std::byte*, typename ExecutionSpace::memory_space>;
  struct Memory {
    std::vector<Bytes> inputs;
    Bytes output;
  };

  static Bytes fresh(const ExecutionSpace& exec, const char* label, std::int64_t bytes) {
    return allocated_or_refused("a device", bytes, [&] {
      return Bytes(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, std::string(label)),
                   static_cast<std::size_t>(bytes));
    });
  }
  static auto first(const Bytes& memory, std::int64_t bytes) {
    return Kokkos::subview(memory, std::pair(std::size_t{0}, static_cast<std::size_t>(bytes)));
  }
  /// The pipeline's buffers, which are pinned where blocks are staged.
  static auto pinned(const void* values, std::int64_t bytes) {
    return Kokkos::View<std::byte*, Kokkos::SharedHostPinnedSpace, Kokkos::MemoryUnmanaged>(
        static_cast<std::byte*>(const_cast<void*>(values)), static_cast<std::size_t>(bytes));
  }

  std::vector<StoredType> m_types;
  bool m_is_staged;
  std::vector<ExecutionSpace> m_instances;
  std::vector<Memory> m_memory;
};

}  // namespace synelix::stream
