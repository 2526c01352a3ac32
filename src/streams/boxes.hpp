// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "index/range.hpp"

#include <synelix/types/stream.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

/// \file
/// Boxes of features: the missing part, the removal of a block from it, and runs of values.

namespace synelix::stream {

using index::common;

inline Block common(const Block& a, const Block& b) {
  return {common(a.rows, b.rows), common(a.channels, b.channels), common(a.bases, b.bases)};
}

inline bool is_empty(const Block& box) {
  return box.rows.size() <= 0 || box.channels.size() <= 0 || box.bases.size() <= 0;
}

inline bool intersects(const std::vector<Block>& boxes, const Block& block) {
  return std::any_of(boxes.begin(), boxes.end(),
                     [&](const Block& box) { return !is_empty(common(box, block)); });
}

/// The box of all features.
inline Block everything_in(const FeaturesShape& shape) {
  return {{0, shape.rows}, {0, shape.channels}, {0, shape.bases}};
}

/// Calls `visit(in_one, in_other, count)` for each run of values of a box that is contiguous in
/// two boxes which contain it: the index of its first value in each of them, and its length.
template <class Visit>
void for_each_run(const Block& box, const Block& one, const Block& other, const Visit& visit) {
  const auto is_all = [&](Range Block::* side) {
    return (box.*side).size() == (one.*side).size() && (box.*side).size() == (other.*side).size();
  };
  const bool has_bases = is_all(&Block::bases);
  const bool has_channels = has_bases && is_all(&Block::channels);
  const std::int64_t rows = has_channels ? 1 : box.rows.size();
  const std::int64_t channels = has_bases ? 1 : box.channels.size();
  const std::int64_t count = box.bases.size() * (has_bases ? box.channels.size() : 1) *
                             (has_channels ? box.rows.size() : 1);
  for (std::int64_t r = box.rows.begin; r < box.rows.begin + rows; ++r) {
    for (std::int64_t c = box.channels.begin; c < box.channels.begin + channels; ++c) {
      const auto index_in = [&](const Block& array) {
        return ((r - array.rows.begin) * array.channels.size() + c - array.channels.begin) *
                   array.bases.size() +
               box.bases.begin - array.bases.begin;
      };
      visit(index_in(one), index_in(other), count);
    }
  }
}

/// The number of values of a box.
inline std::int64_t values_in(const Block& box) {
  return box.rows.size() * box.channels.size() * box.bases.size();
}

/// The extents of an array of features: (rows, channels..., bases).
inline std::vector<std::int64_t> features_extents(const FeaturesShape& shape) {
  std::vector<std::int64_t> extents = {shape.rows};
  extents.insert(extents.end(), shape.channel_extents.begin(), shape.channel_extents.end());
  extents.push_back(shape.bases);
  return extents;
}

/// The boxes without a block, in the order in which a stream processes the rest.
inline std::vector<Block> without(const std::vector<Block>& boxes, const Block& block) {
  std::vector<Block> result;
  const auto add = [&](const Block& box) {
    if (!is_empty(box)) result.push_back(box);
  };
  for (const Block& box : boxes) {
    const Block cut = common(box, block);
    if (is_empty(cut)) {
      result.push_back(box);
      continue;
    }
    add({box.rows, {box.channels.begin, cut.channels.begin}, box.bases});
    add({{box.rows.begin, cut.rows.begin}, cut.channels, box.bases});
    add({cut.rows, cut.channels, {box.bases.begin, cut.bases.begin}});
    add({cut.rows, cut.channels, {cut.bases.end, box.bases.end}});
    add({{cut.rows.end, box.rows.end}, cut.channels, box.bases});
    add({box.rows, {cut.channels.end, box.channels.end}, box.bases});
  }
  return result;
}

/// Merges disjoint boxes that share a side across channels or bases. The result is in the order in
/// which a stream processes its blocks.
inline std::vector<Block> merged(std::vector<Block> boxes) {
  const auto join = [&](const auto& order, auto side, const auto& rest) {
    std::sort(boxes.begin(), boxes.end(),
              [&](const Block& a, const Block& b) { return order(a) < order(b); });
    std::vector<Block> result;
    for (const Block& box : boxes) {
      if (!result.empty() && rest(result.back()) == rest(box) &&
          (result.back().*side).end == (box.*side).begin) {
        (result.back().*side).end = (box.*side).end;
      } else {
        result.push_back(box);
      }
    }
    boxes = std::move(result);
  };
  const auto key = [](Range a, Range b) { return std::tuple(a.begin, a.end, b.begin, b.end); };
  const auto beside_bases = [&](const Block& box) { return key(box.rows, box.channels); };
  join([&](const Block& box) { return std::pair(beside_bases(box), box.bases.begin); },
       &Block::bases, beside_bases);
  const auto beside_channels = [&](const Block& box) { return key(box.rows, box.bases); };
  join([&](const Block& box) { return std::pair(beside_channels(box), box.channels.begin); },
       &Block::channels, beside_channels);
  std::sort(boxes.begin(), boxes.end(), [](const Block& a, const Block& b) {
    return std::tuple(a.channels.begin, a.rows.begin, a.bases.begin) <
           std::tuple(b.channels.begin, b.rows.begin, b.bases.begin);
  });
  return boxes;
}

/// Reduces ascending ranges to at most `most` that cover them: joins those with the smallest gaps,
/// and all that touch.
inline std::vector<Range> with_fewer_gaps(std::vector<Range> ranges, std::size_t most) {
  const auto join_within = [&](std::int64_t gap) {
    std::vector<Range> joined;
    for (const Range range : ranges) {
      if (!joined.empty() && range.begin - joined.back().end <= gap) {
        joined.back().end = std::max(joined.back().end, range.end);
      } else {
        joined.push_back(range);
      }
    }
    return joined;
  };
  ranges = join_within(0);
  if (ranges.size() <= most) return ranges;
  std::vector<std::int64_t> gaps;
  for (std::size_t i = 1; i < ranges.size(); ++i) {
    gaps.push_back(ranges[i].begin - ranges[i - 1].end);
  }
  const auto at = gaps.begin() + static_cast<std::ptrdiff_t>(ranges.size() - most - 1);
  std::nth_element(gaps.begin(), at, gaps.end());
  return join_within(*at);
}

/// The boxes, or, if there are more than `most`, at most `most` boxes that cover them. The latter
/// are ranges of rows with all channels and bases, which begin and end at multiples of `step` or at
/// the end.
inline std::vector<Block> covered_by_few(const std::vector<Block>& boxes, const Block& everything,
                                         std::int64_t step, std::size_t most) {
  if (boxes.size() <= most) return boxes;
  std::vector<Range> runs;
  runs.reserve(boxes.size());
  for (const Block& box : boxes) {
    runs.push_back({box.rows.begin / step * step,
                    std::min((box.rows.end + step - 1) / step * step, everything.rows.end)});
  }
  std::sort(runs.begin(), runs.end(), [](Range a, Range b) { return a.begin < b.begin; });
  runs = with_fewer_gaps(std::move(runs), most);
  std::vector<Block> result;
  result.reserve(runs.size());
  for (const Range run : runs) result.push_back({run, everything.channels, everything.bases});
  return result;
}

}  // namespace synelix::stream
