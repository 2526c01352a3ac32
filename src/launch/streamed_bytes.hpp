// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tune/tiles.hpp"
#include "vocabulary/host_memory.hpp"

#include <cstdint>

namespace synelix {

/// Results with more bytes than this bypass the caches of a host.
inline std::int64_t streamed_bytes() {
  return static_cast<std::int64_t>(tune::streamed_share *
                                   static_cast<double>(last_level_cache_bytes()));
}

}  // namespace synelix
