// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "launch/arrays.hpp"
#include "launch/host_space.hpp"
#include "launch/reached.hpp"
#include "launch/start_watched.hpp"
#include "launch/watched.hpp"
#include "machine/spaces.hpp"
#include "products/plan/prepared_forms.hpp"
#include "products/plan/product_arguments.hpp"

#include <synelix/bilinear_forms.hpp>
#include <synelix/error.hpp>
#include <synelix/types/session.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <string>
#include <vector>

/// \file
/// Bilinear and quadratic forms: check, bind, run.

namespace synelix {
namespace {

/// The forms of a call for the sweeps; without `y`, quadratic forms.
template <class Scalar, class ExecutionSpace>
sweep::FormProblem<Scalar> checked(const ExecutionSpace& exec, const Operand& x, const Operand& a,
                                   const Operand* y, const StridedOutput& q,
                                   const BilinearFormsOptions& options,
                                   plan::ArrayMemory memory = plan::ArrayMemory::needed) {
  plan::check_reached(exec, x, "x");
  plan::check_reached(exec, a, "a");
  if (y != nullptr) plan::check_reached(exec, *y, "y");
  plan::check_reached(exec, q, "q");
  return plan::form_problem<Scalar>(x, a, y, q, options, memory);
}

}  // namespace

template <class Scalar, class ExecutionSpace>
struct BilinearFormsPlan<Scalar, ExecutionSpace>::State {
  plan::PreparedForms<Scalar, ExecutionSpace> forms;
};

template <class Scalar, class ExecutionSpace>
BilinearFormsPlan<Scalar, ExecutionSpace>::BilinearFormsPlan(const ExecutionSpace& exec,
                                                             const Operand& x, const Operand& a,
                                                             const Operand& y,
                                                             const StridedOutput& q,
                                                             const BilinearFormsOptions& options) {
  require_running("synelix::BilinearFormsPlan");
  m_state = std::make_unique<State>(
      State{{exec, checked<Scalar>(exec, x, a, &y, q, options), options, plan::FirstLaunch::now}});
}

template <class Scalar, class ExecutionSpace>
BilinearFormsPlan<Scalar, ExecutionSpace>::BilinearFormsPlan(const ExecutionSpace& exec,
                                                             const Operand& x, const Operand& a,
                                                             const StridedOutput& q,
                                                             const BilinearFormsOptions& options) {
  require_running("synelix::BilinearFormsPlan");
  m_state = std::make_unique<State>(State{
      {exec, checked<Scalar>(exec, x, a, nullptr, q, options), options, plan::FirstLaunch::now}});
}

template <class Scalar, class ExecutionSpace>
BilinearFormsPlan<Scalar, ExecutionSpace>::BilinearFormsPlan(BilinearFormsPlan&&) noexcept =
    default;
template <class Scalar, class ExecutionSpace>
BilinearFormsPlan<Scalar, ExecutionSpace>& BilinearFormsPlan<Scalar, ExecutionSpace>::operator=(
    BilinearFormsPlan&&) noexcept = default;
template <class Scalar, class ExecutionSpace>
BilinearFormsPlan<Scalar, ExecutionSpace>::~BilinearFormsPlan() = default;

template <class Scalar, class ExecutionSpace>
void BilinearFormsPlan<Scalar, ExecutionSpace>::run(const ExecutionSpace& exec) const {
  require_running("synelix::bilinear_forms");
  m_state->forms.launch(exec);
}

template <class Scalar, class ExecutionSpace>
void BilinearFormsPlan<Scalar, ExecutionSpace>::run_watched(const ExecutionSpace& exec,
                                                            const Watch& watch) const {
  require_running("synelix::bilinear_forms");
  plan::run_and_wait(exec, "bilinear_forms", m_state->forms, watch);
}

template <class Scalar, class ExecutionSpace>
const BilinearFormsChoice& BilinearFormsPlan<Scalar, ExecutionSpace>::choice() const {
  return m_state->forms.choice();
}

std::vector<std::int64_t> seam::form_extents(const Operand& x, const Operand& a, int rank) {
  if (a.rank() != rank + 1) {
    throw Error("result",
                "a View of rank " + std::to_string(rank) + " does not fit a of rank " +
                    std::to_string(a.rank()),
                "Use a View of rank " + std::to_string(a.rank() - 1) + ", one below that of a");
  }
  if (rank == 1) return {x.rows()};
  return {a.count(), x.rows()};
}

template <class ExecutionSpace>
BilinearFormsChoice seam::choose_forms(const ExecutionSpace& exec, const Operand& x,
                                       const Operand& a, const Operand* y, const StridedOutput& q,
                                       const BilinearFormsOptions& options) {
  require_running(y != nullptr ? "synelix::choose_bilinear_forms"
                               : "synelix::choose_quadratic_forms");
  return plan::visit_scalar("q", q.type, [&]<class Scalar>() {
    const auto problem = checked<Scalar>(exec, x, a, y, q, options, plan::ArrayMemory::not_needed);
    return plan::choose_forms(problem, options, plan::execution_resources_of(exec, options.budget))
        .choice;
  });
}

template <class ExecutionSpace>
void seam::forms(const ExecutionSpace& exec, const Operand& x, const Operand& a, const Operand* y,
                 const StridedOutput& q, const BilinearFormsOptions& options) {
  require_running(y != nullptr ? "synelix::bilinear_forms" : "synelix::quadratic_forms");
  plan::visit_scalar("q", q.type, [&]<class Scalar>() {
    const plan::PreparedForms<Scalar, ExecutionSpace> bound(
        exec, checked<Scalar>(exec, x, a, y, q, options), options,
        plan::FirstLaunch::with_first_run);
    plan::run_and_wait(exec, "bilinear_forms", bound, options.watch);
  });
}

#define SYNELIX_INSTANTIATE(SCALAR, SPACE) template class BilinearFormsPlan<SCALAR, SPACE>;
SYNELIX_FOR_EACH_SCALAR_AND_SPACE(SYNELIX_INSTANTIATE)
#undef SYNELIX_INSTANTIATE
#define SYNELIX_INSTANTIATE(SPACE)                                                              \
  template BilinearFormsChoice seam::choose_forms(const SPACE&, const Operand&, const Operand&, \
                                                  const Operand*, const StridedOutput&,         \
                                                  const BilinearFormsOptions&);                 \
  template void seam::forms(const SPACE&, const Operand&, const Operand&, const Operand*,       \
                            const StridedOutput&, const BilinearFormsOptions&);
SYNELIX_FOR_EACH_SPACE(SYNELIX_INSTANTIATE)
#undef SYNELIX_INSTANTIATE

}  // namespace synelix
