// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "convolve/sweep/problem.hpp"
#include "index/range.hpp"
#include "tile/bank.hpp"

#include <Kokkos_Core.hpp>

#include <cstdint>

/// \file
/// The taps of each basis for a pack of lanes: taps of its support that meet samples. If some
/// samples are not finite, all taps that meet samples.

namespace synelix::sweep {

/// The runs of taps of at most `most` bases. Packs whose samples meet the same taps share them.
template <class Scalar, int most>
class TapRuns {
 public:
  KOKKOS_INLINE_FUNCTION TapRuns(const Problem<Scalar>& problem, Range bases, std::int64_t lanes)
      : m_problem(problem), m_bases(bases), m_lanes(lanes) {}

  /// Sets the runs for a pack whose samples meet `taps`.
  KOKKOS_INLINE_FUNCTION void choose(Range taps, bool takes_zeros) {
    if (m_is_chosen && taps.begin == m_taps.begin && taps.end == m_taps.end &&
        takes_zeros == m_takes_zeros) {
      return;
    }
    m_is_chosen = true;
    m_taps = taps;
    m_takes_zeros = takes_zeros;
    m_blocks = 0;
    for (std::int64_t b = m_bases.begin; b < m_bases.end; ++b) {
      const Range own = takes_zeros ? taps : index::common(taps, m_problem.supports[b]);
      m_runs[b - m_bases.begin] = {.taps = m_problem.filters + b * m_problem.window + own.begin,
                                   .window = own.size(),
                                   .behind = own.begin * m_lanes};
      m_blocks += tile::blocks_of(own.size());
    }
  }

  [[nodiscard]] KOKKOS_INLINE_FUNCTION const tile::TapRun<Scalar>& operator[](
      std::int64_t i) const {
    return m_runs[i];
  }
  [[nodiscard]] KOKKOS_INLINE_FUNCTION const tile::TapRun<Scalar>* begin() const { return m_runs; }
  /// The number of blocks of taps of all bases, at least one.
  [[nodiscard]] KOKKOS_INLINE_FUNCTION std::int64_t blocks() const {
    return index::larger(1, m_blocks);
  }

 private:
  const Problem<Scalar>& m_problem;
  Range m_bases;
  std::int64_t m_lanes;
  tile::TapRun<Scalar> m_runs[most];
  std::int64_t m_blocks = 0;
  Range m_taps;
  bool m_takes_zeros = false;
  bool m_is_chosen = false;
};

}  // namespace synelix::sweep
