// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "convolve/fft/fft_store.hpp"
#include "convolve/sweep/problem.hpp"
#include "launch/canonical.hpp"
#include "launch/team.hpp"

#include <Kokkos_Core.hpp>

#include <cstdint>

/// \file
/// NaN and infinities in blocks that are transformed. A value that is not finite is replaced by
/// zero, so it does not affect the rest of its block. Afterwards only the rows whose windows
/// contain it are summed. Their sum is not finite for any finite samples, so finite samples are
/// skipped. If a transform overflows although all samples are finite, all rows of its block are
/// summed in the order of the direct method.

namespace synelix::sweep {

template <class Scalar>
KOKKOS_FUNCTION void zero_what_is_not_finite(const pack::PackedBlock<Scalar>& block,
                                             std::int64_t lane) {
  Scalar* value = block.lane(lane);
  for (std::int64_t j = 0; j < block.rows; ++j, value += block.pack_lanes) {
    if (!is_finite(*value)) *value = Scalar(0);
  }
}

/// The sum of one window with newest sample `newest`. It skips finite samples unless all are
/// requested.
template <class Scalar>
KOKKOS_FUNCTION Scalar window_sum(const Problem<Scalar>& problem, const Scalar* newest,
                                  std::int64_t step, std::int64_t b, bool has_all) {
  Scalar sum = 0;
  for (std::int64_t w = 0; w < problem.window; ++w) {
    const Scalar sample = newest[-w * step];
    if (!has_all && is_finite(sample)) continue;
    sum = Kokkos::fma(sample, problem.taps[w * problem.bases + b], sum);
    if (sum != sum) break;
  }
  return canonical(sum);
}

/// The samples of a lane: the oldest one of its first row, and the step from sample to sample. None
/// if no requested row has a value.
template <class Scalar>
struct LaneSamples {
  const Scalar* first;
  std::int64_t step;
};

/// Stores three kinds of rows of a lane: rows without a value, rows whose windows contain values
/// that are not finite, and rows whose transform overflowed.
template <class Scalar>
KOKKOS_FUNCTION void recompute_lane(const Problem<Scalar>& problem, Range bases,
                                    const PackWork<Scalar>& work, std::int64_t lane,
                                    const LaneSamples<Scalar>& seen) {
  const FeatureTarget<Scalar>& features = *work.features;
  const index::Strip& strip = work.strip_of(lane);
  const FeatureTarget<Scalar>& own = features.of(strip.trial);
  const std::int64_t channel = work.channel_of(lane);
  const Range valued = index::valued_rows(strip, problem.layout.every);
  const Scalar* const samples = seen.first;
  const std::int64_t step = seen.step;
  const std::int64_t before = -1 - problem.window;
  std::int64_t last_nan = before;  // packed rows
  std::int64_t last_infinity = before;
  std::int64_t next = 0;
  for (std::int64_t r = 0; r < strip.rows; ++r) {
    const std::int64_t oldest = r * problem.layout.every;
    const std::int64_t newest = oldest + problem.window - 1;
    const bool has_value = samples != nullptr && valued.begin <= r && r < valued.end;
    for (; has_value && next <= newest; ++next) {
      const Scalar sample = samples[next * step];
      if (sample != sample) {
        last_nan = next;
      } else if (!is_finite(sample)) {
        last_infinity = next;
      }
    }
    if (strip.row + r < features.rows.begin || strip.row + r >= features.rows.end) continue;
    for (std::int64_t b = larger(bases.begin, work.first_basis);
         b < smaller(bases.end, work.first_basis + work.bases); ++b) {
      Scalar& to = own.first_row(channel, b)[(strip.row + r - own.rows.begin) * own.row_stride];
      if (!has_value || last_nan >= oldest) {
        to = missing_value<Scalar>();
      } else if (last_infinity >= oldest) {
        to = window_sum(problem, samples + newest * step, step, b, false);
      } else if (!work.is_finite(lane, b - work.first_basis)) {
        to = window_sum(problem, samples + newest * step, step, b, true);
      }
    }
  }
}

}  // namespace synelix::sweep
