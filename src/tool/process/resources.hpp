// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

/// \file
/// Resources of the machine: free disk space, the memory of this process, and the processors that
/// it may use if others share the machine.

namespace synelix::tool {

/// Bytes that an ordinary user may still write to the folder of this file.
/// Throws Error if the folder does not exist.
std::int64_t free_bytes_beside(const std::string& file);

/// Bytes of a file; 0 if there is none.
std::int64_t bytes_of_file(const std::string& file);

/// Bytes that a file takes on the disk; 0 if there is none.
std::int64_t disk_bytes_of(const std::string& file);

/// Whether both names lead to one existing file.
bool is_same_file(const std::string& first, const std::string& second);

/// Physical memory of this process, as counted by the operating system.
struct ProcessMemory {
  std::int64_t private_bytes = 0;  ///< heap, stacks, buffers: memory of this process only
  std::int64_t file_bytes = 0;     ///< mapped pages of the program and its libraries
};

/// The current memory. If a system does not separate the parts, everything counts as private.
ProcessMemory memory_now();

/// The memory of a run beyond the memory that the program held at its beginning.
class RunMemory {
 public:
  RunMemory();

  /// Records the current memory in the calls 1, 2, 4, 8, ...: with many small blocks, a query for
  /// each would take longer than the blocks. Only one thread at a time may call it.
  void look();
  /// Seconds since the run began.
  [[nodiscard]] double seconds() const;
  /// Private memory that the program held before the run.
  [[nodiscard]] std::int64_t before() const { return m_before; }
  /// The largest private memory, including peaks between two queries. If pages of program files
  /// were loaded after the peak, and no query was made at the peak, the result may be too small by
  /// these pages. If an earlier run of this process used more, only the queries give the peak of
  /// this one.
  [[nodiscard]] std::int64_t peak() const;
  /// The part of the peak beyond the memory before the run.
  [[nodiscard]] std::int64_t used() const { return std::max<std::int64_t>(peak() - m_before, 0); }

 private:
  std::int64_t m_before;
  std::int64_t m_mark_before;  ///< the kernel's peak before the run
  std::chrono::steady_clock::time_point m_start = std::chrono::steady_clock::now();
  std::int64_t m_seen = 0;
  std::uint64_t m_calls = 0;
};

/// Threads that the environment allots to this process: the smaller of SLURM_CPUS_PER_TASK, and of
/// the processor time that Linux control groups allow. Absent if that is not less than the
/// processors that it may run on, and if the user sets threads by OMP_NUM_THREADS or
/// KOKKOS_NUM_THREADS.
/// \throws Error if SLURM_CPUS_PER_TASK is not a positive integer
std::optional<int> allotted_threads();

/// Number of processors, rounded up, for the processor time that the control groups of this process
/// allow; absent if there is no limit. A group has no more than its parents.
/// \param root  of the file system; different in tests
std::optional<int> granted_processors(const std::filesystem::path& root = "/");

}  // namespace synelix::tool
