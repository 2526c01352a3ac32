// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "glm/pass/event_pass.hpp"
#include "index/segment.hpp"
#include "tile/select.hpp"
#include "tune/fit.hpp"

#include <cstddef>

namespace synelix::glm {

/// Events times packs of their windows, and rows. Pairs are counted as if events were spread evenly
/// over the rows.
PassCost EventPass::cost() const {
  const int lanes = tile::table_of<double>(m_machine.instruction_set).lanes;
  const double pack = tune::event_pack_seconds;
  const double visit = tune::event_visit_seconds;
  const auto rows_counted = static_cast<double>(rows());
  double packs = 0;  // of the windows of all events
  double events = 0;
  double values = 0;  // of the windows of all events
  double lags = 0;    // packs of the products with taps, for one channel with each of the others
  for (const EventChannel& channel : m_design.channels) {
    const auto count = static_cast<double>(channel.events);
    const auto window = static_cast<double>(channel.window);
    events += count;
    values += count * window;
    packs += count * static_cast<double>(index::ceil_divide(channel.window, lanes));
    lags += window * window / 2 * static_cast<double>(index::ceil_divide(channel.bases, lanes));
  }
  const auto channels = static_cast<double>(m_design.channels.size());
  const auto chunks = static_cast<double>(index::ceil_divide(rows(), tune::event_chunk_rows));
  const double pairs = rows_counted > 0 ? events * values / rows_counted : 0;
  const double mean_packs = events > 0 ? packs / events / 2 : 0;  // of an overlap
  const double walks = packs * pack + rows_counted * tune::event_row_seconds;
  const double visits = channels * events / static_cast<double>(tune::event_pair_channels) * visit;
  PassCost cost;
  cost.rows = 0;
  cost.gradient = 2 * (packs * pack + events * visit) + rows_counted * tune::event_row_seconds;
  cost.hessian = walks + visits + pairs * (1 + mean_packs) * tune::event_pair_seconds +
                 chunks * channels * lags * tune::event_lag_seconds;
  cost.gram = walks + visits + pairs * tune::event_pair_seconds;
  return cost;
}

}  // namespace synelix::glm
