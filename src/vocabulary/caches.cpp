// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vocabulary/caches.hpp"

#include <algorithm>

#include <unistd.h>

namespace synelix {

std::int64_t last_level_cache_bytes() {
#ifdef _SC_LEVEL3_CACHE_SIZE  // glibc
  static const std::int64_t known =
      std::max(::sysconf(_SC_LEVEL3_CACHE_SIZE), ::sysconf(_SC_LEVEL2_CACHE_SIZE));
  if (known > 0) return known;
#endif
  return std::int64_t{32} << 20;
}

}  // namespace synelix
