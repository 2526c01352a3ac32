// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/stream.hpp>

#include <cstdint>

/// \file
/// Boxes of features that lie in one piece, as runs of values without gaps.

namespace synelix::stream {

/// Calls `visit(in_features, in_block, count)` for each run of values of a box: the number of its
/// first value among all features and inside the block that holds the box, and its length.
template <class Visit>
void for_each_run(const FeaturesShape& shape, const Block& box, const Block& block,
                  const Visit& visit) {
  // A box of all bases lies in a block of all bases; so do channels.
  const bool has_bases = box.bases.size() == shape.bases;
  const bool has_channels = has_bases && box.channels.size() == shape.channels;
  const std::int64_t rows = has_channels ? 1 : box.rows.size();
  const std::int64_t channels = has_bases ? 1 : box.channels.size();
  const std::int64_t count = box.bases.size() * (has_bases ? box.channels.size() : 1) *
                             (has_channels ? box.rows.size() : 1);
  for (std::int64_t r = box.rows.begin; r < box.rows.begin + rows; ++r) {
    for (std::int64_t c = box.channels.begin; c < box.channels.begin + channels; ++c) {
      const std::int64_t in_features = (r * shape.channels + c) * shape.bases + box.bases.begin;
      const std::int64_t in_block =
          ((r - block.rows.begin) * block.channels.size() + c - block.channels.begin) *
              block.bases.size() +
          box.bases.begin - block.bases.begin;
      visit(in_features, in_block, count);
    }
  }
}

}  // namespace synelix::stream
