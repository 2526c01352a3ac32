// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Memory of the device: allocations at addresses that the host cannot touch, with a shadow.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

namespace emulator {

enum class Kind : std::uint8_t { device, pinned, managed, variable };

struct Allocation {
  std::uint64_t begin, bytes;  ///< begin: an offset in the region
  Kind kind;
  bool is_live;
  int number;
};

/// The threads that accessed four bytes, or some of them. Epochs count barriers of teams.
struct Trace {
  std::uint32_t epoch, line;   ///< of the PTX
  std::uint16_t thread, sync;  ///< sync: synchronizations of its warp until then
  std::uint8_t mask;           ///< of the bytes
  std::uint8_t flags;          ///< of races.cpp
  std::uint16_t known;         ///< of the write: bytes that were written at all
};

/// The last write and the last read of four bytes.
struct Shadow {
  Trace write, read;
};
static_assert(sizeof(Shadow) == 32);

/// The region of addresses, twice: for kernels, and for the host, which may touch pinned and
/// managed memory. A gap follows each allocation.
class Memory {
 public:
  static constexpr std::uint64_t region_bytes = std::uint64_t{1} << 37;

  Memory();

  std::uint64_t allocate(std::size_t bytes, Kind kind);  ///< 0: the region is full
  bool release(std::uint64_t address);                   ///< false: nothing begins there
  /// The allocation that holds the address, or nullptr.
  const Allocation* find(std::uint64_t address, bool also_released = true) const;
  bool holds(std::uint64_t address) const { return is_device(address) || is_host(address); }
  bool is_device(std::uint64_t address) const { return address - m_device < region_bytes; }
  bool is_host(std::uint64_t address) const { return address - m_host < region_bytes; }
  std::uint64_t offset_of(std::uint64_t address) const {
    return address - (is_device(address) ? m_device : m_host);
  }
  /// The host address of the memory at that address.
  unsigned char* backing(std::uint64_t address) const;
  Shadow* shadow_of(std::uint64_t address) const { return m_shadow + offset_of(address) / 4; }
  std::string describe(std::uint64_t address) const;

  std::uint64_t bytes_in_use() const { return m_in_use; }
  /// Most bytes of the device, or pinned and managed, at a time since the last reset.
  std::uint64_t peak_bytes(bool of_host, bool resets);

  void set_known(std::uint64_t address, std::uint64_t bytes);
  void copy_known(std::uint64_t to, std::uint64_t from, std::uint64_t bytes);
  /// Checks an end of a copy. False: it is out of bounds, and reported.
  bool check_copy(const char* what, std::uint64_t address, std::size_t bytes, bool writes);

 private:
  /// Where so many bytes begin, or 0: after the last allocation, and after the last address again
  /// from the first on, where memory was released longest ago.
  std::uint64_t find_room(std::uint64_t size);
  bool is_known(std::uint64_t offset) const {
    return (m_shadow[offset / 4].write.known >> (offset % 4) & 1) != 0;
  }

  std::uint64_t m_device = 0, m_host = 0;
  Shadow* m_shadow = nullptr;
  std::map<std::uint64_t, Allocation>
      m_allocations;  // with released ones, so that later uses are seen
  std::uint64_t m_next, m_in_use = 0;
  std::uint64_t m_bytes[2] = {0, 0}, m_peaks[2] = {0, 0};
  int m_count = 0;
};

Memory& memory();

}  // namespace emulator
