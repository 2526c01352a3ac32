// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "launch/arrays.hpp"
#include "launch/host_space.hpp"
#include "launch/reached.hpp"
#include "launch/start_watched.hpp"
#include "launch/watched.hpp"
#include "machine/device_memory.hpp"
#include "machine/spaces.hpp"
#include "products/plan/prepared_products.hpp"
#include "products/plan/product_arguments.hpp"

#include <synelix/error.hpp>
#include <synelix/matmul.hpp>
#include <synelix/types/session.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

/// \file
/// Matrix products: check, bind, run.

namespace synelix {
namespace {

template <class ExecutionSpace>
void check_reached(const ExecutionSpace& exec, std::span<const Product> products) {
  for (std::size_t i = 0; i < products.size(); ++i) {
    plan::check_reached(exec, products[i].a, "products[" + std::to_string(i) + "].a");
    plan::check_reached(exec, products[i].b, "products[" + std::to_string(i) + "].b");
    plan::check_reached(exec, products[i].memory_space, plan::values_of(products[i].c),
                        "products[" + std::to_string(i) + "].c");
  }
}

template <class ExecutionSpace>
void check_reached(const ExecutionSpace& exec, const Operand& a, const Operand& b,
                   const StridedOutput& c) {
  plan::check_reached(exec, a, "a");
  plan::check_reached(exec, b, "b");
  plan::check_reached(exec, c, "c");
}

/// A list of products, with a table if that fits the budget.
template <class Scalar, class ExecutionSpace>
plan::ProductList<Scalar> list_within_budget(const ExecutionSpace& exec,
                                             std::span<const Product> products,
                                             const MatmulOptions& options) {
  const auto count = static_cast<std::int64_t>(products.size());
  const std::int64_t budget = budget_for(exec, options.budget, count * plan::listed_bytes<Scalar>);
  return plan::list_products<Scalar>(products, options, budget);
}

/// Computes a list once.
template <class Scalar, class ExecutionSpace>
void run_once(const ExecutionSpace& exec, plan::ProductList<Scalar> list,
              const MatmulOptions& options) {
  const plan::PreparedProducts<Scalar, ExecutionSpace> bound(exec, std::move(list), options,
                                                             plan::FirstLaunch::with_first_run);
  plan::run_and_wait(exec, "matmul", bound, options.watch);
}

}  // namespace

template <class Scalar, class ExecutionSpace>
struct MatmulPlan<Scalar, ExecutionSpace>::State {
  plan::PreparedProducts<Scalar, ExecutionSpace> products;
};

template <class Scalar, class ExecutionSpace>
MatmulPlan<Scalar, ExecutionSpace>::MatmulPlan(const ExecutionSpace& exec,
                                               std::span<const Product> products,
                                               const MatmulOptions& options) {
  require_running("synelix::MatmulPlan");
  check_reached(exec, products);
  m_state =
      std::make_unique<State>(State{{exec, list_within_budget<Scalar>(exec, products, options),
                                     options, plan::FirstLaunch::now}});
}

template <class Scalar, class ExecutionSpace>
MatmulPlan<Scalar, ExecutionSpace>::MatmulPlan(const ExecutionSpace& exec, const Operand& a,
                                               const Operand& b, const StridedOutput& c,
                                               const MatmulOptions& options) {
  require_running("synelix::MatmulPlan");
  check_reached(exec, a, b, c);
  m_state = std::make_unique<State>(
      State{{exec, plan::list_batch<Scalar>(a, b, c, options), options, plan::FirstLaunch::now}});
}

template <class Scalar, class ExecutionSpace>
MatmulPlan<Scalar, ExecutionSpace>::MatmulPlan(MatmulPlan&&) noexcept = default;
template <class Scalar, class ExecutionSpace>
MatmulPlan<Scalar, ExecutionSpace>& MatmulPlan<Scalar, ExecutionSpace>::operator=(
    MatmulPlan&&) noexcept = default;
template <class Scalar, class ExecutionSpace>
MatmulPlan<Scalar, ExecutionSpace>::~MatmulPlan() = default;

template <class Scalar, class ExecutionSpace>
void MatmulPlan<Scalar, ExecutionSpace>::run(const ExecutionSpace& exec) const {
  require_running("synelix::matmul");
  m_state->products.launch(exec);
}

template <class Scalar, class ExecutionSpace>
void MatmulPlan<Scalar, ExecutionSpace>::run_watched(const ExecutionSpace& exec,
                                                     const Watch& watch) const {
  require_running("synelix::matmul");
  plan::run_and_wait(exec, "matmul", m_state->products, watch);
}

template <class Scalar, class ExecutionSpace>
const MatmulChoice& MatmulPlan<Scalar, ExecutionSpace>::choice() const {
  return m_state->products.choice();
}

std::vector<std::int64_t> seam::product_extents(const Operand& a, const Operand& b) {
  return plan::product_extents(a, b);
}

std::vector<std::int64_t> seam::product_extents(const Operand& a, const Operand& b, int rank,
                                                const MatmulOptions& options) {
  if (options.beta != 0) {
    throw Error(
        "beta",
        std::to_string(options.beta) + " needs values in the result, and a new result has none",
        "Use 0 for a new result");
  }
  std::vector<std::int64_t> extents = plan::product_extents(a, b);
  if (static_cast<int>(extents.size()) != rank) {
    throw Error("matmul result",
                "a View of rank " + std::to_string(rank) + " does not fit the operands",
                "Use a View of rank " + std::to_string(extents.size()) + ", as the operands have");
  }
  return extents;
}

template <class ExecutionSpace>
MatmulChoice seam::choose_matmul(const ExecutionSpace& exec, const Operand& a, const Operand& b,
                                 const StridedOutput& c, const MatmulOptions& options) {
  require_running("synelix::choose_matmul");
  check_reached(exec, a, b, c);
  return plan::visit_scalar("c", c.type, [&]<class Scalar>() {
    const auto list = plan::list_batch<Scalar>(a, b, c, options, plan::ArrayMemory::not_needed);
    return plan::choose_products(list, options, plan::execution_resources_of(exec, options.budget),
                                 plan::library_of<Scalar, ExecutionSpace>())
        .choice;
  });
}

template <class ExecutionSpace>
void matmul(const ExecutionSpace& exec, std::span<const Product> products,
            const MatmulOptions& options) {
  require_running("synelix::matmul");
  if (products.empty()) return;
  check_reached(exec, products);
  plan::visit_scalar("products[0].c", products[0].c.type, [&]<class Scalar>() {
    run_once(exec, list_within_budget<Scalar>(exec, products, options), options);
  });
}

template <class ExecutionSpace>
void seam::matmul(const ExecutionSpace& exec, const Operand& a, const Operand& b,
                  const StridedOutput& c, const MatmulOptions& options) {
  require_running("synelix::matmul");
  check_reached(exec, a, b, c);
  plan::visit_scalar("c", c.type, [&]<class Scalar>() {
    run_once(exec, plan::list_batch<Scalar>(a, b, c, options), options);
  });
}

#define SYNELIX_INSTANTIATE(SCALAR, SPACE) template class MatmulPlan<SCALAR, SPACE>;
SYNELIX_FOR_EACH_SCALAR_AND_SPACE(SYNELIX_INSTANTIATE)
#undef SYNELIX_INSTANTIATE
#define SYNELIX_INSTANTIATE(SPACE)                                                               \
  template MatmulChoice seam::choose_matmul(const SPACE&, const Operand&, const Operand&,        \
                                            const StridedOutput&, const MatmulOptions&);         \
  template void matmul(const SPACE&, std::span<const Product>, const MatmulOptions&);            \
  template void seam::matmul(const SPACE&, const Operand&, const Operand&, const StridedOutput&, \
                             const MatmulOptions&);
SYNELIX_FOR_EACH_SPACE(SYNELIX_INSTANTIATE)
#undef SYNELIX_INSTANTIATE

}  // namespace synelix
