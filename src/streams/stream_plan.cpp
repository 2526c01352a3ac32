// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "streams/stream_plan.hpp"

#include "machine/budget.hpp"
#include "streams/block_planner.hpp"
#include "tune/staging.hpp"

#include <limits>

namespace synelix::stream {
namespace {

using blocks::no_limit;

/// The workspace of the plan gets an eighth of the budget, but at most this.
constexpr std::int64_t workspace_bytes_enough = mebibytes(64);
/// A sixteenth of the budget is reserved for memory that is not counted: selections and metadata in
/// HDF5, stacks.
constexpr std::int64_t part_not_counted = 16;

/// The choice with the smallest workspace, found by bisection: a plan refuses a budget that is too
/// small.
Choice smallest_choice(const StreamProblem& problem, const Choice& largest) {
  std::int64_t refused = -1;
  std::int64_t works = largest.workspace_bytes;
  Choice best = largest;
  while (works - refused > 1) {
    const std::int64_t middle = refused + (works - refused) / 2;
    try {
      best = problem.choose(middle);
      works = std::min(middle, best.workspace_bytes);
    } catch (const Error&) {
      refused = middle;
    }
  }
  return best;
}

/// A recording may claim any length, so the bytes of its features must be checked for overflow.
void require_countable(const FeaturesShape& features) {
  constexpr std::int64_t most = std::int64_t{1} << 56;
  std::int64_t values = 1;
  for (const std::int64_t extent : {features.rows, features.channels, features.bases}) {
    const std::int64_t factor = std::max<std::int64_t>(extent, 1);
    if (factor > most / values) {
      throw Error("features",
                  std::to_string(features.rows) + " rows x " + std::to_string(features.channels) +
                      " channels x " + std::to_string(features.bases) +
                      " bases are too many values",
                  "Select samples, channels or bases that make at most 2^56 values");
    }
    values *= factor;
  }
}

Range rows_of(const RowMap& rows, const StreamProblem& problem) {
  if (!problem.samples) return {0, rows.rows()};
  const Range samples = *problem.samples;
  if (samples.begin < 0 || samples.end < samples.begin || samples.end > problem.grid.samples) {
    throw Error(
        "stream.samples",
        "[" + std::to_string(samples.begin) + ", " + std::to_string(samples.end) +
            ") is not a range within the samples of the series",
        "Give a half-open range of samples from 0 to " + std::to_string(problem.grid.samples));
  }
  return rows.rows_for(samples);
}

/// Blocks, and the share of the workspace of the plan that computes them.
struct Planned {
  StreamPlan plan;
  std::int64_t share = 0;
};

std::string words_of(const StreamProblem& problem) {
  const std::size_t epochs = problem.grid.epochs.size();
  return std::string(": buffers for reading, computing and writing ") +
         (problem.cut == Cut::rows ? "all columns" : "one channel and one basis") +
         (epochs > 1 ? ", tables of " + std::to_string(epochs) + " epochs" : std::string());
}

/// The host's budget minus the bytes that the caller holds.
std::int64_t left_of_budget(const StreamProblem& problem) {
  return problem.budget.value_or(default_budget()) - problem.held_bytes;
}

/// Refuses the rest of the host's budget; the message names the entire budget.
[[noreturn]] void refuse_left(const StreamProblem& problem, const char* budget, std::int64_t left,
                              std::int64_t least, const std::string& words) {
  const std::int64_t held = problem.held_bytes;
  refuse_budget(budget, left + held, least + held,
                words + (held > 0 ? ", beside the " + std::to_string(held) + " that the input takes"
                                  : std::string()));
}

/// The choice for a share; no value if the share is below the smallest workspace.
std::optional<Choice> choice_of(const StreamProblem& problem, std::int64_t share) {
  try {
    return problem.choose(share);
  } catch (const Error&) {
    return std::nullopt;
  }
}

/// The choice with the smallest workspace, searched when it is first needed.
class Smallest {
 public:
  Smallest(const StreamProblem& problem, const Choice& largest)
      : m_problem(problem), m_largest(largest) {}
  const Choice& operator()() {
    if (!m_found) m_found = smallest_choice(m_problem, m_largest);
    return *m_found;
  }

 private:
  const StreamProblem& m_problem;
  const Choice& m_largest;
  std::optional<Choice> m_found;
};

std::optional<Planned> on_host_within(const StreamProblem& problem, const FeaturesShape& features,
                                      std::int64_t budget, Smallest& smallest) {
  const auto within = [&](std::int64_t counted, const Choice& choice) {
    return BlockPlanner(problem, features, choice, 0).within({counted, no_limit});
  };
  const std::int64_t share = std::min(budget / 8, workspace_bytes_enough);
  if (const auto choice = choice_of(problem, share)) {
    if (const auto plan = within(budget - budget / part_not_counted, *choice)) {
      return Planned{*plan, share};
    }
  }
  const auto plan = within(budget, smallest());
  if (!plan) return std::nullopt;
  return Planned{*plan, smallest().workspace_bytes};
}

Planned on_host(const StreamProblem& problem, const FeaturesShape& features,
                const Choice& unbounded) {
  const std::int64_t budget = left_of_budget(problem);
  Smallest smallest(problem, unbounded);
  auto planned = on_host_within(problem, features, budget, smallest);
  if (!planned) {
    const StreamPlan small = BlockPlanner(problem, features, smallest(), 0).smallest();
    const std::int64_t least =
        blocks::least_budget(budget, small.total_bytes, [&](std::int64_t tried) {
          return on_host_within(problem, features, tried, smallest).has_value();
        });
    refuse_left(problem, "budget", budget, least, words_of(problem) + ", and the workspace");
  }
  planned->plan.budget = budget;
  planned->plan.choice.staging.reason = problem.reason;
  return *planned;
}

/// The cheapest plan with as many slots as fit. Their workspaces are a share of the device's
/// memory, or the smallest workspace if that is more.
std::optional<Planned> in_slots(const StreamProblem& problem, const FeaturesShape& features,
                                Budgets room, std::int64_t part_of_workspaces, Smallest& smallest) {
  const auto look = [&](std::int64_t slots, std::int64_t share,
                        blocks::Cheapest<Planned>& cheapest) {
    const auto chosen = choice_of(problem, share);
    const Choice& choice = chosen ? *chosen : smallest();
    const BlockPlanner planner(problem, features, choice, slots);
    if (const auto plan = planner.within(room)) {
      cheapest.look_at({*plan, chosen ? share : choice.workspace_bytes}, planner.cost(*plan));
    }
    return blocks::SearchState::may_be_better;
  };
  return blocks::best_in_slots<Planned>(room.device, part_of_workspaces, look);
}

/// Blocks through the device within both budgets; with a share for workspaces if that fits.
std::optional<Planned> within_budgets(const StreamProblem& problem, const FeaturesShape& features,
                                      Budgets room, Smallest& smallest) {
  const Budgets counted{room.host - room.host / part_not_counted, room.device};
  auto planned = in_slots(problem, features, counted, tune::staging_workspace_part, smallest);
  if (!planned) planned = in_slots(problem, features, room, no_limit, smallest);
  return planned;
}

[[noreturn]] void refuse_device(const StreamProblem& problem, const DeviceSide& device,
                                const FeaturesShape& features, Budgets room, Smallest& smallest) {
  const StreamPlan small = BlockPlanner(problem, features, smallest(), 1).smallest();
  const auto is_enough = [&](Budgets tried) {
    return within_budgets(problem, features, tried, smallest).has_value();
  };
  if (!is_enough({room.host, no_limit})) {
    const std::int64_t least =
        blocks::least_budget(room.host, small.total_bytes,
                             [&](std::int64_t tried) { return is_enough({tried, no_limit}); });
    refuse_left(problem, "host_budget", room.host, least, words_of(problem));
  }
  const std::int64_t least =
      blocks::least_budget(room.device, small.choice.staging.device_bytes,
                           [&](std::int64_t tried) { return is_enough({room.host, tried}); });
  refuse_budget("budget", room.device, least,
                std::string(" of the device: samples and features of a block of ") +
                    (problem.cut == Cut::rows ? "all columns" : "one channel and one basis") +
                    ", and the workspace" + (device.event_bytes > 0 ? ", beside all events" : ""));
}

Planned through_device(const StreamProblem& problem, const DeviceSide& device,
                       const FeaturesShape& features, const Choice& unbounded) {
  const std::int64_t budget = left_of_budget(problem);
  Smallest smallest(problem, unbounded);
  std::int64_t device_budget = device.budget;
  auto planned = within_budgets(problem, features, {budget, device_budget}, smallest);
  if (!planned && device.most > device_budget) {
    device_budget = device.most;
    planned = in_slots(problem, features, {budget, device_budget}, no_limit, smallest);
  }
  if (!planned) refuse_device(problem, device, features, {budget, device_budget}, smallest);
  planned->plan.device_budget = device_budget;
  planned->plan.budget = budget;
  return *planned;
}

}  // namespace

std::function<void(Range rows, std::int64_t* samples)> samples_of_rows(
    std::shared_ptr<const Prepared> prepared) {
  return [kept = std::move(prepared)](Range rows, std::int64_t* samples) {
    const std::int64_t first = kept->plan.rows.begin;
    kept->rows.samples_of({rows.begin + first, rows.end + first}, samples);
  };
}

Prepared prepare(StreamProblem problem) {
  require_held_bytes(problem.held_bytes);
  // Errors other than the budget are thrown here.
  const Choice unbounded = problem.choose(std::numeric_limits<std::int64_t>::max() / 4);
  RowMap rows(problem.grid, problem.reach, problem.rule);
  problem.table_bytes = rows.bytes();
  const Range range = rows_of(rows, problem);
  FeaturesShape features = problem.features;
  features.rows = range.size();
  require_countable(features);
  auto [plan, share] = problem.device
                           ? through_device(problem, *problem.device, features, unbounded)
                           : on_host(problem, features, unbounded);
  plan.rows = range;
  plan.blocks = index::ceil_divide(range.size(), plan.block.rows) *
                index::ceil_divide(plan.features.channels, plan.block.channels) *
                index::ceil_divide(plan.features.bases, plan.block.bases);
  Prepared prepared{std::move(plan), share, std::move(rows), {}, problem.cut};
  for (const Feed& feed : problem.feeds) prepared.reaches.push_back(feed.reach);
  return prepared;
}

}  // namespace synelix::stream
