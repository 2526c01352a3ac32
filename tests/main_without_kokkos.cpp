// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "selected_files.hpp"

#include <gmock/gmock.h>

// Tests that start Kokkos themselves, or that must run without it.
int main(int argc, char** argv) {
  ::testing::InitGoogleMock(&argc, argv);
  return tests::run_selected(argc, argv);
}
