// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "sweep/team.hpp"

#include <synelix/alignment.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

/// \file
/// Lays a bank out for the direct method: the taps of each filter side by side, and the support of
/// each: the range outside of which its taps are zero. A virtual item is a filter.

namespace synelix::sweep {

/// The functor.
template <class Scalar>
struct FilterSweep {
  const Scalar* taps = nullptr;  ///< taps(w, b) at taps[w * bases + b]
  std::int64_t window = 0;
  std::int64_t bases = 0;
  Scalar* filters = nullptr;  ///< taps(w, b) at filters[b * window + w]
  Range* supports = nullptr;
  std::int64_t teams = 1;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const TeamShare share = team_share(bases, team.league_rank(), teams);
    for_each_item(team, share.end - share.begin, [=, this](std::int64_t i) {
      const std::int64_t b = share.begin + i;
      Scalar* const filter = filters + b * window;
      Range support{0, 0};
      for (std::int64_t w = 0; w < window; ++w) {
        filter[w] = taps[w * bases + b];
        if (filter[w] == Scalar(0)) continue;
        if (support.size() == 0) support.begin = w;
        support.end = w + 1;
      }
      supports[b] = support;
    });
  }
};

}  // namespace synelix::sweep
