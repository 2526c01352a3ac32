// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "lanes/instruction_set.hpp"

/// \file
/// Asks for memory that will be read later than what `prefetch` of access.hpp asks for.

namespace synelix::lanes {

/// Asks for a cache line to be brought as near as the second-level cache; on a device, for nothing.
SYNELIX_INLINE void prefetch_later([[maybe_unused]] const void* line) {
#ifndef SYNELIX_DEVICE_COMPILER
  __builtin_prefetch(line, 0, 2);
#endif
}

}  // namespace synelix::lanes
