// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tool/process/allotted_threads.hpp"

#include "tool/options/values.hpp"
#include "tool/process/control_groups.hpp"

#include <synelix/error.hpp>

#include <algorithm>
#include <cstdlib>
#include <string>

#ifdef __linux__
#include <sched.h>
#endif

namespace synelix::tool {
namespace {

/// Kokkos' OpenMP backend takes no more.
constexpr int most_threads = 512;

/// Processors that this process may run on; 0 where the system does not say.
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
