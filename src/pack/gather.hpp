// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "index/segment.hpp"
#include "lanes/instruction_set.hpp"
#include "pack/source.hpp"

#include <cstdint>

/// \file
/// Gathers samples into a packed block: rows of lanes, without gaps, in the working type. A lane is
/// one strip of one channel; row j of a lane is the sample `strip.sample + offset - (W - 1) + j`.
/// Samples outside the strip's epoch, and lanes without a strip, are 0.
///
/// Beside value.hpp and past.hpp the only code that knows stored types, layouts and events.

namespace synelix::pack {

/// The packed block of a work item.
template <class Scalar>
struct PackedBlock {
  Scalar* values;  ///< (row, lane), lane fastest
  std::int64_t rows;
  std::int64_t lanes;          ///< of a row, a whole number of packs
  std::int64_t channels;       ///< lane = strip * channels + channel
  std::int64_t first_channel;  ///< channel of lane 0
  const index::Strip* strips;  ///< of this item
  std::int64_t strip_count;
  std::int64_t lag;     ///< sample of row 0 of a lane, relative to the strip's sample
  std::int64_t window;  ///< packed rows that the first output row of a strip sees
  std::int64_t every;   ///< packed rows from one output row to the next

  /// The packed rows that the windows of a strip see, all others being 0: nothing is read that no
  /// output row needs, since a caller's block ends there.
  [[nodiscard]] SYNELIX_FUNCTION constexpr Range seen(const index::Strip& strip) const {
    if (strip.rows == 0) return {};
    const std::int64_t first = strip.sample + lag;
    const std::int64_t begin = strip.samples.begin - first;
    const std::int64_t end = strip.samples.end - first;
    const std::int64_t needed = (strip.rows - 1) * every + window;
    return {begin > 0 ? begin : 0, end < needed ? end : needed};
  }
};

/// Lanes [begin, end) of one strip whose channels lie one stride apart.
struct LaneRun {
  std::int64_t begin;
  std::int64_t end;
  std::int64_t strip;
  std::int64_t channel;
};

/// The run that starts at lane `begin` and ends at `end` at the latest.
constexpr LaneRun lane_run(std::int64_t begin, std::int64_t end, std::int64_t channels,
                           std::int64_t first_channel, const index::ChannelMap& map,
                           std::int64_t map_channel) {
  const std::int64_t strip = begin / channels;
  const std::int64_t channel = first_channel + begin % channels;
  std::int64_t count = channels - begin % channels;
  const std::int64_t together = map.run(channel - map_channel);
  if (together < count) count = together;
  if (end - begin < count) count = end - begin;
  return {begin, begin + count, strip, channel};
}

/// Copies rows [row_begin, row_end) of `count` lanes through `convert(lane, value)`, along the
/// direction in which the source is denser.
template <class Scalar, class StoredValue, class Convert>
SYNELIX_INLINE void copy_run(Scalar* to, std::int64_t lanes, const StoredValue* from,
                             std::int64_t sample_stride, std::int64_t step, std::int64_t count,
                             std::int64_t row_begin, std::int64_t row_end, const Convert& convert) {
  if (step == 1) {
    for (std::int64_t j = row_begin; j < row_end; ++j) {
      const StoredValue* const row = from + j * sample_stride;
      for (std::int64_t i = 0; i < count; ++i) to[j * lanes + i] = convert(i, row[i]);
    }
  } else {
    for (std::int64_t i = 0; i < count; ++i) {
      const StoredValue* const column = from + i * step;
      for (std::int64_t j = row_begin; j < row_end; ++j) {
        to[j * lanes + i] = convert(i, column[j * sample_stride]);
      }
    }
  }
}

/// Gathers one run of lanes for rows [row_begin, row_end) of the block.
template <class Scalar, class StoredValue>
SYNELIX_INLINE void gather_run(const PackedBlock<Scalar>& block, const ArraySource& source,
                               const LaneRun& run, std::int64_t row_begin, std::int64_t row_end) {
  const index::Strip& strip = block.strips[run.strip];
  const std::int64_t first = strip.sample + block.lag;
  const Range seen = block.seen(strip);
  std::int64_t seen_begin = seen.begin > row_begin ? seen.begin : row_begin;
  std::int64_t seen_end = seen.end < row_end ? seen.end : row_end;
  const std::int64_t count = run.end - run.begin;
  const std::int64_t lanes = block.lanes;
  Scalar* const to = block.values + run.begin;
  if (seen_end <= seen_begin) seen_begin = seen_end = row_begin;
  for (std::int64_t j = row_begin; j < seen_begin; ++j) {
    for (std::int64_t i = 0; i < count; ++i) to[j * lanes + i] = Scalar(0);
  }
  for (std::int64_t j = seen_end; j < row_end; ++j) {
    for (std::int64_t i = 0; i < count; ++i) to[j * lanes + i] = Scalar(0);
  }
  const StoredValue* const from = static_cast<const StoredValue*>(source.data) +
                                  source.channels.offset(run.channel - source.first_channel) +
                                  (first - source.first_sample) * source.sample_stride;
  const std::int64_t step = source.channels.stride();
  const std::int64_t sample_stride = source.sample_stride;
  if (source.is_scaled()) {
    const auto physical = [&](std::int64_t i, StoredValue value) {
      const std::int64_t c = run.channel + i;
      const double scale = source.channel_scale != nullptr ? source.channel_scale[c] : source.scale;
      const double offset =
          source.channel_offset != nullptr ? source.channel_offset[c] : source.offset;
      return static_cast<Scalar>(static_cast<double>(value) * scale + offset);
    };
    copy_run(to, lanes, from, sample_stride, step, count, seen_begin, seen_end, physical);
  } else {
    const auto plain = [](std::int64_t, StoredValue value) { return static_cast<Scalar>(value); };
    copy_run(to, lanes, from, sample_stride, step, count, seen_begin, seen_end, plain);
  }
}

/// Gathers lanes [lane_begin, lane_end) of rows [row_begin, row_end) from an array.
template <class Scalar>
SYNELIX_FUNCTION void gather(const PackedBlock<Scalar>& block, const ArraySource& source,
                             std::int64_t lane_begin, std::int64_t lane_end, std::int64_t row_begin,
                             std::int64_t row_end) {
  const std::int64_t filled = block.strip_count * block.channels;
  for (std::int64_t lane = lane_begin; lane < lane_end;) {
    if (lane >= filled) {
      for (std::int64_t j = row_begin; j < row_end; ++j) {
        block.values[j * block.lanes + lane] = Scalar(0);
      }
      ++lane;
      continue;
    }
    const ArraySource& array = source.of(block.strips[lane / block.channels].trial);
    const LaneRun run = lane_run(lane, lane_end < filled ? lane_end : filled, block.channels,
                                 block.first_channel, array.channels, array.first_channel);
    switch (array.type) {
      case StoredType::float32:
        gather_run<Scalar, float>(block, array, run, row_begin, row_end);
        break;
      case StoredType::float64:
        gather_run<Scalar, double>(block, array, run, row_begin, row_end);
        break;
      case StoredType::int8:
        gather_run<Scalar, std::int8_t>(block, array, run, row_begin, row_end);
        break;
      case StoredType::uint8:
        gather_run<Scalar, std::uint8_t>(block, array, run, row_begin, row_end);
        break;
      case StoredType::int16:
        gather_run<Scalar, std::int16_t>(block, array, run, row_begin, row_end);
        break;
      case StoredType::uint16:
        gather_run<Scalar, std::uint16_t>(block, array, run, row_begin, row_end);
        break;
    }
    lane = run.end;
  }
}

/// Gathers lanes [lane_begin, lane_end) of rows [row_begin, row_end) from events: counts at their
/// samples, 0 elsewhere.
template <class Scalar>
SYNELIX_FUNCTION void gather(const PackedBlock<Scalar>& block, const EventSource& source,
                             std::int64_t lane_begin, std::int64_t lane_end, std::int64_t row_begin,
                             std::int64_t row_end) {
  const std::int64_t filled = block.strip_count * block.channels;
  for (std::int64_t lane = lane_begin; lane < lane_end; ++lane) {
    for (std::int64_t j = row_begin; j < row_end; ++j) {
      block.values[j * block.lanes + lane] = Scalar(0);
    }
    if (lane >= filled) continue;
    const index::Strip& strip = block.strips[lane / block.channels];
    const EventSource& events = source.of(strip.trial);
    const std::int64_t c = block.first_channel + lane % block.channels;
    const std::int64_t first = strip.sample + block.lag;
    const Range seen = block.seen(strip);
    const std::int64_t begin = first + (seen.begin > row_begin ? seen.begin : row_begin);
    const std::int64_t end = first + (seen.end < row_end ? seen.end : row_end);
    const std::int64_t last = events.begins[c + 1];
    for (std::int64_t e = first_event_from(events, events.begins[c], last, begin);
         e < last && events.samples[e] < end; ++e) {
      block.values[(events.samples[e] - first) * block.lanes + lane] =
          events.counts != nullptr ? static_cast<Scalar>(events.counts[e]) : Scalar(1);
    }
  }
}

}  // namespace synelix::pack
