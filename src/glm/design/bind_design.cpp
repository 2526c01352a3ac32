// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "glm/design/arguments.hpp"
#include "glm/pass/dense_pass.hpp"
#include "glm/pass/event_pass.hpp"
#include "glm/pass/routed_pass.hpp"
#include "glm/pass/row_panels.hpp"
#include "glm/pass/segmented_pass.hpp"
#include "launch/host_space.hpp"
#include "launch/region.hpp"
#include "machine/device_memory.hpp"
#include "machine/spaces.hpp"

#include <synelix/error.hpp>
#include <synelix/types/design_matrix.hpp>
#include <synelix/types/session.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace synelix {
namespace {

void check_design_options(const DesignMatrixOptions& options) {
  require_running("synelix::DesignMatrix");
  require_known("options.keep", options.keep);
  require_known("options.method", options.method);
  require_known("options.machine.instruction_set", options.machine.instruction_set);
}

/// The budget in the memory of the space.
template <class ExecutionSpace>
std::int64_t budget_of(const ExecutionSpace& exec, const DesignMatrixOptions& options) {
  if (options.budget) return *options.budget;
  return plan::is_host_space<ExecutionSpace> ? default_budget() : default_budget_of(exec);
}

/// Refuses a device: products with lists of events run only on hosts.
template <class ExecutionSpace>
void require_events(const ExecutionSpace& exec, Method method) {
  if (plan::is_host_space<ExecutionSpace> || method != Method::events) return;
  throw Error("options.method",
              std::string("events are asked for, and ") + exec.name() +
                  " has no products with lists of events",
              "Use automatic, or an execution space of the host", Remedy::automatic);
}

/// Refuses Method::events if an input is an array.
void check_method(std::span<const AnySeries> inputs, Method method) {
  if (method != Method::events) return;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].events() != nullptr) continue;
    throw Error("options.method",
                "events are asked for, and inputs[" + std::to_string(i) + "] is no Events",
                "Pass Events, or use automatic");
  }
}

template <class ExecutionSpace>
std::shared_ptr<glm::Pass> bind_dense(const ExecutionSpace& exec, const Expression& expression,
                                      std::span<const AnySeries> inputs,
                                      const DesignMatrixOptions& options) {
  const std::int64_t budget = budget_of(exec, options);
  std::int64_t rows = 0;
  for (const AnySeries& input : inputs) rows = input.shape().series.samples;
  const bool keeps = options.keep == Keep::features;
  auto panels = glm::computed_panels(
      exec, expression, inputs, options, budget, [rows, keeps](std::int64_t columns) {
        if constexpr (!plan::is_host_space<ExecutionSpace>) {
          return glm::least_device_pass_bytes(rows, columns, columns * std::int64_t{sizeof(float)});
        }
        const std::int64_t kept = keeps ? rows * columns * size_of(StoredType::float32) : 0;
        return kept + glm::least_pass_bytes(rows, columns, StoredType::float32, keeps);
      });
  auto pass = glm::make_dense_pass(exec, std::move(panels), options, budget);
  std::vector<Operand> arrays;
  for (const AnySeries& input : inputs) {
    if (input.events() == nullptr) arrays.push_back(input.samples());
  }
  pass->set_inputs(std::move(arrays));
  return pass;
}

}  // namespace

template <class ExecutionSpace>
std::shared_ptr<glm::Pass> seam::bind_stored(const ExecutionSpace& exec, const Operand& features,
                                             const DesignMatrixOptions& options) {
  const plan::Region region("synelix::design_matrix::plan");
  check_design_options(options);
  auto pass = glm::make_dense_pass(exec, glm::stored_panels(exec, features, options), options,
                                   budget_of(exec, options));
  pass->set_inputs({features});
  return glm::in_segments(std::move(pass));
}

template <class ExecutionSpace>
std::shared_ptr<glm::Pass> seam::bind_expression(const ExecutionSpace& exec,
                                                 const Expression& expression,
                                                 std::span<const AnySeries> inputs,
                                                 const DesignMatrixOptions& options) {
  const plan::Region region("synelix::design_matrix::plan");
  check_design_options(options);
  require_events(exec, options.method);
  check_method(inputs, options.method);
  std::shared_ptr<glm::EventPass> events = glm::make_event_pass(exec, expression, inputs, options);
  if (events == nullptr) {
    return glm::in_segments(bind_dense(exec, expression, inputs, options));
  }
  return glm::in_segments(std::make_shared<glm::RoutedPass>(
      std::move(events),
      [exec, expression, options,
       inputs = std::vector<AnySeries>(inputs.begin(), inputs.end())](std::int64_t held) {
        DesignMatrixOptions dense = options;
        dense.budget = budget_of(exec, options) - held;
        dense.method = Method::automatic;
        return bind_dense(exec, expression, inputs, dense);
      }));
}

#define SYNELIX_INSTANTIATE(SPACE)                                                           \
  template std::shared_ptr<glm::Pass> seam::bind_stored<SPACE>(const SPACE&, const Operand&, \
                                                               const DesignMatrixOptions&);  \
  template std::shared_ptr<glm::Pass> seam::bind_expression<SPACE>(                          \
      const SPACE&, const Expression&, std::span<const AnySeries>, const DesignMatrixOptions&);
SYNELIX_FOR_EACH_SPACE(SYNELIX_INSTANTIATE)
#undef SYNELIX_INSTANTIATE

}  // namespace synelix
