// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "selected_files.hpp"

#include <synelix/error.hpp>
#include <synelix/session.hpp>

#include <gmock/gmock.h>
#include <Kokkos_Core.hpp>

#include <cstdio>

// Every test program has Kokkos running from its first test to its last. Without the device that
// its build needs it prints this, and CTest skips it.
int main(int argc, char** argv) {
  try {
    const synelix::Session session(argc, argv);
    ::testing::InitGoogleMock(&argc, argv);
    return tests::run_selected(argc, argv);
  } catch (const synelix::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
