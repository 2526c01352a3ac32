// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

/// \file
/// What the machine gives: free space of a disk, the memory that this process has taken, and the
/// threads that it may keep busy where others share the machine.

namespace synelix::tool {

/// Bytes that an ordinary user may still write to the folder of this file.
/// Throws Error where the folder does not exist.
std::int64_t free_bytes_beside(const std::string& file);

/// Bytes of a file; 0 where there is none.
std::int64_t bytes_of_file(const std::string& file);

/// Bytes that a file takes on the disk; 0 where there is none.
std::int64_t disk_bytes_of(const std::string& file);

/// Whether both names lead to one existing file.
bool is_same_file(const std::string& first, const std::string& second);

/// Physical memory of this process, as the operating system counts it.
struct ProcessMemory {
  std::int64_t private_bytes = 0;  ///< heap, stacks, buffers: what belongs to this process alone
  std::int64_t file_bytes = 0;     ///< mapped pages of the program and its libraries
};

/// What is taken now. A system that tells no parts counts everything as private.
ProcessMemory memory_now();

/// What a run takes beyond what the program held when it began.
class RunMemory {
 public:
  RunMemory();

  /// Notes the memory that is taken now, in the calls 1, 2, 4, 8, ...: with many small blocks a
  /// look at each would take longer than the blocks. By one thread at a time.
  void look();
  /// Since the run began.
  [[nodiscard]] double seconds() const;
  /// Private memory that the program held before the run.
  [[nodiscard]] std::int64_t before() const { return m_before; }
  /// The most private memory that was held, between two looks too. Where pages of program files
  /// came in after the peak, and no look met it, the peak may be too small by these. Where an
  /// earlier run of this process held more, the looks alone know the peak of this one.
  [[nodiscard]] std::int64_t peak() const;

 private:
  std::int64_t m_before;
  std::int64_t m_mark_before;  ///< the kernel's mark of the peak, of what was before the run
  std::chrono::steady_clock::time_point m_start = std::chrono::steady_clock::now();
  std::int64_t m_seen = 0;
  std::uint64_t m_calls = 0;
};

/// Threads that the environment allots to this process: the less of SLURM_CPUS_PER_TASK, and of the
/// processor time that the control groups of Linux grant. Absent where that is not less than the
/// processors that it may run on, and where the user sets threads, by OMP_NUM_THREADS or
/// KOKKOS_NUM_THREADS.
/// \throws Error where SLURM_CPUS_PER_TASK is no number from 1 on
std::optional<int> allotted_threads();

}  // namespace synelix::tool
