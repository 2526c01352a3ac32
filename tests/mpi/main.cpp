// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <synelix/error.hpp>
#include <synelix/session.hpp>

#include <gmock/gmock.h>
#include <mpi.h>
#include <Kokkos_Core.hpp>

#include <cstdio>

// Every rank runs all tests, in the same order. A rank on which a test fails ends with another code
// than 0, which mpirun gives on.
int main(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  int result = 1;
  try {
    const synelix::Session session(argc, argv);
    testing::InitGoogleMock(&argc, argv);
    result = RUN_ALL_TESTS();
  } catch (const synelix::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
  }
  MPI_Finalize();
  return result;
}
