// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/error.hpp>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <string>

/// \file
/// `Buffer`: memory of a block, from the operating system and returned to it, on huge pages if
/// available; or pinned, if a device copies from and to it.

namespace synelix::blocks {

/// The size of a buffer for this many bytes: complete pages.
std::int64_t buffer_bytes(std::int64_t bytes);

/// The result of `allocate()`.
/// \throws Error if the memory refuses this many bytes; it names the budget of that memory
template <class Allocate>
auto allocated_or_refused(const char* budget, const char* memory, std::int64_t bytes,
                          const Allocate& allocate) {
  try {
    return allocate();
  } catch (const std::exception& refusal) {  // from Kokkos; the type depends on its version
    throw BudgetError(budget,
                      std::string(memory) + " refuses " + std::to_string(bytes) +
                          " bytes for blocks (" + refusal.what() + ")",
                      "Give a smaller budget");
  }
}

/// Pages pinned by a device's driver. slots.hpp defines it, so other files need no Kokkos.
struct PinnedMemory;

class Buffer {
 public:
  /// Plain pages. \throws Error if the operating system refuses
  explicit Buffer(std::int64_t bytes);
  /// Pinned pages. \throws Error if the device's driver refuses
  Buffer(const std::string& label, std::int64_t bytes);
  Buffer(Buffer&& other) noexcept;
  Buffer& operator=(Buffer&&) = delete;
  ~Buffer();

  [[nodiscard]] std::byte* data() const { return m_data; }
  /// The memory that a device copies from and to; null for plain pages.
  [[nodiscard]] const PinnedMemory* pinned() const { return m_pinned.get(); }

 private:
  void* m_mapping = nullptr;
  std::size_t m_length = 0;
  std::byte* m_data = nullptr;
  std::shared_ptr<const PinnedMemory> m_pinned;
};

}  // namespace synelix::blocks
