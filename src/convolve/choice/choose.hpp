// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tune/steps.hpp"
#include "tune/tiles.hpp"

#include <synelix/choice.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>

/// \file
/// Makes the choice for a problem: the method by the cost model, the shape of the work items by
/// batch and budget. Pure functions: no Kokkos, no files.
///
/// The method depends on the problem, the instruction set and the step times. Batch, budget and
/// number of teams affect only the shape of the work items, which changes no bit of the result.

namespace synelix::chooser {

/// The numbers of segments with 1, 2 to 3, 4 to 7, ... rows, and the total rows of each class.
struct SegmentLengths {
  static constexpr int classes = 63;
  std::array<std::int64_t, classes> segments{};
  std::array<std::int64_t, classes> rows{};

  void add(std::int64_t rows_of_segment) {
    const auto k = static_cast<std::size_t>(std::bit_width(
                       static_cast<std::uint64_t>(std::max<std::int64_t>(1, rows_of_segment)))) -
                   1;
    ++segments[k];
    rows[k] += rows_of_segment;
  }
};

/// The data that a choice depends on.
struct ProblemSize {
  std::int64_t samples = 0;
  std::int64_t rows = 0;
  std::int64_t longest_segment = 0;  ///< rows of the longest segment
  std::int64_t segments = 0;         ///< epochs, and gaps between them
  SegmentLengths lengths = {};       ///< all 0 if unknown
  std::int64_t channels = 0;
  std::int64_t window = 0;
  std::int64_t bases = 0;
  int window_shape = 0;              ///< on a device: number of the window tile for the bank
  std::int64_t taps_in_support = 0;  ///< of all filters in total, at most window x bases
  std::int64_t shared_members = 0;   ///< delayed copies of one filter; 0: none
  std::int64_t shared_taps = 0;      ///< in the support of that filter
  std::int64_t shared_delay = 0;     ///< the largest, in samples
  std::int64_t scalar_bytes = 4;
  std::int64_t stored_bytes = 4;
  std::int64_t table_bytes = 0;  ///< segments, taps and scalings, which every method holds
  std::int64_t lane_bytes = 0;   ///< of one lane's record in the workspace
  std::int64_t pack_bytes = 0;   ///< of the record of a pack of lanes in the workspace
  bool has_events = false;
  std::int64_t events = 0;
  bool is_pushed = false;  ///< rows are computed as soon as their samples are available
};

/// The default bytes of work items.
inline constexpr WorkBytes table_bytes{.direct_block = tune::direct_block_bytes,
                                       .fft_block = tune::fft_block_bytes};

/// The hardware, and the step times on it.
struct Resources {
  std::int64_t concurrency = 1;  ///< teams that can run at once
  int lanes = 4;                 ///< values of a pack
  int register_bytes = 16;
  InstructionSet instruction_set = InstructionSet::plain;
  std::int64_t scratch_bytes = 0;  ///< available to a team; 0: host transforms
  tune::Mapping mapping = tune::host;
  Steps nanoseconds = tune::steps_of(16);  ///< of each step on one core
  WorkBytes bytes = table_bytes;           ///< limits for the size of work items
};

/// The default nanoseconds of each step.
constexpr Steps table_steps(const Resources& resources) {
  return resources.mapping.is_device ? tune::device_steps
                                     : tune::steps_of(resources.register_bytes);
}

/// Checks batch, budget and method against the problem.
/// \throws Error that names the option, the fault of its value, and valid values
void check_options(const ProblemSize& problem, const ConvolveOptions& options);

/// The choice, with a workspace of at most `budget` bytes (options.budget is ignored).
/// \throws Error if the budget is smaller than the smallest workspace, with that size
Choice make_choice(const ProblemSize& problem, const Resources& resources,
                   const ConvolveOptions& options, std::int64_t budget);

/// Returns the budget for a call that needs `needed` bytes. If the caller gave no budget, the free
/// memory is queried only for large needs, because the query takes longer than a small call.
using BudgetFor = std::function<std::int64_t(std::int64_t needed)>;
/// As above, with the budget for the bytes of the largest choice.
Choice make_choice(const ProblemSize& problem, const Resources& resources,
                   const ConvolveOptions& options, const BudgetFor& budget_for);

/// The smallest budget that make_choice accepts. \throws Error for options out of range
std::int64_t least_budget(const ProblemSize& problem, const Resources& resources,
                          const ConvolveOptions& options);

/// Bytes of the workspace for a choice, tables included.
std::int64_t workspace_bytes(const ProblemSize& problem, const Resources& resources,
                             const Choice& choice);

/// Bytes of a team's share of the workspace for a choice.
std::int64_t team_bytes(const ProblemSize& problem, const Resources& resources,
                        const Choice& choice);

/// Strips of `rows` rows that cover all segments, for one channel.
double strips_of(const ProblemSize& problem, std::int64_t rows);

/// The count of each step in a run.
Steps count_steps(const ProblemSize& problem, const Resources& resources, const Choice& choice);

/// The sum of count times nanoseconds over all steps.
double total_of(const Steps& counts, const Steps& nanoseconds);

}  // namespace synelix::chooser
