// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "convolve/staged/staging.hpp"

#include "index/rows.hpp"
#include "tune/staging.hpp"
#include "vocabulary/budget.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <string>
#include <utility>

namespace synelix::chooser {
namespace {

using index::ceil_divide;
using index::round_up;

constexpr std::int64_t line = 64;  // buffers are whole cache lines

/// Blocks of one choice for the work items: their shape, and what they take.
class Cutter {
 public:
  Cutter(const ProblemSize& problem, const Resources& resources, const ConvolveOptions& options,
         const StagedBlocks& staged, Choice choice)
      : m_problem(problem),
        m_staged(staged),
        m_choice(std::move(choice)),
        m_slot_workspace(slot_workspace_bytes(problem, resources, m_choice)),
        m_seen(std::min(problem.samples, index::reach_by(m_choice, {problem.window, 0}).window)),
        m_most_rows(std::max<std::int64_t>(1, problem.rows)),
        m_most_channels(
            std::min(problem.channels, options.batch.channels.value_or(problem.channels))) {
    if (options.batch.samples) {
      m_most_rows =
          std::min(m_most_rows, (*options.batch.samples - problem.window) / options.every + 1);
    }
  }

  /// A block of so many rows and channels.
  [[nodiscard]] StagedBlocks block(std::int64_t rows, std::int64_t channels,
                                   std::int64_t slots) const {
    StagedBlocks blocks = m_staged;
    blocks.slots = slots;
    blocks.rows = rows;
    blocks.channels = channels;
    if (blocks.input && !m_problem.has_events) blocks.samples = samples_of(rows);
    if (blocks.input && m_problem.has_events && !blocks.whole_events) {
      const double share = static_cast<double>(samples_of(rows)) /
                           static_cast<double>(m_problem.samples) * static_cast<double>(channels) /
                           static_cast<double>(m_problem.channels);
      const double expected = share * static_cast<double>(m_problem.events) *
                              static_cast<double>(tune::staged_events_margin);
      const double most_of_row = static_cast<double>(channels) * static_cast<double>(m_seen);
      const std::int64_t of_row = most_of_row < static_cast<double>(m_problem.events)
                                      ? channels * m_seen  // each sample has one event at most
                                      : m_problem.events;
      blocks.events = expected < static_cast<double>(m_problem.events)
                          ? std::max(of_row, static_cast<std::int64_t>(expected))
                          : m_problem.events;
    }
    blocks.host_bytes = slots * slot_bytes(blocks);
    blocks.device_bytes =
        m_choice.workspace_bytes + (slots - 1) * m_slot_workspace + blocks.host_bytes;
    if (blocks.whole_events) {
      blocks.device_bytes += event_list_bytes(m_problem.channels, m_problem.events);
    }
    return blocks;
  }

  /// The best blocks that fit; nothing where none do.
  [[nodiscard]] std::optional<StagedBlocks> best(std::int64_t slots, StagingBudgets room) const {
    std::optional<StagedBlocks> found;
    double found_cost = std::numeric_limits<double>::infinity();
    for (std::int64_t channels = m_most_channels;; channels = ceil_divide(channels, 2)) {
      const std::int64_t rows = most_rows(channels, slots, room);
      if (rows > 0) {
        const StagedBlocks blocks = block(rows, channels, slots);
        if (cost(blocks) < found_cost) {
          found = blocks;
          found_cost = cost(blocks);
        }
      }
      if (channels == 1) return found;
    }
  }

  /// Bytes copied for each row and channel, with a price for each block.
  [[nodiscard]] double cost(const StagedBlocks& blocks) const {
    return tune::price_of_slots(blocks.slots) *
           (static_cast<double>(slot_bytes(blocks)) + tune::staged_block_overhead) /
           (static_cast<double>(blocks.rows) * static_cast<double>(blocks.channels));
  }
  /// The same without halo, for all there is.
  [[nodiscard]] double least_cost() const {
    const StagedBlocks all = block(m_most_rows, m_most_channels, tune::staging_slots);
    return cost(all);
  }
  [[nodiscard]] const Choice& choice() const { return m_choice; }

 private:
  /// Samples that so many rows of one segment see.
  [[nodiscard]] std::int64_t samples_of(std::int64_t rows) const {
    const std::int64_t all = m_problem.samples;
    if (rows - 1 > all / m_choice.every) return all;  // whose product might not be a number
    return std::min(all, (rows - 1) * m_choice.every + m_seen);
  }

  [[nodiscard]] std::int64_t slot_bytes(const StagedBlocks& blocks) const {
    return staged_input_bytes(m_problem, blocks) + staged_features_bytes(m_problem, blocks);
  }

  /// The most rows that fit and are worth it; 0 where one does not fit.
  [[nodiscard]] std::int64_t most_rows(std::int64_t channels, std::int64_t slots,
                                       StagingBudgets room) const {
    const std::int64_t enough = std::max(
        tune::staged_block_bytes, tune::staged_windows * slot_bytes(block(1, channels, slots)));
    const auto fits = [&](std::int64_t rows) {
      const StagedBlocks blocks = block(rows, channels, slots);
      return blocks.device_bytes <= room.device && blocks.host_bytes <= room.host &&
             (rows == 1 || slot_bytes(blocks) <= enough);
    };
    std::int64_t rows = 0;
    for (std::int64_t beyond = m_most_rows + 1; beyond - rows > 1;) {
      const std::int64_t middle = rows + (beyond - rows) / 2;
      (fits(middle) ? rows : beyond) = middle;
    }
    if (rows == 0) return 0;
    rows = ceil_divide(m_most_rows, ceil_divide(m_most_rows, rows));  // all blocks alike
    // Blocks of the FFT method are computed whole: none is then cut, where epochs are long.
    if (m_choice.method == Method::fft && rows < m_most_rows && rows > m_choice.strip_rows) {
      rows = rows / m_choice.strip_rows * m_choice.strip_rows;
    }
    return rows;
  }

  const ProblemSize& m_problem;
  StagedBlocks m_staged;
  Choice m_choice;
  std::int64_t m_slot_workspace;
  std::int64_t m_seen;  ///< samples that a row sees, or those computed with it
  std::int64_t m_most_rows;
  std::int64_t m_most_channels;
};

Choice with_blocks(const Cutter& cutter, const StagedBlocks& blocks) {
  Choice choice = cutter.choice();
  choice.staging = blocks;
  return choice;
}

/// The events all at once, or block by block: first what is better.
std::array<bool, 2> ways_of_events(const ProblemSize& problem, const StagedBlocks& staged,
                                   std::int64_t budget) {
  if (!problem.has_events || !staged.input) return {false, false};
  const bool is_small =
      event_list_bytes(problem.channels, problem.events) <= budget / tune::staging_events_part;
  return {is_small, !is_small};
}

/// The least that blocks take, of those that were looked at.
struct Least {
  std::int64_t host = std::numeric_limits<std::int64_t>::max();
  std::int64_t device = host;  ///< where the host has room

  void look_at(const StagedBlocks& smallest, StagingBudgets room) {
    host = std::min(host, smallest.host_bytes);
    if (smallest.host_bytes <= room.host) device = std::min(device, smallest.device_bytes);
  }

  [[noreturn]] void refuse(StagingBudgets room) const {
    const std::string what = ": one slot for a block of one row and one channel";
    if (host > room.host) refuse_budget("host_budget", room.host, host, what);
    refuse_budget("budget", room.device, device, what + ", and the workspace");
  }
};

/// The choice with the blocks that cost least; nothing where none fit.
std::optional<Choice> best_choice(const ProblemSize& problem, const Resources& resources,
                                  const ConvolveOptions& options, const StagedBlocks& staged,
                                  StagingBudgets room, Least& needed) {
  const std::int64_t least = least_budget(problem, resources, options);
  std::optional<Choice> best;
  double best_cost = std::numeric_limits<double>::infinity();
  for (std::int64_t slots = tune::staging_slots; slots > 0; --slots) {
    const std::int64_t share = room.device / tune::staging_workspace_part / slots;
    for (const std::int64_t budget : {std::max(share, least), least}) {
      const Choice choice = make_choice(problem, resources, options, budget);
      for (const bool whole_events : ways_of_events(problem, staged, room.device)) {
        StagedBlocks way = staged;
        way.whole_events = whole_events;
        const Cutter cutter(problem, resources, options, way, choice);
        needed.look_at(cutter.block(1, 1, slots), room);
        const auto blocks = cutter.best(slots, room);
        if (!blocks) continue;
        const double cost = cutter.cost(*blocks);
        if (cost < best_cost) {
          best = with_blocks(cutter, *blocks);
          best_cost = cost;
        }
        if (cost <= tune::staging_good_enough * cutter.least_cost()) return best;
      }
    }
  }
  return best;
}

}  // namespace

std::int64_t event_list_bytes(std::int64_t channels, std::int64_t events) {
  return round_up((channels + 1) * 8, line) + round_up(events * 8, line) +
         round_up(events * 4, line);
}

std::int64_t staged_input_bytes(const ProblemSize& problem, const StagedBlocks& blocks) {
  if (!blocks.input || blocks.whole_events) return 0;
  if (problem.has_events) return event_list_bytes(blocks.channels, blocks.events);
  return round_up(blocks.samples * blocks.channels * problem.stored_bytes, line);
}

std::int64_t staged_features_bytes(const ProblemSize& problem, const StagedBlocks& blocks) {
  if (!blocks.features) return 0;
  return round_up(blocks.rows * blocks.channels * problem.bases * problem.scalar_bytes, line);
}

std::int64_t slot_workspace_bytes(const ProblemSize& problem, const Resources& resources,
                                  const Choice& choice) {
  return choice.teams * team_bytes(problem, resources, choice) + line;
}

std::optional<Choice> find_staged_choice(const ProblemSize& problem, const Resources& resources,
                                         const ConvolveOptions& options, const StagedBlocks& staged,
                                         StagingBudgets room) {
  Least needed;
  return best_choice(problem, resources, options, staged, room, needed);
}

Choice make_staged_choice(const ProblemSize& problem, const Resources& resources,
                          const ConvolveOptions& options, const StagedBlocks& staged,
                          StagingBudgets room) {
  Least needed;
  const auto best = best_choice(problem, resources, options, staged, room, needed);
  if (!best) needed.refuse(room);
  return *best;
}

}  // namespace synelix::chooser
