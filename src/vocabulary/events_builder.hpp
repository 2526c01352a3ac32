// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "vocabulary/event_lists.hpp"
#include "vocabulary/host_memory.hpp"

#include <synelix/series.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

/// \file
/// `EventsBuilder`: makes `Events` without a second copy of their lists. The caller counts the
/// events first, and then adds them in place.

namespace synelix {

class EventsBuilder {
 public:
  /// Memory for so many events of all channels together.
  /// \param has_counts  whether a sample may have another count than 1
  /// \throws Error where there is no sample or no channel, or too many
  EventsBuilder(std::int64_t samples, std::int64_t channels, std::int64_t events, bool has_counts);

  /// Adds events at one sample of the channel at hand, where none is yet. Samples of a channel are
  /// added in ascending order. \throws Error where more events are added than were counted
  void add(std::int64_t sample, float count) {
    if (m_event == m_events.shape().events || !is_behind_last(sample)) throw_changed();
    m_samples[m_event] = sample;
    if (m_counts != nullptr) m_counts[m_event] = count;
    ++m_event;
  }

  /// Adds one event at a sample of the channel at hand: that of the last event, or one behind it.
  /// \throws Error as above, and where a sample has several events without counts
  void count(std::int64_t sample) {
    if (m_event == m_begins[m_channel] || m_samples[m_event - 1] != sample) {
      return add(sample, 1.0F);
    }
    if (m_counts == nullptr) throw_changed();
    m_counts[m_event - 1] += 1.0F;
  }

  /// Goes on to the next channel.
  void end_channel() { m_begins[++m_channel] = m_event; }

  /// The events. \throws Error where fewer were added than were counted, and for epochs that are
  /// not sorted and disjoint ranges within the samples
  [[nodiscard]] Events finish(std::vector<Epoch> epochs);

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
