// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "team.hpp"

#include "faults.hpp"
#include "settings.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <random>
#include <set>

namespace emulator {
namespace {

std::uint32_t last_epoch = 1;
std::vector<std::pair<std::uint32_t, std::uint64_t>> teams_of_epochs;  // first epoch, team

std::size_t count_alive(const Team& team) {
  std::size_t alive = 0;
  for (const Warp& warp : team.warps) {
    alive += static_cast<std::size_t>(std::popcount(~warp.unused));
  }
  return alive;
}

struct Waiting {
  Warp* warp;
  Fragment* fragment;
};

/// Gives each thread at a barrier the result of its instruction for the predicates of all.
void tell_of_predicates(const std::vector<Waiting>& waiting) {
  if (waiting[0].fragment->waits->mode == 0) return;
  std::uint32_t holds = 0, all = 0;
  for (const Waiting& w : waiting) {
    const Fragment& f = *w.fragment;
    const std::uint32_t mask = *row<const std::uint32_t>(f.frame->rows, f.waits->from[1]);
    holds += static_cast<std::uint32_t>(std::popcount(mask & f.lanes));
    all += static_cast<std::uint32_t>(std::popcount(f.lanes));
  }
  for (const Waiting& w : waiting) {
    const Fragment& f = *w.fragment;
    const auto kind = static_cast<AtBarrier>(f.waits->mode);
    auto* const to = row<std::uint32_t>(f.frame->rows, f.waits->to[0]);
    if (kind == AtBarrier::count) {
      for (std::uint32_t lanes = f.lanes; lanes != 0; lanes &= lanes - 1) {
        to[std::countr_zero(lanes)] = holds;
      }
      continue;
    }
    const bool result = kind == AtBarrier::conjunction ? holds == all : holds > 0;
    *to = (*to & ~f.lanes) | (result ? f.lanes : 0U);
  }
}

/// Releases the threads at one barrier, if all have arrived.
bool release_barrier(Team& team, const std::vector<Waiting>& waiting, std::size_t alive) {
  std::size_t came = 0;
  for (const Waiting& w : waiting) {
    came += static_cast<std::size_t>(std::popcount(w.fragment->lanes));
  }
  const Fragment& first = *waiting[0].fragment;
  const auto wanted =
      first.barrier_threads != 0 ? static_cast<std::size_t>(first.barrier_threads) : alive;
  if (came < wanted) return false;
  for (const Waiting& w : waiting) {
    if (w.fragment->waits != first.waits) {
      report("barrier of a team at different places", *w.warp, *w.fragment->waits,
             "and at " + team.kernel->module->where(first.waits->place) + ", PTX line " +
                 std::to_string(first.waits->line));
    }
  }
  const auto all = static_cast<std::size_t>(team.block.count());
  if (alive != all && first.barrier_threads == 0) {
    report("barrier after some threads have ended", *waiting[0].warp, *first.waits,
           std::to_string(alive) + " of " + std::to_string(all) + " are left");
  }
  tell_of_predicates(waiting);
  for (const Waiting& w : waiting) w.fragment->state = State::ready;
  team.epoch = ++last_epoch;
  if (team.counts != nullptr) ++team.counts->barriers;
  return true;
}

bool release_waiting(Team& team) {
  bool any = false;
  for (Warp& warp : team.warps) any |= release_members(warp);
  if (any) return true;
  std::map<int, std::vector<Waiting>> barriers;
  for (Warp& warp : team.warps) {
    for (Fragment& f : warp.fragments) {
      if (f.state == State::at_barrier) barriers[f.barrier].push_back({&warp, &f});
    }
  }
  const std::size_t alive = count_alive(team);
  for (const auto& [number, waiting] : barriers) any |= release_barrier(team, waiting, alive);
  return any;
}

void report_stuck(const Team& team) {
  for (const Warp& warp : team.warps) {
    for (const Fragment& f : warp.fragments) {
      const bool at_barrier = f.state == State::at_barrier;
      report("threads wait for ever", warp, *f.waits,
             thread_name(warp, std::countr_zero(f.lanes)) +
                 (at_barrier ? " at a barrier"
                             : " at a shuffle or vote of lanes " + std::to_string(f.members)));
      return;
    }
  }
}

std::uint64_t instructions_of(const Team& team) {
  std::uint64_t sum = 0;
  for (const Warp& warp : team.warps) sum += warp.instructions;
  return sum;
}

void start_team(Team& team) {
  const auto threads = static_cast<std::uint32_t>(team.block.count());
  for (std::size_t k = 0; k < team.warps.size(); ++k) {
    team.warps[k].team = &team;
    team.warps[k].number = static_cast<int>(k);
    start(team.warps[k], *team.kernel, threads - static_cast<std::uint32_t>(k) * lanes_of_warp);
  }
}

std::uint64_t run_team(Team& team, std::uint64_t instructions_before) {
  static std::mt19937 random(settings().seed);
  start_team(team);
  std::vector<Warp*> order;
  for (Warp& warp : team.warps) order.push_back(&warp);
  if (settings().order == Order::reverse) std::reverse(order.begin(), order.end());
  for (;;) {
    if (settings().order == Order::random) std::shuffle(order.begin(), order.end(), random);
    bool any = false, all_ended = true;
    for (Warp* warp : order) {
      any |= run(*warp);
      all_ended &= warp->fragments.empty();
    }
    if (all_ended) break;
    if (!any && !release_waiting(team)) {
      report_stuck(team);
      break;
    }
    if (instructions_before + instructions_of(team) > settings().limit) {
      report("too many instructions", team.warps[0], team.kernel->code[0],
             "more than EMULATE_LIMIT allows, " + std::to_string(settings().limit));
      break;
    }
  }
  return instructions_of(team);
}

void prepare_shared(Team& team) {
  std::uint64_t end = shared_begin + team.kernel->static_shared + team.dynamic_bytes;
  for (const auto& [name, place] : team.kernel->shared_places) {
    if (team.kernel->module->variables.at(name).is_dynamic) {
      end = std::max(end, place + team.dynamic_bytes);
    }
  }
  team.shared_end = end;
  team.shared.assign(end - shared_begin + 16, 0xff);
  team.shared_shadow.assign((end - shared_begin + 3) / 4 + 8, Shadow{});
}

void begin_team(Team& team, std::uint64_t number) {
  team.number = number;
  team.epoch = team.first_epoch = ++last_epoch;
  team.wrote_atomically = false;
  teams_of_epochs.emplace_back(team.first_epoch, number);
  std::fill(team.shared.begin(), team.shared.end(), 0xff);
  if (settings().unknown_shared) {
    for (Shadow& shadow : team.shared_shadow) shadow.write.known = 0;
  }
}

void add_to_counts(const Team& team, std::uint64_t teams, std::uint64_t instructions,
                   double seconds) {
  Counts& counts = all_counts()[team.kernel->name];
  ++counts.launches;
  counts.teams += teams;
  counts.instructions += instructions;
  counts.threads = std::max(counts.threads, static_cast<unsigned>(team.block.count()));
  counts.shared_bytes =
      std::max(counts.shared_bytes, team.kernel->static_shared + team.dynamic_bytes);
  counts.registers = team.kernel->registers;
  counts.seconds += seconds;
}

void trace(const Team& team, std::uint64_t instructions) {
  std::fprintf(log_file(),
               "emulator: launch (%u,%u,%u) x (%u,%u,%u), %zu+%zu bytes shared, %llu "
               "instructions: %s\n",
               team.grid.x, team.grid.y, team.grid.z, team.block.x, team.block.y, team.block.z,
               team.kernel->static_shared, static_cast<std::size_t>(team.dynamic_bytes),
               static_cast<unsigned long long>(instructions), readable(team.kernel->name).c_str());
}

}  // namespace

std::string thread_name(const Warp& warp, int lane) {
  return "thread " + std::to_string(warp.thread(lane)) + " of team " +
         std::to_string(warp.team->number);
}

std::uint64_t team_of_epoch(std::uint32_t epoch) {
  const auto after = std::upper_bound(
      teams_of_epochs.begin(), teams_of_epochs.end(), epoch,
      [](std::uint32_t wanted, const auto& entry) { return wanted < entry.first; });
  return after == teams_of_epochs.begin() ? 0 : std::prev(after)->second;
}

void lay_out(Function& kernel) {
  if (kernel.is_laid_out) return;
  kernel.is_laid_out = true;
  std::set<std::string> names;
  std::vector<const Function*> waiting{&kernel};
  std::set<const Function*> seen;
  while (!waiting.empty()) {
    const Function* f = waiting.back();
    waiting.pop_back();
    if (!seen.insert(f).second) continue;
    if (settings().profile > 0) profile(*f);
    for (const Slot& slot : f->slots) {
      if (slot.content == Content::shared) names.insert(slot.name);
    }
    for (const auto& call : f->calls) waiting.push_back(call->function);
  }
  std::uint64_t at = shared_begin;
  const auto place = [&](const std::string& name, std::uint64_t align) {
    return kernel.shared_places[name] = (at + align - 1) / align * align;
  };
  for (const std::string& name : names) {
    const Variable& v = kernel.module->variables.at(name);
    if (!v.is_dynamic) at = place(name, v.align) + v.bytes;
  }
  kernel.static_shared = at - shared_begin;
  for (const std::string& name : names) {
    const Variable& v = kernel.module->variables.at(name);
    if (v.is_dynamic) place(name, std::max<std::uint64_t>(v.align, 16));
  }
}

std::uint64_t shared_address(const Function& kernel, const std::string& name) {
  return kernel.shared_places.at(name);
}

std::uint64_t launch(Function& kernel, Size3 grid, Size3 block, std::size_t dynamic_shared,
                     const std::vector<unsigned char>& parameters) {
  const auto start = std::chrono::steady_clock::now();
  static Team team;
  lay_out(kernel);
  team.kernel = &kernel;
  team.grid = grid;
  team.block = block;
  team.dynamic_bytes = dynamic_shared;
  team.parameters = &parameters;
  team.last = nullptr;
  team.counts = settings().counts ? &all_counts()[kernel.name] : nullptr;
  team.warps.resize((block.count() + lanes_of_warp - 1) / lanes_of_warp);
  prepare_shared(team);
  team.launch_epoch = ++last_epoch;
  teams_of_epochs.clear();
  std::uint64_t instructions = 0;
  const std::uint64_t teams = grid.count();
  for (std::uint64_t k = 0; k < teams && instructions <= settings().limit; ++k) {
    begin_team(team, settings().order == Order::reverse ? teams - 1 - k : k);
    instructions += run_team(team, instructions);
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  add_to_counts(team, teams, instructions, took.count());
  if (settings().trace) trace(team, instructions);
  return instructions;
}

}  // namespace emulator
