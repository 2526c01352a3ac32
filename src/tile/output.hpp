// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "lanes/copy.hpp"
#include "lanes/interleave.hpp"

#include <cstdint>

/// \file
/// Stores of results. `spread` interleaves a few packs in registers and stores each at its place;
/// `copy` copies values from the first-level cache; `store_copy` does so with sums, which it makes
/// canonical. Bits do not depend on the kind of stores.

namespace synelix::tile {

/// The kind of stores: into the caches, or past them in full lines of 64 bytes, which are not read
/// before they are written. `streamed` needs addresses that are aligned to the pack;
/// `streamed_runs` accepts any, and moves neighboring packs of a group through the stack.
enum class Stores { cached, streamed, streamed_runs };
inline constexpr int ways_of_stores = 3;
constexpr int way_of(Stores stores) { return static_cast<int>(stores); }

/// Arguments of `spread`: `times` groups of packs, each interleaved and stored.
template <class Scalar>
struct Spread {
  const Scalar* from;       ///< the first pack
  std::int64_t pack_step;   ///< values from pack to pack of a group
  std::int64_t group_step;  ///< values from group to group
  std::int64_t times;       ///< groups
  Scalar* const* to;        ///< pack k of group g goes to to[k] + shift + g * to_step
  int stored;               ///< number of packs of a group that are stored, starting with the first
  std::int64_t shift;
  std::int64_t to_step;
  unsigned follows = 0;  ///< bit k: pack k follows pack k - 1. For `streamed_runs`
};

/// One interleaved group: pack k to to[k] + shift.
template <Stores stores, int count, class Scalar, class Set>
SYNELIX_INLINE void put(const lanes::Pack<Scalar, Set> (&packs)[count], Scalar* const* to,
                        std::int64_t shift, int stored, [[maybe_unused]] unsigned follows) {
  constexpr int size = lanes::Pack<Scalar, Set>::lanes;
  constexpr bool has_lines = sizeof(Scalar) * count * size > 64;  // otherwise no line is full
  if constexpr (stores == Stores::streamed_runs && has_lines) {
    alignas(64) Scalar values[count * size];
    SYNELIX_UNROLL(32)
    for (int k = 0; k < count; ++k) packs[k].store(values + k * size);
    SYNELIX_UNROLL(1)
    for (int begin = 0; begin < stored;) {
      int end = begin + 1;
      while (end < stored && (follows >> end & 1U) != 0) ++end;
      lanes::copy_past_caches<Scalar, Set>(to[begin] + shift, values + begin * size,
                                           (end - begin) * size);
      begin = end;
    }
  } else {
    SYNELIX_UNROLL(32)
    for (int k = 0; k < count; ++k) {
      if (k >= stored) continue;
      if constexpr (stores == Stores::streamed) {
        packs[k].stream(to[k] + shift);
      } else {
        packs[k].store_anywhere(to[k] + shift);
      }
    }
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
    put<stores>(packs, arguments.to, shift, arguments.stored, arguments.follows);
    from += arguments.group_step;
    shift += arguments.to_step;
  }
}

/// The slow reference.
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

/// Arguments of `copy`: rows of `count` contiguous values.
template <class Scalar>
struct Copy {
  Scalar* to;
  std::int64_t to_step;
  const Scalar* from;
  std::int64_t from_step;
  std::int64_t count;
  std::int64_t rows;
};

/// Copies one row; full packs are streamed if requested.
template <class Scalar, class Set>
SYNELIX_INLINE void copy_row(Scalar* to, const Scalar* from, std::int64_t count, Stores stores) {
  using Pack = lanes::Pack<Scalar, Set>;
  if (stores != Stores::cached) {
    return lanes::copy_past_caches<Scalar, Set>(to, from, count);
  }
  if (count >= Pack::lanes) {
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

/// A part of a row that is being assembled.
template <class Scalar, class Set>
SYNELIX_INLINE void copy_part(Scalar* to, const Scalar* from, std::int64_t count) {
  std::int64_t i = 0;
  SYNELIX_UNROLL(1)
  for (; i + 16 <= count; i += 16) __builtin_memcpy(to + i, from + i, 16 * sizeof(Scalar));
  lanes::copy_few<8, Set>(to + i, from + i, count - i);
}

/// The number of rows to prefetch ahead of the copied ones (perf/NOTES.md, Direct tile).
inline constexpr std::int64_t rows_ahead = 64;

/// Copies rows of at most a pack, into the caches.
template <class Scalar, class Set>
SYNELIX_INLINE void copy_narrow(const Copy<Scalar>& arguments) {
  using Pack = lanes::Pack<Scalar, Set>;
  Scalar* to = arguments.to;
  const Scalar* from = arguments.from;
  // Rows may be too far apart for the hardware prefetcher, and a memory access takes some hundred
  // cycles.
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

/// One row of sums, canonical. Full lines are streamed if requested.
template <class Scalar, class Set>
SYNELIX_INLINE void leave_row(Scalar* to, const Scalar* from, std::int64_t count, Stores stores) {
  using Pack = lanes::Pack<Scalar, Set>;
  if (stores == Stores::streamed) {
    constexpr std::int64_t line = lanes::values_of_line<Scalar>;
    const Scalar* const begin = to + lanes::values_before_line<Set>(to);
    for (; count > 0 && to != begin; --count) *to++ = lanes::canonical(Set{}, *from++);
    SYNELIX_UNROLL(1)
    for (; count >= line; count -= line) {
      SYNELIX_UNROLL(16)
      for (std::int64_t k = 0; k < line; k += Pack::lanes) {
        Pack::load_anywhere(from + k).canonical().stream(to + k);
      }
      to += line;
      from += line;
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

/// Copies rows of sums, canonical. Rows that are no full packs are stored into the caches, unless
/// they are long, because each would begin and end value by value.
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

/// The slow reference.
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
