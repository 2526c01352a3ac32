// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "streams/fingerprint.hpp"

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <string>

/// \file
/// Common members of records in a file that is being written: a checksum, and the boot id of the
/// kernel that received them.

namespace synelix::stream {

/// The checksum of all members of a record after the checksum itself.
template <class Record>
std::uint64_t checksum_of_record(const Record& record) {
  constexpr std::size_t begin = offsetof(Record, checksum) + sizeof(record.checksum);
  return Checksum()
      .add(reinterpret_cast<const char*>(&record) + begin, sizeof(Record) - begin)
      .value();
}

/// Tables of records begin at page borders, because a disk reads and writes entire pages.
constexpr std::int64_t page_bytes = 4096;
inline std::int64_t whole_pages(std::int64_t bytes) {
  return (bytes + page_bytes - 1) / page_bytes * page_bytes;
}

/// Used instead of a boot id: the record is valid under every kernel.
constexpr std::uint64_t on_disk = ~std::uint64_t{0};

/// Identifies one run of a kernel; 0 if the system does not report it.
inline std::uint64_t boot_of_kernel() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string text;
  std::getline(file, text);
  return text.empty() ? 0 : checksum_of(text);
}

}  // namespace synelix::stream
