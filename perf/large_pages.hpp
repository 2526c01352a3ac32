// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#ifdef __linux__
#include <sys/mman.h>
#endif

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>

/// \file
/// Arrays of benchmarks: in large pages if the system has them, and already touched, so that no
/// benchmark includes page faults unless it intends to.

namespace synelix::perf {

/// Zeros in separate memory, aligned to a large page.
template <class T>
class LargeArray {
 public:
  explicit LargeArray(std::size_t count) : m_count(count) {
    constexpr std::size_t page = std::size_t{2} << 20;
    const std::size_t bytes =
        (std::max<std::size_t>(1, count * sizeof(T)) + page - 1) / page * page;
    m_values.reset(static_cast<T*>(std::aligned_alloc(page, bytes)));
    if (!m_values) throw std::bad_alloc();
#ifdef __linux__
    madvise(m_values.get(), bytes, MADV_HUGEPAGE);  // if it is refused, pages are small
#endif
    std::fill_n(m_values.get(), count, T{});
  }

  [[nodiscard]] T* data() const { return m_values.get(); }
  [[nodiscard]] std::size_t size() const { return m_count; }
  [[nodiscard]] T& operator[](std::size_t i) const { return m_values.get()[i]; }

 private:
  struct Free {
    void operator()(T* values) const { std::free(values); }
  };
  std::size_t m_count;
  std::unique_ptr<T, Free> m_values;
};

}  // namespace synelix::perf
