// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "convolve/staged/staging.hpp"

#include "blocks/block_search.hpp"
#include "index/rows.hpp"
#include "machine/budget.hpp"
#include "tune/staging.hpp"
#include "types/events.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <string>

namespace synelix::chooser {
namespace {

using blocks::Budgets;
using index::ceil_divide;
using index::round_up;

constexpr std::int64_t line = 64;  // buffers are a multiple of cache lines

/// Blocks of one choice in a number of slots: their shape and their memory.
class StagedSizes {
 public:
  StagedSizes(const ProblemSize& problem, const Resources& resources,
              const ConvolveOptions& options, const StagedBlocks& staged, const Choice& choice,
              std::int64_t slots)
      : m_problem(problem),
        m_staged(staged),
        m_choice(choice),
        m_slots(slots),
        m_slot_workspace(slot_workspace_bytes(problem, resources, choice)),
        m_seen(std::min(problem.samples, index::reach_by(choice, {problem.window, 0}).window)),
        m_most_rows(std::max<std::int64_t>(1, problem.rows)),
        m_most_channels(
            std::min(problem.channels, options.batch.channels.value_or(problem.channels))) {
    if (options.batch.samples) {
      m_most_rows =
          std::min(m_most_rows, (*options.batch.samples - problem.window) / options.every + 1);
    }
  }

  /// A block with a number of rows and channels.
  [[nodiscard]] StagedBlocks block(std::int64_t rows, std::int64_t channels) const {
    StagedBlocks blocks = m_staged;
    blocks.slots = m_slots;
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
                                      ? channels * m_seen  // each sample has at most one event
                                      : m_problem.events;
      blocks.events = expected < static_cast<double>(m_problem.events)
                          ? std::max(of_row, static_cast<std::int64_t>(expected))
                          : m_problem.events;
    }
    blocks.host_bytes = m_slots * slot_bytes(blocks);
    blocks.device_bytes =
        m_choice.workspace_bytes + (m_slots - 1) * m_slot_workspace + blocks.host_bytes;
    if (blocks.whole_events) {
      blocks.device_bytes += event_list_bytes(m_problem.channels, m_problem.events);
    }
    return blocks;
  }

  /// The best blocks that fit; nothing if none fit.
  [[nodiscard]] std::optional<StagedBlocks> within(Budgets room) const {
    return blocks::best_blocks(*this, {m_most_channels, 1}, {1, 1}, room);
  }

  /// Bytes copied for each row and channel, plus a fixed cost of each block.
  [[nodiscard]] double cost(const StagedBlocks& blocks) const {
    return tune::price_of_slots(m_slots) * bytes_for_row(blocks);
  }
  /// Whether the search can stop. The reference is a single block of everything, without halo.
  [[nodiscard]] bool is_good_enough(const StagedBlocks& blocks) const {
    return cost(blocks) <= tune::staging_good_enough * tune::price_of_slots(tune::staging_slots) *
                               bytes_for_row(block(m_most_rows, m_most_channels));
  }
  /// The largest useful number of rows that fits.
  [[nodiscard]] std::optional<StagedBlocks> most_rows(blocks::Sides sides, Budgets room) const {
    const std::int64_t enough = std::max(
        tune::staged_block_bytes, tune::staged_windows * slot_bytes(block(1, sides.channels)));
    std::int64_t rows = blocks::last_that(0, m_most_rows, [&](std::int64_t tried) {
      const StagedBlocks staged = block(tried, sides.channels);
      return blocks::is_inside({staged.host_bytes, staged.device_bytes}, room) &&
             (tried == 1 || slot_bytes(staged) <= enough);
    });
    if (rows == 0) return std::nullopt;
    rows = ceil_divide(m_most_rows, ceil_divide(m_most_rows, rows));  // blocks of equal size
    // The FFT method computes complete blocks. This cuts none of them if epochs are long.
    if (m_choice.method == Method::fft && rows < m_most_rows && rows > m_choice.strip_rows) {
      rows = rows / m_choice.strip_rows * m_choice.strip_rows;
    }
    return block(rows, sides.channels);
  }

 private:
  /// The samples needed for a number of rows of one segment.
  [[nodiscard]] std::int64_t samples_of(std::int64_t rows) const {
    const std::int64_t all = m_problem.samples;
    if (rows - 1 > all / m_choice.every) return all;  // the product below might overflow
    return std::min(all, (rows - 1) * m_choice.every + m_seen);
  }

  [[nodiscard]] std::int64_t slot_bytes(const StagedBlocks& blocks) const {
    return staged_input_bytes(m_problem, blocks) + staged_features_bytes(m_problem, blocks);
  }
  /// For each row and channel, without the cost of steps that do not overlap.
  [[nodiscard]] double bytes_for_row(const StagedBlocks& blocks) const {
    return (static_cast<double>(slot_bytes(blocks)) + tune::staged_block_overhead) /
           (static_cast<double>(blocks.rows) * static_cast<double>(blocks.channels));
  }

  const ProblemSize& m_problem;
  StagedBlocks m_staged;
  const Choice& m_choice;
  std::int64_t m_slots;
  std::int64_t m_slot_workspace;
  std::int64_t m_seen;  ///< samples in a window of a row, or of the rows computed with it
  std::int64_t m_most_rows;
  std::int64_t m_most_channels;
};

/// Copies of events at once, or block by block: the better way first.
std::array<bool, 2> ways_of_events(const ProblemSize& problem, const StagedBlocks& staged,
                                   std::int64_t budget) {
  if (!problem.has_events || !staged.input) return {false, false};
  const bool is_small =
      event_list_bytes(problem.channels, problem.events) <= budget / tune::staging_events_part;
  return {is_small, !is_small};
}

/// The least memory of the blocks that were tried.
struct Least {
  std::int64_t host = std::numeric_limits<std::int64_t>::max();
  std::int64_t device = host;  ///< among those that fit on the host

  void look_at(const StagedBlocks& smallest, Budgets room) {
    host = std::min(host, smallest.host_bytes);
    if (smallest.host_bytes <= room.host) device = std::min(device, smallest.device_bytes);
  }

  [[noreturn]] void refuse(Budgets room) const {
    const std::string what = ": one slot for a block of one row and one channel";
    if (host > room.host) refuse_budget("host_budget", room.host, host, what);
    refuse_budget("budget", room.device, device, what + ", and the workspace");
  }
};

/// The choice with the cheapest blocks; nothing if none fit.
std::optional<Choice> best_choice(const ProblemSize& problem, const Resources& resources,
                                  const ConvolveOptions& options, const StagedBlocks& staged,
                                  Budgets room, Least& needed) {
  const std::int64_t least = least_budget(problem, resources, options);
  const auto look = [&](std::int64_t slots, std::int64_t share,
                        blocks::Cheapest<Choice>& cheapest) {
    for (const std::int64_t budget : {std::max(share, least), least}) {
      Choice choice = make_choice(problem, resources, options, budget);
      for (const bool whole_events : ways_of_events(problem, staged, room.device)) {
        StagedBlocks way = staged;
        way.whole_events = whole_events;
        const StagedSizes sizes(problem, resources, options, way, choice, slots);
        needed.look_at(sizes.block(1, 1), room);
        const auto blocks = sizes.within(room);
        if (!blocks) continue;
        choice.staging = *blocks;
        cheapest.look_at(choice, sizes.cost(*blocks));
        if (sizes.is_good_enough(*blocks)) return blocks::SearchState::good_enough;
      }
    }
    return blocks::SearchState::may_be_better;
  };
  return blocks::best_in_slots<Choice>(room.device, tune::staging_workspace_part, look);
}

}  // namespace

std::int64_t event_list_bytes(std::int64_t channels, std::int64_t events) {
  return EventLists(channels, events, true).bytes();
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
                                         Budgets room) {
  Least needed;
  return best_choice(problem, resources, options, staged, room, needed);
}

Choice make_staged_choice(const ProblemSize& problem, const Resources& resources,
                          const ConvolveOptions& options, const StagedBlocks& staged,
                          Budgets room) {
  Least needed;
  const auto best = best_choice(problem, resources, options, staged, room, needed);
  if (!best) needed.refuse(room);
  return *best;
}

}  // namespace synelix::chooser
