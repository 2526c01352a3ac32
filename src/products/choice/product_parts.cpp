// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "products/choice/product_parts.hpp"

#include "launch/host_space.hpp"
#include "launch/workspace_memory.hpp"
#include "products/choice/product_costs.hpp"
#include "products/plan/library_product.hpp"
#include "products/sweep/device_matmul.hpp"
#include "tile/select.hpp"
#include "vocabulary/budget.hpp"
#include "vocabulary/device_memory.hpp"
#include "vocabulary/spaces.hpp"

#include <synelix/error.hpp>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

namespace synelix::plan {
namespace {

/// Cuts products into parts, numbered product after product.
template <class Scalar>
void number_parts(const ProductList<Scalar>& list, ProductCut<Scalar>& cut) {
  sweep::ProductSet<Scalar>& set = cut.set;
  set.parts = 0;
  list.each([&](const auto& product) { set.parts += set.parts_of(product); });
  if (!list.is_list()) set.parts *= list.count;
}

/// The number of each product's first part, and of all.
template <class Scalar>
std::vector<std::int64_t> first_parts_of(const ProductList<Scalar>& list,
                                         const sweep::ProductSet<Scalar>& set) {
  std::vector<std::int64_t> first_parts;
  first_parts.reserve(list.table.size() + 1);
  first_parts.push_back(0);
  for (const auto& product : list.table) {
    first_parts.push_back(first_parts.back() + set.parts_of(product));
  }
  return first_parts;
}

/// The first part of each team: runs that cost about the same.
template <class Scalar>
std::vector<std::int64_t> equal_shares(const ProductList<Scalar>& list,
                                       const sweep::ProductSet<Scalar>& set, std::int64_t teams,
                                       std::int64_t lanes) {
  const auto cost_of = [&](const sweep::Product<Scalar>& product, const sweep::ProductPart& part) {
    return chooser::cost_of_part(part.rows, index::round_up(part.columns, lanes), product.inner);
  };
  double total = 0;
  for (const auto& product : list.table) {
    const std::int64_t parts = set.parts_of(product);
    for (std::int64_t i = 0; i < parts; ++i) total += cost_of(product, set.part(product, i));
  }
  std::vector<std::int64_t> shares;
  shares.reserve(static_cast<std::size_t>(teams) + 1);
  shares.push_back(0);
  double cost = 0;
  std::int64_t number = 0;
  for (const auto& product : list.table) {
    const std::int64_t parts = set.parts_of(product);
    for (std::int64_t i = 0; i < parts; ++i, ++number) {
      const auto begun = static_cast<double>(shares.size());
      if (cost >= total * begun / static_cast<double>(teams)) shares.push_back(number);
      cost += cost_of(product, set.part(product, i));
    }
  }
  shares.resize(static_cast<std::size_t>(teams) + 1, number);
  return shares;
}

/// What the tiles of a host copy, of all products together.
template <class Scalar>
sweep::MatmulPacking packing_of(const ProductList<Scalar>& list,
                                const sweep::ProductSet<Scalar>& set, std::int64_t panel) {
  sweep::MatmulPacking packing;
  const auto add = [&](const sweep::Product<Scalar>& product) {
    if (product.rows == 0 || product.columns == 0) return;
    const std::int64_t columns = std::min(product.columns, set.part_columns);
    packing = packing | sweep::packing_of(product, std::min(product.rows, set.part_rows),
                                          index::ceil_divide(columns, panel));
  };
  list.each(add);
  return packing;
}

template <class Scalar>
void count_work(const ProductList<Scalar>& list, MatmulChoice& choice) {
  const double times = list.is_list() ? 1 : static_cast<double>(list.count);
  list.each([&](const sweep::Product<Scalar>& product) {
    const auto rows = static_cast<double>(product.rows);
    const auto columns = static_cast<double>(product.columns);
    const auto inner = static_cast<double>(product.inner);
    choice.flops += times * 2 * rows * columns * inner;
    choice.bytes += times * (rows * inner * static_cast<double>(size_of(product.left.type)) +
                             inner * columns * static_cast<double>(size_of(product.right.type)) +
                             rows * columns * static_cast<double>(sizeof(Scalar)) *
                                 (product.beta == 0 ? 1 : 2));
  });
}

/// Smaller parts where there are fewer than teams would share: their bits are the same.
template <class Scalar>
void cut_for(const ProductList<Scalar>& list, std::int64_t teams, ProductCut<Scalar>& cut) {
  constexpr std::int64_t fewest_rows = tune::most_matrix_rows;
  number_parts(list, cut);
  while (teams > 1 && cut.set.parts > 0 && cut.set.parts < 4 * teams &&
         cut.set.part_rows / 2 >= fewest_rows) {
    cut.set.part_rows /= 2;
    number_parts(list, cut);
  }
}

/// Whether the vendor's library computes the list. \throws Error where it has to and cannot
template <class Scalar, class ExecutionSpace>
bool takes_library(const ProductList<Scalar>& list, const MatmulOptions& options) {
  if (options.multiplier == Multiplier::tiles || list.count == 0) return false;
  const sweep::Product<Scalar>& product = list.first;
  if (list.count == 1 && (product.rows == 0 || product.columns == 0 || product.inner == 0)) {
    return false;  // nothing to multiply
  }
  const bool suits = list.count == 1 && has_library<ExecutionSpace>() && suits_library(product);
  if (options.multiplier == Multiplier::automatic) {
    return suits && chooser::is_large_product(product.rows, product.columns, product.inner);
  }
  if (suits) return true;
  throw Error(
      "multiplier",
      std::string("library does not serve ") +
          (!has_library<ExecutionSpace>() ? "here, since this build has no library for the space"
           : list.count > 1 ? "more than one product"
                            : "values that are converted, lie side by side in no direction, or are "
                              "more than a library counts"),
      "Use tiles");
}

/// Bytes of the one product of a batch of slices.
template <class Scalar>
std::int64_t slices_bytes(const ProductList<Scalar>& list, const SlicedProducts& slices) {
  return index::round_up(list.first.rows * slices.columns * std::int64_t{sizeof(Scalar)},
                         workspace_alignment);
}

/// The parts of a list, and how many teams compute them at most.
template <class Scalar, class ExecutionSpace>
std::int64_t cut_parts(const ExecutionSpace& exec, const ProductList<Scalar>& list,
                       const MatmulOptions& options, ProductCut<Scalar>& cut) {
  if constexpr (is_host_space<ExecutionSpace>) {
    cut.choice.instruction_set = tile::select_set(options.machine.instruction_set);
    const auto& table = tile::table_of<Scalar>(cut.choice.instruction_set);
    cut.set.part_rows = tune::host_matrix_rows;
    cut.set.part_columns = tune::host_matrix_columns;
    cut_for(list, exec.concurrency(), cut);
    cut.packing = packing_of(list, cut.set, std::int64_t{table.lanes} * table.matrix_packs);
    cut.team_bytes =
        index::round_up(sweep::MatmulTeamMemory<Scalar>::bytes(cut.packing), workspace_alignment);
    return std::clamp<std::int64_t>(cut.set.parts, 1, exec.concurrency());
  } else {
    cut.set.part_rows = sweep::DeviceMatmulSweep<Scalar>::part_rows;
    cut.set.part_columns = sweep::DeviceMatmulSweep<Scalar>::part_columns;
    number_parts(list, cut);
    return std::max<std::int64_t>(1, cut.set.parts);
  }
}

/// The cut of a list, before any budget.
template <class Scalar, class ExecutionSpace>
ProductCut<Scalar> cut_list(const ExecutionSpace& exec, const ProductList<Scalar>& list,
                            const MatmulOptions& options) {
  ProductCut<Scalar> cut;
  cut.choice.products = list.count;
  count_work(list, cut.choice);
  cut.choice.teams = cut_parts(exec, list, options, cut);
  cut.choice.parts = cut.set.parts;
  if (list.is_list()) {
    cut.table_bytes = list.count * listed_bytes<Scalar> +
                      (cut.choice.teams + 2) * std::int64_t{sizeof(std::int64_t)};
  }
  return cut;
}

/// What a cut takes with one team.
template <class Scalar>
std::int64_t least_bytes(const ProductCut<Scalar>& cut) {
  return cut.table_bytes + cut.slices_bytes + cut.team_bytes +
         (cut.slices_bytes + cut.team_bytes > 0 ? workspace_alignment : 0);
}

/// What a call with a cut may use.
template <class ExecutionSpace, class Scalar>
std::int64_t budget_of(const ExecutionSpace& exec, const MatmulOptions& options,
                       const ProductCut<Scalar>& cut) {
  return budget_for(exec, options.budget,
                    least_bytes(cut) + (cut.choice.teams - 1) * cut.team_bytes);
}

/// As many teams as a budget has room for.
template <class Scalar>
void share_budget(std::int64_t budget, ProductCut<Scalar>& cut) {
  MatmulChoice& choice = cut.choice;
  const std::int64_t fixed = least_bytes(cut) - cut.team_bytes;
  choice.teams = teams_within(budget, fixed, cut.team_bytes, choice.teams);
  choice.workspace_bytes = fixed + choice.teams * cut.team_bytes;
}

/// Bytes of the results of a batch.
template <class Scalar>
double results_bytes(const ProductList<Scalar>& list) {
  return static_cast<double>(list.count) * static_cast<double>(list.first.rows) *
         static_cast<double>(list.first.columns) * sizeof(Scalar);
}

}  // namespace

template <class Scalar, class ExecutionSpace>
ProductCut<Scalar> cut_products(const ExecutionSpace& exec, const ProductList<Scalar>& list,
                                const MatmulOptions& options) {
  if (takes_library<Scalar, ExecutionSpace>(list, options)) {
    ProductCut<Scalar> cut;
    cut.choice.products = list.count;
    cut.choice.multiplier = Multiplier::library;
    count_work(list, cut.choice);
    return cut;
  }
  const SlicedProducts slices = slices_of(list);
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  if (slices.places > 0) {
    ProductList<Scalar> whole;
    whole.first = whole_of(list.first, slices, static_cast<Scalar*>(nullptr));
    whole.count = 1;
    ProductCut<Scalar> cut = cut_list(exec, whole, options);
    cut.slices = slices;
    cut.slices_bytes = slices_bytes(list, slices);
    const std::int64_t budget = budget_of(exec, options, cut);
    least = least_bytes(cut);
    if (least <= budget) {
      cut.choice.is_sliced = true;
      cut.choice.products = list.count;
      cut.choice.bytes += results_bytes(list);
      share_budget(budget, cut);
      return cut;
    }
  }
  ProductCut<Scalar> cut = cut_list(exec, list, options);
  const std::int64_t budget = budget_of(exec, options, cut);
  if (budget < least_bytes(cut)) {
    least = std::min(least, least_bytes(cut));  // by whichever of the two ways takes less
    refuse_budget("budget", budget, least);
  }
  share_budget(budget, cut);
  if (list.is_list()) cut.first_parts = first_parts_of(list, cut.set);
  if constexpr (is_host_space<ExecutionSpace>) {
    if (list.is_list()) {
      cut.shares = equal_shares(list, cut.set, cut.choice.teams,
                                tile::table_of<Scalar>(cut.choice.instruction_set).lanes);
    }
  }
  return cut;
}

#define SYNELIX_INSTANTIATE(SCALAR, SPACE)                                           \
  template ProductCut<SCALAR> cut_products(const SPACE&, const ProductList<SCALAR>&, \
                                           const MatmulOptions&);
SYNELIX_FOR_EACH_SCALAR_AND_SPACE(SYNELIX_INSTANTIATE)
#undef SYNELIX_INSTANTIATE

}  // namespace synelix::plan
