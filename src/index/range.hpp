// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/alignment.hpp>

#include <cstddef>
#include <cstdint>

/// \file
/// Arithmetic of ranges, and dimensions as indices of containers.

namespace synelix::index {

constexpr std::int64_t smaller(std::int64_t a, std::int64_t b) { return a < b ? a : b; }

constexpr std::int64_t larger(std::int64_t a, std::int64_t b) { return a > b ? a : b; }

/// The smallest range that contains both; either may be empty.
constexpr Range hull(Range a, Range b) {
  if (a.size() == 0) return b;
  if (b.size() == 0) return a;
  return {smaller(a.begin, b.begin), larger(a.end, b.end)};
}

/// The intersection of both.
constexpr Range common(Range a, Range b) {
  const std::int64_t begin = larger(a.begin, b.begin);
  return {begin, larger(begin, smaller(a.end, b.end))};
}

constexpr std::size_t place(int dimension) { return static_cast<std::size_t>(dimension); }

}  // namespace synelix::index
