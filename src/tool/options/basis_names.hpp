// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/basis.hpp>

#include "tool/options/values.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

/// \file
/// The names of bases, the parameters of each, and the resulting bases: for the options of a
/// command line and for the tables of a design. Families and their parameters are those of
/// basis.hpp, so only a new parameter needs a row here.

namespace synelix::tool {

/// The value of a parameter; true for a flag.
using ParameterValue = std::variant<bool, std::int64_t, double, std::vector<double>>;

template <auto Parse>
ParameterValue parse_as(const std::string& text) {
  return Parse(text);
}

/// A parameter of some families: an option of the command line and a key of a design.
struct BasisOption {
  std::string_view member;                           ///< of the families: "time_scaling"
  std::string_view name;                             ///< "time-scaling"
  bool is_required;                                  ///< whether a family with it needs it
  ParameterValue (*parse)(const std::string& text);  ///< null: a flag
  const char* value;                                 ///< placeholder of the value in the help
  const char* help;
};
inline constexpr std::array basis_options{
    BasisOption{"bases", "bases", true, parse_as<parse_integer>, "B", "Number of filters."},
    BasisOption{"width", "width", false, parse_as<parse_number>, "X",
                "For raised cosines: half the width of a filter, in distances between peaks. "
                "Default: 2."},
    BasisOption{"time_scaling", "time-scaling", false, parse_as<parse_number>, "X",
                "For raised-cosine-log: how densely the filters lie near the present. "
                "Default: 50."},
    BasisOption{"decay", "no-decay", false, nullptr, "",
                "For raised-cosine-log: the last filter has its peak at the end of the window."},
    BasisOption{"order", "order", false, parse_as<parse_integer>, "N",
                "For splines: degree + 1. Default: 4."},
    BasisOption{"decay_rates", "decay-rates", true, parse_as<parse_numbers>, "X,X,...",
                "For orth-exponential: one rate for each filter, per window."},
};

/// The values read for a basis; parameters in the order of `basis_options`, absent if not given.
struct BasisParameters {
  std::string family;  ///< "raised-cosine-log"
  std::array<std::optional<ParameterValue>, basis_options.size()> values;
};

/// A parameter that is missing, or that a family does not have.
struct ParameterFault {
  std::string parameter;  ///< "time-scaling"
  bool is_missing = false;
};

/// The names of all families, separated by commas, with `last` before the last one.
std::string family_names(std::string_view last = ", ");
bool is_family(const std::string& name);
/// Whether samples can be mapped through the functions of a known family.
bool has_eval_mode(const std::string& name);
/// The fault of the parameters of a known family, if any.
std::optional<ParameterFault> fault_of(const BasisParameters& parameters);
/// The basis of a known family with valid parameters.
Basis basis_of(const BasisParameters& parameters);

}  // namespace synelix::tool
