// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

/// \file
/// The most private memory that this process has held, as the operating system counts it.

namespace promises {

/// Private memory (heap, stacks, mappings without a file) since the process began: a high-water
/// mark of the kernel, so no peak is missed between two queries. The kernel marks private pages and
/// pages of mapped program files together. The files' share would vary by 2 MiB with the cached
/// pages. So the constructor loads all pages of these files, and their share stays the same.
class PrivatePeak {
 public:
  /// Construct it before the measured memory is allocated.
  PrivatePeak();

  /// Bytes of private memory at the peak; 0 if the system does not report it.
  [[nodiscard]] std::int64_t bytes() const;
  /// Prints them as `peak_of_run` looks for them.
  void print() const;
};

/// A run of a program that has ended well.
struct MeasuredRun {
  std::int64_t peak = 0;  ///< that it printed
  std::string text;       ///< its other output before
};

/// Runs a program. \throws std::runtime_error if it fails, or prints no peak
MeasuredRun run_of(const std::vector<std::string>& words);

/// The same, and prints its text.
std::int64_t peak_of_run(const std::vector<std::string>& words);

/// Whether the measurement includes memory that was allocated and freed.
bool counts_private_memory();

/// The main function of a program that measures runs of itself. With a given number of words it is
/// such a run, whose peak is printed at its end; otherwise it compares the peaks of runs. Each gets
/// the words, and returns the exit code. 77, skipped, if private memory cannot be counted.
using Main = std::function<int(const std::vector<std::string>& words)>;
int main_of(int argc, char** argv, std::size_t words_of_run, const Main& run, const Main& compare);

}  // namespace promises
