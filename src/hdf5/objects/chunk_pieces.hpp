// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/alignment.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

/// \file
/// Selections of single HDF5 calls: boxes of a chunked dataset in pieces, and a range of flattened
/// channels as boxes of the dimensions that were flattened.
///
/// HDF5 makes a selection of each chunk that one call touches, in the file and in memory, and holds
/// all of them until the call returns.

namespace synelix::stream {

/// Memory that HDF5 takes for each chunk that a call touches: 5.4 KB were measured.
inline constexpr std::int64_t bytes_of_touched_chunk = std::int64_t{6} << 10;
/// The most chunks that one call touches; with this many, the overhead of the call itself is
/// negligible.
inline constexpr std::int64_t chunks_together = 128;

/// The product of extents; of those from `begin` on, without the last `left_out`.
inline std::int64_t product_of(const std::vector<std::int64_t>& extents, std::size_t begin = 0,
                               std::size_t left_out = 0) {
  std::int64_t result = 1;
  for (std::size_t i = begin; i + left_out < extents.size(); ++i) result *= extents[i];
  return result;
}

/// The ids of channels or targets; 0, 1, 2, ... if there are none.
inline std::vector<std::int64_t> ids_or_numbers(std::vector<std::int64_t> ids, std::int64_t count) {
  if (!ids.empty()) return ids;
  ids.resize(static_cast<std::size_t>(count));
  std::iota(ids.begin(), ids.end(), std::int64_t{0});
  return ids;
}

/// A box: its first index and its number of indices in each dimension.
struct DatasetBox {
  std::vector<std::int64_t> start;
  std::vector<std::int64_t> count;

  /// The same box of further dimensions: a range of the first one, and of the last one if given.
  [[nodiscard]] DatasetBox within(Range first, const Range* last = nullptr) const {
    DatasetBox box = *this;
    box.start.insert(box.start.begin(), first.begin);
    box.count.insert(box.count.begin(), first.size());
    if (last != nullptr) {
      box.start.push_back(last->begin);
      box.count.push_back(last->size());
    }
    return box;
  }
};

/// A step that takes all of a dimension.
inline constexpr std::int64_t whole_dimension = std::numeric_limits<std::int64_t>::max();

/// Visits a box in the order of the file, in parts that end at multiples of the steps.
template <class Visit>
void for_each_step(const DatasetBox& box, const std::vector<std::int64_t>& steps,
                   const Visit& visit) {
  const std::size_t rank = box.start.size();
  const auto count_from = [&](std::size_t i, std::int64_t at) {
    const std::int64_t end = box.start[i] + box.count[i];
    if (steps[i] == whole_dimension) return end - at;
    return std::min(end, (at / steps[i] + 1) * steps[i]) - at;
  };
  DatasetBox part = box;
  for (std::size_t i = 0; i < rank; ++i) part.count[i] = count_from(i, box.start[i]);
  for (;;) {
    visit(part);
    // The next part: advances the last dimension that is not at its end, and resets the dimensions
    // after it.
    std::size_t moved = rank;
    for (; moved > 0; --moved) {
      const std::size_t i = moved - 1;
      const std::int64_t next = part.start[i] + part.count[i];
      const bool goes_on = next < box.start[i] + box.count[i];
      part.start[i] = goes_on ? next : box.start[i];
      part.count[i] = count_from(i, part.start[i]);
      if (goes_on) break;
    }
    if (moved == 0) return;
  }
}

/// The most chunks that `count` consecutive indices can touch.
inline std::int64_t most_chunks(std::int64_t count, std::int64_t chunk) {
  return (count + chunk - 2) / chunk + 1;
}

/// The shape of pieces in the dimensions other than time.
enum class Pieces : std::uint8_t {
  boxes,  ///< boxes of any shape
  runs    ///< runs of the flattened dimensions after the first
};

/// Visits a box in pieces, in the order of the file. Each piece touches a limited number of chunks.
/// \param chunk  extents of a chunk; empty for a dataset that is not chunked
template <class Visit>
void for_each_piece(const DatasetBox& box, const std::vector<std::int64_t>& chunk,
                    std::int64_t most, Pieces pieces, const Visit& visit) {
  if (chunk.empty()) return visit(box);
  const std::size_t rank = box.start.size();
  std::vector<std::int64_t> steps(rank, whole_dimension);
  std::int64_t inner = 1;
  std::size_t cut = rank;
  for (; cut > 0; --cut) {
    const std::size_t i = cut - 1;
    const std::int64_t touched =
        (box.start[i] + box.count[i] - 1) / chunk[i] - box.start[i] / chunk[i] + 1;
    if (touched > most / inner) break;
    inner *= touched;
  }
  if (cut > 0) {
    steps[cut - 1] = std::max<std::int64_t>(most / inner, 1) * chunk[cut - 1];
    for (std::size_t i = 0; i + 1 < cut; ++i) {
      steps[i] = i > 0 && pieces == Pieces::runs ? 1 : chunk[i];
    }
  }
  for_each_step(box, steps, visit);
}

/// The place of a piece of a box in memory of (rows, the dimensions of the box), or, if pieces are
/// runs, of (rows, the flattened dimensions).
/// \param extents  of the dataset
/// \param kept     dimensions at the end that are not flattened
template <class Extent>
void place_in_memory(const DatasetBox& box, const DatasetBox& piece,
                     const std::vector<std::int64_t>& extents, Pieces pieces, std::size_t kept,
                     std::vector<Extent>& start, std::vector<Extent>& count) {
  const std::size_t rank = box.start.size();
  std::int64_t first = 0;
  std::int64_t number = 1;
  std::size_t to = 0;
  for (std::size_t i = 0; i < rank; ++i) {
    first = first * extents[i] + piece.start[i] - box.start[i];
    number *= piece.count[i];
    const bool goes_on = pieces == Pieces::runs && i > 0 && i + 1 + kept < rank;
    if (goes_on) continue;
    start[to] = static_cast<Extent>(first);
    count[to] = static_cast<Extent>(number);
    ++to;
    first = 0;
    number = 1;
  }
}

/// A run of flattened channels.
struct ChannelBox : DatasetBox {
  std::int64_t channels = 0;
};

/// The boxes of a range, in the order of their channels; each is a run of flattened channels.
/// `extents` are the extents of the dimensions other than time, last index fastest; may be empty.
inline std::vector<ChannelBox> channel_boxes(const std::vector<std::int64_t>& extents,
                                             Range range) {
  const std::int64_t inner = product_of(extents, 1);
  if (extents.empty()) return {{{}, 1}};

  std::vector<ChannelBox> boxes;
  const std::vector<std::int64_t> rest(extents.begin() + 1, extents.end());
  const auto add_partial = [&](std::int64_t index, Range part) {
    for (const ChannelBox& box : channel_boxes(rest, part)) {
      boxes.push_back({box.within({index, index + 1}), box.channels});
    }
  };
  std::int64_t first = range.begin / inner;
  const std::int64_t last = range.end / inner;
  if (range.begin % inner != 0) {
    const std::int64_t base = first * inner;
    add_partial(first, {range.begin - base, range.end < base + inner ? range.end - base : inner});
    ++first;
  }
  if (first < last) {
    ChannelBox box{{{first}, {last - first}}, (last - first) * inner};
    box.start.insert(box.start.end(), rest.size(), 0);
    box.count.insert(box.count.end(), rest.begin(), rest.end());
    boxes.push_back(box);
  }
  if (first <= last && range.end % inner != 0) add_partial(last, {0, range.end % inner});
  return boxes;
}

/// The dimensions of memory for rows of all channels of some boxes. For one box, its own
/// dimensions, since HDF5 copies value by value if ranks in memory and in the file differ (20 times
/// as long).
template <class Extent>
std::vector<Extent> memory_extents(const std::vector<ChannelBox>& boxes, std::int64_t rows,
                                   std::int64_t channels) {
  std::vector<Extent> extents{static_cast<Extent>(rows)};
  if (boxes.size() == 1) {
    for (const std::int64_t count : boxes[0].count) extents.push_back(static_cast<Extent>(count));
  } else {
    extents.push_back(static_cast<Extent>(channels));
  }
  return extents;
}

}  // namespace synelix::stream
