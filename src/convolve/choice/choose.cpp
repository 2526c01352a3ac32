// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "convolve/choice/choose.hpp"

#include "convolve/choice/direct_items.hpp"
#include "convolve/choice/fft_blocks.hpp"
#include "index/segment.hpp"
#include "index/team_memory.hpp"
#include "machine/budget.hpp"
#include "tune/device.hpp"

#include <synelix/error.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

namespace synelix::chooser {
namespace {

using index::ceil_divide;
using index::round_up;

void check_positive(const char* name, const std::optional<std::int64_t>& value) {
  if (value && *value < 1) {
    throw Error(name, std::to_string(*value) + " is not positive",
                "Use a strictly positive integer, or leave it out");
  }
}

void shape_events(const ProblemSize& problem, const Resources& resources,
                  const ConvolveOptions& options, Choice& choice) {
  if (resources.mapping.is_device) {
    choice.strips = 1;
    choice.batch_channels = 1;
    choice.batch_bases = std::min<std::int64_t>(
        {tune::event_bases, problem.bases, options.batch.bases.value_or(problem.bases)});
    choice.strip_rows = std::max<std::int64_t>(
        1, std::min({tune::device_event_rows, rows_of_batch(problem, options, 1),
                     problem.longest_segment}));
    return;
  }
  choice.batch_channels =
      std::min({problem.channels, options.batch.channels.value_or(problem.channels),
                std::int64_t{tune::event_item_channels}});
  choice.batch_bases = std::min(problem.bases, options.batch.bases.value_or(problem.bases));
  const std::int64_t mean_rows = problem.rows / std::max<std::int64_t>(1, problem.segments);
  choice.strip_rows = std::max<std::int64_t>(
      1, std::min({std::int64_t{tune::event_rows}, rows_of_batch(problem, options, 1),
                   std::max<std::int64_t>(1, problem.longest_segment),
                   std::max<std::int64_t>(tune::fewest_event_rows, 2 * mean_rows)}));
  choice.strips = std::max<std::int64_t>(1, tune::event_rows / choice.strip_rows);
  while (choice.strips > 1 && rows_of_batch(problem, options, choice.strips) < choice.strip_rows) {
    --choice.strips;
  }
}

void shape(const ProblemSize& problem, const Resources& resources, const ConvolveOptions& options,
           Choice& choice) {
  switch (choice.method) {
    case Method::fft:
      return shape_fft(problem, resources, options, choice);
    case Method::events:
      return shape_events(problem, resources, options, choice);
    default:
      return shape_direct(problem, resources, options, choice);
  }
}

/// Makes work items of the direct or the event method smaller, then reduces the teams, down to one
/// row of one channel and one basis. Returns false if nothing can be reduced.
bool make_smaller(const ProblemSize& problem, const Resources& resources, Choice& choice) {
  if (takes_windows(problem, resources, choice)) {  // each team has the sums of a complete tile
    if (choice.teams == 1) return false;
    --choice.teams;
    return true;
  }
  if (choice.strip_rows > tune::fewest_rows) {
    choice.strip_rows =
        whole_tiles(std::max<std::int64_t>(tune::fewest_rows, choice.strip_rows / 2), problem);
  } else if (choice.teams > 1) {
    --choice.teams;
  } else if (choice.strip_rows > 1) {
    choice.strip_rows = choice.strip_rows / 2;
  } else if (choice.strips > 1) {
    --choice.strips;
  } else if (choice.batch_channels > 1) {
    choice.batch_channels = ceil_divide(choice.batch_channels, 2);
  } else if (choice.batch_bases > 1) {
    choice.batch_bases = ceil_divide(choice.batch_bases, 2);
  } else {
    return false;
  }
  return true;
}

/// Makes the workspace smaller until it fits the budget. Returns whether it fits; if not, the
/// choice is the smallest possible one.
bool fit(const ProblemSize& problem, const Resources& resources, std::int64_t budget,
         Choice& choice) {
  const Choice largest = choice;
  while (workspace_bytes(problem, resources, choice) > budget) {
    if (choice.method == Method::fft) {
      if (make_fft_smaller(choice)) continue;
      choice = smallest_fft(problem, resources, largest);
    } else if (make_smaller(problem, resources, choice)) {
      continue;
    }
    return workspace_bytes(problem, resources, choice) <= budget;
  }
  return true;
}

/// A choice of a method, shaped without a limit of memory.
Choice choice_of(Method method, const ProblemSize& problem, const Resources& resources,
                 const ConvolveOptions& options) {
  Choice choice;
  choice.method = method;
  choice.instruction_set = resources.instruction_set;
  choice.rows = problem.rows;
  choice.every = options.every;
  choice.teams = std::max<std::int64_t>(1, resources.concurrency);
  shape(problem, resources, options, choice);
  return choice;
}

[[noreturn]] void throw_blocks(const ProblemSize& problem, const Resources& resources,
                               const ConvolveOptions& options) {
  const std::string parts =
      options.fft_parts ? " in " + std::to_string(*options.fft_parts) + " parts" : "";
  throw Error(options.fft_parts ? "fft_parts" : "method",
              "fft for a window of " + std::to_string(problem.window) + " taps" + parts +
                  " has no blocks that fit the " + std::to_string(resources.scratch_bytes) +
                  " bytes of scratch of a team",
              "Use the method automatic or direct");
}

/// Seconds of every applicable method on one core with full work items. They do not depend on the
/// batch, the budget and the number of teams.
std::vector<Candidate> candidates_of(const ProblemSize& problem, Resources resources,
                                     const ConvolveOptions& options) {
  resources.concurrency = 1;
  resources.bytes = table_bytes;  // a calibrated size of work items does not affect the method
  ConvolveOptions alone;
  alone.every = options.every;
  alone.fft_parts = options.fft_parts;
  const bool has_blocks =
      !transforms_in_scratch(resources) || has_device_blocks(problem, resources, alone);
  if (options.method == Method::fft && !has_blocks) throw_blocks(problem, resources, options);
  std::vector<Candidate> candidates;
  for (const Method method : {Method::direct, Method::events, Method::fft}) {
    if (method == Method::events && !problem.has_events) continue;
    const bool is_asked_for = options.method == method;
    const bool is_short = problem.window < tune::fewest_fft_taps && !is_asked_for;
    if (method == Method::fft && (problem.is_pushed || is_short || !has_blocks)) continue;
    const Choice choice = choice_of(method, problem, resources, alone);
    candidates.push_back(
        {method, 1e-9 * total_of(count_steps(problem, resources, choice), resources.nanoseconds)});
  }
  return candidates;
}

const Candidate& fastest_of(const std::vector<Candidate>& candidates) {
  const auto is_faster = [](const Candidate& a, const Candidate& b) {
    return a.seconds < b.seconds;
  };
  return *std::ranges::min_element(candidates, is_faster);
}

/// The requested method, or the fastest. Calibrated times are measured, so they have errors: they
/// replace the choice of the table only if they predict a clear gain.
Method method_of(const ProblemSize& problem, const Resources& resources,
                 const std::vector<Candidate>& candidates, const ConvolveOptions& options) {
  if (options.method != Method::automatic) return options.method;
  const Candidate& fastest = fastest_of(candidates);
  if (!options.machine.nanoseconds) return fastest.method;
  Resources usual = resources;
  usual.nanoseconds = table_steps(resources);
  const Method of_table = fastest_of(candidates_of(problem, usual, options)).method;
  const auto is_it = [of_table](const Candidate& one) { return one.method == of_table; };
  const double seconds = std::ranges::find_if(candidates, is_it)->seconds;
  return fastest.seconds < tune::calibrated_gain * seconds ? fastest.method : of_table;
}

[[noreturn]] void throw_budget(const ProblemSize& problem, const Resources& resources,
                               const ConvolveOptions& options, const Choice& least,
                               std::int64_t budget) {
  std::string purpose = " for this problem";
  Choice direct = choice_of(Method::direct, problem, resources, options);
  fit(problem, resources, 0, direct);
  if (options.method == Method::automatic && least.method == Method::fft &&
      workspace_bytes(problem, resources, direct) < workspace_bytes(problem, resources, least)) {
    purpose += " by the method fft, or by the method direct, which is slower here, " +
               std::to_string(workspace_bytes(problem, resources, direct)) + " bytes";
  }
  refuse_budget("budget", budget, workspace_bytes(problem, resources, least), purpose);
}

/// Features, and the samples in the windows of all channels, are counted in 64 bits.
void check_sizes(const ProblemSize& problem) {
  constexpr std::int64_t most_values = std::int64_t{1} << 58;
  const std::int64_t channels = std::max<std::int64_t>(1, problem.channels);
  const std::int64_t bases = std::max<std::int64_t>(1, problem.bases);
  if (channels > most_values / bases || problem.rows > most_values / (channels * bases)) {
    throw Error("features",
                std::to_string(problem.rows) + " rows x " + std::to_string(problem.channels) +
                    " channels x " + std::to_string(problem.bases) + " bases are too many values",
                "Use at most 2^58 values");
  }
  if (problem.window > most_values / channels) {
    throw Error("window",
                std::to_string(problem.window) + " taps for " + std::to_string(problem.channels) +
                    " channels see too many samples",
                "Use a window with at most 2^58 samples of all channels");
  }
}

}  // namespace

void check_options(const ProblemSize& problem, const ConvolveOptions& options) {
  check_sizes(problem);
  check_positive("batch.samples", options.batch.samples);
  check_positive("batch.channels", options.batch.channels);
  check_positive("batch.bases", options.batch.bases);
  if (options.batch.samples && *options.batch.samples < problem.window) {
    throw Error("batch.samples",
                std::to_string(*options.batch.samples) + " samples are fewer than the window of " +
                    std::to_string(problem.window),
                "Increase the batch to at least the window");
  }
  if (options.budget && *options.budget < 1) refuse_budget("budget", *options.budget, 1);
  if (options.host_budget && *options.host_budget < 1) {
    refuse_budget("host_budget", *options.host_budget, 1);
  }
  if (options.machine.nanoseconds) {
    for (const NamedStep& step : all_steps) {
      const double value = *options.machine.nanoseconds.*step.value;
      if (std::isfinite(value) && value >= 0.0) continue;
      throw Error(std::string("machine.nanoseconds.") + step.name,
                  std::to_string(value) + " is not a time",
                  "Use a finite number, 0 or above, as calibrate measures");
    }
  }
  for (const NamedBytes& size : all_work_bytes) {
    const std::int64_t bytes = options.machine.bytes.*size.value;
    if (bytes >= 0 && bytes <= most_work_bytes) continue;
    throw Error(std::string("machine.bytes.") + size.name,
                std::to_string(bytes) + " bytes are out of range",
                "Use 0 for the library's own, or up to 2^40");
  }
  if (options.fft_parts && (*options.fft_parts < 1 || *options.fft_parts > tune::most_fft_parts)) {
    throw Error("fft_parts", std::to_string(*options.fft_parts) + " is out of range",
                "Use 1 to " + std::to_string(tune::most_fft_parts) + ", or leave it out");
  }
  if (options.method == Method::events && !problem.has_events) {
    throw Error("method", "events does not take a series of samples",
                "Use automatic, direct or fft, or pass spike trains as synelix::Events",
                Remedy::other_input);
  }
  if (options.method == Method::fft && problem.is_pushed) {
    throw Error("method", "fft would make rows wait for later blocks",
                "Use automatic, direct or events for a stream of blocks", Remedy::automatic);
  }
}

std::int64_t workspace_bytes(const ProblemSize& problem, const Resources& resources,
                             const Choice& choice) {
  return problem.table_bytes + spectra_bytes(problem, resources, choice) +
         choice.teams * team_bytes(problem, resources, choice);
}

std::int64_t team_bytes(const ProblemSize& problem, const Resources& resources,
                        const Choice& choice) {
  if (choice.method == Method::fft && transforms_in_scratch(resources)) {
    return round_up(spectral::stage_ring_bytes(stage_sizes(problem, resources, choice)), 64);
  }
  if (choice.method == Method::fft) {
    return spectral::block_memory(block_sizes(problem, resources, choice)).bytes +
           index::strip_memory(choice.strips, choice.fft_parts > 1 ? index::parted_strip_sets : 1)
               .bytes;
  }
  if (takes_windows(problem, resources, choice)) {
    const int shape = problem.window_shape;
    return problem.window > tune::window_taps
               ? tune::window_rows(shape, resources.lanes) *
                     round_up(choice.batch_bases, tune::window_shapes[shape].bases) *
                     problem.scalar_bytes
               : 0;
  }
  if (choice.method == Method::events) {
    if (resources.mapping.is_device) return 0;
    const std::int64_t group =
        std::min<std::int64_t>(choice.batch_channels, resources.mapping.event_channels);
    return resources.mapping.team_size * tune::event_slot_bytes(choice.strips * choice.strip_rows,
                                                                group * choice.batch_bases,
                                                                problem.scalar_bytes);
  }
  const std::int64_t lanes = round_up(choice.batch_channels * choice.strips, resources.lanes);
  const std::int64_t rows = (choice.strip_rows - 1) * choice.every + problem.window;
  const std::int64_t shared_rows =
      shares_filter(problem, resources, choice) ? choice.strip_rows + problem.shared_delay : 0;
  const index::DirectTeam team{
      .strips = choice.strips,
      .channels = choice.batch_channels,
      .staged_bases = std::min<std::int64_t>(choice.batch_bases, tune::most_bases),
      .staged_rows = resources.mapping.stage_rows,
      .packed_rows = rows,
      .shared_rows = shared_rows,
      .register_lanes = resources.lanes,
      .scalar_bytes = problem.scalar_bytes,
      .lane_bytes = problem.lane_bytes,
      .pack_bytes = problem.pack_bytes};
  return index::direct_memory(team, lanes).bytes();
}

std::int64_t least_budget(const ProblemSize& problem, const Resources& resources,
                          const ConvolveOptions& options) {
  check_options(problem, options);
  const Method method =
      method_of(problem, resources, candidates_of(problem, resources, options), options);
  Choice choice = choice_of(method, problem, resources, options);
  fit(problem, resources, 0, choice);
  return workspace_bytes(problem, resources, choice);
}

Choice make_choice(const ProblemSize& problem, const Resources& resources,
                   const ConvolveOptions& options, std::int64_t budget) {
  return make_choice(problem, resources, options, [budget](std::int64_t) { return budget; });
}

Choice make_choice(const ProblemSize& problem, const Resources& resources,
                   const ConvolveOptions& options, const BudgetFor& budget_for) {
  check_options(problem, options);
  std::vector<Candidate> candidates = candidates_of(problem, resources, options);
  const Method method = method_of(problem, resources, candidates, options);
  Choice choice = choice_of(method, problem, resources, options);
  const std::int64_t budget = budget_for(workspace_bytes(problem, resources, choice));
  if (!fit(problem, resources, budget, choice)) {
    throw_budget(problem, resources, options, choice, budget);
  }
  const std::int64_t seen = choice.fft_parts > 1
                                ? choice.fft_parts * choice.fft_part_taps  // complete blocks
                                : problem.window;
  choice.batch_samples =
      std::min(problem.samples, choice.strips * ((choice.strip_rows - 1) * options.every + seen));
  choice.workspace_bytes = workspace_bytes(problem, resources, choice);
  const double outputs = static_cast<double>(problem.rows) * static_cast<double>(problem.channels) *
                         static_cast<double>(problem.bases);
  const auto taps = static_cast<double>(problem.window);
  choice.flops = choice.method == Method::events ? 2.0 * static_cast<double>(problem.events) *
                                                       taps * static_cast<double>(problem.bases)
                 : choice.method == Method::fft  ? fft_flops(problem, choice)
                                                 : 2.0 * outputs * taps;
  const double input = problem.has_events ? 8.0 * static_cast<double>(problem.events)
                                          : static_cast<double>(problem.samples) *
                                                static_cast<double>(problem.channels) *
                                                static_cast<double>(problem.stored_bytes);
  choice.bytes = input + outputs * static_cast<double>(problem.scalar_bytes);
  for (Candidate& candidate : candidates) {
    candidate.seconds /= static_cast<double>(choice.teams);
    if (candidate.method == choice.method) choice.seconds = candidate.seconds;
  }
  choice.candidates = std::move(candidates);
  return choice;
}

}  // namespace synelix::chooser
