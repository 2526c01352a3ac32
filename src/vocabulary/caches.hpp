// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

/// \file
/// The caches of the processor.

namespace synelix {

/// Bytes of the last level of a core's caches, or 32 MiB where the system does not say.
std::int64_t last_level_cache_bytes();

}  // namespace synelix
