// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tool/process/resources.hpp"

#include "tool/options/values.hpp"

#include <synelix/error.hpp>

#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>

#ifdef __linux__
#include <sched.h>
#endif

namespace synelix::tool {
namespace {

/// A line "KEY: N kB" of /proc/self/status in bytes; 0 if there is none.
std::int64_t status_bytes(std::string_view key) {
  std::ifstream file("/proc/self/status");
  std::string line;
  while (std::getline(file, line)) {
    if (!line.starts_with(key)) continue;
    std::istringstream words(line.substr(key.size()));
    std::int64_t kilobytes = 0;
    if (words >> kilobytes) return kilobytes * 1024;
  }
  return 0;
}

}  // namespace

std::int64_t free_bytes_beside(const std::string& file) {
  std::filesystem::path folder = std::filesystem::path(file).parent_path();
  if (folder.empty()) folder = ".";
  struct statvfs state = {};
  if (statvfs(folder.c_str(), &state) != 0) {
    throw Error("output folder '" + folder.string() + "': cannot be used: " + std::strerror(errno));
  }
  return static_cast<std::int64_t>(state.f_bavail) * static_cast<std::int64_t>(state.f_frsize);
}

std::int64_t bytes_of_file(const std::string& file) {
  std::error_code error;
  const auto bytes = std::filesystem::file_size(file, error);
  return error ? 0 : static_cast<std::int64_t>(bytes);
}

std::int64_t disk_bytes_of(const std::string& file) {
  struct stat state = {};
  return stat(file.c_str(), &state) == 0 ? static_cast<std::int64_t>(state.st_blocks) * 512 : 0;
}

bool is_same_file(const std::string& first, const std::string& second) {
  std::error_code error;
  return std::filesystem::equivalent(first, second, error) && !error;
}

ProcessMemory memory_now() {
  const std::int64_t own = status_bytes("RssAnon:") + status_bytes("VmSwap:");
  if (own > 0) return {.private_bytes = own, .file_bytes = status_bytes("RssFile:")};
  struct rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  return {.private_bytes = static_cast<std::int64_t>(usage.ru_maxrss) * 1024, .file_bytes = 0};
}

RunMemory::RunMemory()
    : m_before(memory_now().private_bytes), m_mark_before(status_bytes("VmHWM:")) {}

double RunMemory::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - m_start).count();
}

void RunMemory::look() {
  if (!std::has_single_bit(++m_calls)) return;
  m_seen = std::max(m_seen, memory_now().private_bytes);
}

std::int64_t RunMemory::peak() const {
  // The kernel's peak includes private pages and pages of files.
  const std::int64_t mark = status_bytes("VmHWM:");
  const ProcessMemory now = memory_now();
  if (mark == m_mark_before) return std::max({m_seen, m_before, now.private_bytes});
  return std::max(m_seen, mark - now.file_bytes);
}

namespace {

/// Kokkos' OpenMP backend supports no more.
constexpr int most_threads = 512;

/// Processors that this process may run on; 0 if the system does not report it.
int usable_processors() {
#ifdef __linux__
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) return CPU_COUNT(&set);
#endif
  return 0;
}

}  // namespace

std::optional<int> allotted_threads() {
  if (std::getenv("OMP_NUM_THREADS") != nullptr || std::getenv("KOKKOS_NUM_THREADS") != nullptr) {
    return {};
  }
  std::optional<int> least = granted_processors();
  const char* const task = std::getenv("SLURM_CPUS_PER_TASK");
  if (task != nullptr && *task != '\0') {
    int threads = 0;
    try {
      threads = parse_threads(task);
    } catch (const Error& error) {
      throw Error(std::string("SLURM_CPUS_PER_TASK: ") + error.what() +
                  " Or give --threads, which overrides it.");
    }
    least = std::min(least.value_or(threads), threads);
  }
  const int usable = usable_processors();
  if (!least || (usable > 0 && *least >= usable)) return {};
  return std::min(*least, most_threads);
}

}  // namespace synelix::tool
