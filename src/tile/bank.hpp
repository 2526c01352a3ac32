// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tile/direct.hpp"
#include "tile/output.hpp"

#include <cstdint>

/// \file
/// The bank tile: direct tiles of all bases that are stored together, while results of the previous
/// tile are stored. Groups of their packs are interleaved between blocks of taps, in the registers
/// that taps and samples leave free. So shuffles and stores overlap with multiply-adds, and lines
/// that bypass the caches have time to drain. For sets of 32 registers.
///
/// Sums have the bits of the direct tile: taps in their order, one multiply_add each.

namespace synelix::tile {

/// The taps of one basis that are computed: those of its support.
template <class Scalar>
struct TapRun {
  const Scalar* taps;   ///< contiguous
  std::int64_t window;  ///< their number
  std::int64_t behind;  ///< values from a row's sample for tap 0 back to the sample of the first of
                        ///< these taps
};

/// Arguments of a bank tile.
template <class Scalar>
struct BankTile {
  const Scalar* samples;       ///< sample of row 0 and tap 0, aligned to the pack
  const TapRun<Scalar>* runs;  ///< one for each basis
  std::int64_t bases;
  std::int64_t blocks;           ///< blocks of taps of all runs, as counted by `blocks_of`
  Scalar* results;               ///< (row, basis, lane), aligned to the pack
  const Spread<Scalar>* before;  ///< groups to store meanwhile
};

/// Blocks of taps of a run.
constexpr std::int64_t blocks_of(std::int64_t window) {
  return (window + tap_depth - 1) / tap_depth;
}

/// Stores the groups of a spread one by one, evenly over some number of blocks.
template <class Scalar, class Set, int count, Stores stores>
class Departure {
 public:
  SYNELIX_INLINE Departure(const Spread<Scalar>& groups, std::int64_t blocks)
      : m_from(groups.from),
        m_to(groups.to),
        m_stored(groups.stored),
        m_follows(groups.follows),
        m_shift(groups.shift),
        m_pack_step(groups.pack_step),
        m_group_step(groups.group_step),
        m_to_step(groups.to_step),
        m_left(groups.times),
        m_times(groups.times),
        m_blocks(blocks) {}

  /// Called after a block.
  SYNELIX_INLINE void advance() {
    m_due += m_times;
    if (m_due >= m_blocks) store_next();
  }

  SYNELIX_INLINE void finish() {
    SYNELIX_UNROLL(1)
    while (m_left > 0) store_next();
  }

 private:
  SYNELIX_INLINE void store_next() {
    using Pack = lanes::Pack<Scalar, Set>;
    m_due -= m_blocks;
    Pack packs[count];
    SYNELIX_UNROLL(32)
    for (int k = 0; k < count; ++k) packs[k] = Pack::load(m_from + k * m_pack_step);
    interleave(packs);
    put<stores>(packs, m_to, m_shift, m_stored, m_follows);
    m_from += m_group_step;
    m_shift += m_to_step;
    --m_left;
  }

  const Scalar* m_from;
  Scalar* const* m_to;
  int m_stored;
  unsigned m_follows;
  std::int64_t m_shift;
  std::int64_t m_pack_step;
  std::int64_t m_group_step;
  std::int64_t m_to_step;
  std::int64_t m_left;
  std::int64_t m_times;
  std::int64_t m_blocks;
  std::int64_t m_due = 0;
};

/// The tile itself.
template <class Scalar, class Set, int rows, int count, Stores stores>
SYNELIX_INLINE void bank_tile(const BankTile<Scalar>& tile) {
  using Pack = lanes::Pack<Scalar, Set>;
  Departure<Scalar, Set, count, stores> departure(*tile.before, tile.blocks);
  Scalar* results = tile.results;
  const std::int64_t step = tile.bases * Pack::lanes;
  const TapRun<Scalar>* const end = tile.runs + tile.bases;
  SYNELIX_UNROLL(1)
  for (const TapRun<Scalar>* run = tile.runs; run != end; ++run) {
    Pack sums[rows];
    SYNELIX_UNROLL(32)
    for (int r = 0; r < rows; ++r) sums[r] = Pack::zero();
    add_window(sums, tile.samples - run->behind, run->taps, run->window,
               [&]() __attribute__((always_inline)) { departure.advance(); });
    SYNELIX_UNROLL(32)
    for (int r = 0; r < rows; ++r) sums[r].canonical().store(results + r * step);
    results += Pack::lanes;
  }
  departure.finish();
}

}  // namespace synelix::tile
