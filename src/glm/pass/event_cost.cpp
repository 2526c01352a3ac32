// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The cost and memory of an EventPass, and how walks fit the rest of its budget.
#include "glm/pass/event_pass.hpp"
#include "index/segment.hpp"
#include "machine/budget.hpp"
#include "tile/select.hpp"
#include "tune/fit.hpp"

#include <algorithm>
#include <cstddef>

namespace synelix::glm {

/// The cost is counted from events times packs of their windows, and from rows. The number of pairs
/// assumes that events are spread evenly over the rows.
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
  cost.set_ratios();
  return cost;
}

std::byte* EventPass::memory(std::int64_t bytes) {
  if (static_cast<std::int64_t>(m_memory.size()) < bytes) {
    m_memory = {};
    m_memory.resize(static_cast<std::size_t>(bytes));
    m_choice.buffer_bytes = held_bytes() + bytes;
  }
  return m_memory.data();
}

void EventPass::release_memory() {
  m_memory = {};
  m_memory.shrink_to_fit();
  m_choice.buffer_bytes = held_bytes();
}

std::int64_t EventPass::held_bytes() const {
  const std::int64_t words = index::ceil_divide(rows(), 64);
  return m_design.bytes() + (m_lag_taps.has_value() ? m_lag_taps->bytes() : 0) +
         (m_valid.empty() ? 0 : words * static_cast<std::int64_t>(sizeof(std::uint64_t)));
}

std::int64_t EventPass::most_held_bytes() const {
  return held_bytes() + (m_lag_taps.has_value() ? 0 : LagTaps::bytes_for(m_design));
}

std::int64_t EventPass::take_share(const RowLoss& /*loss*/, std::int64_t least, std::int64_t most) {
  return_share();
  static_cast<void>(valid());
  if (!m_groups.has_value()) m_groups.emplace(m_design);
  const BlockSums layout{columns() + 1, 3};
  std::int64_t walk = 0;
  for (const Need& need : {need_of<double>(true, layout), need_of<float>(true, layout)}) {
    walk = std::max(walk, need.fixed + need.of_each + need.of_team);
  }
  const std::int64_t held = m_others + most_held_bytes();
  const std::int64_t needed = held + walk;
  const std::int64_t spare = m_machine.budget - needed;
  if (spare < least) refuse_budget("options.budget", m_machine.budget, needed + least, " to fit");
  m_aside = std::min(least + (spare - least) / 2, std::max(least, most));
  const auto taken = static_cast<std::int64_t>(m_memory.size());
  if (taken > m_machine.budget - m_aside - held) release_memory();
  return m_aside;
}

EventPass::Share EventPass::share(std::int64_t goals, std::int64_t blocks, std::int64_t fixed,
                                  std::int64_t of_each, std::int64_t of_team) const {
  const std::int64_t known = held_bytes() + m_aside + m_others + fixed;
  Share share;
  share.teams = teams_within(m_machine.budget, known + of_each, of_team, m_machine.threads);
  const std::int64_t wanted = index::ceil_divide(items_of_team * share.teams, blocks);
  const std::int64_t left = m_machine.budget - known - share.teams * of_team;
  const std::int64_t room = of_each > 0 ? left / of_each : goals;
  share.group = std::clamp<std::int64_t>(std::min(wanted, room), 1, goals);
  if (fixed == 0) share.teams = std::min(share.teams, share.group * blocks);  // else pairs, too
  return share;
}

std::span<const std::uint64_t> EventPass::valid() {
  if (m_valid.empty()) {
    m_valid.assign(static_cast<std::size_t>(index::ceil_divide(rows(), 64)), 0);
    for (const Range& range : m_design.valid) {
      for (std::int64_t t = range.begin; t < range.end;) {
        const std::int64_t end = std::min(range.end, (t / 64 + 1) * 64);
        const std::uint64_t ones = ~std::uint64_t{0} >> (64 - (end - t));
        m_valid[static_cast<std::size_t>(t / 64)] |= ones << (t % 64);
        t = end;
      }
    }
  }
  return m_valid;
}

}  // namespace synelix::glm
