// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <vector>

#include <sys/mman.h>
#include <unistd.h>

/// \file
/// Memory between two pages that nobody may touch: a read or write beyond it ends the program.

namespace oracle {

/// Which end of the values has no room behind it.
enum class Edge { first, last };

/// Values that begin right behind a page without access, or end right before one.
template <class T>
class Guarded {
 public:
  Guarded(std::size_t count, Edge edge) : m_count(count) {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const std::size_t bytes = (count * sizeof(T) + page - 1) / page * page;
    m_bytes = bytes + 2 * page;
    m_memory = mmap(nullptr, m_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (m_memory == MAP_FAILED) throw std::bad_alloc();
    auto* const begin = static_cast<std::byte*>(m_memory) + page;
    if (bytes > 0 && mprotect(begin, bytes, PROT_READ | PROT_WRITE) != 0) throw std::bad_alloc();
    std::memset(begin, 0x7f, bytes);
    m_data = reinterpret_cast<T*>(edge == Edge::first ? begin : begin + bytes - count * sizeof(T));
  }
  Guarded(const std::vector<T>& values, Edge edge) : Guarded(values.size(), edge) {
    if (!values.empty()) std::memcpy(m_data, values.data(), values.size() * sizeof(T));
  }
  Guarded(const Guarded&) = delete;
  Guarded& operator=(const Guarded&) = delete;
  ~Guarded() { munmap(m_memory, m_bytes); }

  [[nodiscard]] T* data() const { return m_data; }
  [[nodiscard]] std::size_t size() const { return m_count; }
  [[nodiscard]] std::vector<T> values() const { return {m_data, m_data + m_count}; }

 private:
  std::size_t m_count;
  std::size_t m_bytes = 0;
  void* m_memory = nullptr;
  T* m_data = nullptr;
};

}  // namespace oracle
