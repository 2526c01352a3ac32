// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/error.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <string>

/// \file
/// `Buffer`: memory of a block, taken from the operating system and given back to it, on huge
/// pages where they are to be had; or pinned, where a device copies from and to it.

namespace synelix::stream {

/// What a buffer for so many bytes takes: whole pages.
std::int64_t buffer_bytes(std::int64_t bytes);

/// What memory a buffer has.
enum class Pages : std::uint8_t { plain, pinned };

/// What `allocate()` gives. \throws Error where `whose` memory refuses so many bytes
template <class Allocate>
auto allocated_or_refused(const char* whose, std::int64_t bytes, const Allocate& allocate) {
  try {
    return allocate();
  } catch (const std::exception& refusal) {  // of Kokkos, by version
    throw Error("stream: " + std::string(whose) + " refuses " + std::to_string(bytes) +
                " bytes. Give a smaller budget. The reason: " + refusal.what());
  }
}

class Buffer {
 public:
  /// \throws Error where the operating system or the device's driver refuses
  explicit Buffer(std::int64_t bytes, Pages pages = Pages::plain);
  Buffer(Buffer&& other) noexcept;
  Buffer& operator=(Buffer&&) = delete;
  ~Buffer();

  [[nodiscard]] std::byte* data() const { return m_data; }

 private:
  void* m_mapping = nullptr;
  std::size_t m_length = 0;
  std::byte* m_data = nullptr;
  Kokkos::View<std::byte*, Kokkos::SharedHostPinnedSpace> m_pinned;
};

}  // namespace synelix::stream
