// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "bases/functions.hpp"
#include "convolve/sweep/problem.hpp"
#include "index/segment.hpp"
#include "launch/team.hpp"
#include "pack/value.hpp"
#include "tune/device.hpp"
#include "tune/tiles.hpp"

#include <Kokkos_Core.hpp>

#include <cstdint>

/// \file
/// Eval mode as a parallel loop: each value depends on one sample, by the functions of a basis. A
/// work item is a tile of rows. A first pass finds the sample of each row, and whether the row is
/// filled because one of its channels is outside the bounds. It stores this in the team's
/// workspace, one number for each row. A second pass maps (row, channel).

namespace synelix::sweep {

/// One input of a basis in eval mode: u = (x - lower[c]) / span[c].
struct EvalInput {
  pack::AnySource source;
  const double* lower = nullptr;
  const double* upper = nullptr;
  const double* span = nullptr;
};

/// The functor.
template <class Scalar>
struct EvalSweep {
  /// The number that the first pass stores for a row without a sample to map.
  static constexpr std::int64_t missing = -1;
  static constexpr std::int64_t filled = -2;

  using Bounds = Kokkos::LaunchBounds<tune::device.team_size, tune::eval_teams>;

  const index::Segment* segments = nullptr;
  std::int64_t segment_count = 0;
  index::RowLayout layout;
  std::int64_t tile_rows = 1;
  bases::Functions functions;
  std::int64_t columns = 0;  ///< of each channel
  EvalInput inputs[bases::most_dimensions];
  const double* maps = nullptr;  ///< of OrthExponential: (channel, rate, basis)
  std::int64_t channels = 0;
  bool fills_outside = false;  ///< whether samples outside become `fill` instead of NaN
  bool fills_rows = false;     ///< whether one channel outside fills the entire row
  Scalar fill = 0;
  FeatureTarget<Scalar> features;
  Workspace workspace;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const std::int64_t tiles = index::ceil_divide(features.rows.size(), tile_rows);
    for_each_team_item(team, tiles, workspace.teams, [&](std::int64_t i) {
      const std::int64_t first = i * tile_rows;
      const std::int64_t left = features.rows.size() - first;
      compute_tile(team, first, left < tile_rows ? left : tile_rows);
    });
  }

 private:
  template <class Team>
  KOKKOS_FUNCTION void compute_tile(const Team& team, std::int64_t first, std::int64_t rows) const {
    auto* const samples =
        reinterpret_cast<std::int64_t*>(workspace.data + team.league_rank() * workspace.bytes);
    for_each_item(team, rows, [=, this](std::int64_t r) {
      samples[r] = sample_of_row(features.rows.begin + first + r);
    });
    team.team_barrier();
    for_each_item(team, rows * channels, [=, this](std::int64_t i) {
      const std::int64_t r = i / channels;
      const std::int64_t c = i % channels;
      Scalar* const to = features.first_row(c, 0) + (first + r) * features.row_stride;
      if (samples[r] >= 0) {
        map_sample(samples[r], c, to);
      } else {
        set_all(to, samples[r] == filled ? fill : missing_value<Scalar>());
      }
    });
    team.team_barrier();
  }

  KOKKOS_FUNCTION std::int64_t sample_of_row(std::int64_t row) const {
    const index::Segment& segment = segments[index::last_at_or_before(
        segments, segment_count, &index::Segment::row_begin, row)];
    const std::int64_t t = index::sample_of(segment, row, layout);
    const Range valid = index::valid_of(segment, layout);
    if (t < valid.begin || t >= valid.end) return missing;
    if (!fills_outside || !fills_rows) return t;
    for (std::int64_t c = 0; c < channels; ++c) {
      if (is_outside(inputs[0], pack::value_of(inputs[0].source, t, c), c)) return filled;
    }
    return t;
  }

  KOKKOS_INLINE_FUNCTION static bool is_outside(const EvalInput& input, double x, std::int64_t c) {
    return x < input.lower[c] || x > input.upper[c];
  }

  KOKKOS_FUNCTION void set_all(Scalar* to, Scalar value) const {
    for (std::int64_t b = 0; b < columns; ++b) to[b * features.basis_stride] = value;
  }

  KOKKOS_FUNCTION void map_sample(std::int64_t t, std::int64_t c, Scalar* to) const {
    const std::int64_t stride = features.basis_stride;
    const auto write = [=](std::int64_t b, double value) {
      to[b * stride] = canonical(static_cast<Scalar>(value));
    };
    if (functions.is<Fourier>()) {
      const bases::Waves& waves = functions.as<Fourier>();
      double places[bases::most_dimensions];
      for (int d = 0; d < waves.dimensions; ++d) {
        const double x = pack::value_of(inputs[d].source, t, c);
        places[d] = (x - inputs[d].lower[c]) / inputs[d].span[c];
      }
      bases::evaluate_waves(waves, places, write);
      return;
    }
    const EvalInput& input = inputs[0];
    const double x = pack::value_of(input.source, t, c);
    if (x != x) return set_all(to, missing_value<Scalar>());
    if (functions.is<Identity>() && input.lower == nullptr) {
      return write(0, x);
    }
    if (is_outside(input, x, c)) {
      return set_all(to, fills_outside ? fill : missing_value<Scalar>());
    }
    const double u = (x - input.lower[c]) / input.span[c];
    if (functions.is<Identity>()) {
      write(0, x);
    } else if (u != u) {
      set_all(to, missing_value<Scalar>());
    } else if (functions.is<OrthExponential>()) {
      const bases::Exponentials& exponentials = functions.as<OrthExponential>();
      bases::evaluate_exponentials(exponentials, columns, maps + c * exponentials.count * columns,
                                   u, write);
    } else {
      functions.evaluate_at(u, input.span[c], write);
    }
  }
};

}  // namespace synelix::sweep
