// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <cstdio>
#include <synelix/synelix.hpp>

int main() {
  const synelix::Session session;
  std::printf("synelix %s (headers %s) on %s\n", synelix::build_description().version.c_str(),
              SYNELIX_VERSION_STRING, SYNELIX_KOKKOS_BACKENDS);
  return synelix::version() == SYNELIX_VERSION_STRING ? 0 : 1;
}
