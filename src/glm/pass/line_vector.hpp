// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

/// \file
/// Vectors that begin at a cache line, as the packs of all sets ask for.

namespace synelix::glm {

inline constexpr std::size_t line_bytes = 64;

/// Allocates from a cache line on.
template <class Value>
struct LineAllocator {
  using value_type = Value;

  LineAllocator() = default;
  template <class Other>
  LineAllocator(const LineAllocator<Other>&) {}  // NOLINT(google-explicit-constructor): a rebind

  Value* allocate(std::size_t count) {
    return static_cast<Value*>(::operator new(count * sizeof(Value), std::align_val_t(line_bytes)));
  }
  void deallocate(Value* values, std::size_t) {
    ::operator delete(values, std::align_val_t(line_bytes));
  }
  friend bool operator==(const LineAllocator&, const LineAllocator&) { return true; }
};

template <class Value>
using LineVector = std::vector<Value, LineAllocator<Value>>;

/// So many values, rounded up to whole cache lines.
template <class Value>
constexpr std::int64_t whole_lines(std::int64_t values) {
  constexpr auto line = static_cast<std::int64_t>(line_bytes / sizeof(Value));
  return (values + line - 1) / line * line;
}

}  // namespace synelix::glm
