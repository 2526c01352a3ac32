// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "oracle/guarded.hpp"

#include <synelix/strided.hpp>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <random>
#include <vector>

/// \file
/// Arrays in memory with dimensions in any order, gaps between values, and steps of any sign. One
/// end of an array, the last or the first, is at a page that nothing may access; at the other end
/// there are values that show a write outside of the array's places.

namespace oracle {

/// The layout of an array.
struct Placement {
  std::vector<std::size_t> order;  ///< dimensions, slowest first
  std::vector<std::int64_t> gaps;  ///< values left out after each step of a dimension
  std::vector<bool> is_backward;   ///< whether a dimension runs towards lower addresses
};

/// Last index fastest, no gaps.
inline Placement right_placement(std::size_t rank) {
  Placement placement{{}, std::vector<std::int64_t>(rank, 0), std::vector<bool>(rank, false)};
  for (std::size_t i = 0; i < rank; ++i) placement.order.push_back(i);
  return placement;
}

/// First index fastest, no gaps.
inline Placement left_placement(std::size_t rank) {
  Placement placement = right_placement(rank);
  std::reverse(placement.order.begin(), placement.order.end());
  return placement;
}

/// Any order, with gaps; backward dimensions where `with_signs`.
enum class Signs { positive, any };
inline Placement random_placement(std::size_t rank, Signs signs, std::mt19937_64& random) {
  Placement placement = right_placement(rank);
  std::shuffle(placement.order.begin(), placement.order.end(), random);
  for (std::size_t i = 0; i < rank; ++i) {
    placement.gaps[i] = static_cast<std::int64_t>(random() % 3 == 0 ? random() % 3 : 0);
    placement.is_backward[i] = signs == Signs::any && random() % 4 == 0;
  }
  return placement;
}

/// An array of T in a separate buffer.
template <class T>
class Array {
 public:
  Array(std::vector<std::int64_t> extents, const Placement& placement, T fill,
        Reached reached = Reached::by_kernels)
      : m_extents(std::move(extents)), m_strides(m_extents.size()), m_fill(fill) {
    std::int64_t stride = 1;
    std::int64_t reach = 1;
    for (std::size_t k = m_extents.size(); k-- > 0;) {
      const std::size_t i = placement.order[k];
      stride *= 1 + placement.gaps[i];
      m_strides[i] = placement.is_backward[i] ? -stride : stride;
      const std::int64_t steps = std::max<std::int64_t>(0, m_extents[i] - 1);
      if (placement.is_backward[i]) m_base += stride * steps;
      reach += stride * steps;
      stride *= std::max<std::int64_t>(1, m_extents[i]);
    }
    const GuardedEnd end = next_end();
    if (end == GuardedEnd::last) m_base += guard;
    const bool is_empty = size() == 0;  // then no place is anybody's
    m_buffer =
        Guarded<T>(static_cast<std::size_t>((is_empty ? 0 : reach) + guard), fill, end, reached);
  }

  [[nodiscard]] std::int64_t size() const {
    std::int64_t size = 1;
    for (const std::int64_t extent : m_extents) size *= extent;
    return size;
  }
  [[nodiscard]] const std::vector<std::int64_t>& extents() const { return m_extents; }

  /// Value i, counted with the last index fastest.
  T& at(std::int64_t i) { return m_buffer[static_cast<std::size_t>(offset(i))]; }

  /// All values in that order.
  [[nodiscard]] std::vector<T> values() const {
    std::vector<T> result;
    for (std::int64_t i = 0; i < size(); ++i) {
      result.push_back(m_buffer[static_cast<std::size_t>(offset(i))]);
    }
    return result;
  }

  /// Values of the buffer outside of the array that have changed.
  [[nodiscard]] std::int64_t damaged() const {
    std::vector<bool> owned(m_buffer.size(), false);
    for (std::int64_t i = 0; i < size(); ++i) owned[static_cast<std::size_t>(offset(i))] = true;
    std::int64_t count = 0;
    for (std::size_t i = 0; i < m_buffer.size(); ++i) count += !owned[i] && m_buffer[i] != m_fill;
    return count;
  }

  [[nodiscard]] synelix::Strided strided() const {
    return synelix::Strided(m_buffer.data() + m_base, m_extents, m_strides);
  }
  [[nodiscard]] synelix::StridedOutput output() {
    return synelix::StridedOutput(m_buffer.data() + m_base, m_extents, m_strides);
  }

 private:
  static constexpr std::int64_t guard = 16;

  /// Either end, in an order that follows no pattern of a test's arrays, the same in every run.
  static GuardedEnd next_end() {
    static std::atomic<std::uint32_t> arrays{0};
    const std::uint32_t mixed = ++arrays * 2654435769U;
    return (mixed ^ mixed >> 15) >> 7 & 1U ? GuardedEnd::first : GuardedEnd::last;
  }

  [[nodiscard]] std::int64_t offset(std::int64_t i) const {
    std::int64_t sum = m_base;
    for (std::size_t k = m_extents.size(); k-- > 0;) {
      sum += i % m_extents[k] * m_strides[k];
      i /= m_extents[k];
    }
    return sum;
  }

  std::vector<std::int64_t> m_extents;
  std::vector<std::int64_t> m_strides;
  T m_fill;
  std::int64_t m_base = 0;
  Guarded<T> m_buffer;
};

// Of the types of most arrays: compiled with optimization, once (array.cpp).
extern template class Array<float>;
extern template class Array<double>;

/// The position of (t, c) in an array whose dimension `axis` is time, last index fastest, channels
/// being the other dimensions with the last fastest.
inline std::int64_t position(const std::vector<std::int64_t>& extents, int axis, std::int64_t t,
                             std::int64_t c) {
  std::int64_t inner = 1;
  for (std::size_t k = static_cast<std::size_t>(axis) + 1; k < extents.size(); ++k) {
    inner *= extents[k];
  }
  return (c / inner * extents[static_cast<std::size_t>(axis)] + t) * inner + c % inner;
}

}  // namespace oracle
