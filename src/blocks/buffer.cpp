// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "blocks/buffer.hpp"

#include "blocks/slots.hpp"

#include <synelix/error.hpp>

#include <Kokkos_Core.hpp>

#include <string>
#include <utility>

#include <sys/mman.h>

namespace synelix::blocks {
namespace {

constexpr std::int64_t page = 4096;
constexpr std::int64_t huge_page = std::int64_t{2} << 20;

constexpr std::int64_t round_up(std::int64_t bytes, std::int64_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

}  // namespace

std::int64_t buffer_bytes(std::int64_t bytes) { return round_up(bytes, page); }

Buffer::Buffer(const std::string& label, std::int64_t bytes) {
  if (bytes <= 0) return;
  m_pinned = allocated_or_refused("host_budget", "pinned memory", bytes, [&] {
    return std::make_shared<const PinnedMemory>(label, static_cast<std::size_t>(bytes));
  });
  m_data = m_pinned->bytes.data();
}

Buffer::Buffer(std::int64_t bytes) {
  if (bytes <= 0) return;
  const std::int64_t taken = buffer_bytes(bytes);
  const bool huge = taken >= huge_page;
  // This is address space, not memory: the part before the first huge page is never touched.
  m_length = static_cast<std::size_t>(taken + (huge ? huge_page : 0));
  m_mapping = mmap(nullptr, m_length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (m_mapping == MAP_FAILED) {
    m_mapping = nullptr;
    throw BudgetError(
        "budget", "the operating system refuses a buffer of " + std::to_string(taken) + " bytes",
        "Give a smaller budget, or free memory");
  }
  auto* const begin = static_cast<std::byte*>(m_mapping);
  m_data = begin;
#ifdef MADV_HUGEPAGE
  if (huge) {
    const auto address = reinterpret_cast<std::uintptr_t>(begin);
    const auto unit = static_cast<std::uintptr_t>(huge_page);
    m_data = begin + ((unit - address % unit) % unit);
    // The rest, less than a huge page, stays on small pages, so no more memory is used than is
    // counted.
    const auto whole = static_cast<std::size_t>(taken / huge_page * huge_page);
    madvise(m_data, whole, MADV_HUGEPAGE);
    madvise(m_data + whole, m_length - static_cast<std::size_t>(m_data - begin) - whole,
            MADV_NOHUGEPAGE);
  }
#endif
}

Buffer::Buffer(Buffer&& other) noexcept
    : m_mapping(std::exchange(other.m_mapping, nullptr)),
      m_length(std::exchange(other.m_length, 0)),
      m_data(std::exchange(other.m_data, nullptr)),
      m_pinned(std::exchange(other.m_pinned, {})) {}

Buffer::~Buffer() {
  if (m_mapping != nullptr) munmap(m_mapping, m_length);
}

}  // namespace synelix::blocks
