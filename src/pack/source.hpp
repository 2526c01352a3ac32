// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "index/channel_map.hpp"

#include <synelix/strided.hpp>

#include <cstdint>

/// \file
/// The source of a sweep's samples: an array in its stored type, or a list of events. Trivially
/// copyable, with pointers that the execution space can access.

namespace synelix::pack {

/// An array of stored values, and their conversion to physical ones.
struct ArraySource {
  const void* data = nullptr;
  StoredType type = StoredType::float32;
  std::int64_t first_sample = 0;   ///< sample at `data`
  std::int64_t sample_stride = 0;  ///< values from one sample to the next
  std::int64_t first_channel = 0;  ///< channel at `data`
  index::ChannelMap channels;
  double scale = 1.0;
  double offset = 0.0;
  const double* channel_scale = nullptr;   ///< of all channels; null: `scale` for each
  const double* channel_offset = nullptr;  ///< of all channels; null: `offset` for each
  const ArraySource* trials = nullptr;     ///< one for each trial; null: this one for all

  /// The array of a trial.
  [[nodiscard]] constexpr const ArraySource& of(std::int64_t trial) const {
    return trials != nullptr ? trials[trial] : *this;
  }

  /// Whether stored values differ from the physical ones.
  [[nodiscard]] constexpr bool is_scaled() const {
    return scale != 1.0 || offset != 0.0 || channel_scale != nullptr || channel_offset != nullptr;
  }
};

/// Whether no sample of a source can be NaN or Inf.
constexpr bool is_always_finite(const ArraySource& source) {
  return source.type != StoredType::float32 && source.type != StoredType::float64 &&
         !source.is_scaled();
}

/// Events of all channels: those of channel c are the entries [begins[c], begins[c + 1]).
struct EventSource {
  const std::int64_t* begins = nullptr;
  const std::int64_t* samples = nullptr;
  const float* counts = nullptr;        ///< null: all 1
  const EventSource* trials = nullptr;  ///< one for each trial; null: this one for all

  /// The events of a trial.
  [[nodiscard]] constexpr const EventSource& of(std::int64_t trial) const {
    return trials != nullptr ? trials[trial] : *this;
  }
};

/// Whether no count of a source can be NaN or Inf.
constexpr bool is_always_finite(const EventSource& source) {
  return source.trials == nullptr && source.counts == nullptr;
}

/// The first entry in [begin, end) whose sample is `sample` or later; `end` if there is none.
constexpr std::int64_t first_event_from(const EventSource& events, std::int64_t begin,
                                        std::int64_t end, std::int64_t sample) {
  while (begin < end) {
    const std::int64_t middle = begin + (end - begin) / 2;
    if (events.samples[middle] < sample) {
      begin = middle + 1;
    } else {
      end = middle;
    }
  }
  return begin;
}

/// The same for a result that is probably near the end: searches from there with steps that double.
constexpr std::int64_t last_events_to(const EventSource& events, std::int64_t begin,
                                      std::int64_t end, std::int64_t sample) {
  std::int64_t step = 1;
  while (end - begin > step && events.samples[end - step] >= sample) {
    end -= step;
    step *= 2;
  }
  return first_event_from(events, end - begin > step ? end - step : begin, end, sample);
}

}  // namespace synelix::pack
