// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "memory.hpp"

#include "faults.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace emulator {
namespace {

constexpr std::uint64_t page = 4096;  // also the least gap: nothing may be touched there
constexpr std::uint64_t first_address = std::uint64_t{1} << 20;
constexpr std::size_t most_filled = std::size_t{1} << 26;

std::uint64_t round_up(std::uint64_t bytes) { return (bytes + page - 1) / page * page; }

std::uint64_t map(std::uint64_t bytes, int protection, int flags, int file) {
  void* made = mmap(nullptr, bytes, protection, flags | MAP_NORESERVE, file, 0);
  if (made == MAP_FAILED)
    throw std::runtime_error("emulator: no addresses for the device's memory");
  return reinterpret_cast<std::uint64_t>(made);
}

bool is_of_host(Kind kind) { return kind == Kind::pinned || kind == Kind::managed; }

const char* name_of(Kind kind) {
  return kind == Kind::device     ? "device"
         : kind == Kind::variable ? "variable"
                                  : "pinned or managed";
}

}  // namespace

Memory::Memory() : m_next(first_address) {
  const int file = memfd_create("emulator", 0);
  if (file < 0 || ftruncate(file, static_cast<off_t>(region_bytes)) != 0) {
    throw std::runtime_error("emulator: no file for the device's memory");
  }
  m_host = map(region_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file);
  m_device = map(region_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
  m_shadow = reinterpret_cast<Shadow*>(map(
      region_bytes / 4 * sizeof(Shadow), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1));
}

Memory& memory() {
  static auto& made = *new Memory();  // programs release memory after static objects
  return made;
}

std::uint64_t Memory::find_room(std::uint64_t size) {
  if (size > region_bytes) return 0;
  for (const std::uint64_t from : {m_next, first_address}) {
    std::uint64_t begin = round_up(from + page);
    auto other = m_allocations.lower_bound(begin);
    while (begin + size + page <= region_bytes) {
      if (other == m_allocations.end() || other->first >= begin + size + page) {
        m_allocations.erase(m_allocations.lower_bound(begin), other);  // released ones
        return begin;
      }
      if (other->second.is_live) begin = round_up(other->second.begin + other->second.bytes + page);
      ++other;
    }
  }
  return 0;
}

std::uint64_t Memory::allocate(std::size_t bytes, Kind kind) {
  const std::uint64_t size = std::max<std::uint64_t>(bytes, 1);
  const std::uint64_t begin = find_room(size);
  if (begin == 0) return 0;
  m_next = begin + size;
  m_allocations[begin] = {begin, size, kind, true, m_count++};
  m_in_use += size;
  const bool host = is_of_host(kind);
  m_bytes[host] += size;
  m_peaks[host] = std::max(m_peaks[host], m_bytes[host]);
  if (host) {
    set_known(m_host + begin, size);  // writes of the host are not recorded
  } else {                            // a NaN of float and double marks unwritten values
    std::memset(reinterpret_cast<void*>(m_host + begin), 0xff, std::min(size, most_filled));
  }
  return (host ? m_host : m_device) + begin;
}

bool Memory::release(std::uint64_t address) {
  const Allocation* found = find(address, false);
  if (found == nullptr || offset_of(address) != found->begin) return false;
  m_allocations[found->begin].is_live = false;
  m_in_use -= found->bytes;
  m_bytes[is_of_host(found->kind)] -= found->bytes;
  const std::uint64_t begin = found->begin, bytes = round_up(found->bytes);
  madvise(reinterpret_cast<void*>(m_host + begin), bytes, MADV_REMOVE);
  madvise(m_shadow + begin / 4, bytes / 4 * sizeof(Shadow), MADV_DONTNEED);
  return true;
}

const Allocation* Memory::find(std::uint64_t address, bool also_released) const {
  if (!holds(address)) return nullptr;
  const std::uint64_t offset = offset_of(address);
  auto after = m_allocations.upper_bound(offset);
  if (after == m_allocations.begin()) return nullptr;
  const Allocation& found = std::prev(after)->second;
  if (offset >= found.begin + found.bytes || (!found.is_live && !also_released)) return nullptr;
  return &found;
}

unsigned char* Memory::backing(std::uint64_t address) const {
  return reinterpret_cast<unsigned char*>(is_device(address) ? m_host + (address - m_device)
                                                             : address);
}

std::string Memory::describe(std::uint64_t address) const {
  char text[200];
  if (!holds(address)) {
    std::snprintf(text, sizeof text, "0x%llx, which is no memory of the device",
                  static_cast<unsigned long long>(address));
    return text;
  }
  const std::uint64_t offset = offset_of(address);
  auto after = m_allocations.upper_bound(offset);
  if (after == m_allocations.begin()) return "an address before the first allocation";
  const Allocation& a = std::prev(after)->second;
  std::snprintf(text, sizeof text, "byte %lld of allocation #%d of %llu bytes (%s%s)",
                static_cast<long long>(offset - a.begin), a.number,
                static_cast<unsigned long long>(a.bytes), name_of(a.kind),
                a.is_live ? "" : ", freed");
  return text;
}

std::uint64_t Memory::peak_bytes(bool of_host, bool resets) {
  const std::uint64_t peak = m_peaks[of_host];
  if (resets) m_peaks[of_host] = m_bytes[of_host];
  return peak;
}

void Memory::set_known(std::uint64_t address, std::uint64_t bytes) {
  const std::uint64_t begin = offset_of(address), end = begin + bytes;
  for (std::uint64_t at = begin; at < end;) {
    Shadow& shadow = m_shadow[at / 4];
    const std::uint64_t next = std::min(end, at / 4 * 4 + 4);
    shadow.write.known |= static_cast<std::uint8_t>(((1U << (next - at)) - 1) << (at % 4));
    at = next;
  }
}

void Memory::copy_known(std::uint64_t to, std::uint64_t from, std::uint64_t bytes) {
  const std::uint64_t target = offset_of(to), source = offset_of(from);
  for (std::uint64_t k = 0; k < bytes; ++k) {
    Shadow& shadow = m_shadow[(target + k) / 4];
    const auto bit = static_cast<std::uint16_t>(1U << ((target + k) % 4));
    const std::uint16_t others = shadow.write.known & static_cast<std::uint16_t>(~bit);
    shadow.write.known = is_known(source + k) ? others | bit : others;
  }
}

bool Memory::check_copy(const char* what, std::uint64_t address, std::size_t bytes, bool writes) {
  if (bytes == 0 || !holds(address)) return true;
  const Allocation* a = find(address);
  const std::uint64_t offset = offset_of(address);
  const std::string text =
      std::string(what) + " of " + std::to_string(bytes) + " bytes at " + describe(address);
  if (a == nullptr || !a->is_live || offset + bytes > a->begin + a->bytes) {
    report_host("copy out of bounds", text);
    return false;
  }
  if (writes) {
    set_known(address, bytes);
    return true;
  }
  std::uint64_t unknown = 0, first = 0;
  for (std::uint64_t at = offset; a->kind == Kind::device && at < offset + bytes; ++at) {
    if (!is_known(at) && unknown++ == 0) first = at - a->begin;
  }
  if (unknown > 0) {
    report_host("copy of what nothing wrote", text + ": " + std::to_string(unknown) +
                                                  " bytes, the first at byte " +
                                                  std::to_string(first));
  }
  return true;
}

}  // namespace emulator
