// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "promises/private_memory.hpp"

#include <array>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

namespace promises {
namespace {

/// A line "KEY: N kB" of /proc/self/status in bytes; 0 where there is none.
std::int64_t status_bytes(std::string_view key) {
  std::ifstream file("/proc/self/status");
  std::string line;
  while (std::getline(file, line)) {
    if (line.starts_with(key)) return std::stoll(line.substr(key.size())) * 1024;
  }
  return 0;
}

/// Mapped parts of files that can be read, as addresses.
std::vector<std::pair<std::uint64_t, std::uint64_t>> mapped_files() {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> parts;
  std::ifstream file("/proc/self/maps");
  std::string line;
  while (std::getline(file, line)) {
    std::istringstream words(line);
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    char dash = '-';
    std::string access;
    std::string offset;
    std::string device;
    std::string inode;
    std::string name;
    words >> std::hex >> begin >> dash >> end >> access >> offset >> device >> inode >> name;
    if (access.starts_with('r') && name.starts_with('/')) parts.emplace_back(begin, end);
  }
  return parts;
}

}  // namespace

PrivatePeak::PrivatePeak() {
  // Read through this file, a page beyond the end of a mapped file is an error and no signal.
  const int memory = ::open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
  if (memory < 0) return;
  const std::int64_t page = sysconf(_SC_PAGESIZE);
  std::array<char, 1> byte{};
  for (const auto& [begin, end] : mapped_files()) {
    for (std::uint64_t at = begin; at < end; at += static_cast<std::uint64_t>(page)) {
      if (pread(memory, byte.data(), 1, static_cast<off_t>(at)) != 1) break;
    }
  }
  close(memory);
}

std::int64_t PrivatePeak::bytes() const {
  const std::int64_t files = status_bytes("RssFile:");
  const std::int64_t peak = status_bytes("VmHWM:");
  return peak > files ? peak - files : 0;
}

std::int64_t private_bytes() { return status_bytes("RssAnon:"); }

}  // namespace promises
