// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "golden/golden_eval.hpp"

#include <synelix/eval_basis.hpp>
#include <synelix/expression.hpp>

#include "golden/golden_bases.hpp"
#include "golden/golden_features.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace golden {
namespace {

using synelix::Bounds;

/// The basis in eval mode; nothing for a family that the library does not have.
std::optional<synelix::EvalBasis> eval_basis_of(const Group& group, std::int64_t columns) {
  std::string name = group.text("cls").value_or("");
  if (name.ends_with("Eval")) name.resize(name.size() - 4);
  if (name == "Identity") return synelix::Identity{};
  if (name == "Zero") return synelix::Zero{};
  const auto basis = basis_of(group, columns);
  if (!basis) return std::nullopt;
  return std::visit(
      [](const auto& family) -> std::optional<synelix::EvalBasis> {
        if constexpr (std::is_constructible_v<synelix::EvalBasis, decltype(family)>) {
          return synelix::EvalBasis(family);
        } else {
          return std::nullopt;
        }
      },
      *basis);
}

/// Pairs of an attribute, which are stored consecutively.
std::vector<Bounds> bounds_of(const Group& group) {
  std::vector<Bounds> bounds;
  const auto numbers = group.numbers("bounds");
  if (!numbers) return bounds;
  if (numbers->size() % 2 != 0) throw FormatError(group.path() + ": bounds are not pairs");
  for (std::size_t i = 0; i < numbers->size(); i += 2) {
    bounds.push_back({(*numbers)[i], (*numbers)[i + 1]});
  }
  return bounds;
}

/// A Fourier basis that keeps the combinations of a case. They are (dimension, combination).
synelix::Fourier fourier_of(const Group& group, const Array& kept) {
  const auto dimensions = static_cast<std::size_t>(kept.extents[0]);
  const auto count = static_cast<std::size_t>(kept.extents[1]);
  synelix::Fourier basis;
  basis.dimensions = kept.extents[0];
  std::set<std::vector<std::int64_t>> wanted;
  for (std::size_t d = 0; d < dimensions; ++d) {
    std::set<std::int64_t> list;
    for (std::size_t i = 0; i < count; ++i) list.insert(std::llround(kept.values[d * count + i]));
    basis.frequencies.emplace_back(list.begin(), list.end());
  }
  for (std::size_t i = 0; i < count; ++i) {
    std::vector<std::int64_t> combination;
    for (std::size_t d = 0; d < dimensions; ++d) {
      combination.push_back(std::llround(kept.values[d * count + i]));
    }
    wanted.insert(combination);
  }
  const std::string mask = group.text("mask").value_or("no-intercept");
  if (mask == "all") {
    basis.intercept = synelix::Intercept::with;
    return basis;
  }
  if (mask == "no-intercept") {
    synelix::Fourier plain = basis;
    for (auto& list : plain.frequencies) {
      if (list.front() != 0) list.insert(list.begin(), 0);
    }
    if (synelix::frequency_combinations(plain).size() == kept.values.size()) return plain;
  }
  return synelix::with_mask(basis, [&](std::span<const std::int64_t> combination) {
    return wanted.contains({combination.begin(), combination.end()});
  });
}

}  // namespace

Outcome check_eval(const Group& group) {
  const Array x = group.array("x");
  const Array expected = group.array("matrix");
  if (expected.rank() != 2) throw FormatError(group.path() + ": matrix is not two-dimensional");
  std::int64_t channels = 1;
  for (std::size_t d = 1; d < x.extents.size(); ++d) channels *= x.extents[d];
  const auto basis = eval_basis_of(group, expected.extents[1] / channels);
  if (!basis) {
    return {Outcome::Kind::not_compared, "class " + group.text("cls").value_or("(none)")};
  }
  synelix::EvalTerm term;
  term.bounds = bounds_of(group);
  term.fill = group.number("fill_value").value_or(NAN);
  return check_expression(synelix::eval(*basis, term), {x}, expected);
}

Outcome check_fourier(const Group& group) {
  const Array kept = group.array("frequencies");
  if (kept.rank() != 2 || kept.values.empty()) {
    throw FormatError(group.path() + ": frequencies are not (dimensions, combinations)");
  }
  std::vector<Array> inputs;
  for (std::int64_t d = 0; d < kept.extents[0]; ++d) {
    inputs.push_back(group.array("x" + std::to_string(d)));
  }
  const synelix::Fourier basis = fourier_of(group, kept);
  const std::vector<std::int64_t> found = synelix::frequency_combinations(basis);
  std::vector<double> by_dimension;
  for (std::size_t d = 0; d < inputs.size(); ++d) {
    for (std::size_t i = d; i < found.size(); i += inputs.size()) {
      by_dimension.push_back(static_cast<double>(found[i]));
    }
  }
  Outcome outcome = compare(kept, by_dimension, [](std::size_t) { return 0.0; });
  if (outcome.kind != Outcome::Kind::agrees) {
    outcome.text = "frequencies: " + outcome.text;
    return outcome;
  }
  synelix::EvalTerm term;
  term.bounds = bounds_of(group);
  return check_expression(synelix::eval(basis, term), inputs, group.array("matrix"));
}

}  // namespace golden
