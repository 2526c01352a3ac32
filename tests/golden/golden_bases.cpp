// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "golden/golden_bases.hpp"

#include <synelix/basis.hpp>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

namespace golden {

namespace {

void read(const Group& group, const char* name, double& value) {
  value = group.number(name).value_or(value);
}
void read(const Group& group, const char* name, std::int64_t& value) {
  value = group.integer(name).value_or(value);
}
void read(const Group& group, const char* /*name*/, synelix::Decay& value) {
  if (!group.flag("enforce_decay_to_zero").value_or(true)) value = synelix::Decay::open;
}
void read(const Group& group, const char* name, std::vector<double>& values) {
  const auto found = group.numbers(name);
  if (!found) throw FormatError(group.path() + ": attribute " + name + " is missing");
  values = *found;
}

/// The family of a name, of those that have parameters alone.
template <class... Families>
std::optional<synelix::Basis> family_of(std::type_identity<std::variant<Families...>>,
                                        const std::string& name) {
  std::optional<synelix::Basis> found;
  const auto take = [&]<class Family>(std::type_identity<Family>) {
    if (!std::is_same_v<Family, synelix::CustomTaps> && name == Family::name) found = Family{};
  };
  (take(std::type_identity<Families>{}), ...);
  return found;
}

}  // namespace

std::optional<synelix::Basis> basis_of(const Group& group, std::int64_t columns) {
  std::string name = group.text("cls").value_or("");
  if (name.ends_with("Conv") || name.ends_with("Eval")) name.resize(name.size() - 4);
  std::optional<synelix::Basis> basis = family_of(std::type_identity<synelix::Basis>{}, name);
  if (!basis) return std::nullopt;
  std::visit(
      [&](auto& family) {
        if constexpr (requires { family.bases; }) {
          family.bases = group.integer("n_basis_funcs").value_or(columns);
        }
        synelix::for_each_parameter(
            family, [&](const char* parameter, auto& value) { read(group, parameter, value); });
      },
      *basis);
  return basis;
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
