// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "all_headers.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

namespace headers_tests {
namespace {

// That all headers link together is shown by this program's existence. The list of them is written
// by hand: it must be the folder's, and the generated version.hpp.
TEST(Headers, AllAreListed) {
  int files = 1;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(SYNELIX_INCLUDE_FOLDER)) {
    const std::string name = entry.path().filename().string();
    const bool of_files = name == "hdf5.hpp" || name == "nwb.hpp" || name == "fit_file.hpp" ||
                          name == "join_parts.hpp";
    const bool of_ranks = name == "mpi.hpp" || name == "mpi_fit.hpp";
    if (entry.path().extension() == ".hpp" && (SYNELIX_WITH_HDF5 || !of_files) &&
        (SYNELIX_WITH_MPI || !of_ranks)) {
      ++files;
    }
  }
  EXPECT_EQ(SYNELIX_PUBLIC_HEADERS, files) << "src/CMakeLists.txt lists the public headers";
}

}  // namespace
}  // namespace headers_tests
