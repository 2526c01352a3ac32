// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "plan/apart.hpp"

#include "plan/arrays.hpp"

#include <synelix/error.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

namespace synelix::plan {
namespace {

/// A matrix as rows of neighbouring values, `row` values apart.
struct Lattice {
  std::int64_t row = 0;  ///< 0: the array is none
  std::int64_t rows = 0;
  std::int64_t columns = 0;
};

template <class Void>
Lattice lattice_of(const BasicStrided<Void>& array) {
  if (array.rank != 2) return {};
  const auto& extents = array.extents;
  const auto& strides = array.strides;
  if (strides[1] == 1 && strides[0] >= extents[1]) return {strides[0], extents[0], extents[1]};
  if (strides[0] == 1 && strides[1] >= extents[0]) return {strides[1], extents[1], extents[0]};
  return {};
}

bool meet(std::int64_t size, std::int64_t from, std::int64_t other_size) {
  return from < size && from + other_size > 0;
}

/// A result: its addresses, and the furthest end of it and those before.
struct Result {
  Addresses addresses;
  std::uintptr_t furthest;
  std::size_t product;
};

std::string name_of(std::size_t product, const char* what) {
  return "products[" + std::to_string(product) + "]." + what;
}

/// Calls visit(product) for each result whose addresses meet a range.
template <class Visitor>
void visit_met(const std::vector<Result>& results, const Addresses& range, const Visitor& visit) {
  if (range.begin == range.end) return;
  auto end = std::lower_bound(
      results.begin(), results.end(), range.end,
      [](const Result& result, std::uintptr_t at) { return result.addresses.begin < at; });
  while (end != results.begin() && (end - 1)->furthest > range.begin) {
    --end;
    if (end->addresses.end > range.begin) visit(end->product);
  }
}

}  // namespace

std::vector<Strided> arrays_of(const Matrices& matrices) {
  std::vector<Strided> arrays{matrices.array()};
  const std::int64_t count = matrices.is_scaled_by_row() ? matrices.rows() : matrices.columns();
  for (const double* const numbers : {matrices.axis_scale(), matrices.axis_offset()}) {
    if (numbers != nullptr)
      arrays.emplace_back(numbers, std::initializer_list<std::int64_t>{count});
  }
  return arrays;
}

bool are_apart(const StridedOutput& output, const Strided& other) {
  const Addresses a = addresses_of(output);
  const Addresses b = addresses_of(other);
  if (a.begin >= b.end || b.begin >= a.end) return true;
  const Lattice mine = lattice_of(output);
  const Lattice theirs = lattice_of(other);
  const std::int64_t bytes = size_of(output.type);
  if (mine.row == 0 || mine.row != theirs.row || bytes != size_of(other.type)) return false;
  if ((output.strides[1] == 1) != (other.strides[1] == 1)) return false;
  const auto distance = static_cast<std::int64_t>(b.begin - a.begin);
  if (distance % bytes != 0) return false;
  std::int64_t row = distance / bytes / mine.row;
  std::int64_t column = distance / bytes % mine.row;
  if (column < 0) {
    column += mine.row;
    --row;
  }
  // The other block begins `column` values behind the start of a row, or before that of the next.
  const bool here = meet(mine.rows, row, theirs.rows) && meet(mine.columns, column, theirs.columns);
  const bool next = meet(mine.rows, row + 1, theirs.rows) &&
                    meet(mine.columns, column - mine.row, theirs.columns);
  return !here && !next;
}

void check_results_apart(std::span<const Product> products) {
  std::vector<Result> results;
  results.reserve(products.size());
  for (std::size_t i = 0; i < products.size(); ++i) {
    const Addresses addresses = addresses_of(products[i].c);
    if (addresses.begin != addresses.end) results.push_back({addresses, 0, i});
  }
  std::sort(results.begin(), results.end(), [](const Result& left, const Result& right) {
    return left.addresses.begin < right.addresses.begin;
  });
  std::uintptr_t furthest = 0;
  for (Result& result : results) {
    furthest = std::max(furthest, result.addresses.end);
    result.furthest = furthest;
  }
  for (std::size_t i = 0; i < products.size(); ++i) {
    const auto check = [&](const Strided& array, const char* what, bool is_result) {
      visit_met(results, addresses_of(array), [&](std::size_t j) {
        if ((is_result && j == i) || are_apart(products[j].c, array)) return;
        throw Error(name_of(j, "c"), "a result whose memory overlaps that of " + name_of(i, what),
                    "memory apart from operands and from other results");
      });
    };
    for (const Strided& array : arrays_of(products[i].a)) check(array, "a", false);
    for (const Strided& array : arrays_of(products[i].b)) check(array, "b", false);
    check(seam::read_only(products[i].c), "c", true);
  }
}

}  // namespace synelix::plan
