// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "golden/operators/operator_matmul.hpp"

#include <synelix/matmul.hpp>

#include "golden/operators/operator_case.hpp"

#include <Kokkos_Core.hpp>

#include <cmath>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace golden {
namespace {

using synelix::Operand;

enum class Call { matmul, matmul_windows, list };

/// One product, with the sources of its operands.
struct MatmulCase {
  StoredOperand first;
  StoredOperand second;
  std::optional<Array> before;
  Array result;
  TermSizes sizes;
};

std::vector<std::int64_t> windows_of(const Group& group, const std::string& name) {
  const auto numbers = group.numbers(name + "_windows");
  std::vector<std::int64_t> windows;
  for (const double number : numbers.value_or(std::vector<double>())) {
    windows.push_back(std::llround(number));
    if (static_cast<double>(windows.back()) != number) windows.clear();
  }
  if (!numbers || windows.size() == 2 || windows.size() == 3) return windows;
  throw FormatError(group.path() + ": " + name +
                    "_windows is not (columns, step) or (rows, columns, step)");
}

bool is_transposed(const Group& group, const std::string& name) {
  return group.flag(name + "_transposed").value_or(false);
}

/// Without its windows.
Operand matrix_of(const Group& group, const std::string& name, const StoredOperand& stored) {
  Operand matrices(stored.strided());
  if (stored.is_scaled_by_column()) {
    matrices = scaled(matrices, stored.column_scale(), stored.column_offset());
  } else if (stored.is_scaled()) {
    matrices = scaled(matrices, stored.scale(), stored.offset());
  }
  return is_transposed(group, name) ? transposed(matrices) : matrices;
}

Operand operand_of(const Group& group, const std::string& name, const StoredOperand& stored) {
  const Operand matrix = matrix_of(group, name, stored);
  const std::vector<std::int64_t> taken = windows_of(group, name);
  if (taken.empty()) return matrix;
  return taken.size() == 2 ? windows(matrix, taken[0], taken[1])
                           : windows(matrix, taken[0], taken[1], taken[2]);
}

synelix::MatmulOptions matmul_options_of(const Group& group) {
  synelix::MatmulOptions options;
  options.alpha = group.number("alpha").value_or(1);
  options.beta = group.number("beta").value_or(0);
  return options;
}

TermSizes sizes_of(const Group& group, const MatmulCase& item) {
  const synelix::MatmulOptions options = matmul_options_of(group);
  const std::size_t rank = item.second.extents().size();
  if (rank < 2) throw FormatError(group.path() + ": second is not a matrix");
  std::vector<bool> is_summed(rank, false);
  is_summed[rank - (is_transposed(group, "second") ? 1 : 2)] = true;
  TermSizes sizes = item.second.largest_sum(is_summed);
  sizes.size *= std::abs(options.alpha) * item.first.largest();
  if (item.before) sizes.size += std::abs(options.beta) * largest_finite(item.before->values);
  return sizes;
}

MatmulCase read_case(const Group& group, const std::string& suffix) {
  MatmulCase item{.first = StoredOperand(group, "first", suffix),
                  .second = StoredOperand(group, "second", suffix),
                  .before = std::nullopt,
                  .result = group.array("result" + suffix),
                  .sizes = {}};
  if (matmul_options_of(group).beta != 0) {
    item.before = group.array("before" + suffix);
    if (item.before->extents != item.result.extents) {
      throw FormatError(group.path() + ": before" + suffix + " is not of the shape of the result");
    }
  }
  item.sizes = sizes_of(group, item);
  return item;
}

/// Memory for a result, with its previous contents.
template <class Scalar>
Placed<Scalar> result_of(const MatmulCase& item) {
  std::vector<Scalar> before(item.result.values.size(), Scalar(-12345));
  if (item.before) before.assign(item.before->values.begin(), item.before->values.end());
  return placed(before);
}

/// The extents of the result by the library.
Outcome check_extents(const Group& group, const MatmulCase& item) {
  const std::vector<std::int64_t> found = synelix::seam::product_extents(
      operand_of(group, "first", item.first), operand_of(group, "second", item.second));
  if (found == item.result.extents) return {};
  return {Outcome::Kind::differs,
          "the result is " + extents_text(found) + ", not " + extents_text(item.result.extents)};
}

template <class Scalar>
Outcome check_product(const Group& group, const MatmulCase& item) {
  const auto result = result_of<Scalar>(item);
  synelix::matmul(OperatorSpace(), operand_of(group, "first", item.first),
                  operand_of(group, "second", item.second),
                  synelix::StridedOutput(result.data(), item.result.extents),
                  matmul_options_of(group));
  return compare_sums(group, item.result, values_of(result), item.sizes);
}

/// By the call that returns windows of the one product.
template <class Scalar>
Outcome check_windows(const Group& group, const MatmulCase& item) {
  const std::vector<std::int64_t> taken = windows_of(group, "second");
  if (taken.size() != 2) throw FormatError(group.path() + ": second_windows is missing");
  const auto products = synelix::matmul_windows<Scalar>(
      OperatorSpace(), operand_of(group, "first", item.first),
      matrix_of(group, "second", item.second), taken[0], taken[1], matmul_options_of(group));
  const auto product = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), products.product);
  const auto& windows = products.windows;
  const std::vector<std::int64_t> extents{static_cast<std::int64_t>(windows.extent(0)),
                                          static_cast<std::int64_t>(windows.extent(1)),
                                          static_cast<std::int64_t>(windows.extent(2))};
  if (extents != item.result.extents) {
    return {Outcome::Kind::differs, "the windows are " + extents_text(extents)};
  }
  const Scalar* const first = product.data() + (windows.data() - products.product.data());
  std::vector<Scalar> found;
  for (std::size_t p = 0; p < windows.extent(0); ++p) {
    for (std::size_t i = 0; i < windows.extent(1); ++i) {
      for (std::size_t j = 0; j < windows.extent(2); ++j) {
        found.push_back(
            first[p * windows.stride(0) + i * windows.stride(1) + j * windows.stride(2)]);
      }
    }
  }
  return compare_sums(group, item.result, found, item.sizes);
}

/// All products in one call.
template <class Scalar>
Outcome check_list(const Group& group, const std::vector<MatmulCase>& items) {
  std::vector<Placed<Scalar>> results;
  std::vector<synelix::Product> products;
  for (const MatmulCase& item : items) {
    results.push_back(result_of<Scalar>(item));
    products.push_back({operand_of(group, "first", item.first),
                        operand_of(group, "second", item.second),
                        synelix::StridedOutput(results.back().data(), item.result.extents)});
  }
  synelix::matmul(OperatorSpace(), std::span<const synelix::Product>(products),
                  matmul_options_of(group));
  Outcome worst{Outcome::Kind::agrees, type_name<Scalar>() + " within 0"};
  for (std::size_t i = 0; i < items.size(); ++i) {
    Outcome outcome = compare_sums(group, items[i].result, values_of(results[i]), items[i].sizes);
    if (outcome.kind != Outcome::Kind::agrees) {
      outcome.text = "product " + std::to_string(i) + ": " + outcome.text;
      return outcome;
    }
    if (outcome.largest > worst.largest) worst = outcome;
  }
  return worst;
}

const std::set<std::string> known_attributes{
    "operator",      "products",          "alpha",          "beta",        "first_transposed",
    "first_windows", "second_transposed", "second_windows", "first_scale", "first_offset",
    "second_scale",  "second_offset",     "rtol",           "source"};

Outcome check_lists(const Group& group) {
  const std::int64_t products = group.integer("products").value_or(0);
  if (products < 1) throw FormatError(group.path() + ": attribute products has to be 1 or more");
  std::set<std::string> datasets;
  std::vector<MatmulCase> items;
  for (std::int64_t i = 0; i < products; ++i) {
    const std::string suffix = "_" + std::to_string(i);
    items.push_back(read_case(group, suffix));
    for (const char* name : {"first", "second", "before", "result"}) datasets.insert(name + suffix);
    Outcome outcome = check_extents(group, items.back());
    if (outcome.kind != Outcome::Kind::agrees) return outcome;
  }
  refuse_unknown(group, known_attributes, datasets);
  return both(check_list<double>(group, items), check_list<float>(group, items));
}

}  // namespace

Outcome check_matmul(const Group& group) {
  if (!group.text("operator")) throw FormatError(group.path() + ": attribute operator is missing");
  const Call call = named<Call>(
      group, "operator",
      {{"matmul", Call::matmul}, {"matmul_windows", Call::matmul_windows}, {"list", Call::list}});
  if (call == Call::list) return check_lists(group);
  refuse_unknown(group, known_attributes,
                 {"first", "second", "before", "result", "first_column_scale",
                  "first_column_offset", "second_column_scale", "second_column_offset"});
  const MatmulCase item = read_case(group, "");
  Outcome outcome = check_extents(group, item);
  if (outcome.kind != Outcome::Kind::agrees) return outcome;
  if (call == Call::matmul_windows) {
    return both(check_windows<double>(group, item), check_windows<float>(group, item));
  }
  return both(check_product<double>(group, item), check_product<float>(group, item));
}

}  // namespace golden
