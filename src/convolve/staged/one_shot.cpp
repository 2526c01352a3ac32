// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// One-shot calls: a plan if kernels can access the arguments, otherwise blocks through the device.
#include "convolve/plan/row_table.hpp"
#include "convolve/staged/staging.hpp"
#include "convolve/staged/through_device.hpp"
#include "machine/device_memory.hpp"
#include "machine/spaces.hpp"

#include <synelix/convolve.hpp>
#include <synelix/types/session.hpp>

#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

namespace synelix::seam {
namespace {

template <class ExecutionSpace>
Place found_place(const ExecutionSpace& exec, const Argument& argument) {
  if (argument.place != Place::unknown) return argument.place;
  if (argument.data == nullptr) return Place::near;  // no values
  switch (memory_at(exec, argument.data)) {
    case FoundMemory::pinned:
      return Place::across_a_bus;
    case FoundMemory::host:
      return Place::out_of_reach;
    default:
      return Place::near;
  }
}

/// The arguments to stage, and the reason.
template <class ExecutionSpace>
StagedBlocks staged(const ExecutionSpace& exec, Staging wanted, const Argument& input,
                    const Argument& features) {
  const Place places[] = {found_place(exec, input), found_place(exec, features)};
  const auto any = [&](Place place) { return places[0] == place || places[1] == place; };
  const auto is_far = [](Place place) { return place != Place::near; };
  StagedBlocks result;
  if (wanted == Staging::always) {  // stages all arguments that the host can copy
    result.input = is_on_host<ExecutionSpace> || is_far(places[0]);
    result.features = is_on_host<ExecutionSpace> || is_far(places[1]);
    result.reason = result.is_staged() ? StagingReason::asked_for : StagingReason::near;
    return result;
  }
  if (!any(Place::out_of_reach) && !any(Place::across_a_bus)) return result;
  if (shares_host_memory(exec)) {
    result.reason = StagingReason::shared_memory;
    return result;
  }
  if (wanted == Staging::never) {
    if (any(Place::out_of_reach)) {
      throw Error("staging",
                  std::string("never does not serve ") +
                      (places[0] == Place::out_of_reach ? "a series" : "features") +
                      " in host memory, which the execution space does not reach",
                  "Use automatic, or memory that the execution space reaches", Remedy::automatic);
    }
    result.reason = StagingReason::not_wanted;
    return result;
  }
  result.input = is_far(places[0]);
  result.features = is_far(places[1]);
  result.reason =
      any(Place::out_of_reach) ? StagingReason::out_of_reach : StagingReason::across_a_bus;
  return result;
}

template <class Scalar, class ExecutionSpace>
Choice staged_choice(const ExecutionSpace& exec, const SeriesShape& shape,
                     const plan::RowTable& rows, const FilterBank<Scalar, ExecutionSpace>& bank,
                     const ConvolveOptions& options, const StagedBlocks& staged) {
  const auto size = plan::problem_size<Scalar>(shape, rows, bank.taps());
  const auto resources = plan::resources_of<Scalar>(exec, options);
  blocks::Budgets room{.host = options.host_budget ? *options.host_budget : default_budget(),
                       .device = options.budget ? *options.budget : default_budget_of(exec)};
  if (!options.budget) {
    const auto choice = chooser::find_staged_choice(size, resources, options, staged, room);
    if (choice) return *choice;
    room.device = std::max(room.device, free_bytes(exec));  // no share was requested
  }
  return chooser::make_staged_choice(size, resources, options, staged, room);
}

}  // namespace

template <class ExecutionSpace>
bool goes_in_blocks(const ExecutionSpace& exec, Staging staging, const Argument& input,
                    const Argument& features) {
  return staged(exec, staging, input, features).is_staged();
}

template <class Scalar, class ExecutionSpace>
Choice choose_once(const ExecutionSpace& exec, const SeriesShape& shape, const Argument& input,
                   const Argument& features, const FilterBank<Scalar, ExecutionSpace>& bank,
                   const ConvolveOptions& options) {
  require_running("synelix::choose");
  const StagedBlocks blocks = staged(exec, options.staging, input, features);
  if (blocks.is_staged()) {
    const plan::RowTable rows = plan::make_rows(shape, bank.window(), options);
    return staged_choice(exec, shape, rows, bank, options, blocks);
  }
  Choice choice = synelix::choose(exec, shape, bank, options);
  choice.staging = blocks;
  return choice;
}

template <class Scalar, class ExecutionSpace>
struct OneShot<Scalar, ExecutionSpace>::State {
  // One of the two.
  std::unique_ptr<ConvolvePlan<Scalar, ExecutionSpace>> plan;
  std::unique_ptr<plan::ThroughDevice<Scalar, ExecutionSpace>> blocks;
  Watch watch;
};

template <class Scalar, class ExecutionSpace>
OneShot<Scalar, ExecutionSpace>::OneShot(const ExecutionSpace& exec, const SeriesShape& shape,
                                         const Argument& input, const Argument& features,
                                         const FilterBank<Scalar, ExecutionSpace>& bank,
                                         const ConvolveOptions& options)
    : m_state(std::make_unique<State>()) {
  require_running("synelix::convolve");
  m_state->watch = options.watch;
  const StagedBlocks blocks = staged(exec, options.staging, input, features);
  if (!blocks.is_staged()) {
    m_state->plan =
        std::make_unique<ConvolvePlan<Scalar, ExecutionSpace>>(exec, shape, bank, options);
    return;
  }
  const Kokkos::Profiling::ScopedRegion region("synelix::convolve::plan");
  plan::RowTable rows = plan::make_rows(shape, bank.window(), options);
  const Choice choice = staged_choice(exec, shape, rows, bank, options, blocks);
  m_state->blocks = std::make_unique<plan::ThroughDevice<Scalar, ExecutionSpace>>(
      exec, shape, std::move(rows), bank, options, choice);
  plan::warn_of("convolve", shape, bank.window(), m_state->blocks->has_short_epoch(), options);
}

template <class Scalar, class ExecutionSpace>
OneShot<Scalar, ExecutionSpace>::~OneShot() = default;

template <class Scalar, class ExecutionSpace>
std::int64_t OneShot<Scalar, ExecutionSpace>::rows() const {
  return m_state->blocks != nullptr ? m_state->blocks->choice().rows : m_state->plan->rows();
}

template <class Scalar, class ExecutionSpace>
void OneShot<Scalar, ExecutionSpace>::convolve(const ExecutionSpace& exec,
                                               const StridedSeries& series,
                                               const StridedOutput& features) {
  if (m_state->blocks != nullptr)
    return m_state->blocks->convolve(series, features, m_state->watch);
  m_state->plan->run_watched(exec, series, features, m_state->watch);
}

template <class Scalar, class ExecutionSpace>
void OneShot<Scalar, ExecutionSpace>::convolve(const ExecutionSpace& exec, const Events& events,
                                               const StridedOutput& features) {
  if (m_state->blocks != nullptr)
    return m_state->blocks->convolve(events, features, m_state->watch);
  m_state->plan->run_watched(exec, events, features, m_state->watch);
}

#define SYNELIX_INSTANTIATE(SCALAR, SPACE)                                                      \
  template class OneShot<SCALAR, SPACE>;                                                        \
  template Choice choose_once<SCALAR, SPACE>(const SPACE&, const SeriesShape&, const Argument&, \
                                             const Argument&, const FilterBank<SCALAR, SPACE>&, \
                                             const ConvolveOptions&);
SYNELIX_FOR_EACH_SCALAR_AND_SPACE(SYNELIX_INSTANTIATE)
#undef SYNELIX_INSTANTIATE
#define SYNELIX_INSTANTIATE(SPACE) \
  template bool goes_in_blocks(const SPACE&, Staging, const Argument&, const Argument&);
SYNELIX_FOR_EACH_SPACE(SYNELIX_INSTANTIATE)
#undef SYNELIX_INSTANTIATE

}  // namespace synelix::seam
