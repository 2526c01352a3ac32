// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "choose/choose.hpp"

#include "choose/fft.hpp"
#include "index/segment.hpp"

#include <synelix/error.hpp>

#include <algorithm>
#include <string>

namespace synelix::chooser {
namespace {

using index::ceil_divide;
using index::round_up;

void check_positive(const char* name, const std::optional<std::int64_t>& value) {
  if (value && *value < 1) {
    throw Error(name, std::to_string(*value), "a strictly positive integer, or absent");
  }
}

/// Seconds that a method takes on one core.
double seconds_of(Method method, const ProblemSize& problem, const Resources& resources,
                  std::int64_t every) {
  const tune::Cost cost = tune::cost_of(resources.register_bytes);
  const double scale = 1e-9 * static_cast<double>(problem.scalar_bytes) / 4.0;
  const double outputs = static_cast<double>(problem.rows) * static_cast<double>(problem.channels) *
                         static_cast<double>(problem.bases);
  const auto window = static_cast<double>(problem.window);
  if (method == Method::fft) return fft_seconds(problem, resources, every);
  if (method == Method::events) {
    const double step =
        static_cast<double>(problem.samples) / std::max(1.0, static_cast<double>(problem.rows));
    const double taps = static_cast<double>(problem.events) * window *
                        static_cast<double>(problem.bases) / std::max(1.0, step);
    return scale * (outputs * cost.output + taps * cost.event_tap);
  }
  return scale * outputs * (cost.output + window * cost.multiply_add);
}

Method choose_method(const ProblemSize& problem, const Resources& resources,
                     const ConvolveOptions& options) {
  if (options.method != Method::automatic) return options.method;
  if (!problem.has_events) return Method::direct;
  return seconds_of(Method::events, problem, resources, options.every) <=
                 seconds_of(Method::direct, problem, resources, options.every)
             ? Method::events
             : Method::direct;
}

/// Rows of a strip for a block of `lanes` that is to take `bytes`.
std::int64_t rows_for(const ProblemSize& problem, std::int64_t every, std::int64_t lanes,
                      std::int64_t bytes) {
  const std::int64_t packed_rows = bytes / (lanes * problem.scalar_bytes);
  return packed_rows <= problem.window ? 1 : (packed_rows - problem.window) / every + 1;
}

/// The most rows that a batch allows for work items of `strips` strips.
std::int64_t rows_of_batch(const ProblemSize& problem, const ConvolveOptions& options,
                           std::int64_t strips) {
  if (!options.batch.samples) return problem.rows;
  const std::int64_t samples = *options.batch.samples / strips;
  return samples < problem.window ? 0 : (samples - problem.window) / options.every + 1;
}

/// Channels and strips of a direct work item. Lanes are paid for whether they are filled or not,
/// and so is each run of neighbouring channels (a strip of a group), about as much as two lanes:
/// the pair wins that fills most of what is paid for. Rows of all channels leave as whole lines,
/// which is worth some empty lanes: about what a line of a cache costs that is read to be written.
void shape_lanes(const ProblemSize& problem, const Resources& resources,
                 const ConvolveOptions& options, std::int64_t most_lanes, Choice& choice) {
  const std::int64_t most_channels =
      std::min({problem.channels, options.batch.channels.value_or(problem.channels), most_lanes});
  constexpr double whole_rows = 1.2;
  double best = -1.0;
  std::int64_t groups = ceil_divide(problem.channels, most_channels);
  for (;;) {
    const std::int64_t channels = ceil_divide(problem.channels, groups);
    std::int64_t strips = std::max<std::int64_t>(1, most_lanes / channels);
    while (strips > 1 && rows_of_batch(problem, options, strips) < 1) --strips;
    const auto paid =
        static_cast<double>(groups) *
        static_cast<double>(round_up(channels * strips, resources.lanes) + 2 * strips);
    const double filled = static_cast<double>(problem.channels) * static_cast<double>(strips) /
                          paid * (groups == 1 ? whole_rows : 1.0);
    if (filled > best) {
      best = filled;
      choice.batch_channels = channels;
      choice.strips = strips;
    }
    if (channels <= std::max<std::int64_t>(1, most_channels / 4)) return;
    // The fewest groups that have fewer channels: more groups of as many are only paid for.
    groups = ceil_divide(problem.channels, channels - 1);
  }
}

/// Rows of a strip, at most `most`, such that segments of all lengths together cost least. A strip
/// packs a window beside its rows and needs some bookkeeping, which is for long ones. The last
/// strip of a segment is shorter: those of an item are ordered by length, but a pack is computed as
/// far as its longest goes, and rows that not all of its strips have leave one by one, which is for
/// strips that are not much longer than most segments.
std::int64_t rows_for_lengths(const ProblemSize& problem, const Resources& resources,
                              std::int64_t every, std::int64_t most) {
  const double tap =
      static_cast<double>(problem.bases) * tune::cost_of(resources.register_bytes).multiply_add;
  const std::int64_t mean = problem.rows / std::max<std::int64_t>(1, problem.segments);
  std::int64_t best_rows = most;
  const auto cost_of_strip = [&](std::int64_t rows, double taps, double spread) {
    const auto computed = static_cast<double>(rows);
    return spread * computed * taps * tap +
           (computed * static_cast<double>(every) + taps) * tune::packed_sample +
           tune::strip_overhead;
  };
  double best = 0.0;
  for (std::int64_t rows = most; rows > 0; rows = std::min(rows - 1, rows * 7 / 8)) {
    double cost = 0.0;
    for (std::size_t k = 0; k < SegmentLengths::classes; ++k) {
      const std::int64_t segments = problem.lengths.segments[k];
      if (segments == 0) continue;
      const std::int64_t length = problem.lengths.rows[k] / segments;
      // Taps beyond the epochs of an item are left out; its longest has a few times the mean.
      const double taps = std::min(
          static_cast<double>(problem.window),
          4.0 * static_cast<double>(every) * static_cast<double>(std::max(length, mean) + 1));
      const double spread =
          tune::spread_least +
          tune::spread_each * std::min(tune::spread_most_lengths,
                                       static_cast<double>(rows) / static_cast<double>(length));
      const std::int64_t full = length / rows;
      double own = static_cast<double>(full) * cost_of_strip(rows, taps, 1.0);
      if (length % rows != 0) own += cost_of_strip(length % rows, taps, spread);
      cost += static_cast<double>(segments) * own;
    }
    if (rows == most || cost < 0.98 * best) {
      best = cost;
      best_rows = rows;
    }
  }
  return best_rows;
}

/// A direct work item of at most `most_lanes` lanes and about `bytes` of packed samples.
void shape_direct(const ProblemSize& problem, const Resources& resources,
                  const ConvolveOptions& options, std::int64_t most_lanes, std::int64_t bytes,
                  Choice& choice) {
  shape_lanes(problem, resources, options, most_lanes, choice);
  choice.batch_bases = std::min(problem.bases, options.batch.bases.value_or(problem.bases));
  const std::int64_t lanes = round_up(choice.batch_channels * choice.strips, resources.lanes);
  std::int64_t rows = rows_for(problem, options.every, lanes, bytes);
  rows = std::clamp<std::int64_t>(rows, 1, tune::most_rows);
  rows = std::min({rows, rows_of_batch(problem, options, choice.strips),
                   std::max<std::int64_t>(1, problem.longest_segment)});
  choice.strip_rows =
      rows_for_lengths(problem, resources, options.every, std::max<std::int64_t>(1, rows));
}

/// Cuts strips shorter until there are some work items for each team, so that none stands idle.
void share_out(const ProblemSize& problem, Choice& choice) {
  const std::int64_t groups = ceil_divide(problem.channels, choice.batch_channels) *
                              ceil_divide(problem.bases, choice.batch_bases);
  const std::int64_t wanted = ceil_divide(4 * choice.teams, groups);
  const std::int64_t rows = ceil_divide(problem.rows, wanted * choice.strips);
  const std::int64_t floor = std::max<std::int64_t>(tune::fewest_rows, problem.window / 4);
  choice.strip_rows = std::min(choice.strip_rows, std::max(rows, floor));
}

void shape_events(const ProblemSize& problem, const ConvolveOptions& options, Choice& choice) {
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

/// Whole tiles where strips are long enough for that to matter little else: then all of a strip's
/// results are whole lines, too.
std::int64_t whole_tiles(std::int64_t strip_rows, const ProblemSize& problem) {
  const bool is_cut =
      strip_rows > std::int64_t{4} * tune::tile_rows && strip_rows < problem.longest_segment;
  return is_cut ? strip_rows / tune::tile_rows * tune::tile_rows : strip_rows;
}

void shape(const ProblemSize& problem, const Resources& resources, const ConvolveOptions& options,
           std::int64_t most_lanes, std::int64_t bytes, Choice& choice) {
  if (choice.method == Method::events) {
    shape_events(problem, options, choice);
  } else {
    shape_direct(problem, resources, options, most_lanes, bytes, choice);
    share_out(problem, choice);
    choice.strip_rows = whole_tiles(choice.strip_rows, problem);
  }
}

std::int64_t workspace_bytes(const ProblemSize& problem, const Resources& resources,
                             const Choice& choice) {
  return problem.table_bytes + spectra_bytes(problem, resources, choice) +
         choice.teams * team_bytes(problem, resources, choice);
}

[[noreturn]] void throw_budget(const ProblemSize& problem, const Resources& resources,
                               const Choice& choice, std::int64_t budget) {
  throw Error("budget", std::to_string(budget) + " bytes",
              "at least " + std::to_string(workspace_bytes(problem, resources, choice)) +
                  " bytes for this problem");
}

/// Makes work items smaller, then fewer at a time, until the workspace fits the budget.
void fit(const ProblemSize& problem, const Resources& resources, const ConvolveOptions& options,
         std::int64_t budget, Choice& choice) {
  if (choice.method == Method::fft) shape_fft(problem, resources, options, choice);
  while (choice.method == Method::fft && workspace_bytes(problem, resources, choice) > budget) {
    if (!make_fft_smaller(choice)) throw_budget(problem, resources, choice, budget);
  }
  if (choice.method == Method::fft) return;
  std::int64_t lanes = tune::most_lanes;
  std::int64_t bytes = std::max<std::int64_t>(
      tune::direct_block_bytes, 2 * problem.window * problem.scalar_bytes * resources.lanes);
  if (problem.window * lanes * problem.scalar_bytes > bytes) {
    lanes = std::max<std::int64_t>(
        resources.lanes,
        bytes / (2 * problem.window * problem.scalar_bytes) / resources.lanes * resources.lanes);
  }
  shape(problem, resources, options, lanes, bytes, choice);
  while (workspace_bytes(problem, resources, choice) > budget) {
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
    } else if (choice.method == Method::events && choice.batch_bases > 1) {
      choice.batch_bases = ceil_divide(choice.batch_bases, 2);
    } else {
      throw_budget(problem, resources, choice, budget);
    }
  }
}

}  // namespace

void check_options(const ProblemSize& problem, const ConvolveOptions& options) {
  check_positive("batch.samples", options.batch.samples);
  check_positive("batch.channels", options.batch.channels);
  check_positive("batch.bases", options.batch.bases);
  if (options.batch.samples && *options.batch.samples < problem.window) {
    throw Error("batch.samples",
                std::to_string(*options.batch.samples) + " samples for a window of " +
                    std::to_string(problem.window),
                "at least the window: increase the batch");
  }
  if (options.budget && *options.budget < 1) {
    throw Error("budget", std::to_string(*options.budget) + " bytes", "at least 1 byte");
  }
  if (options.method == Method::events && !problem.has_events) {
    throw Error("method", "events for a series of samples",
                "automatic, direct or fft; synelix::Events for spike trains");
  }
}

std::int64_t strip_rows_for(const ProblemSize& problem, const Resources& resources,
                            const Choice& choice, std::int64_t rows) {
  const std::int64_t longest = std::min(rows, choice.strip_rows);
  if (choice.method == Method::events) return longest;
  const double multiply_add = tune::cost_of(resources.register_bytes).multiply_add;
  std::int64_t best_rows = longest;
  double best = 0.0;
  for (std::int64_t strips = 1; strips <= choice.strips; strips *= 2) {
    const std::int64_t strip_rows = std::min(longest, ceil_divide(rows, strips));
    const std::int64_t lanes = round_up(choice.batch_channels * strips, resources.lanes);
    const double computed =
        static_cast<double>(lanes * strip_rows * problem.window * choice.batch_bases) *
        multiply_add;
    const double packed =
        static_cast<double>(lanes * ((strip_rows - 1) * choice.every + problem.window)) *
        tune::packed_sample;
    if (strips == 1 || computed + packed < best) {
      best = computed + packed;
      best_rows = strip_rows;
    }
    if (strip_rows == 1) break;
  }
  return best_rows;
}

std::int64_t team_bytes(const ProblemSize& problem, const Resources& resources,
                        const Choice& choice) {
  if (choice.method == Method::fft) {
    return spectral::block_memory(block_sizes(problem, resources, choice)).bytes +
           round_up(choice.strips * problem.strip_bytes, 64);
  }
  if (choice.method == Method::events) {
    const std::int64_t group =
        std::min<std::int64_t>(choice.batch_channels, resources.mapping.event_channels);
    return resources.mapping.team_size * round_up(group * choice.strips * choice.strip_rows *
                                                      choice.batch_bases * problem.scalar_bytes,
                                                  64);
  }
  const std::int64_t lanes = round_up(choice.batch_channels * choice.strips, resources.lanes);
  const std::int64_t rows = (choice.strip_rows - 1) * choice.every + problem.window;
  return round_up(choice.strips * problem.strip_bytes, 64) +
         round_up(lanes * problem.lane_bytes, 64) +
         round_up(lanes / resources.lanes * problem.pack_bytes, 64) +
         round_up(choice.batch_channels * choice.strips * resources.mapping.stage_rows *
                      std::min<std::int64_t>(choice.batch_bases, tune::most_bases) *
                      problem.scalar_bytes,
                  64) +
         round_up(rows * lanes * problem.scalar_bytes, 64);
}

Choice make_choice(const ProblemSize& problem, const Resources& resources,
                   const ConvolveOptions& options, std::int64_t budget) {
  check_options(problem, options);
  Choice choice;
  choice.method = choose_method(problem, resources, options);
  choice.instruction_set = resources.instruction_set;
  choice.rows = problem.rows;
  choice.every = options.every;
  choice.teams = std::max<std::int64_t>(1, resources.concurrency);
  fit(problem, resources, options, budget, choice);
  choice.batch_samples = std::min(
      problem.samples, choice.strips * ((choice.strip_rows - 1) * options.every + problem.window));
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
  choice.seconds = seconds_of(choice.method, problem, resources, options.every) /
                   static_cast<double>(std::max<std::int64_t>(1, choice.teams));
  return choice;
}

}  // namespace synelix::chooser
