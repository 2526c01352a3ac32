// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "lanes/instruction_set.hpp"
#include "pack/source.hpp"

#include <synelix/strided.hpp>

#include <cstdint>

/// \file
/// The past of a stream: stored samples, or events.
///
/// Samples are in a ring that is stored twice, consecutively: sample s is written at s mod C and at
/// C after it. So any C consecutive samples are contiguous somewhere, and nothing is moved.

namespace synelix::pack {

/// The ring: 2 x capacity samples of all channels, channel fastest.
struct Ring {
  void* data = nullptr;
  std::int64_t capacity = 0;
  std::int64_t channels = 0;
};

/// Writes sample s of a block, whose first is `source.first_sample`, for `count` channels from c.
template <class StoredValue>
SYNELIX_INLINE void keep_run(const Ring& ring, const ArraySource& source, std::int64_t s,
                             std::int64_t c, std::int64_t count) {
  const StoredValue* const from = static_cast<const StoredValue*>(source.data) +
                                  (s - source.first_sample) * source.sample_stride +
                                  source.channels.offset(c);
  StoredValue* const to =
      static_cast<StoredValue*>(ring.data) + s % ring.capacity * ring.channels + c;
  StoredValue* const again = to + ring.capacity * ring.channels;
  const std::int64_t step = source.channels.stride();
  if (step == 1) {
    for (std::int64_t i = 0; i < count; ++i) to[i] = again[i] = from[i];
  } else {
    for (std::int64_t i = 0; i < count; ++i) to[i] = again[i] = from[i * step];
  }
}

/// Writes channels [begin, end) of sample s.
SYNELIX_FUNCTION inline void keep_sample(const Ring& ring, const ArraySource& source,
                                         std::int64_t s, std::int64_t begin, std::int64_t end) {
  for (std::int64_t c = begin; c < end;) {
    const std::int64_t run = source.channels.run_length(c);
    const std::int64_t count = run < end - c ? run : end - c;
    switch (size_of(source.type)) {
      case 8:
        keep_run<std::uint64_t>(ring, source, s, c, count);
        break;
      case 4:
        keep_run<std::uint32_t>(ring, source, s, c, count);
        break;
      case 2:
        keep_run<std::uint16_t>(ring, source, s, c, count);
        break;
      default:
        keep_run<std::uint8_t>(ring, source, s, c, count);
    }
    c += count;
  }
}

/// The destination of the kept events of all channels.
struct EventStore {
  std::int64_t* begins = nullptr;
  std::int64_t* samples = nullptr;
  float* counts = nullptr;
};

/// Writes to `to` the events of `past` from sample `from` on, and those of a block that starts at
/// sample `first`, channel by channel.
SYNELIX_FUNCTION inline void keep_events(const EventStore& to, const EventSource& past,
                                         std::int64_t from, const EventSource& block,
                                         std::int64_t first, std::int64_t channels) {
  std::int64_t next = 0;
  to.begins[0] = 0;
  for (std::int64_t c = 0; c < channels; ++c) {
    if (past.begins != nullptr) {
      const std::int64_t end = past.begins[c + 1];
      for (std::int64_t e = first_event_from(past, past.begins[c], end, from); e < end; ++e) {
        to.samples[next] = past.samples[e];
        to.counts[next++] = past.counts[e];
      }
    }
    for (std::int64_t e = block.begins[c]; e < block.begins[c + 1]; ++e) {
      to.samples[next] = first + block.samples[e];
      to.counts[next++] = block.counts != nullptr ? block.counts[e] : 1.0F;
    }
    to.begins[c + 1] = next;
  }
}

}  // namespace synelix::pack
