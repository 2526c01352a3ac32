// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

/// \file
/// Memory that both the host and the device reach, or from the host where Kokkos is not running.

namespace tests {

/// Null where there is none.
void* take_shared(std::size_t bytes, std::size_t alignment) noexcept;
void give_back_shared(void* data) noexcept;

}  // namespace tests
