// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/alignment.hpp>

#include <cstdint>
#include <vector>

/// \file
/// A range of flattened channels as boxes of the dimensions that were flattened: HDF5 selects
/// boxes.

namespace synelix::stream {

/// A box: its first index and its number of indices in each dimension.
struct ChannelBox {
  std::vector<std::int64_t> start;
  std::vector<std::int64_t> count;
  std::int64_t channels = 0;
};

/// The boxes of a range, in the order of their channels; each is a run of flattened channels.
/// `extents` are those of the dimensions beside time, last index fastest; there may be none.
inline std::vector<ChannelBox> channel_boxes(const std::vector<std::int64_t>& extents,
                                             Range range) {
  std::int64_t inner = 1;
  for (std::size_t i = 1; i < extents.size(); ++i) inner *= extents[i];
  if (extents.empty()) return {{{}, {}, 1}};

  std::vector<ChannelBox> boxes;
  const std::vector<std::int64_t> rest(extents.begin() + 1, extents.end());
  const auto add_partial = [&](std::int64_t index, Range part) {
    for (ChannelBox& box : channel_boxes(rest, part)) {
      box.start.insert(box.start.begin(), index);
      box.count.insert(box.count.begin(), 1);
      boxes.push_back(box);
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
    ChannelBox box{{first}, {last - first}, (last - first) * inner};
    box.start.insert(box.start.end(), rest.size(), 0);
    box.count.insert(box.count.end(), rest.begin(), rest.end());
    boxes.push_back(box);
  }
  if (first <= last && range.end % inner != 0) add_partial(last, {0, range.end % inner});
  return boxes;
}

/// The dimensions of memory that has rows of all channels of some boxes: of one box, its own, since
/// HDF5 walks value by value where ranks in memory and in the file differ (20 times as long).
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
