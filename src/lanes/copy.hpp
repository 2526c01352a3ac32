// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "lanes/access.hpp"

#include <cstdint>

/// \file
/// Copies to any address, with full cache lines stored past the caches. A line that is written
/// partly past and partly into the caches costs several times as much, so incomplete lines at the
/// ends are stored into the caches.

namespace synelix::lanes {

/// Copies `count` < 2 * most values. `most` is a power of two.
template <int most, class Set, class Scalar>
SYNELIX_INLINE void copy_few(Scalar* to, const Scalar* from, std::int64_t count) {
  if constexpr (most > 0) {
    const std::int64_t moved = count & most;
    if (moved != 0) __builtin_memcpy(to, from, most * sizeof(Scalar));
    copy_few<most / 2, Set>(to + moved, from + moved, count);
  }
}

/// Values of a cache line.
template <class Scalar>
inline constexpr std::int64_t values_of_line = 64 / static_cast<std::int64_t>(sizeof(Scalar));

/// Number of values before the next cache line; 0 if the address begins one.
template <class Set, class Scalar>  // its name contains the set, like all functions compiled with
                                    // its flags
SYNELIX_INLINE std::int64_t values_before_line(const Scalar* address) {
  constexpr std::int64_t line = values_of_line<Scalar>;
  const auto place = reinterpret_cast<std::uintptr_t>(address) / sizeof(Scalar);
  return (line - static_cast<std::int64_t>(place % line)) % line;
}

/// Copies `count` values that will not be read soon.
template <class Scalar, class Set>
SYNELIX_INLINE void copy_past_caches(Scalar* to, const Scalar* from, std::int64_t count) {
  using Pack = Pack<Scalar, Set>;
  constexpr std::int64_t line = values_of_line<Scalar>;
  constexpr int half = static_cast<int>(line) / 2;
  const std::int64_t ahead = values_before_line<Set>(to);
  if (ahead >= count) return copy_few<half, Set>(to, from, count);
  copy_few<half, Set>(to, from, ahead);
  std::int64_t i = ahead;
  SYNELIX_UNROLL(1)
  for (; i + line <= count; i += line) {
    SYNELIX_UNROLL(16)
    for (std::int64_t k = 0; k < line; k += Pack::lanes) {
      Pack::load_anywhere(from + i + k).stream(to + i + k);
    }
  }
  copy_few<half, Set>(to + i, from + i, count - i);
}

}  // namespace synelix::lanes
