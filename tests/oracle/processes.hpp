// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <gtest/gtest.h>

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

/// \file
/// The output of a test when its program runs with another number of threads.

namespace oracle {

/// The hashes that a child with a number of threads writes: tests of `filter` write them to the
/// file in SYNELIX_HASH_FILE.
inline std::string hashes_of(int threads, const std::string& filter) {
  const std::filesystem::path file =
      std::filesystem::temp_directory_path() /
      ("synelix_hash_" + std::to_string(getpid()) + "_" + std::to_string(threads));
  const std::string command = "OMP_NUM_THREADS=" + std::to_string(threads) +
                              " OMP_WAIT_POLICY=passive SYNELIX_HASH_FILE='" + file.string() +
                              "' '" + std::filesystem::read_symlink("/proc/self/exe").string() +
                              "' --gtest_filter='" + filter + "' >/dev/null 2>&1";
  EXPECT_EQ(std::system(command.c_str()), 0) << command;
  std::ifstream input(file);
  const std::string text((std::istreambuf_iterator<char>(input)), std::istreambuf_iterator<char>());
  std::filesystem::remove(file);
  return text;
}

}  // namespace oracle
