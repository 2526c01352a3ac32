// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tool/options/basis_names.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace synelix::tool {
namespace {

/// Which parameters a family has.
struct BasisName {
  std::string_view name;
  bool bases;
  bool raised_cosine;
  bool logarithmic;
  bool spline;
  bool decay_rates;
};
constexpr std::array<BasisName, 7> families{{
    {"raised-cosine-linear", true, true, false, false, false},
    {"raised-cosine-log", true, true, true, false, false},
    {"bspline", true, false, false, true, false},
    {"cyclic-bspline", true, false, false, true, false},
    {"mspline", true, false, false, true, false},
    {"orth-exponential", false, false, false, false, true},
    {"history", false, false, false, false, false},
}};

const BasisName* find(const std::string& name) {
  const auto* found = std::find_if(families.begin(), families.end(),
                                   [&](const BasisName& family) { return family.name == name; });
  return found == families.end() ? nullptr : found;
}

}  // namespace

std::string family_names() {
  std::string names;
  for (const BasisName& family : families) {
    names += (names.empty() ? "" : ", ") + std::string(family.name);
  }
  return names;
}

bool is_family(const std::string& name) { return find(name) != nullptr; }

std::optional<ParameterFault> fault_of(const BasisParameters& given) {
  const BasisName& family = *find(given.family);
  struct Parameter {
    const char* name;
    bool is_given;
    bool applies;
  };
  const std::array<Parameter, 6> parameters{{
      {"bases", given.bases.has_value(), family.bases},
      {"width", given.width.has_value(), family.raised_cosine},
      {"time-scaling", given.time_scaling.has_value(), family.logarithmic},
      {"no-decay", given.no_decay, family.logarithmic},
      {"order", given.order.has_value(), family.spline},
      {"decay-rates", given.decay_rates.has_value(), family.decay_rates},
  }};
  for (const Parameter& parameter : parameters) {
    if (parameter.is_given && !parameter.applies) return ParameterFault{parameter.name, false};
  }
  if (family.bases && !given.bases) return ParameterFault{"bases", true};
  if (family.decay_rates && !given.decay_rates) return ParameterFault{"decay-rates", true};
  return std::nullopt;
}

Basis basis_of(const BasisParameters& given) {
  const std::int64_t bases = given.bases.value_or(0);
  if (given.family == "raised-cosine-linear") {
    RaisedCosineLinear basis{.bases = bases};
    basis.width = given.width.value_or(basis.width);
    return basis;
  }
  if (given.family == "raised-cosine-log") {
    RaisedCosineLog basis{.bases = bases};
    basis.width = given.width.value_or(basis.width);
    basis.time_scaling = given.time_scaling.value_or(basis.time_scaling);
    if (given.no_decay) basis.decay = Decay::open;
    return basis;
  }
  if (given.family == "orth-exponential") {
    return OrthExponential{given.decay_rates.value_or(std::vector<double>{})};
  }
  if (given.family == "history") return History{};
  const auto with_order = [&](auto spline) -> Basis {
    spline.bases = bases;
    spline.order = given.order.value_or(spline.order);
    return spline;
  };
  if (given.family == "bspline") return with_order(BSpline{});
  if (given.family == "cyclic-bspline") return with_order(CyclicBSpline{});
  return with_order(MSpline{});
}

}  // namespace synelix::tool
