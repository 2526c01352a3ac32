// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <gmock/gmock.h>
#include <Kokkos_Core.hpp>

// Every test program has Kokkos running from its first test to its last.
int main(int argc, char** argv) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  ::testing::InitGoogleMock(&argc, argv);
  return RUN_ALL_TESTS();
}
