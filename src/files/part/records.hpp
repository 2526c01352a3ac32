// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "streams/checksum.hpp"

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <string>

/// \file
/// What records in a file that is being written have in common: a checksum, and the run of the
/// kernel that took them.

namespace synelix::stream {

/// Of all members of a record but the checksum, which stands before them.
template <class Record>
std::uint64_t checksum_of_record(const Record& record) {
  constexpr std::size_t begin = offsetof(Record, checksum) + sizeof(record.checksum);
  return Checksum()
      .add(reinterpret_cast<const char*>(&record) + begin, sizeof(Record) - begin)
      .value();
}

/// Tables of records begin at whole pages, which a disk reads and writes as one.
constexpr std::int64_t page_bytes = 4096;
inline std::int64_t whole_pages(std::int64_t bytes) {
  return (bytes + page_bytes - 1) / page_bytes * page_bytes;
}

/// In place of a boot: the record counts under every kernel.
constexpr std::uint64_t on_disk = ~std::uint64_t{0};

/// Tells one run of a kernel from the next; 0 where the system does not say.
inline std::uint64_t boot_of_kernel() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string text;
  std::getline(file, text);
  return text.empty() ? 0 : checksum_of(text);
}

}  // namespace synelix::stream
