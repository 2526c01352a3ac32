// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "index/range.hpp"

#include <synelix/convolve.hpp>

#include <algorithm>
#include <vector>

/// \file
/// What is missing of features: boxes, and a block that is taken out of them.

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

/// The boxes without a block, in the order in which a stream takes what is left of them.
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

}  // namespace synelix::stream
