// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "launch/team.hpp"

#include <synelix/alignment.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

/// \file
/// Lays out a bank: all taps with zeros before and after, and for the direct method the contiguous
/// taps of each filter and its support, the range that contains its nonzero taps. A virtual item is
/// a filter.

namespace synelix::sweep {

/// The functor.
template <class Scalar>
struct FilterSweep {
  const Scalar* bank = nullptr;  ///< taps(w, b) at bank[w * bases + b]
  std::int64_t window = 0;
  std::int64_t bases = 0;
  Scalar* taps = nullptr;     ///< as `bank`
  std::int64_t zeros = 0;     ///< number of zeros before and after `taps`
  Scalar* filters = nullptr;  ///< taps(w, b) at filters[b * window + w]; null: not needed
  Range* supports = nullptr;
  std::int64_t teams = 1;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    for_each_thread_item(team, window * bases, teams,
                         [=, this](std::int64_t i) { taps[i] = bank[i]; });
    if (team.league_rank() == 0) {
      for_each_item(team, zeros, [=, this](std::int64_t i) {
        taps[-1 - i] = taps[window * bases + i] = Scalar(0);
      });
    }
    if (filters == nullptr) return;
    for_each_thread_item(team, bases, teams, [=, this](std::int64_t i) { lay_out(i); });
  }

 private:
  /// A filter and its support.
  KOKKOS_FUNCTION void lay_out(std::int64_t b) const {
    Range support{0, 0};
    for (std::int64_t w = 0; w < window; ++w) {
      const Scalar tap = bank[w * bases + b];
      filters[b * window + w] = tap;
      if (tap == Scalar(0)) continue;
      if (support.size() == 0) support.begin = w;
      support.end = w + 1;
    }
    supports[b] = support;
  }
};

}  // namespace synelix::sweep
