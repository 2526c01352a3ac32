// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "machine/host_memory.hpp"

#include <synelix/choice.hpp>
#include <synelix/seam/strided.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <limits>
#include <optional>
#include <sstream>
#include <string>

#include <unistd.h>
#ifdef __linux__
#include <sys/mman.h>
#endif

namespace synelix {
namespace {

constexpr std::int64_t no_limit = std::numeric_limits<std::int64_t>::max();

/// The number in a file of one number; nothing if there is no such file or it contains "max".
std::optional<std::int64_t> first_number_in(const std::string& path) {
  std::ifstream file(path);
  std::int64_t value = 0;
  if (file >> value) return value;
  return std::nullopt;
}

/// The value of "KEY: N kB" (meminfo) or "KEY N" (memory.stat), in the file's unit.
std::optional<std::int64_t> line_value_in(const std::string& path, const std::string& key) {
  std::ifstream file(path);
  std::string line;
  while (std::getline(file, line)) {
    std::istringstream words(line);
    std::string name;
    std::int64_t value = 0;
    if (words >> name >> value && name == key) return value;
  }
  return std::nullopt;
}

/// The memory that a control group and its parents still allow: limit - usage, with page cache
/// counted as free.
std::int64_t allowed_by(std::string folder, const std::string& root, const char* limit,
                        const char* usage, const char* cache) {
  std::int64_t allowed = no_limit;
  while (folder.size() >= root.size()) {
    const auto most = first_number_in(folder + "/" + limit);
    const auto used = first_number_in(folder + "/" + usage);
    if (most && used && *most < no_limit / 2) {
      const auto cached = line_value_in(folder + "/memory.stat", cache).value_or(0);
      allowed = std::min(allowed, *most - *used + cached);
    }
    const auto slash = folder.rfind('/');
    if (slash == std::string::npos || folder == root) break;
    folder.resize(slash);
  }
  return allowed;
}

/// The smallest allowance of the control groups of this process, version 1 and 2.
std::int64_t allowed_by_control_groups() {
  std::int64_t allowed = no_limit;
  std::ifstream groups("/proc/self/cgroup");
  std::string line;
  while (std::getline(groups, line)) {
    const auto first = line.find(':');
    const auto second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    std::string path = line.substr(second + 1);
    if (path == "/") path.clear();
    if (controllers.empty()) {
      const std::string root = "/sys/fs/cgroup";
      allowed = std::min(
          allowed, allowed_by(root + path, root, "memory.max", "memory.current", "inactive_file"));
    } else if (("," + controllers + ",").find(",memory,") != std::string::npos) {
      const std::string root = "/sys/fs/cgroup/memory";
      allowed = std::min(allowed, allowed_by(root + path, root, "memory.limit_in_bytes",
                                             "memory.usage_in_bytes", "total_inactive_file"));
    }
  }
  return allowed;
}

}  // namespace

std::int64_t default_budget() {
  constexpr std::int64_t fallback = std::int64_t{4} << 30;
  const auto kilobytes = line_value_in("/proc/meminfo", "MemAvailable:");
  const std::int64_t free = kilobytes ? *kilobytes * 1024 : fallback;
  return std::max(std::min(free, allowed_by_control_groups()) / 4, mebibytes(64));
}

std::int64_t last_level_cache_bytes() {
#ifdef _SC_LEVEL3_CACHE_SIZE  // glibc
  static const std::int64_t known =
      std::max(::sysconf(_SC_LEVEL3_CACHE_SIZE), ::sysconf(_SC_LEVEL2_CACHE_SIZE));
  if (known > 0) return known;
#endif
  return std::int64_t{32} << 20;
}

}  // namespace synelix

namespace synelix::seam {

void prefer_large_pages([[maybe_unused]] void* data, [[maybe_unused]] std::size_t bytes) noexcept {
#ifdef __linux__
  constexpr std::uintptr_t large_page = std::uintptr_t{2} << 20;  // x86-64, and most of ARM
  const auto begin = reinterpret_cast<std::uintptr_t>(data);
  const std::uintptr_t first = (begin + large_page - 1) / large_page * large_page;
  const std::uintptr_t last = (begin + bytes) / large_page * large_page;
  // Advice: if it is refused, pages are small.
  if (first < last) {
    madvise(static_cast<std::byte*>(data) + (first - begin), last - first, MADV_HUGEPAGE);
  }
#endif
}

}  // namespace synelix::seam
