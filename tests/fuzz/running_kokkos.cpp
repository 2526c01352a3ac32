// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reading spike trains needs a running Kokkos.
#include <synelix/error.hpp>
#include <synelix/session.hpp>

#include <hdf5.h>
#include <Kokkos_Core.hpp>

#include <string_view>

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  static const synelix::Session session;
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  synelix::set_warning_handler([](std::string_view) {});
  return 0;
}
