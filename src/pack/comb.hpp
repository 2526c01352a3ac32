// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "lanes/instruction_set.hpp"
#include "pack/source.hpp"
#include "pack/value.hpp"

#include <cstdint>

/// \file
/// Samples of one channel in the working type, read by the threads of a device. Each thread reads
/// samples with a constant distance, so that neighboring threads read neighboring samples.

namespace synelix::pack {

/// Samples first, first + step, ..., `count` of them.
struct Comb {
  std::int64_t channel;
  std::int64_t first;
  std::int64_t step;
  std::int32_t count;
};

/// The scale and offset of a channel's stored values.
struct Scaling {
  double scale;
  double offset;
};
SYNELIX_INLINE Scaling scaling_of(const ArraySource& source, std::int64_t c) {
  return {source.channel_scale != nullptr ? source.channel_scale[c] : source.scale,
          source.channel_offset != nullptr ? source.channel_offset[c] : source.offset};
}

/// `take(j, value)` for each sample of a comb, j = 0, 1, ..., in the stored type. A few are read
/// before the first is taken, so that their latencies overlap.
template <class Scalar, class StoredValue, class Take>
SYNELIX_INLINE void read_stored(const ArraySource& source, const Comb& comb, const Take& take) {
  constexpr int together = 8;
  const StoredValue* const from = static_cast<const StoredValue*>(source.data) +
                                  source.channels.offset(comb.channel - source.first_channel) +
                                  (comb.first - source.first_sample) * source.sample_stride;
  const std::int64_t step = comb.step * source.sample_stride;
  const bool is_scaled = source.is_scaled();
  const Scaling scaling = is_scaled ? scaling_of(source, comb.channel) : Scaling{1.0, 0.0};
  for (std::int32_t j = 0; j < comb.count; j += together) {
    StoredValue values[together];
    SYNELIX_UNROLL(8)
    for (int i = 0; i < together; ++i) {
      values[i] = j + i < comb.count ? from[(j + i) * step] : StoredValue(0);
    }
    SYNELIX_UNROLL(8)
    for (int i = 0; i < together; ++i) {
      if (j + i >= comb.count) continue;
      take(j + i, is_scaled ? static_cast<Scalar>(static_cast<double>(values[i]) * scaling.scale +
                                                  scaling.offset)
                            : static_cast<Scalar>(values[i]));
    }
  }
}

template <class Scalar, class Take>
SYNELIX_INLINE void read_comb(const ArraySource& source, const Comb& comb, const Take& take) {
  switch (source.type) {
    case StoredType::float32:
      return read_stored<Scalar, float>(source, comb, take);
    case StoredType::float64:
      return read_stored<Scalar, double>(source, comb, take);
    case StoredType::int8:
      return read_stored<Scalar, std::int8_t>(source, comb, take);
    case StoredType::uint8:
      return read_stored<Scalar, std::uint8_t>(source, comb, take);
    case StoredType::int16:
      return read_stored<Scalar, std::int16_t>(source, comb, take);
    case StoredType::uint16:
      return read_stored<Scalar, std::uint16_t>(source, comb, take);
  }
}

/// Sample t of channel c.
template <class Scalar>
SYNELIX_INLINE Scalar sample_of(const ArraySource& source, std::int64_t t, std::int64_t c) {
  const double value = stored_value(source.data, source.type,
                                    (t - source.first_sample) * source.sample_stride +
                                        source.channels.offset(c - source.first_channel));
  if (!source.is_scaled()) return static_cast<Scalar>(value);
  const Scaling scaling = scaling_of(source, c);
  return static_cast<Scalar>(value * scaling.scale + scaling.offset);
}
template <class Scalar>
SYNELIX_INLINE Scalar sample_of(const EventSource& source, std::int64_t t, std::int64_t c) {
  const std::int64_t end = source.begins[c + 1];
  const std::int64_t e = first_event_from(source, source.begins[c], end, t);
  if (e == end || source.samples[e] != t) return Scalar(0);
  return source.counts != nullptr ? static_cast<Scalar>(source.counts[e]) : Scalar(1);
}

/// `take(sample, count)` for every `of`-th of the events of a channel within `samples`, starting
/// with number `first`.
template <class Scalar, class Take>
SYNELIX_INLINE void read_events(const EventSource& source, std::int64_t channel, Range samples,
                                std::int64_t first, std::int64_t of, const Take& take) {
  const std::int64_t end = source.begins[channel + 1];
  std::int64_t e = first_event_from(source, source.begins[channel], end, samples.begin) + first;
  for (; e < end && source.samples[e] < samples.end; e += of) {
    take(source.samples[e],
         source.counts != nullptr ? static_cast<Scalar>(source.counts[e]) : Scalar(1));
  }
}

}  // namespace synelix::pack
