// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "machine/host_memory.hpp"

#include <synelix/types/series.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

/// \file
/// The layout of lists of events in one piece of memory, so that they are transferred to a device
/// in one copy; and `EventsBuilder`, which makes `Events` without a second copy of them.

namespace synelix {

/// Begins, samples and counts for a number of channels and events, each aligned to a cache line.
class EventLists {
 public:
  constexpr EventLists(std::int64_t channels, std::int64_t events, bool has_counts)
      : m_samples(whole_lines((channels + 1) * 8)),
        m_counts(m_samples + whole_lines(events * 8)),
        m_bytes(has_counts ? m_counts + whole_lines(events * 4) : m_counts),
        m_has_counts(has_counts) {}

  [[nodiscard]] constexpr std::int64_t bytes() const { return m_bytes; }

  /// The lists in memory of `bytes()`, const or not.
  template <class Byte>
  [[nodiscard]] auto* begins(Byte* memory) const {
    return as<std::int64_t>(memory);
  }
  template <class Byte>
  [[nodiscard]] auto* samples(Byte* memory) const {
    return as<std::int64_t>(memory + m_samples);
  }
  /// Null if all counts are 1.
  template <class Byte>
  [[nodiscard]] auto* counts(Byte* memory) const {
    return m_has_counts ? as<float>(memory + m_counts) : nullptr;
  }

 private:
  static constexpr std::int64_t whole_lines(std::int64_t bytes) { return (bytes + 63) / 64 * 64; }

  template <class T, class Byte>
  static auto* as(Byte* memory) {
    return reinterpret_cast<std::conditional_t<std::is_const_v<Byte>, const T, T>*>(memory);
  }

  std::int64_t m_samples;
  std::int64_t m_counts;
  std::int64_t m_bytes;
  bool m_has_counts;
};

/// \throws Error if the host cannot access the lists
void require_on_host(const Events& events);

/// Makes `Events`: the caller counts the events first, and then adds them in place.
class EventsBuilder {
 public:
  /// Memory for a number of events of all channels.
  /// \param has_counts  whether a sample may have another count than 1
  /// \throws Error if there is no sample or no channel, or too many
  EventsBuilder(std::int64_t samples, std::int64_t channels, std::int64_t events, bool has_counts);

  /// Adds events at one sample of the current channel, which has none yet. Samples of a channel are
  /// added in ascending order. \throws Error if more events are added than were counted
  void add(std::int64_t sample, float count) {
    if (m_event == m_events.shape().events || !is_behind_last(sample)) throw_changed();
    m_samples[m_event] = sample;
    if (m_counts != nullptr) m_counts[m_event] = count;
    ++m_event;
  }

  /// Adds one event at a sample of the current channel: the sample of the last event, or a later
  /// one.
  /// \throws Error as above, and if a sample has several events without counts
  void count(std::int64_t sample) {
    if (m_event == m_begins[m_channel] || m_samples[m_event - 1] != sample) {
      return add(sample, 1.0F);
    }
    if (m_counts == nullptr) throw_changed();
    m_counts[m_event - 1] += 1.0F;
  }

  /// Continues with the next channel.
  void end_channel() { m_begins[++m_channel] = m_event; }

  /// The events. \throws Error if fewer were added than were counted, and for epochs that are not
  /// sorted and disjoint ranges within the samples
  [[nodiscard]] Events finish(Epochs epochs);

  /// The facts about events that a plan needs: their shape and bytes, and the number of each
  /// channel. All are at sample 0, and their lists take address space, but no memory.
  static Events only_counted(std::int64_t samples, const std::vector<std::int64_t>& events_of_each,
                             bool has_counts, Epochs epochs);

 private:
  [[nodiscard]] bool is_behind_last(std::int64_t sample) const {
    return m_event == m_begins[m_channel] || m_samples[m_event - 1] < sample;
  }
  [[noreturn]] void throw_changed() const;

  Events m_events;  ///< without its lists until the end
  EventLists m_lists;
  HostMemory m_memory;
  std::int64_t* m_begins = nullptr;
  std::int64_t* m_samples = nullptr;
  float* m_counts = nullptr;
  std::int64_t m_channel = 0;
  std::int64_t m_event = 0;
};

}  // namespace synelix
