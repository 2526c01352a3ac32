// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "files/sink/frame_sum.hpp"

#include "files/part/descriptor_io.hpp"
#include "files/sink/value_sum.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace synelix::stream {

std::optional<std::uint64_t> frame_sum(int descriptor, std::int64_t bytes,
                                       std::vector<Range> left_out) {
  std::sort(left_out.begin(), left_out.end(),
            [](const Range& a, const Range& b) { return a.begin < b.begin; });
  left_out.push_back({bytes, bytes});
  std::array<char, 1 << 15> part;
  std::uint64_t sum = 0;
  std::int64_t at = 0;
  for (const Range& range : left_out) {
    const std::int64_t end = std::min(range.begin, bytes);
    while (at < end) {
      const auto size = std::min<std::size_t>(part.size(), static_cast<std::size_t>(end - at));
      if (!read_at(descriptor, at, part.data(), size)) return std::nullopt;
      ByteSum piece;
      piece.add(part.data(), static_cast<std::int64_t>(size));
      const std::array<std::uint64_t, 2> record = {piece.value(), static_cast<std::uint64_t>(at)};
      // Where a piece lies is a part of it.
      sum += value_sum(record.data(), 4, 4 * static_cast<std::uint64_t>(at));
      at += static_cast<std::int64_t>(size);
    }
    at = std::max(at, range.end);
  }
  return sum;
}

}  // namespace synelix::stream
