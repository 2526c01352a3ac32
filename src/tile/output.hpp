// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "lanes/interleave.hpp"

#include <cstdint>

/// \file
/// How results leave. `spread` interleaves a few packs in registers and stores each where it
/// belongs; `copy` moves what lies ready in the first-level cache; `store_copy` does so with sums,
/// which it makes canonical. Bits do not depend on how they are stored.

namespace synelix::tile {

/// How results are stored: into the caches, or past them, in whole lines of 64 bytes, which are not
/// read before they are written. Streaming wants addresses that are aligned to the pack.
enum class Stores { cached, streamed };

/// Arguments of `spread`: `times` groups of packs, each interleaved and stored.
template <class Scalar>
struct Spread {
  const Scalar* from;       ///< the first pack
  std::int64_t pack_step;   ///< values from pack to pack of a group
  std::int64_t group_step;  ///< values from group to group
  std::int64_t times;       ///< groups
  Scalar* const* to;        ///< pack k of group g goes to to[k] + shift + g * to_step
  int stored;               ///< packs of a group that are stored, the first ones
  std::int64_t shift;
  std::int64_t to_step;
};

template <Stores stores, class Scalar, class Set>
SYNELIX_INLINE void put(const lanes::Pack<Scalar, Set>& pack, Scalar* to) {
  if constexpr (stores == Stores::streamed) {
    pack.stream(to);
  } else {
    pack.store_anywhere(to);
  }
}

/// Groups of `count` packs: lane 0 of each, lane 1 of each, ...
template <class Scalar, class Set, int count, Stores stores>
SYNELIX_INLINE void spread(const Spread<Scalar>& arguments) {
  using Pack = lanes::Pack<Scalar, Set>;
  const Scalar* from = arguments.from;
  std::int64_t shift = arguments.shift;
  SYNELIX_UNROLL(1)
  for (std::int64_t g = 0; g < arguments.times; ++g) {
    Pack packs[count];
    SYNELIX_UNROLL(32)
    for (int k = 0; k < count; ++k) {
      packs[k] = Pack::load_anywhere(from + k * arguments.pack_step);
    }
    interleave(packs);
    SYNELIX_UNROLL(32)
    for (int k = 0; k < count; ++k) {
      if (k < arguments.stored) put<stores>(packs[k], arguments.to[k] + shift);
    }
    from += arguments.group_step;
    shift += arguments.to_step;
  }
}

/// The slow twin.
template <class Scalar>
void spread_reference(const Spread<Scalar>& arguments, int count, int lanes) {
  for (std::int64_t g = 0; g < arguments.times; ++g) {
    for (int i = 0; i < arguments.stored * lanes; ++i) {
      const std::int64_t from = g * arguments.group_step + i % count * arguments.pack_step;
      Scalar* const to = arguments.to[i / lanes] + arguments.shift + g * arguments.to_step;
      to[i % lanes] = arguments.from[from + i / count];
    }
  }
}

/// Arguments of `copy`: rows of `count` values that lie side by side.
template <class Scalar>
struct Copy {
  Scalar* to;
  std::int64_t to_step;
  const Scalar* from;
  std::int64_t from_step;
  std::int64_t count;
  std::int64_t rows;
};

/// Copies one row, whole packs streamed where that is asked for.
template <class Scalar, class Set>
SYNELIX_INLINE void copy_row(Scalar* to, const Scalar* from, std::int64_t count, Stores stores) {
  using Pack = lanes::Pack<Scalar, Set>;
  if (stores == Stores::streamed) {
    constexpr std::uintptr_t size = sizeof(Scalar);
    for (; count > 0 && reinterpret_cast<std::uintptr_t>(to) / size % Pack::lanes != 0; --count) {
      *to++ = *from++;
    }
    SYNELIX_UNROLL(1)
    for (; count >= Pack::lanes; count -= Pack::lanes) {
      Pack::load_anywhere(from).stream(to);
      to += Pack::lanes;
      from += Pack::lanes;
    }
  } else if (count >= Pack::lanes) {
    const Pack last = Pack::load_anywhere(from + count - Pack::lanes);
    last.store_anywhere(to + count - Pack::lanes);
    SYNELIX_UNROLL(1)
    for (; count >= Pack::lanes; count -= Pack::lanes) {
      Pack::load_anywhere(from).store_anywhere(to);
      to += Pack::lanes;
      from += Pack::lanes;
    }
    return;
  }
  SYNELIX_UNROLL(1)
  for (; count > 0; --count) *to++ = *from++;
}

/// Copies `count` values: a number that the compiler knows becomes moves of registers.
template <int count, class Scalar, class Set>  // named after its set, as all that its flags compile
SYNELIX_INLINE void copy_some(Scalar* to, const Scalar* from) {
  __builtin_memcpy(to, from, count * sizeof(Scalar));
}

/// A part of a row that is put together.
template <class Scalar, class Set>
SYNELIX_INLINE void copy_part(Scalar* to, const Scalar* from, std::int64_t count) {
  std::int64_t i = 0;
  SYNELIX_UNROLL(1)
  for (; i + 16 <= count; i += 16) copy_some<16, Scalar, Set>(to + i, from + i);
  if ((count & 8) != 0) copy_some<8, Scalar, Set>(to + i, from + i);
  i += count & 8;
  if ((count & 4) != 0) copy_some<4, Scalar, Set>(to + i, from + i);
  i += count & 4;
  if ((count & 2) != 0) copy_some<2, Scalar, Set>(to + i, from + i);
  i += count & 2;
  if ((count & 1) != 0) to[i] = from[i];
}

/// Rows that are asked for ahead of those that are copied (perf/NOTES.md, Direct tile).
inline constexpr std::int64_t rows_ahead = 64;

/// Copies rows that are no longer than a pack, into the caches.
template <class Scalar, class Set>
SYNELIX_INLINE void copy_narrow(const Copy<Scalar>& arguments) {
  using Pack = lanes::Pack<Scalar, Set>;
  Scalar* to = arguments.to;
  const Scalar* from = arguments.from;
  // Rows may lie too far apart to be foreseen, and memory is some hundred cycles away.
  const std::int64_t ahead = rows_ahead * arguments.from_step;
  SYNELIX_UNROLL(1)
  for (std::int64_t r = 0; r < arguments.rows; ++r) {
    __builtin_prefetch(from + ahead);
    if (arguments.count == Pack::lanes) {
      Pack::load_anywhere(from).store_anywhere(to);
    } else {
      copy_part<Scalar, Set>(to, from, arguments.count);
    }
    to += arguments.to_step;
    from += arguments.from_step;
  }
}

/// Copies rows.
template <class Scalar, class Set>
SYNELIX_INLINE void copy(const Copy<Scalar>& arguments, Stores stores) {
  if (stores == Stores::cached && arguments.count <= lanes::Pack<Scalar, Set>::lanes) {
    return copy_narrow<Scalar, Set>(arguments);
  }
  Scalar* to = arguments.to;
  const Scalar* from = arguments.from;
  SYNELIX_UNROLL(1)
  for (std::int64_t r = 0; r < arguments.rows; ++r) {
    copy_row<Scalar, Set>(to, from, arguments.count, stores);
    to += arguments.to_step;
    from += arguments.from_step;
  }
}

/// One row of sums, canonical. Whole packs are streamed where that is asked for.
template <class Scalar, class Set>
SYNELIX_INLINE void leave_row(Scalar* to, const Scalar* from, std::int64_t count, Stores stores) {
  using Pack = lanes::Pack<Scalar, Set>;
  if (stores == Stores::streamed) {
    constexpr std::uintptr_t size = sizeof(Scalar);
    for (; count > 0 && reinterpret_cast<std::uintptr_t>(to) / size % Pack::lanes != 0; --count) {
      *to++ = lanes::canonical(Set{}, *from++);
    }
    SYNELIX_UNROLL(1)
    for (; count >= Pack::lanes; count -= Pack::lanes) {
      Pack::load_anywhere(from).canonical().stream(to);
      to += Pack::lanes;
      from += Pack::lanes;
    }
  } else if (count >= Pack::lanes) {
    const Pack last = Pack::load_anywhere(from + count - Pack::lanes).canonical();
    last.store_anywhere(to + count - Pack::lanes);
    SYNELIX_UNROLL(1)
    for (; count >= Pack::lanes; count -= Pack::lanes) {
      Pack::load_anywhere(from).canonical().store_anywhere(to);
      to += Pack::lanes;
      from += Pack::lanes;
    }
    return;
  }
  SYNELIX_UNROLL(1)
  for (; count > 0; --count) *to++ = lanes::canonical(Set{}, *from++);
}

/// Copies rows of sums, canonical. Rows that are no whole packs are stored into the caches, unless
/// they are long: each would begin and end value by value.
template <class Scalar, class Set>
SYNELIX_INLINE void store_copy(const Copy<Scalar>& arguments, Stores stores) {
  constexpr std::int64_t lanes = lanes::Pack<Scalar, Set>::lanes;
  Scalar* to = arguments.to;
  const Scalar* from = arguments.from;
  if (arguments.to_step == arguments.count && arguments.from_step == arguments.count) {
    return leave_row<Scalar, Set>(to, from, arguments.rows * arguments.count, stores);
  }
  const bool is_whole = reinterpret_cast<std::uintptr_t>(to) / sizeof(Scalar) % lanes == 0 &&
                        arguments.to_step % lanes == 0 && arguments.count % lanes == 0;
  const Stores taken = is_whole || arguments.count >= 16 * lanes ? stores : Stores::cached;
  SYNELIX_UNROLL(1)
  for (std::int64_t r = 0; r < arguments.rows; ++r) {
    leave_row<Scalar, Set>(to, from, arguments.count, taken);
    to += arguments.to_step;
    from += arguments.from_step;
  }
}

/// The slow twin.
template <class Scalar, class Set>
void store_copy_reference(const Copy<Scalar>& arguments) {
  for (std::int64_t r = 0; r < arguments.rows; ++r) {
    for (std::int64_t i = 0; i < arguments.count; ++i) {
      arguments.to[r * arguments.to_step + i] =
          lanes::canonical(Set{}, arguments.from[r * arguments.from_step + i]);
    }
  }
}

}  // namespace synelix::tile
