// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "golden/golden_bases.hpp"

#include <synelix/basis.hpp>

#include <algorithm>
#include <cmath>
#include <optional>

namespace golden {

std::optional<synelix::Basis> basis_of(const Group& group, std::int64_t columns) {
  std::string name = group.text("cls").value_or("");
  if (name.ends_with("Conv") || name.ends_with("Eval")) name.resize(name.size() - 4);
  const std::int64_t bases = group.integer("n_basis_funcs").value_or(columns);
  const double width = group.number("width").value_or(2.0);
  const std::int64_t order = group.integer("order").value_or(4);
  if (name == "RaisedCosineLinear") {
    return synelix::RaisedCosineLinear{.bases = bases, .width = width};
  }
  if (name == "RaisedCosineLog") {
    return synelix::RaisedCosineLog{.bases = bases,
                                    .width = width,
                                    .time_scaling = group.number("time_scaling").value_or(50.0),
                                    .decay = group.flag("enforce_decay_to_zero").value_or(true)
                                                 ? synelix::Decay::to_zero
                                                 : synelix::Decay::open};
  }
  if (name == "BSpline") return synelix::BSpline{.bases = bases, .order = order};
  if (name == "CyclicBSpline") return synelix::CyclicBSpline{.bases = bases, .order = order};
  if (name == "MSpline") return synelix::MSpline{.bases = bases, .order = order};
  if (name == "OrthExponential") {
    const auto rates = group.numbers("decay_rates");
    if (!rates) throw FormatError(group.path() + ": attribute decay_rates is missing");
    return synelix::OrthExponential{.decay_rates = *rates};
  }
  if (name == "History") return synelix::History{};
  return std::nullopt;
}

namespace {

/// Columns of `values` that point away from the expected ones are multiplied by -1.
void align_signs(const Array& expected, std::vector<double>& values) {
  const auto columns = static_cast<std::size_t>(expected.extents[1]);
  for (std::size_t b = 0; b < columns; ++b) {
    double product = 0.0;
    for (std::size_t i = b; i < values.size(); i += columns) {
      product += expected.values[i] * values[i];
    }
    for (std::size_t i = b; product < 0.0 && i < values.size(); i += columns) {
      values[i] = -values[i];
    }
  }
}

}  // namespace

Outcome check_basis(const Group& group) {
  const Array expected = group.array("matrix");
  if (expected.rank() != 2) throw FormatError(group.path() + ": matrix is not two-dimensional");
  const auto basis = basis_of(group, expected.extents[1]);
  if (!basis) {
    return {Outcome::Kind::not_compared, "class " + group.text("cls").value_or("(none)")};
  }
  synelix::Taps taps =
      evaluate_taps(*basis, group.integer("window_size").value_or(expected.extents[0]));
  if (taps.window != expected.extents[0] || taps.bases != expected.extents[1]) {
    return {Outcome::Kind::differs, "shape (" + std::to_string(taps.window) + ", " +
                                        std::to_string(taps.bases) + ") instead of (" +
                                        std::to_string(expected.extents[0]) + ", " +
                                        std::to_string(expected.extents[1]) + ")"};
  }
  if (group.flag("columns_up_to_sign").value_or(false)) align_signs(expected, taps.values);

  const double relative = expected.is_narrow ? 1e-5 : 1e-12;
  const double tolerance = relative * std::max(1.0, largest_finite(expected.values));
  const auto column_tolerance = group.numbers("column_tol");
  const auto columns = static_cast<std::size_t>(taps.bases);
  if (column_tolerance && column_tolerance->size() != columns) {
    throw FormatError(group.path() + ": column_tol does not have one entry for each column");
  }
  return compare(expected, taps.values, [&](std::size_t i) {
    return column_tolerance ? (*column_tolerance)[i % columns] : tolerance;
  });
}

}  // namespace golden
