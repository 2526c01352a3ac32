// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <new>
#include <vector>

#include <sys/mman.h>
#include <unistd.h>

/// \file
/// Memory for tests of tiles that ends directly after the values.

namespace ground {

/// Values after which no memory can be read.
template <class Scalar>
class LastOfMemory {
 public:
  explicit LastOfMemory(std::int64_t count) : m_count(static_cast<std::size_t>(count)) {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const std::size_t bytes = (m_count * sizeof(Scalar) + page - 1) / page * page;
    m_bytes = bytes + page;
    m_memory = mmap(nullptr, m_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (m_memory == MAP_FAILED) throw std::bad_alloc();
    auto* const end = static_cast<std::byte*>(m_memory) + bytes;
    if (mprotect(end, page, PROT_NONE) != 0) throw std::bad_alloc();
    m_data = reinterpret_cast<Scalar*>(end) - m_count;
    std::fill_n(m_data, m_count, std::numeric_limits<Scalar>::quiet_NaN());
  }
  LastOfMemory(const LastOfMemory&) = delete;
  LastOfMemory& operator=(const LastOfMemory&) = delete;
  ~LastOfMemory() { munmap(m_memory, m_bytes); }

  Scalar* data() { return m_data; }
  [[nodiscard]] std::vector<Scalar> values() const { return {m_data, m_data + m_count}; }
  void copy(const std::vector<Scalar>& from) { std::copy(from.begin(), from.end(), m_data); }

 private:
  std::size_t m_count;
  std::size_t m_bytes = 0;
  void* m_memory = nullptr;
  Scalar* m_data = nullptr;
};

}  // namespace ground
