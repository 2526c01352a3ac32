// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "launch/arrays.hpp"
#include "launch/host_space.hpp"
#include "launch/launch.hpp"
#include "launch/reached.hpp"
#include "launch/start_watched.hpp"
#include "launch/watched.hpp"
#include "machine/spaces.hpp"
#include "operators/plan/conv_operators.hpp"
#include "operators/plan/conv_shape.hpp"
#include "operators/plan/prepared_operator.hpp"

#include <synelix/conv.hpp>
#include <synelix/error.hpp>
#include <synelix/types/session.hpp>

#include <Kokkos_Core.hpp>

/// \file
/// Convolution operators: check, bind, run.

namespace synelix {
namespace {

template <class ExecutionSpace>
void check_reached(const ExecutionSpace& exec, const ConvArrays& arrays) {
  const plan::ConvOperatorRow& row = plan::row_of(arrays.op);
  plan::check_reached(exec, arrays.first, row.first.name);
  plan::check_reached(exec, arrays.second, row.second.name);
  plan::check_reached(exec, arrays.bias, "bias");
  plan::check_reached(exec, arrays.result, row.result.name);
}

/// Calls visit.operator()<Scalar>() with the scalar of the result.
template <class Visitor>
auto visit_result(const ConvArrays& arrays, const Visitor& visit) {
  return plan::visit_scalar(plan::row_of(arrays.op).result.name, arrays.result.type, visit);
}

}  // namespace

template <class Scalar, class ExecutionSpace>
struct ConvPlan<Scalar, ExecutionSpace>::State {
  plan::PreparedOperator<Scalar, ExecutionSpace> conv;
};

template <class Scalar, class ExecutionSpace>
ConvPlan<Scalar, ExecutionSpace>::ConvPlan(const ExecutionSpace& exec, const ConvArrays& arrays,
                                           const ConvOptions& options) {
  require_running("synelix::ConvPlan");
  check_reached(exec, arrays);
  m_state =
      std::make_unique<State>(State{{exec, plan::shape_of(arrays, options, stored_type<Scalar>),
                                     options, plan::FirstLaunch::now}});
}

template <class Scalar, class ExecutionSpace>
ConvPlan<Scalar, ExecutionSpace>::ConvPlan(ConvPlan&&) noexcept = default;
template <class Scalar, class ExecutionSpace>
ConvPlan<Scalar, ExecutionSpace>& ConvPlan<Scalar, ExecutionSpace>::operator=(ConvPlan&&) noexcept =
    default;
template <class Scalar, class ExecutionSpace>
ConvPlan<Scalar, ExecutionSpace>::~ConvPlan() = default;

template <class Scalar, class ExecutionSpace>
void ConvPlan<Scalar, ExecutionSpace>::run(const ExecutionSpace& exec) const {
  require_running("synelix::conv");
  m_state->conv.launch(exec);
}

template <class Scalar, class ExecutionSpace>
void ConvPlan<Scalar, ExecutionSpace>::run_watched(const ExecutionSpace& exec,
                                                   const Watch& watch) const {
  require_running("synelix::conv");
  plan::run_and_wait(exec, "conv", m_state->conv, watch);
}

template <class Scalar, class ExecutionSpace>
const ConvChoice& ConvPlan<Scalar, ExecutionSpace>::choice() const {
  return m_state->conv.choice();
}

template <class ExecutionSpace>
ConvChoice choose_conv(const ExecutionSpace& exec, const ConvArrays& arrays,
                       const ConvOptions& options) {
  require_running("synelix::choose_conv");
  check_reached(exec, arrays);
  return visit_result(arrays, [&]<class Scalar>() {
    return plan::choose_operator<Scalar>(plan::shape_of(arrays, options, stored_type<Scalar>),
                                         options,
                                         plan::execution_resources_of(exec, options.budget),
                                         plan::device_scratch_bytes<ExecutionSpace, Scalar>())
        .choice;
  });
}

template <class ExecutionSpace>
void convolve_arrays(const ExecutionSpace& exec, const ConvArrays& arrays,
                     const ConvOptions& options) {
  require_running("synelix::conv");
  check_reached(exec, arrays);
  visit_result(arrays, [&]<class Scalar>() {
    const plan::PreparedOperator<Scalar, ExecutionSpace> bound(
        exec, plan::shape_of(arrays, options, stored_type<Scalar>), options,
        plan::FirstLaunch::with_first_run);
    plan::run_and_wait(exec, "conv", bound, options.watch);
  });
}

#define SYNELIX_INSTANTIATE(SCALAR, SPACE) template class ConvPlan<SCALAR, SPACE>;
SYNELIX_FOR_EACH_SCALAR_AND_SPACE(SYNELIX_INSTANTIATE)
#undef SYNELIX_INSTANTIATE
#define SYNELIX_INSTANTIATE(SPACE)                                                      \
  template ConvChoice choose_conv(const SPACE&, const ConvArrays&, const ConvOptions&); \
  template void convolve_arrays(const SPACE&, const ConvArrays&, const ConvOptions&);
SYNELIX_FOR_EACH_SPACE(SYNELIX_INSTANTIATE)
#undef SYNELIX_INSTANTIATE

}  // namespace synelix
