// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "index/segment.hpp"
#include "lanes/instruction_set.hpp"
#include "pack/source.hpp"

#include <cstdint>

/// \file
/// Gathers samples into a packed block: consecutive packs of lanes, with contiguous rows in each,
/// in the working type. A lane is one strip of one channel; row j of a lane is the sample
/// `strip.sample + offset - (W - 1) + j`. Samples outside the strip's epoch, and lanes without a
/// strip, are 0.
///
/// Besides value.hpp and past.hpp, this is the only code that depends on stored types, layouts and
/// events.

namespace synelix::pack {

/// The packed block of a work item.
template <class Scalar>
struct PackedBlock {
  Scalar* values;  ///< (pack, row, lane of the pack), lane fastest
  std::int64_t rows;
  std::int64_t lanes;          ///< a multiple of packs
  std::int64_t pack_lanes;     ///< lanes of a pack
  std::int64_t channels;       ///< lane = place of the strip * channels + channel
  std::int64_t first_channel;  ///< channel of lane 0
  const index::Strip* strips;  ///< of this item
  const std::int32_t* order;   ///< number of the strip at each place
  std::int64_t strip_count;
  std::int64_t lag;             ///< sample of row 0 of a lane, relative to the strip's sample
  std::int64_t window;          ///< packed rows in the window of the first output row of a strip
  std::int64_t every;           ///< packed rows from one output row to the next
  std::int64_t first_lane = 0;  ///< the first lane in memory, the first of a pack

  /// Row 0 of a lane; its next row is `pack_lanes` values further.
  [[nodiscard]] SYNELIX_FUNCTION constexpr Scalar* lane(std::int64_t number) const {
    const std::int64_t lane = number - first_lane;
    return values + lane / pack_lanes * pack_lanes * rows + lane % pack_lanes;
  }

  /// The strip of a lane.
  [[nodiscard]] SYNELIX_FUNCTION constexpr const index::Strip& strip_of(std::int64_t number) const {
    return strips[order[number / channels]];
  }

  /// The packed rows in the windows of a strip; all others are 0. Rows that no output row needs are
  /// not read, since a caller's block ends there.
  [[nodiscard]] SYNELIX_FUNCTION constexpr Range seen(const index::Strip& strip) const {
    if (strip.rows == 0) return {};
    const std::int64_t first = strip.sample + lag;
    const std::int64_t begin = strip.samples.begin - first;
    const std::int64_t end = strip.samples.end - first;
    const std::int64_t needed = (strip.rows - 1) * every + window;
    return {begin > 0 ? begin : 0, end < needed ? end : needed};
  }
};

/// Lanes [begin, end) of one strip whose channels are one stride apart.
struct LaneRun {
  std::int64_t begin;
  std::int64_t end;
  std::int64_t place;  ///< of the strip
  std::int64_t channel;
};

/// The run from lane `begin`, at most up to `end`.
constexpr LaneRun lane_run(std::int64_t begin, std::int64_t end, std::int64_t channels,
                           std::int64_t first_channel, const index::ChannelMap& map,
                           std::int64_t map_channel) {
  const std::int64_t place = begin / channels;
  const std::int64_t channel = first_channel + begin % channels;
  std::int64_t count = channels - begin % channels;
  const std::int64_t together = map.run_length(channel - map_channel);
  if (together < count) count = together;
  if (end - begin < count) count = end - begin;
  return {begin, begin + count, place, channel};
}

/// Rows of a few neighboring lanes: `to` and `from` are the addresses of row 0.
template <class Scalar, class StoredValue>
struct RowCopy {
  Scalar* to;
  std::int64_t to_step;
  const StoredValue* from;
  std::int64_t from_step;  ///< from row to row
  std::int64_t step;       ///< from lane to lane
  std::int64_t rows;
};

/// Copies lanes [lane, lane + count) through `convert(lane, value)`. A number of lanes that is
/// known at compile time becomes moves of full registers.
template <int count, class Scalar, class StoredValue, class Convert>
SYNELIX_INLINE void copy_lanes(const RowCopy<Scalar, StoredValue>& copy, std::int64_t lane,
                               const Convert& convert) {
  Scalar* to = copy.to + lane;
  const StoredValue* from = copy.from + lane;
  for (std::int64_t j = 0; j < copy.rows; ++j) {
    Scalar values[count];
    SYNELIX_UNROLL(16)
    for (int i = 0; i < count; ++i) values[i] = convert(lane + i, from[i]);
    SYNELIX_UNROLL(16)
    for (int i = 0; i < count; ++i) to[i] = values[i];
    to += copy.to_step;
    from += copy.from_step;
  }
}

/// Copies `count` neighboring lanes that are contiguous in the source.
template <class Scalar, class StoredValue, class Convert>
SYNELIX_INLINE void copy_neighbours(const RowCopy<Scalar, StoredValue>& copy, std::int64_t count,
                                    const Convert& convert) {
  std::int64_t i = 0;
  for (; i + 16 <= count; i += 16) copy_lanes<16>(copy, i, convert);
  if ((count & 8) != 0) {
    copy_lanes<8>(copy, i, convert);
    i += 8;
  }
  if ((count & 4) != 0) {
    copy_lanes<4>(copy, i, convert);
    i += 4;
  }
  if ((count & 2) != 0) {
    copy_lanes<2>(copy, i, convert);
    i += 2;
  }
  if ((count & 1) != 0) copy_lanes<1>(copy, i, convert);
}

/// Copies `count` lanes along the direction in which the source is denser.
template <class Scalar, class StoredValue, class Convert>
SYNELIX_INLINE void copy_run(const RowCopy<Scalar, StoredValue>& copy, std::int64_t count,
                             const Convert& convert) {
  if (copy.step == 1 && count > 1) return copy_neighbours(copy, count, convert);
  if (count == 1 && copy.to_step == 1 && copy.from_step == 1) {  // the line is treated as a row of
                                                                 // such lanes
    return copy_neighbours(RowCopy<Scalar, StoredValue>{copy.to, 0, copy.from, 0, 1, 1}, copy.rows,
                           [&](std::int64_t, StoredValue value) { return convert(0, value); });
  }
  for (std::int64_t i = 0; i < count; ++i) {
    const StoredValue* const from = copy.from + i * copy.step;
    for (std::int64_t j = 0; j < copy.rows; ++j) {
      copy.to[j * copy.to_step + i] = convert(i, from[j * copy.from_step]);
    }
  }
}

/// Copies unchanged values of lanes that are contiguous in the source, as above. A host uses moves
/// of its instruction set instead.
struct PlainCopies {
  template <class Scalar>
  SYNELIX_INLINE void operator()(const RowCopy<Scalar, Scalar>& rows, std::int64_t count) const {
    copy_neighbours(rows, count, [](std::int64_t, Scalar value) { return value; });
  }
  /// Copies a pack of lanes whose rows are contiguous in the source; false: not supported.
  template <class Scalar>
  SYNELIX_INLINE bool transpose(const RowCopy<Scalar, Scalar>&, std::int64_t) const {
    return false;
  }
};

/// Stores zeros in rows [begin, end) of `count` lanes; `to` is row 0.
template <class Scalar>
SYNELIX_INLINE void clear_rows(Scalar* to, std::int64_t step, std::int64_t count,
                               std::int64_t begin, std::int64_t end) {
  for (std::int64_t i = 0; i < count; ++i) {
    for (std::int64_t j = begin; j < end; ++j) to[j * step + i] = Scalar(0);
  }
}

/// Samples of neighboring channels, one stride apart, as physical values: sample t of channel
/// `channel` + i goes to `to[(t - samples.begin) * to_step + i]`.
template <class Scalar>
struct Line {
  std::int64_t channel;
  std::int64_t channels;
  Range samples;
  Scalar* to;
  std::int64_t to_step;
};

/// A line's rows, as values of the stored type.
template <class StoredValue, class Scalar>
SYNELIX_INLINE RowCopy<Scalar, StoredValue> copy_of(const ArraySource& source,
                                                    const Line<Scalar>& line) {
  return {line.to,
          line.to_step,
          static_cast<const StoredValue*>(source.data) +
              source.channels.offset(line.channel - source.first_channel) +
              (line.samples.begin - source.first_sample) * source.sample_stride,
          source.sample_stride,
          source.channels.stride(),
          line.samples.size()};
}

/// Copies and converts a line.
template <class Scalar, class StoredValue>
SYNELIX_INLINE void convert_line(const ArraySource& source, const Line<Scalar>& line) {
  const auto copy = copy_of<StoredValue>(source, line);
  if (source.is_scaled()) {
    copy_run(copy, line.channels, [&](std::int64_t i, StoredValue value) {
      const std::int64_t c = line.channel + i;
      const double scale = source.channel_scale != nullptr ? source.channel_scale[c] : source.scale;
      const double offset =
          source.channel_offset != nullptr ? source.channel_offset[c] : source.offset;
      return static_cast<Scalar>(static_cast<double>(value) * scale + offset);
    });
  } else {
    copy_run(copy, line.channels,
             [](std::int64_t, StoredValue value) { return static_cast<Scalar>(value); });
  }
}

/// Gathers a line from an array of any stored type.
template <class Scalar, class Copies>
SYNELIX_FUNCTION void gather_line(const ArraySource& source, const Line<Scalar>& line,
                                  const Copies& copies) {
  if (line.channels > 1 && source.type == stored_type<Scalar> && !source.is_scaled() &&
      source.channels.stride() == 1) {
    copies(copy_of<Scalar>(source, line), line.channels);
    return;
  }
  if (line.channels > 1 && line.channels == line.to_step && source.type == stored_type<Scalar> &&
      !source.is_scaled() && source.sample_stride == 1 &&
      copies.transpose(copy_of<Scalar>(source, line), line.channels)) {
    return;
  }
  switch (source.type) {
    case StoredType::float32:
      return convert_line<Scalar, float>(source, line);
    case StoredType::float64:
      return convert_line<Scalar, double>(source, line);
    case StoredType::int8:
      return convert_line<Scalar, std::int8_t>(source, line);
    case StoredType::uint8:
      return convert_line<Scalar, std::uint8_t>(source, line);
    case StoredType::int16:
      return convert_line<Scalar, std::int16_t>(source, line);
    case StoredType::uint16:
      return convert_line<Scalar, std::uint16_t>(source, line);
  }
}

/// Gathers one run of lanes for rows [row_begin, row_end) of the block.
template <class Scalar, class Copies>
SYNELIX_INLINE void gather_run(const PackedBlock<Scalar>& block, const ArraySource& source,
                               const LaneRun& run, std::int64_t row_begin, std::int64_t row_end,
                               const Copies& copies) {
  const index::Strip& strip = block.strip_of(run.begin);
  const std::int64_t first = strip.sample + block.lag;
  const Range seen = block.seen(strip);
  std::int64_t seen_begin = seen.begin > row_begin ? seen.begin : row_begin;
  std::int64_t seen_end = seen.end < row_end ? seen.end : row_end;
  const std::int64_t count = run.end - run.begin;
  Scalar* const to = block.lane(run.begin);
  if (seen_end <= seen_begin) seen_begin = seen_end = row_begin;
  clear_rows(to, block.pack_lanes, count, row_begin, seen_begin);
  clear_rows(to, block.pack_lanes, count, seen_end, row_end);
  if (seen_begin == seen_end) return;
  gather_line(source,
              Line<Scalar>{.channel = run.channel,
                           .channels = count,
                           .samples = {first + seen_begin, first + seen_end},
                           .to = to + seen_begin * block.pack_lanes,
                           .to_step = block.pack_lanes},
              copies);
}

/// Gathers a pack of strips of one channel with a constant distance, all of whose rows are samples:
/// lanes are rows of the source. Returns false if the pack is different.
template <class Scalar, class Copies>
SYNELIX_INLINE bool gather_strips(const PackedBlock<Scalar>& block, const ArraySource& source,
                                  std::int64_t lane, std::int64_t row_begin, std::int64_t row_end,
                                  const Copies& copies) {
  if (block.pack_lanes == 1 || block.channels != 1 || source.sample_stride != 1 ||
      source.trials != nullptr || source.type != stored_type<Scalar> || source.is_scaled()) {
    return false;
  }
  const index::Strip& first = block.strip_of(lane);
  const std::int64_t step = block.strip_of(lane + 1).sample - first.sample;
  for (std::int64_t i = 0; i < block.pack_lanes; ++i) {
    const index::Strip& strip = block.strip_of(lane + i);
    const Range seen = block.seen(strip);
    if (strip.sample != first.sample + i * step || row_begin < seen.begin || seen.end < row_end) {
      return false;
    }
  }
  RowCopy<Scalar, Scalar> rows =
      copy_of<Scalar>(source, Line<Scalar>{.channel = block.first_channel,
                                           .channels = 1,
                                           .samples = {first.sample + block.lag + row_begin,
                                                       first.sample + block.lag + row_end},
                                           .to = block.lane(lane) + row_begin * block.pack_lanes,
                                           .to_step = block.pack_lanes});
  rows.step = step;
  return copies.transpose(rows, block.pack_lanes);
}

/// Gathers lanes [lane_begin, lane_end) of rows [row_begin, row_end) from an array.
template <class Scalar, class Copies = PlainCopies>
SYNELIX_FUNCTION void gather(const PackedBlock<Scalar>& block, const ArraySource& source,
                             std::int64_t lane_begin, std::int64_t lane_end, std::int64_t row_begin,
                             std::int64_t row_end, const Copies& copies = {}) {
  const std::int64_t filled = block.strip_count * block.channels;
  for (std::int64_t lane = lane_begin; lane < lane_end;) {
    const std::int64_t pack_end = (lane / block.pack_lanes + 1) * block.pack_lanes;
    const std::int64_t last = pack_end < lane_end ? pack_end : lane_end;
    if (lane >= filled) {
      clear_rows(block.lane(lane), block.pack_lanes, last - lane, row_begin, row_end);
      lane = last;
      continue;
    }
    if (last - lane == block.pack_lanes && last <= filled &&
        gather_strips(block, source, lane, row_begin, row_end, copies)) {
      lane = last;
      continue;
    }
    const ArraySource& array = source.of(block.strip_of(lane).trial);
    const LaneRun run = lane_run(lane, last < filled ? last : filled, block.channels,
                                 block.first_channel, array.channels, array.first_channel);
    gather_run(block, array, run, row_begin, row_end, copies);
    lane = run.end;
  }
}

/// Gathers lanes [lane_begin, lane_end) of rows [row_begin, row_end) from events: counts at their
/// samples, 0 elsewhere.
template <class Scalar, class Copies = PlainCopies>
SYNELIX_FUNCTION void gather(const PackedBlock<Scalar>& block, const EventSource& source,
                             std::int64_t lane_begin, std::int64_t lane_end, std::int64_t row_begin,
                             std::int64_t row_end, const Copies& = {}) {
  const std::int64_t filled = block.strip_count * block.channels;
  for (std::int64_t lane = lane_begin; lane < lane_end; ++lane) {
    Scalar* const to = block.lane(lane);
    clear_rows(to, block.pack_lanes, 1, row_begin, row_end);
    if (lane >= filled) continue;
    const index::Strip& strip = block.strip_of(lane);
    const EventSource& events = source.of(strip.trial);
    const std::int64_t c = block.first_channel + lane % block.channels;
    const std::int64_t first = strip.sample + block.lag;
    const Range seen = block.seen(strip);
    const std::int64_t begin = first + (seen.begin > row_begin ? seen.begin : row_begin);
    const std::int64_t end = first + (seen.end < row_end ? seen.end : row_end);
    const std::int64_t last = events.begins[c + 1];
    for (std::int64_t e = first_event_from(events, events.begins[c], last, begin);
         e < last && events.samples[e] < end; ++e) {
      to[(events.samples[e] - first) * block.pack_lanes] =
          events.counts != nullptr ? static_cast<Scalar>(events.counts[e]) : Scalar(1);
    }
  }
}

}  // namespace synelix::pack
