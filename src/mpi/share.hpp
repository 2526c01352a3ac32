// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/series.hpp>

#include <algorithm>
#include <cstdint>

namespace synelix::mpi {

/// A rank's share of so many items, cut evenly and in the order of the ranks.
inline Range share_of(std::int64_t items, int rank, int size) {
  const std::int64_t each = items / size;
  const std::int64_t more = items % size;  // the first ranks have one more
  const auto begin_of = [&](std::int64_t r) { return each * r + std::min(r, more); };
  return {begin_of(rank), begin_of(rank + 1)};
}

}  // namespace synelix::mpi
