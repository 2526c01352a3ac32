// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "glm/pass/event_pass.hpp"
#include "glm/sweep/host_sweeps.hpp"
#include "launch/host_space.hpp"
#include "launch/launch.hpp"
#include "machine/spaces.hpp"
#include "tile/select.hpp"
#include "tune/fit.hpp"
#include "types/events.hpp"

#include <synelix/features.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <limits>
#include <utility>

namespace synelix::glm {
namespace {

/// Whether the options allow or request a pass over events.
bool is_asked_for(const DesignMatrixOptions& options) {
  if (options.method == Method::events) return true;
  return options.method == Method::automatic && options.keep != Keep::features;
}

/// A sum of bases in conv mode has a term for each of them; a product has fewer terms.
bool is_sum_of_convolutions(const FeaturesChoice& choice) {
  return choice.terms.size() == choice.components.size() &&
         std::all_of(choice.components.begin(), choice.components.end(),
                     [](const Component& component) { return component.mode == Mode::conv; });
}

/// Whether windows have few values compared with the features that they replace.
bool pays(const EventDesign& design) {
  double values = 0;
  for (const EventChannel& channel : design.channels) {
    values += static_cast<double>(channel.events) * static_cast<double>(channel.window);
  }
  const double features = static_cast<double>(design.rows) * static_cast<double>(design.columns);
  return values <= tune::event_most_values * features;
}

template <class ExecutionSpace>
StartItems starter(const ExecutionSpace& exec) {
  return [exec](const std::string& label, std::int64_t items, std::int64_t teams,
                const sweep::HostItems& work) {
    if (items <= 0) return;
    sweep::launch(label, exec, static_cast<int>(teams), 1,
                  sweep::HostItemsSweep{&work, items, teams});
    exec.fence(label);
  };
}

}  // namespace

template <class ExecutionSpace>
std::shared_ptr<EventPass> make_event_pass(const ExecutionSpace& exec, const Expression& expression,
                                           std::span<const AnySeries> inputs,
                                           const DesignMatrixOptions& options) {
  if constexpr (plan::is_host_space<ExecutionSpace>) {
    if (!is_asked_for(options)) return nullptr;
    std::vector<const Events*> events;
    std::vector<InputShape> shapes;
    for (const AnySeries& input : inputs) {
      if (input.events() == nullptr) return nullptr;
      require_on_host(*input.events());
      events.push_back(input.events());
      shapes.push_back(input.shape());
    }
    FeaturesOptions features;
    features.machine = options.machine;
    features.budget = std::numeric_limits<std::int64_t>::max() / 4;  // no features are computed
    const FeaturesChoice choice = choose_features<double>(exec, expression, shapes, features);
    if (!is_sum_of_convolutions(choice)) return nullptr;
    EventDesign design = make_event_design(choice.terms, choice.components, events,
                                           valid_rows(expression, shapes, features));
    if (options.method != Method::events && !pays(design)) return nullptr;
    EventMachine machine;
    machine.instruction_set = tile::select_set(options.machine.instruction_set);
    machine.threads = exec.concurrency();
    machine.start = starter(exec);
    const std::optional<std::int64_t> told = options.budget;
    machine.budget = plan::execution_resources_of(exec, told)
                         .budget(std::numeric_limits<std::int64_t>::max() / 4);
    return std::make_shared<EventPass>(std::move(design), std::move(machine));
  } else {
    static_cast<void>(exec);
    static_cast<void>(expression);
    static_cast<void>(inputs);
    static_cast<void>(options);
    return nullptr;  // lists of events are supported only on hosts
  }
}

#define SYNELIX_INSTANTIATE(SPACE)                            \
  template std::shared_ptr<EventPass> make_event_pass<SPACE>( \
      const SPACE&, const Expression&, std::span<const AnySeries>, const DesignMatrixOptions&);
SYNELIX_FOR_EACH_SPACE(SYNELIX_INSTANTIATE)
#undef SYNELIX_INSTANTIATE

}  // namespace synelix::glm
