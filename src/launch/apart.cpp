// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "launch/apart.hpp"

#include "launch/arrays.hpp"

#include <synelix/error.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace synelix::plan {
namespace {

/// A matrix as rows of neighboring values, `row` values apart.
struct Lattice {
  std::int64_t row = 0;  ///< 0: the array is not of this form
  std::int64_t rows = 0;
  std::int64_t columns = 0;
};

Lattice lattice_of(const Strided& array) {
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

/// The memory of an argument; empty if it is absent.
Addresses memory_of(const Argument& argument) {
  return argument.array.data == nullptr ? Addresses{} : addresses_of(argument.array);
}

/// Whether the two arrays share no value.
bool lie_apart(const Strided& output, const Strided& other) {
  if (output.data == nullptr || other.data == nullptr) return true;
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
  // The other block begins `column` values after the start of a row, or before the start of the
  // next.
  const bool here = meet(mine.rows, row, theirs.rows) && meet(mine.columns, column, theirs.columns);
  const bool next = meet(mine.rows, row + 1, theirs.rows) &&
                    meet(mine.columns, column - mine.row, theirs.columns);
  return !here && !next;
}

/// The common check of all calls.
void check_pair(const Argument& written, const Argument& other) {
  if (lie_apart(written.array, other.array)) return;
  throw OverlapError(written.text(), other.text(), "Use memory apart from all other arguments");
}

/// The written and read arrays of one product of a list.
Arguments arguments_of(const Product& product, std::size_t number) {
  Arguments arguments;
  arguments.of_entry("products", static_cast<std::int64_t>(number));
  arguments.writes(".c", product.c).reads(".a", product.a).reads(".b", product.b);
  return arguments;
}

/// A result of a list: its addresses, and the largest end address of it and all before it.
struct Result {
  Addresses addresses;
  std::uintptr_t furthest;
  std::size_t product;
};

/// Results in the order of their addresses.
std::vector<Result> results_of(std::span<const Product> products) {
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
  return results;
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

std::string Argument::text() const {
  std::string text = name;
  if (number >= 0) text += "[" + std::to_string(number) + "]";
  return text + entry + part;
}

void Arguments::add(const char* name, const char* part, const Strided& array, Access access) {
  Argument& argument = m_all.at(m_count++);
  argument.name = m_list != nullptr ? m_list : name;
  argument.number = m_number;
  argument.entry = m_list != nullptr ? name : "";
  argument.part = part;
  argument.array = array;
  argument.access = access;
}

Arguments& Arguments::of_entry(const char* name, std::int64_t number) {
  m_list = name;
  m_number = number;
  return *this;
}

Arguments& Arguments::writes(const char* name, const StridedOutput& array) {
  add(name, "", seam::read_only(array), Access::written);
  return *this;
}

Arguments& Arguments::writes(const char* name, const std::byte* memory, std::size_t bytes) {
  add(name, "",
      Strided(reinterpret_cast<const std::uint8_t*>(memory), {static_cast<std::int64_t>(bytes)}),
      Access::written);
  return *this;
}

void Arguments::add(const char* name, const char* part, const PerChannel& numbers) {
  if (numbers.each() == nullptr) return;
  add(name, part, Strided(numbers.each(), {numbers.count()}), Access::read);
}

Arguments& Arguments::reads(const char* name, const Operand& operand) {
  add(name, "", operand.array(), Access::read);
  add(name, "'s scales", operand.scale());
  add(name, "'s offsets", operand.offset());
  return *this;
}

bool are_apart(const StridedOutput& output, const Strided& other) {
  return lie_apart(seam::read_only(output), other);
}

void check_apart(const Arguments& arguments) {
  const std::span<const Argument> all = arguments.all();
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].access != Access::written) continue;
    for (std::size_t j = 0; j < all.size(); ++j) {
      const bool is_seen_already = all[j].access == Access::written && j < i;
      if (j != i && !is_seen_already) check_pair(all[i], all[j]);
    }
  }
}

void check_apart(std::span<const Product> products) {
  const std::vector<Result> results = results_of(products);
  for (std::size_t i = 0; i < products.size(); ++i) {
    const Arguments own = arguments_of(products[i], i);
    for (const Argument& argument : own.all()) {
      visit_met(results, memory_of(argument), [&](std::size_t j) {
        if (argument.access == Access::written && j == i) return;
        check_pair(arguments_of(products[j], j).all().front(), argument);
      });
    }
  }
}

}  // namespace synelix::plan
