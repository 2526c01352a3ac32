// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "lanes/instruction_set.hpp"
#include "pack/source.hpp"

#include <cstdint>

/// \file
/// Single samples as physical values in double, for eval mode and ranges.

namespace synelix::pack {

/// An array or events, depending on the input.
struct AnySource {
  ArraySource array;
  EventSource events;  ///< used if `events.begins` is not null
};

/// The stored value at an index.
constexpr double stored_value(const void* data, StoredType type, std::int64_t i) {
  switch (type) {
    case StoredType::float32:
      return static_cast<double>(static_cast<const float*>(data)[i]);
    case StoredType::float64:
      return static_cast<const double*>(data)[i];
    case StoredType::int8:
      return static_cast<double>(static_cast<const std::int8_t*>(data)[i]);
    case StoredType::uint8:
      return static_cast<double>(static_cast<const std::uint8_t*>(data)[i]);
    case StoredType::int16:
      return static_cast<double>(static_cast<const std::int16_t*>(data)[i]);
    case StoredType::uint16:
      return static_cast<double>(static_cast<const std::uint16_t*>(data)[i]);
  }
  return 0;
}

/// Sample t of channel c. A sample without an event is 0.
SYNELIX_FUNCTION inline double value_of(const AnySource& source, std::int64_t t, std::int64_t c) {
  const EventSource& events = source.events;
  if (events.begins != nullptr) {
    const std::int64_t end = events.begins[c + 1];
    const std::int64_t e = first_event_from(events, events.begins[c], end, t);
    if (e == end || events.samples[e] != t) return 0.0;
    return events.counts != nullptr ? static_cast<double>(events.counts[e]) : 1.0;
  }
  const ArraySource& array = source.array;
  const double value = stored_value(array.data, array.type,
                                    (t - array.first_sample) * array.sample_stride +
                                        array.channels.offset(c - array.first_channel));
  if (!array.is_scaled()) return value;
  const double scale = array.channel_scale != nullptr ? array.channel_scale[c] : array.scale;
  const double offset = array.channel_offset != nullptr ? array.channel_offset[c] : array.offset;
  return value * scale + offset;
}

}  // namespace synelix::pack
