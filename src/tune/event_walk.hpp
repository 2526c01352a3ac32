// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

/// \file
/// Sizes and costs of products with lists of events.

namespace synelix::tune {

/// Rows whose sums are added to the others at once. Sums depend on it.
inline constexpr std::int64_t event_block_rows = std::int64_t{1} << 16;
/// Rows whose curvatures lie in memory at a time, for the pairs of a Hessian. Sums depend on it.
inline constexpr std::int64_t event_chunk_rows = 8 * event_block_rows;
/// Rows of a loss: their six arrays fit the first-level cache.
inline constexpr std::int64_t event_loss_rows = 512;
/// Values of the sums over pairs that are made at a time: they fit the second-level cache.
inline constexpr std::int64_t event_pair_values = std::int64_t{1} << 16;
/// Channels and events whose pairs with another channel are added at a time.
inline constexpr std::int64_t event_pair_channels = 16;
inline constexpr std::int64_t event_pair_events = std::int64_t{1} << 15;
/// Most bytes of products of taps for pair counts; beyond, pairs are added row by row.
inline constexpr std::int64_t event_lag_taps_bytes = std::int64_t{1} << 26;

/// Rows that are computed together. An event at their border is taken twice, so long windows ask
/// for more. Sums depend on it.
constexpr std::int64_t event_tile_rows(std::int64_t longest_window) {
  std::int64_t rows = 8192;
  while (rows < 8 * longest_window && rows < event_block_rows) rows *= 2;
  return rows;
}

/// Measured seconds on one core of a Zen 5 at 4 GHz with 64-byte registers.
inline constexpr double event_pack_seconds = 0.7e-9;  ///< a pack of a window, scattered or gathered
inline constexpr double event_visit_seconds = 2e-9;   ///< an event or a pair, beside its packs
inline constexpr double event_row_seconds = 2e-9;     ///< a row of a loss, or of curvatures
inline constexpr double event_pair_seconds = 3e-9;    ///< a pair, or one of its packs
inline constexpr double event_lag_seconds = 0.5e-9;   ///< a pack of `multiply_lags`

/// Events pay up to so many values of their windows for each feature.
inline constexpr double event_most_values = 4.0;

}  // namespace synelix::tune
