// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "products/choice/product_parts.hpp"

#include "index/segment.hpp"
#include "index/team_memory.hpp"
#include "machine/budget.hpp"
#include "products/choice/product_list.hpp"
#include "tile/select.hpp"
#include "tune/device_tile.hpp"
#include "tune/tiles.hpp"

#include <synelix/error.hpp>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

namespace synelix::plan {

template <class Scalar>
SlicedProducts slices_of(const ProductList<Scalar>& list) {
  const sweep::Product<Scalar>& product = list.first;
  // No kernel adds to copied results.
  if (list.is_list() || list.count < 2 || product.columns == 0 || product.beta != 0) return {};
  const std::int64_t stride = product.right.column_stride;
  const std::int64_t apart = list.right_places.stride();
  if (list.left_places.rank > 1 || list.left_places.stride() != 0 || list.right_places.rank != 1 ||
      stride == 0 || apart % stride != 0) {
    return {};
  }
  const std::int64_t step = apart / stride;
  if (step < 1 || step >= product.columns || product.right.column_scale != nullptr ||
      product.right.column_offset != nullptr) {
    return {};
  }
  return {list.count, step, (list.count - 1) * step + product.columns};
}

template SlicedProducts slices_of(const ProductList<float>&);
template SlicedProducts slices_of(const ProductList<double>&);

namespace {

using index::workspace_alignment;

/// The cost of a part of a product, in multiply-adds of single values.
constexpr double cost_of_part(std::int64_t rows, std::int64_t columns, std::int64_t inner) {
  return static_cast<double>(rows) * static_cast<double>(columns) * static_cast<double>(inner) +
         tune::matrix_part;
}

/// Whether a product is so large that the vendor's library is used by default.
constexpr bool is_large_product(std::int64_t rows, std::int64_t columns, std::int64_t inner) {
  const double multiply_adds =
      static_cast<double>(rows) * static_cast<double>(columns) * static_cast<double>(inner);
  return multiply_adds >= tune::library_product &&
         std::min({rows, columns, inner}) >= tune::library_extent;
}

/// Cuts products into parts, numbered product after product.
template <class Scalar>
void number_parts(const ProductList<Scalar>& list, ProductCut<Scalar>& cut) {
  sweep::ProductSet<Scalar>& set = cut.set;
  set.parts = 0;
  list.each([&](const auto& product) { set.parts += set.parts_of(product); });
  if (!list.is_list()) set.parts *= list.count;
}

/// The number of each product's first part, and the number of all parts.
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

/// The first part of each team: runs of about equal cost.
template <class Scalar>
std::vector<std::int64_t> equal_shares(const ProductList<Scalar>& list,
                                       const sweep::ProductSet<Scalar>& set, std::int64_t teams,
                                       std::int64_t lanes) {
  const auto cost_of = [&](const sweep::Product<Scalar>& product, const sweep::ProductPart& part) {
    return cost_of_part(part.rows, index::round_up(part.columns, lanes), product.inner);
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

/// What the tiles of a host copy, for all products together.
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

/// Makes smaller parts if there are too few for all teams. This changes no bit.
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

/// Whether the vendor's library computes the list. \throws Error if it must and cannot
template <class Scalar>
bool takes_library(const ProductList<Scalar>& list, const MatmulOptions& options,
                   VendorLibrary library) {
  if (options.multiplier == Multiplier::tiles || list.count == 0) return false;
  const sweep::Product<Scalar>& product = list.first;
  if (list.count == 1 && (product.rows == 0 || product.columns == 0 || product.inner == 0)) {
    return false;  // nothing to multiply
  }
  const bool suits = list.count == 1 && library == VendorLibrary::present && suits_library(product);
  if (options.multiplier == Multiplier::automatic) {
    return suits && is_large_product(product.rows, product.columns, product.inner);
  }
  if (suits) return true;
  throw Error(
      "multiplier",
      std::string("library does not serve ") +
          (library == VendorLibrary::absent ? "here, since this build has no library for the space"
           : list.count > 1 ? "more than one product"
                            : "values that are converted, lie side by side in no direction, or are "
                              "more than a library counts"),
      "Use tiles");
}

/// Bytes of the product that a batch of slices is part of.
template <class Scalar>
std::int64_t slices_bytes(const ProductList<Scalar>& list, const SlicedProducts& slices) {
  return index::whole_lines(list.first.rows * slices.columns * std::int64_t{sizeof(Scalar)});
}

/// Cuts a list into parts. Returns the largest number of teams.
template <class Scalar>
std::int64_t cut_parts(const ProductList<Scalar>& list, const MatmulOptions& options,
                       const ExecutionResources& resources, ProductCut<Scalar>& cut) {
  if (resources.is_device) {
    cut.set.part_rows = tune::device_tile_part;
    cut.set.part_columns = tune::device_tile_part;
    number_parts(list, cut);
    return std::max<std::int64_t>(1, cut.set.parts);
  }
  cut.choice.instruction_set = tile::select_set(options.machine.instruction_set);
  const auto& table = tile::table_of<Scalar>(cut.choice.instruction_set);
  cut.set.part_rows = tune::host_matrix_rows;
  cut.set.part_columns = tune::host_matrix_columns;
  cut_for(list, resources.concurrency, cut);
  cut.packing = packing_of(list, cut.set, std::int64_t{table.lanes} * table.matrix_packs);
  cut.team_bytes = index::whole_lines(sweep::MatmulTeamMemory<Scalar>::bytes(cut.packing));
  return std::clamp<std::int64_t>(cut.set.parts, 1, resources.concurrency);
}

/// The cut of a list, before any budget.
template <class Scalar>
ProductCut<Scalar> cut_list(const ProductList<Scalar>& list, const MatmulOptions& options,
                            const ExecutionResources& resources) {
  ProductCut<Scalar> cut;
  cut.choice.products = list.count;
  count_work(list, cut.choice);
  cut.choice.teams = cut_parts(list, options, resources, cut);
  cut.choice.parts = cut.set.parts;
  if (list.is_list()) {
    cut.table_bytes = list.count * listed_bytes<Scalar> +
                      (cut.choice.teams + 2) * std::int64_t{sizeof(std::int64_t)};
  }
  return cut;
}

/// The bytes of a cut with one team.
template <class Scalar>
std::int64_t least_bytes(const ProductCut<Scalar>& cut) {
  return cut.table_bytes + cut.slices_bytes + cut.team_bytes +
         (cut.slices_bytes + cut.team_bytes > 0 ? workspace_alignment : 0);
}

/// The bytes that a call with a cut may use.
template <class Scalar>
std::int64_t budget_of(const ExecutionResources& resources, const ProductCut<Scalar>& cut) {
  return resources.budget(least_bytes(cut) + (cut.choice.teams - 1) * cut.team_bytes);
}

/// Limits the teams to as many as fit the budget.
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

template <class Scalar>
ProductCut<Scalar> choose_products(const ProductList<Scalar>& list, const MatmulOptions& options,
                                   const ExecutionResources& resources, VendorLibrary library) {
  if (takes_library(list, options, library)) {
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
    ProductCut<Scalar> cut = cut_list(whole, options, resources);
    cut.slices = slices;
    cut.slices_bytes = slices_bytes(list, slices);
    const std::int64_t budget = budget_of(resources, cut);
    least = least_bytes(cut);
    if (least <= budget) {
      cut.choice.is_sliced = true;
      cut.choice.products = list.count;
      cut.choice.bytes += results_bytes(list);
      share_budget(budget, cut);
      return cut;
    }
  }
  ProductCut<Scalar> cut = cut_list(list, options, resources);
  const std::int64_t budget = budget_of(resources, cut);
  if (budget < least_bytes(cut)) {
    least = std::min(least, least_bytes(cut));  // of the two ways, the one that takes less
    refuse_budget("budget", budget, least);
  }
  share_budget(budget, cut);
  if (list.is_list()) cut.first_parts = first_parts_of(list, cut.set);
  if (list.is_list() && !resources.is_device) {
    cut.shares = equal_shares(list, cut.set, cut.choice.teams,
                              tile::table_of<Scalar>(cut.choice.instruction_set).lanes);
  }
  return cut;
}

template ProductCut<float> choose_products(const ProductList<float>&, const MatmulOptions&,
                                           const ExecutionResources&, VendorLibrary);
template ProductCut<double> choose_products(const ProductList<double>&, const MatmulOptions&,
                                            const ExecutionResources&, VendorLibrary);

}  // namespace synelix::plan
