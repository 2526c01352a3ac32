// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <gtest/gtest.h>
#include <Kokkos_Core.hpp>

#include <type_traits>

/// \file
/// Fixture of tests of convolutions by transforms, which serve on hosts only.

namespace oracle {

template <class Types>
class OnHosts : public testing::Test {
 public:
  using Scalar = typename Types::scalar;
  using Space = typename Types::space;
  static constexpr bool is_host =
      std::is_same_v<typename Space::memory_space, typename Kokkos::HostSpace>;
};

}  // namespace oracle

#define SKIP_ON_A_DEVICE() \
  if constexpr (!TestFixture::is_host) GTEST_SKIP() << "transforms serve on hosts"
