// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "types/checks.hpp"

#include <synelix/basis.hpp>
#include <synelix/eval_basis.hpp>

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

/// \file
/// The functions that each family with a formula on the window defines in its own file: its rules,
/// and its taps. Functions for all families follow from the variants Basis and EvalBasis. The rules
/// that several bases share come first: each error names the argument, what is wrong with its
/// value, and what to use.

namespace synelix {

template <>
inline constexpr std::string_view value_names<Decay>[] { "to_zero", "open" };
template <>
inline constexpr std::string_view value_names<Intercept>[] { "without", "with" };
template <>
inline constexpr std::string_view value_names<Outside>[] { "row", "channel" };

}  // namespace synelix

namespace synelix::bases {

/// "ARGUMENT: VALUE PROBLEM. REMEDY."
[[noreturn]] void refuse(std::string_view argument, double value, std::string_view problem,
                         std::string_view remedy);
[[noreturn]] void refuse(std::string_view argument, std::int64_t value, std::string_view problem,
                         std::string_view remedy);

/// Requires value >= least.
void require_at_least(std::string_view argument, std::int64_t value, std::int64_t least);

/// Refuses NaN and infinite values.
void require_finite(std::string_view argument, double value);

/// Requires a width of raised cosines > 1 that is a multiple of 1/2 within the tolerance of
/// numpy.isclose.
void require_width(std::string_view argument, double width);

/// u(w) = w / (window - 1), both ends included; 0 if window is 1.
///
/// Rounded like numpy.linspace(0, 1, window), as w times the rounded step: splines of order 1 jump
/// at their knots, where the last bit of u decides on which side a tap is.
inline double window_grid(std::int64_t w, std::int64_t window) {
  if (window == 1) return 0.0;
  if (w == window - 1) return 1.0;
  return static_cast<double>(w) * (1.0 / static_cast<double>(window - 1));
}

/// \throws Error if a rule of the family is broken
void check(const RaisedCosineLinear& basis);
void check(const RaisedCosineLog& basis);
void check(const BSpline& basis);
void check(const CyclicBSpline& basis);
void check(const MSpline& basis);

/// Fills the window x bases values, row-major.
void fill(const RaisedCosineLinear& basis, std::int64_t window, std::span<double> values);
void fill(const RaisedCosineLog& basis, std::int64_t window, std::span<double> values);
void fill(const BSpline& basis, std::int64_t window, std::span<double> values);
void fill(const CyclicBSpline& basis, std::int64_t window, std::span<double> values);
void fill(const MSpline& basis, std::int64_t window, std::span<double> values);

/// The name of the family that a Basis or an EvalBasis holds.
template <class... Families>
std::string family_name(const std::variant<Families...>& basis) {
  return std::visit([](const auto& family) { return std::string(family.name); }, basis);
}

/// The names of all families of a variant.
template <class... Families>
constexpr auto family_names(std::type_identity<std::variant<Families...>>) {
  return std::array<std::string_view, sizeof...(Families)>{Families::name...};
}

/// The parameters of a family that are recorded with its features; enumerations by name.
template <class Family>
std::vector<BasisParameter> recorded_parameters(const Family& family) {
  std::vector<BasisParameter> parameters;
  for_each_parameter(family, [&](const char* name, const auto& value) {
    using Value = std::decay_t<decltype(value)>;
    if constexpr (std::is_enum_v<Value>) {
      parameters.emplace_back(name, std::string(known_name(value)));
    } else {
      parameters.emplace_back(name, value);
    }
  });
  return parameters;
}

}  // namespace synelix::bases
