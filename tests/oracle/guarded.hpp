// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

/// \file
/// Memory next to an inaccessible page. An access beyond that end raises SIGSEGV, so a test cannot
/// miss it, whatever the value is.

namespace oracle {

/// Whether typed tests run on a device, as in each build for one.
#ifdef SYNELIX_TESTS_ON_DEVICE
inline constexpr bool has_device = true;
#else
inline constexpr bool has_device = false;
#endif

/// The end of the memory with the page.
enum class GuardedEnd : std::uint8_t { last, first };

/// The spaces that access memory: that of the tests, or only the host.
enum class Reached : std::uint8_t { by_kernels, by_host };

/// Values of a trivial type. Copies and fresh memory start out as zeros or the same values. Memory
/// that device kernels access has no such page, because the memory checkers of devices detect such
/// accesses.
template <class T>
class Guarded {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  Guarded() = default;
  Guarded(std::size_t count, T fill, GuardedEnd end, Reached reached = Reached::by_kernels)
      : m_count(count), m_end(end), m_reached(reached) {
    if (is_of_device()) {
      m_memory = ::operator new(count * sizeof(T));
      m_data = static_cast<T*>(m_memory);
      std::fill(m_data, m_data + count, fill);
      return;
    }
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const std::size_t bytes = count * sizeof(T);
    const std::size_t body = (bytes / page + 1) * page;  // at least a full page
    m_mapped = body + 2 * page;
    m_memory =
        mmap(nullptr, m_mapped, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (m_memory == MAP_FAILED) throw std::bad_alloc();
    auto* const first = static_cast<std::byte*>(m_memory) + page;
    if (mprotect(first, body, PROT_READ | PROT_WRITE) != 0) throw std::bad_alloc();
    m_data = reinterpret_cast<T*>(end == GuardedEnd::last ? first + body - bytes : first);
    std::fill(m_data, m_data + count, fill);
  }
  Guarded(const std::vector<T>& values, GuardedEnd end) : Guarded(values.size(), T(), end) {
    std::copy(values.begin(), values.end(), m_data);
  }
  Guarded(const Guarded& other) : Guarded(other.m_count, T(), other.m_end, other.m_reached) {
    std::copy(other.begin(), other.end(), m_data);
  }
  Guarded(Guarded&& other) noexcept { swap(other); }
  Guarded& operator=(Guarded other) noexcept {
    swap(other);
    return *this;
  }
  ~Guarded() {
    if (is_of_device()) {
      ::operator delete(m_memory);
    } else if (m_memory != nullptr) {
      munmap(m_memory, m_mapped);
    }
  }

  [[nodiscard]] T* data() { return m_data; }
  [[nodiscard]] const T* data() const { return m_data; }
  [[nodiscard]] std::size_t size() const { return m_count; }
  [[nodiscard]] const T* begin() const { return m_data; }
  [[nodiscard]] const T* end() const { return m_data + m_count; }
  [[nodiscard]] std::vector<T> values() const { return {begin(), end()}; }
  T& operator[](std::size_t i) { return m_data[i]; }
  const T& operator[](std::size_t i) const { return m_data[i]; }

 private:
  void swap(Guarded& other) noexcept {
    std::swap(m_memory, other.m_memory);
    std::swap(m_mapped, other.m_mapped);
    std::swap(m_data, other.m_data);
    std::swap(m_count, other.m_count);
    std::swap(m_end, other.m_end);
    std::swap(m_reached, other.m_reached);
  }
  [[nodiscard]] bool is_of_device() const { return has_device && m_reached == Reached::by_kernels; }

  void* m_memory = nullptr;
  std::size_t m_mapped = 0;
  T* m_data = nullptr;
  std::size_t m_count = 0;
  GuardedEnd m_end = GuardedEnd::last;
  Reached m_reached = Reached::by_kernels;
};

}  // namespace oracle
