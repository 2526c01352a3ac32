// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <synelix/strided.hpp>

#include <cstddef>
#include <cstdint>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace synelix::seam {

void prefer_large_pages([[maybe_unused]] void* data, [[maybe_unused]] std::size_t bytes) noexcept {
#ifdef __linux__
  constexpr std::uintptr_t large_page = std::uintptr_t{2} << 20;  // x86-64, and most of ARM
  const auto begin = reinterpret_cast<std::uintptr_t>(data);
  const std::uintptr_t first = (begin + large_page - 1) / large_page * large_page;
  const std::uintptr_t last = (begin + bytes) / large_page * large_page;
  // Advice: where it is refused, pages are small.
  if (first < last) {
    madvise(static_cast<std::byte*>(data) + (first - begin), last - first, MADV_HUGEPAGE);
  }
#endif
}

}  // namespace synelix::seam
